package eval

import (
	"go/token"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// Where in the cells a goroutine is.
//
// Deferred functions, and what yaegi prints to when a panic goes through one of its own, run
// while the whole stack is still there. On it each call of an interpreted function is a call of
// runBody, or of yaegi's runCfg, whose arguments, the function's nodes and its frame, are in the
// text of a stack trace.
// In the frame is the mark of the line (see lower_mark.go), and the operands of an index
// that is out of range.

// A tracer finds out where a goroutine panicked.
type tracer struct {
	s     *Session
	mu    sync.Mutex
	trace map[uintptr]*traced // of the goroutines that panic
}

// A traced panic is one on its way, as it was where it happened.
type traced struct {
	frames []Frame
	skip   *node  // the declared function of a body that is in frames
	made   bool   // the innermost function is a literal that lowering made, of a deferred call or a method value
	bounds string // "index out of range [5] with length 3", if it is about such

	instead bool // whether bounds is about what Go evaluates before
}

// Write is called by the deferred function of runCfg.
func (t *tracer) Write(p []byte) (int, error) {
	t.note()
	return len(p), nil
}

// note looks where the panic is that the deferred function which calls it has recovered from, or is about to.
// Where an interrupted cell was nobody asks, and each function on its stack may have deferred one that is
// interrupted anew: to look would take the square of their number.
func (t *tracer) note() {
	if isClosed(t.s.done()) {
		return
	}
	id, _ := goroutine()
	t.mu.Lock()
	_, known := t.trace[id]
	t.mu.Unlock()
	if known && passing() {
		return
	}
	w := t.s.whereIs(ownStack())
	t.mu.Lock()
	t.trace[id] = w
	t.mu.Unlock()
}

// get gives what is known of the panic of this goroutine.
func (t *tracer) get() *traced {
	id, _ := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	if w := t.trace[id]; w != nil {
		return w
	}
	return &traced{}
}

// take is get for the last time: the panic has ended.
func (t *tracer) take() *traced {
	id, _ := goroutine()
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.trace[id]
	delete(t.trace, id)
	if w == nil {
		w = &traced{}
	}
	return w
}

// passing tells whether the panic is one that an inner runCfg, or the frame of deferred calls, has
// raised again.
func passing() bool {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	raised := false
	for {
		f, more := frames.Next()
		switch name := f.Function; {
		case !raised:
			raised = name == "runtime.gopanic"
		case !strings.HasPrefix(name, "runtime."):
			return strings.HasSuffix(name, "interp.runCfg.func1") || strings.HasSuffix(name, ".rtFrame") || strings.Contains(name, ".panicOf.")
		}
		if !more {
			return false
		}
	}
}

func ownStack() []byte {
	b := make([]byte, 1<<15)
	return b[:runtime.Stack(b, false)]
}

// interpretedCall finds a call of an interpreted function in a stack trace.
var interpretedCall = regexp.MustCompile(`\n(?:github\.com/traefik/yaegi/interp\.runCfg|trivium/kernel/eval\.runBody)\((0x.*)\n`)

// whereIs reads the text of the stack of the goroutine that calls it.
func (s *Session) whereIs(stack []byte) (w *traced) {
	w = &traced{}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }() // a trace is worth less than the session
	for first := true; ; first = false {
		at := interpretedCall.FindSubmatchIndex(stack)
		if at == nil {
			return w
		}
		args := string(stack[at[2]:at[3]])
		stack = stack[at[3]:]
		n, f, ok := pointers(args)
		if !ok {
			continue
		}
		s.addFrame(w, (*node)(n), (*frame)(f), first)
	}
}

// pointers gives the first two arguments of a call in a stack trace. A question mark behind a value
// says that the register or the memory may hold something else by now.
func pointers(args string) (n, f unsafe.Pointer, ok bool) {
	list := strings.Split(strings.TrimSuffix(args, ")"), ", ")
	if len(list) < 2 {
		return nil, nil, false
	}
	var p [2]uintptr
	for i := range p {
		v, err := strconv.ParseUint(list[i], 0, 64)
		if err != nil || v == 0 {
			return nil, nil, false
		}
		p[i] = uintptr(v)
	}
	// Both are alive, as the stack is the caller's own.
	return *(*unsafe.Pointer)(unsafe.Pointer(&p[0])), *(*unsafe.Pointer)(unsafe.Pointer(&p[1])), true
}

const mostFrames = 50

// addFrame adds a call of an interpreted function to a trace.
func (s *Session) addFrame(w *traced, n *node, f *frame, innermost bool) {
	l := s.layout
	fn := l.function(n)
	if fn == nil {
		return
	}
	number := 0
	l.walk(fn, func(x *node) {
		if number == 0 && strings.HasPrefix(x.ident, lineName) {
			if v := l.value(x, f); v.IsValid() && v.Kind() == reflect.Int {
				number = int(v.Int())
			}
		}
	})
	if number == 0 {
		place := funcPlace{fn.pos, 'd'}
		switch {
		case l.isBody(fn, defersName):
			place.kind = 'b'
		case fn.kind == l.funcLit:
			place.kind = 'l'
		}
		s.linesMu.Lock()
		number = s.onlyLine[place]
		s.linesMu.Unlock()
	}
	if innermost && number > 0 {
		w.bounds, w.instead = l.bounds(fn, f, s.fset, markOfNumber(number))
	}
	if fn == w.skip { // the frame of deferred calls, whose body has been met
		return
	}
	name := l.nameOf(fn)
	body := l.isBody(fn, defersName)
	if body {
		w.skip = l.function(fn.parent)
	}
	if strings.Contains(name, "ʹh") || number == 0 && fn.kind == l.funcLit { // made by lowering
		w.made = w.made || innermost && number == 0 && fn.kind == l.funcLit
		return
	}
	pos := fn.pos
	if number > 0 {
		pos = markOfNumber(number).from
	}
	at := s.fset.Position(pos)
	fr := Frame{Func: s.showName(name), Cell: cellNumber(at.Filename), Line: at.Line}
	if strings.HasPrefix(name, "cellʹ") {
		if fr.Func = ""; fn.kind == l.funcLit && !body && !l.isBody(fn, yieldName) {
			fr.Func = "func literal"
		}
		if number == 0 {
			fr.Line = 0
		}
	}
	if k := len(w.frames); k >= 3 && w.frames[k-1] == fr && w.frames[k-2] == fr && w.frames[k-3] == fr || k >= mostFrames {
		return // recursion
	}
	w.frames = append(w.frames, fr)
}

// nameOf gives the name in the output of the declared function that a function is in.
func (l *layout) nameOf(fn *node) string {
	for n := fn; n != nil; n = n.parent {
		if n.kind == l.funcDecl {
			if c := n.child; len(c) > 1 && c[1] != nil {
				return c[1].ident
			}
		}
	}
	return ""
}

// isBody tells whether a function literal has been made of a part of a function: the name of its first
// parameter says which.
func (l *layout) isBody(fn *node, parameter string) bool {
	c := fn.child
	if fn.kind != l.funcLit || len(c) < 3 || c[2] == nil {
		return false
	}
	found := false
	l.walk(c[2], func(x *node) { found = found || strings.HasPrefix(x.ident, parameter) })
	return found
}

// bounds gives Go's text about the first index or slice expression of a marked statement that is out of
// range, "" if there is none, or about what panics before that in Go though not here.
func (l *layout) bounds(fn *node, f *frame, fset *token.FileSet, m mark) (text string, instead bool) {
	text, stored, _ := l.boundsWithin(fn, f, func(pos token.Pos) bool { return m.from <= pos && pos < m.to })
	if text == "" && stored == nil { // in another statement of the line, which has no mark of its own
		at := fset.Position(m.from)
		var only bool
		text, stored, only = l.boundsWithin(fn, f, func(pos token.Pos) bool {
			p := fset.Position(pos)
			return p.Line == at.Line && p.Filename == at.Filename
		})
		if !only {
			return "", false
		}
	}
	if stored != nil {
		if first := l.panicOnRight(stored, f); first != "" {
			return first, true
		}
	}
	return text, false
}

// boundsWithin gives the text about the first, the assignment that stores to it, or to a field of nil, if one does, and whether all are in
// one statement.
func (l *layout) boundsWithin(fn *node, f *frame, within func(token.Pos) bool) (text string, stored *node, only bool) {
	only = true
	var in, field, of *node
	unmade := false
	l.walk(fn, func(n *node) {
		if !within(n.pos) {
			return
		}
		if n.kind == l.kinds.selector && field == nil {
			if x := l.value(n.child[0], f); x.Kind() == reflect.Pointer && x.IsNil() {
				of, field = l.statement(n)
			}
		}
		if n.kind != l.index && n.kind != l.slice {
			return
		}
		err := l.boundsOf(n, f)
		if err == "" || err == text {
			return
		}
		st, to := l.statement(n)
		only = only && (text == "" || st == in)
		if text == "" || unmade {
			text, in, stored = err, st, to
			unmade = to == nil && l.isList(n.child[0]) && err == indexText(ordinal{}, 0) // perhaps a list that has not been made yet
		}
	})
	if field != nil && (text == "" || in == of) {
		stored = field
	}
	return text, stored, only
}

// unconverted gives the node of what an index was before it became an int.
func (l *layout) unconverted(n *node) *node {
	if n.kind == l.kinds.call && len(n.child) == 2 && n.child[0] != nil && n.child[0].ident == "int" {
		return n.child[1]
	}
	return n
}

// isList tells whether a node is a composite literal.
func (l *layout) isList(n *node) bool {
	for n.kind == l.kinds.paren {
		n = n.child[0]
	}
	return n.kind == l.kinds.composite
}

// statement gives the statement that a node is in, and the assignment to the left of whose = it is, if it is.
func (l *layout) statement(n *node) (st, to *node) {
	for st = n; st.parent != nil && st.parent.kind != l.block && !l.isFunc(st.parent); st = st.parent {
		p := st.parent
		if p.action == l.assign && slices.Contains(p.child[:min(p.nleft, len(p.child))], st) {
			to = p
		}
	}
	return st, to
}

// boundsOf gives Go's text about an index or slice expression that is out of range, "" if it is not.
func (l *layout) boundsOf(n *node, f *frame) string {
	c := n.child
	if len(c) < 2 || c[0] == nil {
		return ""
	}
	x := l.value(c[0], f)
	for x.IsValid() && (x.Kind() == reflect.Pointer || x.Kind() == reflect.Interface) {
		x = x.Elem()
	}
	if !x.IsValid() || x.Kind() != reflect.Slice && x.Kind() != reflect.Array && x.Kind() != reflect.String {
		return ""
	}
	var operands []ordinal
	for _, e := range c[1:] {
		if e == nil {
			return ""
		}
		i, ok := integer(l.value(l.unconverted(e), f))
		if !ok {
			return ""
		}
		operands = append(operands, i)
	}
	switch {
	case n.kind == l.index:
		return indexText(operands[0], x.Len())
	case n.action == l.sliceFromZero:
		return sliceText(x, append([]ordinal{{}}, operands...), false)
	}
	return sliceText(x, operands, true)
}
