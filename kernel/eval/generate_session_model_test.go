package eval

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The model of a session: what each name means, with its value, and what cells do to them.

const sessionPrelude = `func safe(f func() int) (r int) {
	defer func() {
		if recover() != nil {
			r = -1
		}
	}()
	return f()
}
func at(p *int) int { return *p }
func arrived() { os.Setenv("TRIVIUM_ARRIVED", "1") }`

// A meant is what a name stands for.
type meant struct {
	typ      string      // of a variable its type, else "const", "type" or that of a function with func before it
	of       any         // *modelStruct or *modelInterface where typ says T, *T or I0
	variable *modelPlace // of a variable
	function *modelFunc  // of a function, and where it is declared again with its type
	constant int
}

type modelPlace struct{ v any }

// A modelFunc is all that was declared under one name with one type; a call calls the last.
type modelFunc struct{ now func(f modelFrame) any }

type modelStruct struct {
	fields  int             // which of two lists of fields
	methods map[string]bool // in the cell of the type
}

type modelInterface struct{ parameter string }

// A modelEmbedding is a struct that embeds another and has its methods.
type modelEmbedding struct{ inner *modelStruct }

type modelObject struct {
	a int
	f func(n int) int
}

// A sessionEnv is what names and methods stand for at some place.
type sessionEnv struct {
	names   map[string]*meant
	methods map[*modelStruct]map[string]*modelFunc
}

func (e sessionEnv) clone() sessionEnv {
	c := sessionEnv{maps.Clone(e.names), map[*modelStruct]map[string]*modelFunc{}}
	for t, m := range e.methods {
		c.methods[t] = maps.Clone(m)
	}
	return c
}

func (e sessionEnv) with(name string, m *meant) sessionEnv {
	c := sessionEnv{maps.Clone(e.names), e.methods}
	c.names[name] = m
	return c
}

// find gives what a name stands for if it is of that type.
func (e sessionEnv) find(name, typ string) *meant {
	if m := e.names[name]; m != nil && m.typ == typ {
		return m
	}
	return nil
}

// structure gives a variable that holds a struct or a pointer to one, and the struct's type, or that of what it embeds.
func (e sessionEnv) structure(name string) (*meant, *modelStruct) {
	if m := e.names[name]; m != nil && m.variable != nil {
		switch t := m.of.(type) {
		case *modelStruct:
			return m, t
		case *modelEmbedding:
			return m, t.inner
		}
		return m, nil
	}
	return nil, nil
}

// A modelPanic is a panic of a cell, with the text that is expected.
type modelPanic string

const nilPointer = modelPanic("nil pointer dereference")

// A modelFrame is a call of a function: its argument, its receiver, the length of what a generic one got.
type modelFrame struct {
	n int
	t *modelObject
	x int
}

type (
	eval    = func(f modelFrame) int
	binding = func(e sessionEnv) eval // nil where the expression has no meaning
)

// A num is an expression of type int.
type num struct {
	src  string
	bind binding
}

func fixed(src string, x eval) num { return num{src, func(sessionEnv) eval { return x }} }

func literal(n int) num { return fixed(fmt.Sprint(n), func(modelFrame) int { return n }) }
func argument() num     { return fixed("n", func(f modelFrame) int { return f.n }) }
func oneLess() num      { return fixed("n-1", func(f modelFrame) int { return f.n - 1 }) }
func receiverA() num    { return fixed("t.A", func(f modelFrame) int { return f.t.a }) }

// ofVariable is an expression that reads one variable of a type, and a constant or argument.
func ofVariable(name, typ, src string, arg num, x func(v any, n int) int) num {
	return num{src, func(e sessionEnv) eval {
		m, n := e.find(name, typ), arg.bind(e)
		if m == nil || n == nil {
			return nil
		}
		return func(f modelFrame) int { return x(m.variable.v, n(f)) }
	}}
}

func variableOf(name string) num {
	return ofVariable(name, "int", name, literal(0), func(v any, _ int) int { return v.(int) })
}

func constantOf(name string) num {
	return num{name, func(e sessionEnv) eval {
		m := e.find(name, "const")
		if m == nil {
			return nil
		}
		k := m.constant
		return func(modelFrame) int { return k }
	}}
}

func length(name, typ string) num {
	return ofVariable(name, typ, "len("+name+")", literal(0), func(v any, _ int) int {
		if s, ok := v.(string); ok {
			return len(s)
		}
		return len(v.([]int))
	})
}

func entry(name, key string) num {
	return ofVariable(name, "map[string]int", fmt.Sprintf("%s[%q]", name, key), literal(0), func(v any, _ int) int { return v.(map[string]int)[key] })
}

func pointed(name string) num {
	return ofVariable(name, "*int", "at("+name+")", literal(0), func(v any, _ int) int {
		p := v.(*modelPlace)
		if p == nil {
			panic(nilPointer)
		}
		return p.v.(int)
	})
}

func callEntry(name, key string, arg num) num {
	return ofVariable(name, "map[string]func(int) int", fmt.Sprintf("%s[%q](%s)", name, key, arg.src), arg, func(v any, n int) int {
		return called(v.(map[string]func(int) int)[key], n)
	})
}

func called(f func(int) int, n int) int {
	if f == nil {
		panic(nilPointer)
	}
	return f(n)
}

func sum(a num, op string, b num) num {
	return num{"(" + a.src + " " + op + " " + b.src + ")", func(e sessionEnv) eval {
		x, y := a.bind(e), b.bind(e)
		if x == nil || y == nil {
			return nil
		}
		return func(f modelFrame) int {
			a := x(f)
			b := y(f)
			switch op {
			case "+":
				return a + b
			case "-":
				return a - b
			}
			return a * b
		}
	}}
}

// call calls what a name stands for.
func call(name, typ string, arg num, variant int) num {
	src := name + "(" + arg.src + ")"
	switch typ {
	case "func(int) int":
		return ofVariable(name, typ, src, arg, func(v any, n int) int { return called(v.(func(int) int), n) })
	case "func int string":
		src = "len(" + src + ")"
	case "func any int":
		src = fmt.Sprintf("%s(%s, %s)", name, []string{"1", `"word"`}[variant], arg.src)
	}
	return num{src, func(e sessionEnv) eval {
		m, n := e.find(name, typ), arg.bind(e)
		if m == nil || n == nil {
			return nil
		}
		return func(f modelFrame) int {
			switch r := m.function.now(modelFrame{n: n(f), x: []int{1, 4}[variant]}).(type) {
			case string:
				return len(r)
			default:
				return r.(int)
			}
		}
	}}
}

func field(name string) num {
	return num{name + ".A", func(e sessionEnv) eval {
		m, t := e.structure(name)
		if t == nil || m.typ[0] == '*' { // when a nil pointer panics depends on what stands beside it
			return nil
		}
		return func(modelFrame) int { return m.variable.v.(*modelObject).a }
	}}
}

// callMethod calls method M, as such, by a method value or by a method expression.
func callMethod(name string, arg num, way int) num {
	src := name + ".M(" + arg.src + ")"
	if way == 1 {
		src = "func() int { f := " + name + ".M; return f(" + arg.src + ") }()"
	}
	return num{src, func(e sessionEnv) eval {
		m, t := e.structure(name)
		n := arg.bind(e)
		if t == nil || n == nil || e.methods[t]["M"] == nil || way == 1 && arg.src == "n-1" {
			return nil
		}
		method := e.methods[t]["M"]
		return func(f modelFrame) int { return invoke(method, m.variable.v, n(f)) }
	}}
}

// callExpression calls method M by the name of a type.
func callExpression(typ, name string, arg num) num {
	return num{typ + ".M(" + name + ", " + arg.src + ")", func(e sessionEnv) eval {
		m, t := e.structure(name)
		n, of := arg.bind(e), e.find(typ, "type")
		if t == nil || n == nil || of == nil || of.of != m.of || m.typ[0] == '*' || e.methods[t]["M"] == nil {
			return nil
		}
		method := e.methods[t]["M"]
		return func(f modelFrame) int { return invoke(method, m.variable.v, n(f)) }
	}}
}

// holds is 1 where a value is of a type, as an assertion has it.
func holds(typ, name string) num {
	return num{"func() int {\n\tswitch any(" + name + ").(type) {\n\tcase " + typ + ":\n\t\treturn 1\n\tcase *" + typ + ":\n\t\treturn 2\n\t}\n\treturn 0\n}()", func(e sessionEnv) eval {
		m, of := e.names[name], e.find(typ, "type")
		if m == nil || m.variable == nil || of == nil {
			return nil
		}
		return func(modelFrame) int {
			t, is := m.typ, m.of
			if d, ok := m.variable.v.(*dynamic); ok {
				if d == nil {
					return 0
				}
				t, is = d.typ, d.of
			}
			switch {
			case is != of.of:
				return 0
			case t[0] == '*':
				return 2
			}
			return 1
		}
	}}
}

// invoke calls a method that has a copy of its receiver.
func invoke(method *modelFunc, v any, n int) int {
	o := v.(*modelObject)
	if o == nil {
		panic(nilPointer)
	}
	c := *o
	return method.now(modelFrame{n: n, t: &c}).(int)
}

func callField(name string, arg num) num {
	return num{name + ".F(" + arg.src + ")", func(e sessionEnv) eval {
		m, t := e.structure(name)
		n := arg.bind(e)
		if t == nil || n == nil {
			return nil
		}
		return func(f modelFrame) int {
			o := m.variable.v.(*modelObject)
			if o == nil {
				panic(nilPointer)
			}
			return called(o.f, n(f))
		}
	}}
}

func callDynamic(name string, arg num) num {
	return num{name + ".M(" + arg.src + ")", func(e sessionEnv) eval {
		m, n := e.find(name, "I0"), arg.bind(e)
		if m == nil || n == nil {
			return nil
		}
		return func(f modelFrame) int {
			b := m.variable.v.(*dynamic)
			if b == nil {
				panic(nilPointer)
			}
			if b.o == nil {
				panic(modelPanic("value method main." + b.typ[1:] + ".M called using nil " + b.typ + " pointer"))
			}
			return invoke(b.method, b.o, n(f))
		}
	}}
}

// A dynamic is what an interface holds. Methods of a type are never taken away, and one that is declared again is the same.
type dynamic struct {
	o      *modelObject
	typ    string
	of     any
	method *modelFunc
}

// A body is that of a function of n: least for n <= 0, else more, twice, and result.
type body struct {
	least, result num
	more          *num
}

func (b body) src(wrap string) string {
	s := fmt.Sprintf("\tif n <= 0 {\n\t\treturn "+wrap+"\n\t}\n", b.least.src)
	if b.more == nil {
		return s + fmt.Sprintf("\treturn "+wrap+"\n", b.result.src)
	}
	return s + fmt.Sprintf("\tk := 0\n\tfor i := range 2 {\n\t\tk += %s + i\n\t}\n\treturn "+wrap+"\n", b.more.src, b.result.src+" + k")
}

func (b body) bind(e sessionEnv) eval {
	least, result := b.least.bind(e), b.result.bind(e)
	if least == nil || result == nil {
		return nil
	}
	var more eval
	if b.more != nil {
		if more = b.more.bind(e); more == nil {
			return nil
		}
	}
	return func(f modelFrame) int {
		if f.n <= 0 {
			return least(f)
		}
		k := 0
		if more != nil {
			for i := range 2 {
				k += more(f) + i
			}
		}
		return result(f) + k
	}
}

// literal is a function literal, with a count of its calls where it counts.
func (b body) literal(counts bool) (string, func(sessionEnv) func() func(int) int) {
	src := "func(n int) int {\n" + b.src("%s") + "}"
	if counts {
		src = "func() func(int) int {\n\tc := 0\n\treturn func(n int) int {\n\tc++\n" + b.src("%s + c") + "}\n}()"
	}
	return src, func(e sessionEnv) func() func(int) int {
		x := b.bind(e)
		if x == nil {
			return nil
		}
		return func() func(int) int {
			c := 0
			return func(n int) int {
				if !counts {
					return x(modelFrame{n: n})
				}
				c++
				r := x(modelFrame{n: n})
				return r + c
			}
		}
	}
}

// A val is the value that a variable is declared with.
type val struct {
	src  string
	bind func(e sessionEnv) (typ string, of any, x func() any) // x is nil where the expression has no meaning
}

// ofNumbers makes a value of numbers.
func ofNumbers(typ, src string, list []num, x func(n []int) any) val {
	return val{src, func(e sessionEnv) (string, any, func() any) {
		var l []eval
		for _, n := range list {
			if l = append(l, n.bind(e)); l[len(l)-1] == nil {
				return typ, nil, nil
			}
		}
		return typ, nil, func() any {
			var n []int
			for _, x := range l {
				n = append(n, x(modelFrame{}))
			}
			return x(n)
		}
	}}
}

func ofNumber(n num) val {
	return ofNumbers("int", "int("+n.src+")", []num{n}, func(n []int) any { return n[0] })
}
func sprint(n num) val {
	return ofNumbers("string", "fmt.Sprint("+n.src+")", []num{n}, func(n []int) any { return fmt.Sprint(n[0]) })
}
func list(a, b num) val {
	return ofNumbers("[]int", "[]int{"+a.src+", "+b.src+"}", []num{a, b}, func(n []int) any { return slices.Clip(n) })
}
func table(key string, n num) val {
	return ofNumbers("map[string]int", fmt.Sprintf("map[string]int{%q: %s}", key, n.src), []num{n}, func(n []int) any { return map[string]int{key: n[0]} })
}

func closure(b body, counts bool) val {
	src, bind := b.literal(counts)
	return val{src, func(e sessionEnv) (string, any, func() any) {
		f := bind(e)
		if f == nil {
			return "func(int) int", nil, nil
		}
		return "func(int) int", nil, func() any { return f() }
	}}
}

func functionTable(key string, b body) val {
	src, bind := b.literal(false)
	return val{fmt.Sprintf("map[string]func(int) int{%q: %s}", key, src), func(e sessionEnv) (string, any, func() any) {
		f := bind(e)
		if f == nil {
			return "", nil, nil
		}
		return "map[string]func(int) int", nil, func() any { return map[string]func(int) int{key: f()} }
	}}
}

func address(name string) val {
	return val{"&" + name, func(e sessionEnv) (string, any, func() any) {
		m := e.find(name, "int")
		if m == nil {
			return "", nil, nil
		}
		return "*int", nil, func() any { return m.variable }
	}}
}

// functionValue takes a function, or an instance of one, as it is now.
func functionValue(name, typ string) val {
	src := name
	if typ == "func any int" {
		src = "func() func(int) int { f := " + name + "[string]; return func(n int) int { return f(\"word\", n) } }()"
	}
	return val{src, func(e sessionEnv) (string, any, func() any) {
		m := e.find(name, typ)
		if m == nil {
			return "", nil, nil
		}
		return "func(int) int", nil, func() any {
			now := m.function.now
			return func(n int) int { return now(modelFrame{n: n, x: 4}).(int) }
		}
	}}
}

func newStruct(name string, a num, b body, pointer bool) val {
	src, bind := b.literal(false)
	src = fmt.Sprintf("%s{A: %s, F: %s}", name, a.src, src)
	typ := name
	if pointer {
		src, typ = "&"+src, "*"+name
	}
	return val{src, func(e sessionEnv) (string, any, func() any) {
		x, f, m := a.bind(e), bind(e), e.find(name, "type")
		if x == nil || f == nil || m == nil {
			return "", nil, nil
		}
		return typ, m.of, func() any {
			a := x(modelFrame{})
			return &modelObject{a, f()}
		}
	}}
}

// embedding makes a struct around a copy of another.
func embedding(name string) val {
	return val{"E0{T0: " + name + ", B: 3}", func(e sessionEnv) (string, any, func() any) {
		m, t := e.structure(name)
		of := e.find("E0", "type")
		if t == nil || m.typ != "T0" || of == nil || of.of.(*modelEmbedding).inner != t {
			return "", nil, nil
		}
		return "E0", of.of, func() any { return copyOf(m) }
	}}
}

func methodValue(name string) val {
	return val{name + ".M", func(e sessionEnv) (string, any, func() any) {
		m, t := e.structure(name)
		if t == nil || e.methods[t]["M"] == nil {
			return "", nil, nil
		}
		method := e.methods[t]["M"]
		return "func(int) int", nil, func() any {
			o := m.variable.v.(*modelObject)
			if o == nil {
				panic(nilPointer)
			}
			c := *o
			return func(n int) int { return invoke(method, &c, n) }
		}
	}}
}

func boxed(name string) val {
	return val{"I0(" + name + ")", func(e sessionEnv) (string, any, func() any) {
		m, t := e.structure(name)
		i := e.find("I0", "type")
		if t == nil || i == nil || e.methods[t]["M"] == nil {
			return "", nil, nil
		}
		method := e.methods[t]["M"]
		return "I0", i.of, func() any { return &dynamic{copyOf(m).(*modelObject), m.typ, m.of, method} }
	}}
}

// copyOf is the value of a variable, as it is assigned.
func copyOf(m *meant) any {
	if o, ok := m.variable.v.(*modelObject); ok && m.typ[0] != '*' {
		c := *o
		return &c
	}
	return m.variable.v
}

func copied(name string) val {
	return val{name, func(e sessionEnv) (string, any, func() any) {
		m := e.names[name]
		if m == nil || m.variable == nil || m.typ == "server" {
			return "", nil, nil
		}
		return m.typ, m.of, func() any { return copyOf(m) }
	}}
}

func zeroOf(typ string) any {
	switch typ {
	case "int":
		return 0
	case "string":
		return ""
	case "[]int":
		return []int(nil)
	case "map[string]int":
		return map[string]int(nil)
	case "*int":
		return (*modelPlace)(nil)
	case "func(int) int":
		return (func(int) int)(nil)
	case "map[string]func(int) int":
		return map[string]func(int) int(nil)
	case "I0":
		return (*dynamic)(nil)
	case "server":
		return (func(int) int)(nil)
	}
	if typ[0] == '*' {
		return (*modelObject)(nil)
	}
	return &modelObject{}
}

// A stmt is a statement; declares is the variable that it declares, if any.
type stmt struct {
	src      string
	declares string
	also     string                                            // a second one
	outer    bool                                              // not in functions, where it might wait, or call itself for ever
	bind     func(e sessionEnv) (after sessionEnv, run func()) // run is nil where it has no meaning
}

// declaring gives what a name stands for where a variable of a type is declared.
func (e sessionEnv) declaring(name, typ string, of any) (sessionEnv, *meant) {
	m := e.find(name, typ)
	if m == nil || m.variable == nil || m.of != of {
		m = &meant{typ: typ, of: of, variable: &modelPlace{zeroOf(typ)}}
	}
	return e.with(name, m), m
}

func declareVar(name string, v val) stmt {
	return stmt{src: name + " := " + v.src, declares: name, bind: func(e sessionEnv) (sessionEnv, func()) {
		typ, of, x := v.bind(e)
		if x == nil {
			return e, nil
		}
		after, m := e.declaring(name, typ, of)
		return after, func() { m.variable.v = x() }
	}}
}

// declareTwo declares two variables in one statement.
func declareTwo(a, b string, v, w val) stmt {
	return stmt{src: a + ", " + b + " := " + v.src + ", " + w.src, declares: a, also: b, bind: func(e sessionEnv) (sessionEnv, func()) {
		t, o, x := v.bind(e)
		u, p, y := w.bind(e)
		if x == nil || y == nil {
			return e, nil
		}
		after, m := e.declaring(a, t, o)
		after, n := after.declaring(b, u, p)
		return after, func() {
			v := x()
			w := y()
			m.variable.v, n.variable.v = v, w
		}
	}}
}

func declareZero(name, typ string) stmt {
	return stmt{src: "var " + name + " " + typ, declares: name, bind: func(e sessionEnv) (sessionEnv, func()) {
		after, m := e.declaring(name, typ, nil)
		return after, func() { m.variable.v = zeroOf(typ) }
	}}
}

// serve starts a goroutine that answers what it is asked, also when its cell is over.
func serve(name string, b body) stmt {
	src := fmt.Sprintf("%[1]s, %[1]sr := make(chan int), make(chan int)\ngo func(q, r chan int) {\n\tc := 0\n\tfor n := range q {\n\tc++\n\tr <- safe(func() int {\n%[2]s\t}) + c\n}\n}(%[1]s, %[1]sr)", name, b.src("%s"))
	return stmt{src: src, declares: name, bind: func(e sessionEnv) (sessionEnv, func()) {
		after, m := e.declaring(name, "server", nil)
		x := b.bind(after)
		if x == nil {
			return e, nil
		}
		return after, func() {
			c := 0
			m.variable.v = func(n int) int {
				c++
				return safely(func() int { return x(modelFrame{n: n}) }) + c
			}
		}
	}}
}

func ask(name, to string, n int) stmt {
	st := changing(fmt.Sprintf("if %[1]s != nil {\n\t%[1]s <- %[2]d\n\t%[3]s = <-%[1]sr\n}", name, n, to), to, "int", func(e sessionEnv) func(any) any {
		m := e.find(name, "server")
		if m == nil {
			return nil
		}
		return func(v any) any {
			if f := m.variable.v.(func(int) int); f != nil {
				return f(n)
			}
			return v
		}
	})
	st.outer = true
	return st
}

// safely is safe of the prelude.
func safely(f func() int) (r int) {
	defer func() {
		if x := recover(); x != nil {
			if _, ok := x.(modelPanic); !ok {
				panic(x)
			}
			r = -1
		}
	}()
	return f()
}

// changing is a statement that gives a variable of a type a value that is made of the one it has.
func changing(src, name, typ string, bind func(e sessionEnv) func(v any) any) stmt {
	return stmt{src: src, bind: func(e sessionEnv) (sessionEnv, func()) {
		m, f := e.find(name, typ), bind(e)
		if m == nil || f == nil {
			return e, nil
		}
		return e, func() {
			v := f(m.variable.v)
			m.variable.v = v
		}
	}}
}

// by is a change by a number.
func by(n num, f func(v any, n int) any) func(e sessionEnv) func(v any) any {
	return func(e sessionEnv) func(any) any {
		x := n.bind(e)
		if x == nil {
			return nil
		}
		return func(v any) any { n := x(modelFrame{}); return f(v, n) }
	}
}

func assign(name, typ, op string, n num) stmt {
	set := func(p *modelPlace, n int) {
		if op == "+=" {
			n += p.v.(int)
		}
		p.v = n
	}
	if typ == "*int" {
		return changing("*"+name+" "+op+" "+n.src, name, typ, by(n, func(v any, n int) any {
			if v.(*modelPlace) == nil {
				panic(nilPointer)
			}
			set(v.(*modelPlace), n)
			return v
		}))
	}
	return changing(name+" "+op+" "+n.src, name, typ, by(n, func(v any, n int) any { p := modelPlace{v}; set(&p, n); return p.v }))
}

func appendTo(name string, n num) stmt {
	return changing(name+" = append("+name+", "+n.src+")", name, "[]int", by(n, func(v any, n int) any { return append(v.([]int), n) }))
}

func setElement(name string, i int, n num) stmt {
	return changing(fmt.Sprintf("%s[%d] = %s", name, i, n.src), name, "[]int", by(n, func(v any, n int) any {
		if i >= len(v.([]int)) {
			panic(modelPanic("index out of range"))
		}
		v.([]int)[i] = n
		return v
	}))
}

func setEntry(name, key string, n num) stmt {
	return changing(fmt.Sprintf("%s[%q] = %s", name, key, n.src), name, "map[string]int", by(n, func(v any, n int) any {
		if v.(map[string]int) == nil {
			panic(modelPanic("assignment to entry in nil map"))
		}
		v.(map[string]int)[key] = n
		return v
	}))
}

// onStruct is a statement that changes a struct, or what a pointer points to.
func onStruct(src, name string, bind func(e sessionEnv, t *modelStruct) func(o *modelObject)) stmt {
	return stmt{src: src, bind: func(e sessionEnv) (sessionEnv, func()) {
		m, t := e.structure(name)
		if t == nil {
			return e, nil
		}
		f := bind(e, t)
		if f == nil {
			return e, nil
		}
		return e, func() { f(m.variable.v.(*modelObject)) }
	}}
}

func setField(name string, n num) stmt {
	return onStruct(name+".A = "+n.src, name, func(e sessionEnv, _ *modelStruct) func(*modelObject) {
		x := n.bind(e)
		if x == nil {
			return nil
		}
		return func(o *modelObject) {
			n := x(modelFrame{})
			if o == nil {
				panic(nilPointer)
			}
			o.a = n
		}
	})
}

func setFunctionField(name string, b body) stmt {
	src, bind := b.literal(false)
	return onStruct(name+".F = "+src, name, func(e sessionEnv, _ *modelStruct) func(*modelObject) {
		f := bind(e)
		if f == nil {
			return nil
		}
		return func(o *modelObject) {
			if o == nil {
				panic(nilPointer)
			}
			o.f = f()
		}
	})
}

// callChanging calls method N, which changes what it is called on.
func callChanging(name string, n int) stmt {
	return onStruct(fmt.Sprintf("%s.N(%d)", name, n), name, func(e sessionEnv, t *modelStruct) func(*modelObject) {
		method := e.methods[t]["N"]
		if method == nil {
			return nil
		}
		return func(o *modelObject) {
			k := method.now(modelFrame{n: n, t: o}).(int)
			_ = k
		}
	})
}

func callProcedure(name string) stmt {
	return stmt{src: name + "()", outer: true, bind: func(e sessionEnv) (sessionEnv, func()) {
		m := e.find(name, "func()")
		if m == nil {
			return e, nil
		}
		return e, func() { m.function.now(modelFrame{}) }
	}}
}

func divide(name, by string) stmt {
	return changing(name+" = 7 / "+by, name, "int", func(e sessionEnv) func(any) any {
		m := e.find(by, "int")
		if m == nil {
			return nil
		}
		return func(any) any {
			if m.variable.v.(int) == 0 {
				panic(modelPanic("integer divide by zero"))
			}
			return 7 / m.variable.v.(int)
		}
	})
}

func fails(src, text string) stmt {
	return stmt{src: src, bind: func(e sessionEnv) (sessionEnv, func()) { return e, func() { panic(modelPanic(text)) } }}
}

// interruptedThere is what the model panics with where the cell does not go on.
const interruptedThere = modelPanic("interrupted")

func endlessly(src string) stmt {
	st := fails("arrived()\n"+src, string(interruptedThere))
	st.outer = true
	return st
}

func nothing() stmt {
	return stmt{src: "_ = 0", bind: func(e sessionEnv) (sessionEnv, func()) { return e, func() {} }}
}

// A decl is a declaration that may stand outside functions.
type decl struct {
	name, src string
	on        string // of a method, its type
	// means gives what the name stands for, with what is around; define gives it its value.
	means  func(e sessionEnv) sessionEnv
	define func(e sessionEnv) func()
}

func (d decl) clashes(o decl) bool { return d.name == o.name }

func declareFunc(name, typ string, b body) decl {
	d := decl{name: name}
	switch typ {
	case "func int int":
		d.src = "func " + name + "(n int) int {\n" + b.src("%s") + "}"
	case "func int string":
		d.src = "func " + name + "(n int) string {\n" + b.src("fmt.Sprint(%s)") + "}"
	case "func any int":
		d.src = "func " + name + "[X any](x X, n int) int {\n" + b.src("%s + len(fmt.Sprint(x))") + "}"
	}
	d.means = func(e sessionEnv) sessionEnv { return e.declareFunc(name, typ) }
	d.define = func(e sessionEnv) func() {
		x := b.bind(e)
		if x == nil {
			return nil
		}
		fn := e.names[name].function
		return func() {
			fn.now = func(f modelFrame) any {
				r := x(f)
				switch typ {
				case "func int string":
					return fmt.Sprint(r)
				case "func any int":
					return r + f.x
				}
				return r
			}
		}
	}
	return d
}

func (e sessionEnv) declareFunc(name, typ string) sessionEnv {
	if e.find(name, typ) != nil {
		return e
	}
	return e.with(name, &meant{typ: typ, function: &modelFunc{}})
}

func declareProcedure(name string, l []stmt) decl {
	src := "func " + name + "() {\n"
	for _, st := range l {
		src += st.src + "\n"
	}
	return decl{name: name, src: src + "}", means: func(e sessionEnv) sessionEnv { return e.declareFunc(name, "func()") }, define: func(e sessionEnv) func() {
		var runs []func()
		for _, st := range l {
			_, run := st.bind(e)
			if run == nil {
				return nil
			}
			runs = append(runs, run)
		}
		fn := e.names[name].function
		return func() {
			fn.now = func(modelFrame) any {
				for _, run := range runs {
					run()
				}
				return nil
			}
		}
	}}
}

func declareConst(name string, k int) decl {
	return decl{name: name, src: fmt.Sprintf("const %s = %d", name, k),
		means:  func(e sessionEnv) sessionEnv { return e.with(name, &meant{typ: "const", constant: k}) },
		define: func(sessionEnv) func() { return func() {} }}
}

func declareInterface(parameter string) decl {
	return decl{name: "I0", src: "type I0 interface{ M(" + parameter + " int) int }", means: func(e sessionEnv) sessionEnv {
		if m := e.find("I0", "type"); m != nil && m.of.(*modelInterface).parameter == parameter {
			return e
		}
		return e.with("I0", &meant{typ: "type", of: &modelInterface{parameter}})
	}, define: func(sessionEnv) func() { return func() {} }}
}

func declareEmbedding() decl {
	return decl{name: "E0", src: "type E0 struct {\n\tT0\n\tB int\n}", on: "T0", means: func(e sessionEnv) sessionEnv {
		t := e.find("T0", "type")
		if t == nil {
			return e
		}
		if m := e.find("E0", "type"); m != nil && m.of.(*modelEmbedding).inner == t.of {
			return e
		}
		return e.with("E0", &meant{typ: "type", of: &modelEmbedding{t.of.(*modelStruct)}})
	}, define: func(e sessionEnv) func() {
		if e.find("E0", "type") == nil || e.find("T0", "type") == nil {
			return nil
		}
		return func() {}
	}}
}

func methodSource(typ, name string, b body) string {
	if name == "N" {
		return "func (t *" + typ + ") N(n int) int {\n\tt.A++\n" + b.src("%s") + "}"
	}
	return "func (t " + typ + ") M(n int) int {\n" + b.src("%s") + "}"
}

// defineMethod gives a method its body.
func defineMethod(e sessionEnv, typ, name string, b body) func() {
	m := e.find(typ, "type")
	x := b.bind(e)
	if m == nil || x == nil {
		return nil
	}
	fn := e.methods[m.of.(*modelStruct)][name]
	return func() {
		fn.now = func(f modelFrame) any {
			if name == "N" {
				if f.t == nil {
					panic(nilPointer)
				}
				f.t.a++
			}
			return x(f)
		}
	}
}

func (e sessionEnv) declareMethod(t *modelStruct, name string) sessionEnv {
	if e.methods[t][name] != nil {
		return e
	}
	c := e.clone()
	if c.methods[t] == nil {
		c.methods[t] = map[string]*modelFunc{}
	}
	c.methods[t][name] = &modelFunc{}
	return c
}

func declareMethod(typ, name string, b body) decl {
	return decl{name: typ, on: typ, src: methodSource(typ, name, b), means: func(e sessionEnv) sessionEnv {
		if m := e.find(typ, "type"); m != nil {
			return e.declareMethod(m.of.(*modelStruct), name)
		}
		return e
	}, define: func(e sessionEnv) func() { return defineMethod(e, typ, name, b) }}
}

func declareStruct(typ string, fields int, methods map[string]body) decl {
	src := "type " + typ + " struct {\n\tA int\n\tF func(int) int\n" + strings.Repeat("\tB string\n", fields) + "}"
	names := slices.Sorted(maps.Keys(methods))
	for _, name := range names {
		src += "\n" + methodSource(typ, name, methods[name])
	}
	return decl{name: typ, src: src, means: func(e sessionEnv) sessionEnv {
		m := e.find(typ, "type")
		keep := m != nil && m.of.(*modelStruct).fields == fields
		if keep {
			for name := range m.of.(*modelStruct).methods {
				if _, ok := methods[name]; !ok {
					keep = false
				}
			}
		}
		if !keep {
			m = &meant{typ: "type", of: &modelStruct{fields: fields}}
			e = e.with(typ, m)
		}
		for _, name := range names {
			e = e.declareMethod(m.of.(*modelStruct), name)
		}
		return e
	}, define: func(e sessionEnv) func() {
		var defs []func()
		for _, name := range names {
			d := defineMethod(e, typ, name, methods[name])
			if d == nil {
				return nil
			}
			defs = append(defs, d)
		}
		t := e.names[typ].of.(*modelStruct)
		return func() {
			t.methods = map[string]bool{}
			for i, name := range names {
				t.methods[name] = true
				defs[i]()
			}
		}
	}}
}

// A sessionCell is a cell; wrong is what makes it one that does not type-check.
type sessionCell struct {
	decls []decl
	stmts []stmt
	wrong string
	rm    string // a name that is removed instead of all that
}

func (c *sessionCell) source() string {
	if c.rm != "" {
		return "%rm " + c.rm
	}
	var l []string
	for _, d := range c.decls {
		l = append(l, d.src)
	}
	for _, st := range c.stmts {
		l = append(l, st.src)
	}
	if c.wrong != "" {
		l = append(l, c.wrong)
	}
	return strings.Join(l, "\n")
}

// plan gives what names stand for behind a cell's declarations and behind all of it, what defines the former, and its
// statements; ok is false where the cell has no meaning.
func (e sessionEnv) plan(c *sessionCell) (declared, after sessionEnv, define, run []func(), ok bool) {
	for _, d := range c.decls {
		if d.on == "" {
			e = d.means(e)
		}
	}
	for _, d := range c.decls {
		if d.on != "" {
			e = d.means(e)
		}
	}
	declared = e
	for _, st := range c.stmts {
		var f func()
		if e, f = st.bind(e); f == nil {
			return declared, e, nil, nil, false
		}
		run = append(run, f)
	}
	for _, d := range c.decls { // functions see what the statements declare
		def := d.define(e)
		if def == nil {
			return declared, e, nil, nil, false
		}
		define = append(define, def)
	}
	return declared, e, define, run, true
}

// A sessionModel is the session as the model has it.
type sessionModel struct{ env sessionEnv }

func newSessionModel() *sessionModel {
	return &sessionModel{sessionEnv{map[string]*meant{}, map[*modelStruct]map[string]*modelFunc{}}}
}

// run does what a cell does and gives how it must end. It is not sure of a cell that may have no meaning any more.
func (m *sessionModel) run(c *sessionCell) (end string, sure bool) {
	if c.rm != "" {
		o := m.env.names[c.rm]
		if o == nil {
			return "", false
		}
		if o.variable != nil {
			o.variable.v = zeroOf(o.typ)
		}
		m.env = m.env.clone()
		delete(m.env.names, c.rm)
		return "", true
	}
	_, after, define, run, ok := m.env.plan(c)
	if !ok {
		return "", false
	}
	if c.wrong != "" {
		return "does not compile", true
	}
	m.env = after
	for _, f := range define {
		f()
	}
	defer func() {
		switch x := recover().(type) {
		case nil:
		case modelPanic:
			end, sure = "panic: "+string(x), true
			if x == interruptedThere {
				end = "interrupted"
			}
		default:
			panic(x)
		}
	}()
	for _, f := range run {
		f()
	}
	return "", true
}

// look gives a cell that shows all there is, and what it shows.
func (m *sessionModel) look() (src, want string) {
	var parts, shows []string
	show := func(src, v string) { parts, shows = append(parts, src), append(shows, v) }
	try := func(n num) {
		if x := n.bind(m.env); x != nil {
			show("safe(func() int { return "+n.src+" })", fmt.Sprint(safely(func() int { return x(modelFrame{}) })))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.env.names)) {
		o := m.env.names[name]
		switch o.typ {
		case "int", "string", "[]int", "map[string]int":
			show(name, fmt.Sprint(o.variable.v))
		case "const":
			show(name, fmt.Sprint(o.constant))
		case "*int":
			try(pointed(name))
		case "func int int", "func int string", "func any int", "func(int) int":
			try(call(name, o.typ, literal(2), 1))
		case "map[string]func(int) int":
			try(callEntry(name, "a", literal(1)))
		case "I0":
			try(callDynamic(name, literal(2)))
		}
		if o.variable != nil && o.of != nil {
			try(field(name))
			try(callMethod(name, literal(2), 0))
			try(callField(name, literal(1)))
		}
	}
	return "strings.TrimSpace(fmt.Sprintln(" + strings.Join(parts, ", ") + "))", strings.TrimSpace(strings.Join(shows, " "))
}
