package eval

import "reflect"

// What channel operations of cells do. None waits past an interrupt of the cell that its
// goroutine belongs to.

// rtSend sends on a channel.
func (s *Session) rtSend(ch, v any) {
	c := reflect.ValueOf(ch)
	x := asElement(c, v)
	if c.TrySend(x) {
		return
	}
	sel := []reflect.SelectCase{{Dir: reflect.SelectSend, Chan: c, Send: x}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(s.done())}}
	if i, _, _ := reflect.Select(sel); i == 1 {
		panic(interruption{})
	}
}

// asElement gives a value as the element type of a channel, which may be an interface.
func asElement(c reflect.Value, v any) reflect.Value {
	if v == nil {
		return reflect.Zero(c.Type().Elem())
	}
	return reflect.ValueOf(v)
}

func (s *Session) rtRecv(ch any) any {
	v, _ := s.rtRecv2(ch)
	return v
}

// rtRecv2 receives from a channel; ok is false if it was closed.
func (s *Session) rtRecv2(ch any) (v any, ok bool) {
	c := reflect.ValueOf(ch)
	x, ok := c.TryRecv()
	if !x.IsValid() {
		var i int
		i, x, ok = reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: c}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(s.done())}})
		if i == 1 {
			panic(interruption{})
		}
	}
	return unwrapAny(x), ok
}

// A selection is one execution of a select statement.
type selection struct {
	cases []reflect.SelectCase
	value reflect.Value
	ok    bool
}

func newSelect() any { return new(selection) }

func selectSend(sel, ch, v any) {
	s, c := sel.(*selection), reflect.ValueOf(ch)
	s.cases = append(s.cases, reflect.SelectCase{Dir: reflect.SelectSend, Chan: c, Send: asElement(c, v)})
}

func selectRecv(sel, ch any) {
	s := sel.(*selection)
	s.cases = append(s.cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ch)})
}

// selectNone stands where the default clause is, so that the others keep their numbers.
func selectNone(sel any) {
	s := sel.(*selection)
	s.cases = append(s.cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf((chan int)(nil))})
}

// rtSelect waits for one of the cases and gives its number.
func (s *Session) rtSelect(sel any) int {
	x := sel.(*selection)
	n := len(x.cases)
	i, v, ok := reflect.Select(append(x.cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(s.done())}))
	if i == n {
		panic(interruption{})
	}
	x.value, x.ok = v, ok
	return i
}

// rtTrySelect gives the number of a case that can go ahead now, -1 if there is none.
func rtTrySelect(sel any) int {
	x := sel.(*selection)
	n := len(x.cases)
	i, v, ok := reflect.Select(append(x.cases, reflect.SelectCase{Dir: reflect.SelectDefault}))
	if i == n {
		return -1
	}
	x.value, x.ok = v, ok
	return i
}

func selected(sel any) any    { return unwrapAny(sel.(*selection).value) }
func selectedOK(sel any) bool { return sel.(*selection).ok }
