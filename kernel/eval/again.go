package eval

import (
	"fmt"
	"go/constant"
	"go/token"
	"reflect"
	"slices"
)

// Yaegi indexes what an assignment stores to, and looks for its fields, before it evaluates the right side, where Go does so afterwards. Where
// the index is out of range, or there is nil, the right side is evaluated here, from the variables in the frame, since it may have panicked before.
// Calls are held in variables by then (see lowerer.assignOne), so that nothing happens by it.

// reckoned are the kinds of nodes that are evaluated here, and the operators by the actions of their nodes.
type reckoned struct {
	paren, selector, star, binary, unary, and, or, composite, keyed, call uint
	operators                                                             map[uint]token.Token
}

func reckonedBy(kind func(name string) uint, action reflect.Type) reckoned {
	r := reckoned{
		paren: kind("parenExpr"), selector: kind("selectorExpr"), star: kind("starExpr"), binary: kind("binaryExpr"), unary: kind("unaryExpr"),
		and: kind("landExpr"), or: kind("lorExpr"), composite: kind("compositeLitExpr"), keyed: kind("keyValueExpr"), call: kind("callExpr"),
		operators: map[uint]token.Token{},
	}
	for i := range uint(mostNames) {
		v := reflect.New(action).Elem()
		v.SetUint(uint64(i))
		for op := token.ADD; op <= token.AND_NOT; op++ {
			if v.Interface().(fmt.Stringer).String() == op.String() { // two are called -, one of one operand and one of two
				r.operators[i] = op
			}
		}
	}
	return r
}

// A reckoner evaluates an expression again. What it cannot evaluate is an invalid value.
type reckoner struct {
	l    *layout
	f    *frame
	text string // of the first panic that there would have been
}

// panicOnRight gives Go's text about the panic in the right side of an assignment, "" if there is none.
func (l *layout) panicOnRight(assignment *node, f *frame) string {
	r := &reckoner{l: l, f: f}
	for _, n := range assignment.child[len(assignment.child)-assignment.nright:] {
		r.value(n)
	}
	return r.text
}

func (r *reckoner) fails(text string) {
	if r.text == "" {
		r.text = text
	}
}

func (r *reckoner) value(n *node) reflect.Value {
	none := reflect.Value{}
	if n == nil || r.l.isFunc(n) {
		return none
	}
	if n.rval.IsValid() || n.sym != nil {
		return r.l.value(n, r.f)
	}
	k, c := &r.l.kinds, n.child
	switch n.kind {
	case k.paren:
		return r.value(c[0])
	case r.l.index:
		return r.indexed(r.value(c[0]), r.value(c[1]))
	case r.l.slice:
		return r.sliced(n)
	case k.selector:
		x := r.pointedTo(r.value(c[0]))
		if x.Kind() != reflect.Struct {
			return none
		}
		if v := x.FieldByName(c[1].ident); v.IsValid() {
			return v
		}
		return x.FieldByName("X" + c[1].ident)
	case k.star:
		return r.pointedTo(r.value(c[0]))
	case k.binary:
		x, y := r.value(c[0]), r.value(c[1])
		return r.calculated(n, x, y)
	case k.unary:
		return r.negated(n, r.value(c[0]))
	case k.and, k.or: // the right operand may not be evaluated
		r.value(c[0])
	case k.composite:
		return r.list(n)
	case k.call:
		if slices.ContainsFunc(c, func(x *node) bool { return x == nil }) || len(c) != 2 {
			return none
		}
		return r.called(n, c[0].ident, r.value(c[1]))
	}
	return none
}

// pointedTo follows pointers and interfaces.
func (r *reckoner) pointedTo(x reflect.Value) reflect.Value {
	for x.IsValid() && (x.Kind() == reflect.Pointer || x.Kind() == reflect.Interface) {
		if x.Kind() == reflect.Pointer && x.IsNil() {
			r.fails(nilPointerText)
			return reflect.Value{}
		}
		x = x.Elem()
	}
	return x
}

func (r *reckoner) indexed(x, at reflect.Value) reflect.Value {
	if x = r.pointedTo(x); !x.IsValid() || !at.IsValid() {
		return reflect.Value{}
	}
	if x.Kind() == reflect.Map {
		if !at.Type().AssignableTo(x.Type().Key()) {
			return reflect.Value{}
		}
		if v := x.MapIndex(at); v.IsValid() {
			return v
		}
		return reflect.Zero(x.Type().Elem())
	}
	i, ok := integer(at)
	if !ok || x.Kind() != reflect.Slice && x.Kind() != reflect.Array && x.Kind() != reflect.String {
		return reflect.Value{}
	}
	if text := indexText(i, x.Len()); text != "" {
		r.fails(text)
		return reflect.Value{}
	}
	return x.Index(i.n)
}

func (r *reckoner) sliced(n *node) reflect.Value {
	x := r.pointedTo(r.value(n.child[0]))
	fromZero := n.action == r.l.sliceFromZero
	var b []ordinal
	if fromZero {
		b = []ordinal{{}}
	}
	for _, e := range n.child[1:] {
		i, ok := integer(r.value(e))
		if !ok {
			return reflect.Value{}
		}
		b = append(b, i)
	}
	switch x.Kind() {
	case reflect.Slice, reflect.String:
	case reflect.Array:
		if !x.CanAddr() {
			return reflect.Value{}
		}
	default:
		return reflect.Value{}
	}
	if text := sliceText(x, slices.Clone(b), !fromZero); text != "" {
		r.fails(text)
		return reflect.Value{}
	}
	switch len(b) {
	case 1:
		return x.Slice(b[0].n, x.Len())
	case 2:
		return x.Slice(b[0].n, b[1].n)
	case 3:
		return x.Slice3(b[0].n, b[1].n, b[2].n)
	}
	return reflect.Value{}
}

// calculated gives the result of an operator on integers.
func (r *reckoner) calculated(n *node, x, y reflect.Value) reflect.Value {
	op, ok := r.l.kinds.operators[n.action]
	a, b := exactly(x), exactly(y)
	if !ok || b.Kind() != constant.Int {
		return reflect.Value{}
	}
	t := typeOf(n.typ)
	switch op {
	case token.QUO, token.REM:
		if constant.Sign(b) == 0 {
			r.fails("integer divide by zero")
			return reflect.Value{}
		}
		if op == token.QUO {
			op = token.QUO_ASSIGN // of integers
		}
	case token.SHL, token.SHR:
		count, exact := constant.Uint64Val(b)
		if constant.Sign(b) < 0 {
			r.fails("negative shift amount")
		}
		if a.Kind() != constant.Int || !exact || count > 64 {
			return reflect.Value{}
		}
		return wrapped(constant.Shift(a, op, uint(count)), t)
	}
	if a.Kind() != constant.Int {
		return reflect.Value{}
	}
	return wrapped(constant.BinaryOp(a, op, b), t)
}

func (r *reckoner) negated(n *node, x reflect.Value) reflect.Value {
	if v := exactly(x); r.l.kinds.operators[n.action] == token.SUB && v.Kind() == constant.Int {
		return wrapped(constant.UnaryOp(token.SUB, v, 0), typeOf(n.typ))
	}
	return reflect.Value{}
}

// list gives a slice or an array of what its elements are.
func (r *reckoner) list(n *node) reflect.Value {
	t := typeOf(n.typ)
	var values []reflect.Value
	keyed := false
	for _, c := range n.child[n.nleft:] { // without the type
		if c != nil && c.kind == r.l.kinds.keyed {
			keyed = true
			r.value(c.child[1])
			continue
		}
		values = append(values, r.value(c))
	}
	if t == nil || keyed {
		return reflect.Value{}
	}
	var list reflect.Value
	switch {
	case t.Kind() == reflect.Slice:
		list = reflect.MakeSlice(t, len(values), len(values))
	case t.Kind() == reflect.Array && t.Len() >= len(values):
		list = reflect.New(t).Elem()
	default:
		return reflect.Value{}
	}
	for i, v := range values {
		if e := list.Index(i); v.IsValid() && v.Type().AssignableTo(e.Type()) {
			e.Set(v)
		} else if c := exactly(v); c.Kind() == constant.Int {
			if w := wrapped(c, e.Type()); w.IsValid() {
				e.Set(w)
			}
		}
	}
	return list
}

// called gives the result of a conversion to an integer, and of len and cap.
func (r *reckoner) called(n *node, name string, x reflect.Value) reflect.Value {
	switch name {
	case "len", "cap":
		x = r.pointedTo(x)
		switch x.Kind() {
		case reflect.Slice, reflect.Array, reflect.Chan:
			if name == "cap" {
				return reflect.ValueOf(x.Cap())
			}
			return reflect.ValueOf(x.Len())
		case reflect.String, reflect.Map:
			return reflect.ValueOf(x.Len())
		}
	default:
		if v := exactly(x); v.Kind() == constant.Int && quietCalls[name] {
			return wrapped(v, typeOf(n.typ))
		}
	}
	return reflect.Value{}
}

// integer gives the value of an operand that is an integer.
func integer(v reflect.Value) (b ordinal, ok bool) {
	c := exactly(v)
	if i, exact := constant.Int64Val(c); exact {
		return ordinal{n: int(i)}, true
	}
	u, exact := constant.Uint64Val(c)
	return ordinal{int(u), true}, exact
}

// exactly gives an integer as a constant, which is unknown where the value is something else.
func exactly(v reflect.Value) constant.Value {
	for v.IsValid() && v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch {
	case !v.IsValid():
	case v.CanInt():
		return constant.MakeInt64(v.Int())
	case v.CanUint():
		return constant.MakeUint64(v.Uint())
	case v.CanInterface():
		if c, ok := v.Interface().(constant.Value); ok {
			return constant.ToInt(c)
		}
	}
	return constant.MakeUnknown()
}

// wrapped gives an integer as a value of a type, which has so many bits.
func wrapped(v constant.Value, t reflect.Type) reflect.Value {
	if t == nil || v.Kind() != constant.Int {
		return reflect.Value{}
	}
	low, _ := constant.Uint64Val(constant.BinaryOp(v, token.AND, constant.MakeUint64(1<<64-1)))
	to := reflect.New(t).Elem()
	switch {
	case to.CanInt():
		to.SetInt(int64(low))
	case to.CanUint():
		to.SetUint(low)
	default:
		return reflect.Value{}
	}
	return to
}
