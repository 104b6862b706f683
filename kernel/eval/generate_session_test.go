package eval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Random sessions: cells that declare the same few names over and over, as functions, variables, constants and types, that
// run again, that do not type-check, that panic or are interrupted midway. What must hold is computed beside
// them by a model that knows no lowering: a function that is declared again with its type is replaced for all that calls
// it, a variable of the same type is the same variable, anything else is something new, and what used the earlier one goes
// on with that. generate_session_model_test.go is the model.

// A sessionGen makes cells that fit the session as the model has it.
type sessionGen struct {
	*rand.Rand
	env sessionEnv // at the place of the cell that is made
}

var (
	sessionNames = []string{"p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7"}
	sessionTypes = []string{"T0", "T1"}
)

func choose[T any](g *sessionGen, l []T) T { return l[g.IntN(len(l))] }

// of lists the names that stand for something of a type.
func (g *sessionGen) of(typ string) (l []string) {
	for name, m := range g.env.names {
		if m.typ == typ {
			l = append(l, name)
		}
	}
	slices.Sort(l)
	return l
}

// structs lists the variables of struct types that have a method.
func (g *sessionGen) structs(method string) (l []string) {
	for name := range g.env.names {
		if _, t := g.env.structure(name); t != nil && (method == "" || g.env.methods[t][method] != nil) {
			l = append(l, name)
		}
	}
	slices.Sort(l)
	return l
}

// number makes an expression of type int that changes no variable. n is the argument of the function around it, if any.
func (g *sessionGen) number(depth int, inside bool) num {
	for {
		if n := g.anyNumber(depth, inside); n.bind(g.env) != nil {
			return n
		}
	}
}

func (g *sessionGen) anyNumber(depth int, inside bool) num {
	var l []func() num
	add := func(f func() num) { l = append(l, f) }
	add(func() num { return literal(g.IntN(9)) })
	if inside {
		add(func() num { return argument() })
	}
	arg := func() num {
		if inside {
			return oneLess()
		}
		return literal(g.IntN(4))
	}
	if v := g.of("int"); len(v) > 0 {
		add(func() num { return variableOf(choose(g, v)) })
		add(func() num { return variableOf(choose(g, v)) })
	}
	if v := g.of("const"); len(v) > 0 {
		add(func() num { return constantOf(choose(g, v)) })
	}
	for _, typ := range []string{"string", "[]int"} {
		if v := g.of(typ); len(v) > 0 {
			add(func() num { return length(choose(g, v), typ) })
		}
	}
	if v := g.of("map[string]int"); len(v) > 0 {
		add(func() num { return entry(choose(g, v), choose(g, []string{"a", "b"})) })
	}
	if v := g.structs(""); len(v) > 0 {
		add(func() num { return field(choose(g, v)) })
	}
	if depth > 0 {
		add(func() num {
			return sum(g.number(depth-1, inside), choose(g, []string{"+", "-", "*"}), g.number(depth-1, inside))
		})
		for _, typ := range []string{"func(int) int", "func int int", "func int string", "func any int", "func(int) int", "func int int"} {
			if v := g.of(typ); len(v) > 0 {
				add(func() num { return call(choose(g, v), typ, arg(), g.IntN(2)) })
			}
		}
		if v := g.structs("M"); len(v) > 0 {
			add(func() num { return callMethod(choose(g, v), arg(), g.IntN(3)) })
			add(func() num { return callField(choose(g, v), arg()) })
			add(func() num { return callExpression(choose(g, append(sessionTypes, "E0")), choose(g, v), arg()) })
		}
		if v := g.of("I0"); len(v) > 0 {
			add(func() num { return callDynamic(choose(g, v), arg()) })
			add(func() num { return callDynamic(choose(g, v), arg()) })
		}
		if v := slices.Concat(g.structs(""), g.of("I0")); len(v) > 0 {
			add(func() num { return holds(choose(g, append(sessionTypes, "E0")), choose(g, v)) })
		}
		if v := g.of("map[string]func(int) int"); len(v) > 0 {
			add(func() num { return callEntry(choose(g, v), choose(g, []string{"a", "b"}), arg()) })
		}
		if v := g.of("*int"); len(v) > 0 {
			add(func() num { return pointed(choose(g, v)) })
		}
	}
	return choose(g, l)()
}

// function makes the body of a function of an int.
func (g *sessionGen) function(method bool) body {
	b := body{least: g.number(0, true), result: g.number(2, true)}
	if method {
		b.least = receiverA()
		b.result = sum(receiverA(), choose(g, []string{"+", "*"}), b.result)
	}
	if g.IntN(3) == 0 {
		more := g.number(1, true)
		b.more = &more
	}
	return b
}

// value makes an expression for a variable: its type and how it is computed.
func (g *sessionGen) value() val {
	var l []func() val
	add := func(n int, f func() val) {
		for range n {
			l = append(l, f)
		}
	}
	add(4, func() val { return ofNumber(g.number(2, false)) })
	add(1, func() val { return sprint(g.number(1, false)) })
	add(1, func() val { return list(g.number(1, false), g.number(1, false)) })
	add(1, func() val { return table(choose(g, []string{"a", "b"}), g.number(1, false)) })
	add(2, func() val { return closure(g.function(false), g.IntN(2) == 0) })
	add(1, func() val { return functionTable(choose(g, []string{"a", "b"}), g.function(false)) })
	if v := g.of("int"); len(v) > 0 {
		add(1, func() val { return address(choose(g, v)) })
	}
	if v := g.of("func int int"); len(v) > 0 {
		add(2, func() val { return functionValue(choose(g, v), "func int int") })
	}
	if v := g.of("func any int"); len(v) > 0 {
		add(1, func() val { return functionValue(choose(g, v), "func any int") })
	}
	for _, name := range sessionTypes {
		if g.env.find(name, "type") != nil {
			add(2, func() val { return newStruct(name, g.number(1, false), g.function(false), g.IntN(3) == 0) })
		}
	}
	if v := g.of("T0"); len(v) > 0 && g.env.find("E0", "type") != nil {
		add(3, func() val { return embedding(choose(g, v)) })
	}
	if v := g.structs("M"); len(v) > 0 {
		add(2, func() val { return methodValue(choose(g, v)) })
		if g.env.find("I0", "type") != nil {
			add(3, func() val { return boxed(choose(g, v)) })
		}
	}
	if v := slices.DeleteFunc(slices.Sorted(maps.Keys(g.env.names)), func(name string) bool {
		return g.env.names[name].variable == nil || g.env.names[name].typ == "server"
	}); len(v) > 0 {
		add(2, func() val { return copied(choose(g, v)) })
	}
	return choose(g, l)()
}

// statement makes one that declares nothing.
func (g *sessionGen) statement(risky bool) stmt {
	var l []func() stmt
	add := func(f func() stmt) { l = append(l, f) }
	for _, typ := range []string{"int", "int", "*int"} {
		if v := g.of(typ); len(v) > 0 {
			add(func() stmt { return assign(choose(g, v), typ, choose(g, []string{"=", "+="}), g.number(2, false)) })
		}
	}
	if v := g.of("[]int"); len(v) > 0 {
		add(func() stmt { return appendTo(choose(g, v), g.number(1, false)) })
		add(func() stmt { return setElement(choose(g, v), g.IntN(3), g.number(0, false)) })
	}
	if v := g.of("map[string]int"); len(v) > 0 {
		add(func() stmt { return setEntry(choose(g, v), choose(g, []string{"a", "b"}), g.number(1, false)) })
	}
	if v := g.structs(""); len(v) > 0 {
		add(func() stmt { return setField(choose(g, v), g.number(1, false)) })
		add(func() stmt { return setFunctionField(choose(g, v), g.function(false)) })
	}
	if v := g.structs("N"); len(v) > 0 {
		add(func() stmt { return callChanging(choose(g, v), g.IntN(4)) })
	}
	if v := g.of("func()"); len(v) > 0 {
		add(func() stmt { return callProcedure(choose(g, v)) })
		add(func() stmt { return callProcedure(choose(g, v)) })
	}
	if v := g.of("server"); len(v) > 0 {
		for range 2 {
			if to := g.of("int"); len(to) > 0 {
				add(func() stmt { return ask(choose(g, v), choose(g, to), g.IntN(4)) })
			}
		}
	}
	if risky {
		if v := g.of("int"); len(v) > 0 {
			add(func() stmt { return divide(choose(g, v), choose(g, v)) })
		}
	}
	if len(l) == 0 {
		return nothing()
	}
	return choose(g, l)()
}

// declaration makes one that may stand outside a function. What it gives makes the declaration with bodies of functions and
// statements that fit where it is called: the first time for what is declared, then for what it does.
func (g *sessionGen) declaration() func() decl {
	name, typ := choose(g, sessionNames), choose(g, sessionTypes)
	switch g.IntN(11) {
	case 0, 1, 2, 3:
		kind := choose(g, []string{"func int int", "func int int", "func int int", "func int int", "func int string", "func any int"})
		return func() decl { return declareFunc(name, kind, g.function(false)) }
	case 4:
		k := g.IntN(20)
		return func() decl { return declareConst(name, k) }
	case 5:
		return func() decl {
			var l []stmt
			for range 1 + g.IntN(2) {
				if st := g.statement(false); !st.outer {
					l = append(l, st)
				}
			}
			return declareProcedure(name, l)
		}
	case 6, 7:
		if g.env.find(typ, "type") != nil {
			method := choose(g, []string{"M", "M", "N"})
			return func() decl { return declareMethod(typ, method, g.function(true)) }
		}
		fallthrough
	case 8:
		n, no, fields := g.IntN(3) == 0, g.IntN(8) == 0, g.IntN(4)/3
		return func() decl {
			methods := map[string]body{"M": g.function(true)}
			if n {
				methods["N"] = g.function(true)
			}
			if no {
				delete(methods, "M")
			}
			return declareStruct(typ, fields, methods)
		}
	case 9:
		return declareEmbedding
	}
	parameter := choose(g, []string{"n", "n", "n", "k"})
	return func() decl { return declareInterface(parameter) }
}

// cell makes a cell for the session of the model, or nil.
func (g *sessionGen) cell(m *sessionModel) *sessionCell {
	kind := g.IntN(14)
	g.env = m.env
	if kind == 3 && len(g.env.names) > 4 {
		return &sessionCell{rm: choose(g, slices.Sorted(maps.Keys(g.env.names)))}
	}
	var vars []string
	for range g.IntN(4) {
		if name := choose(g, sessionNames); !slices.Contains(vars, name) {
			vars = append(vars, name)
		}
	}
	c := &sessionCell{}
	var bodies []func() decl
	g.env = sessionEnv{map[string]*meant{}, map[*modelStruct]map[string]*modelFunc{}}
	for range g.IntN(3) {
		g.env.names = maps.Clone(m.env.names)
		f := g.declaration()
		g.env.names = map[string]*meant{}
		d := f() // with bodies that mean something anywhere
		if !slices.Contains(vars, d.name) && !slices.ContainsFunc(c.decls, d.clashes) {
			c.decls, bodies = append(c.decls, d), append(bodies, f)
		}
	}
	var ok bool
	if g.env, _, _, _, ok = m.env.plan(c); !ok {
		return nil
	}
	declare := func(st stmt) bool {
		c.stmts = append(c.stmts, st)
		var run func()
		g.env, run = st.bind(g.env)
		return run != nil
	}
	for len(vars) > 0 {
		name := vars[0]
		vars = vars[1:]
		var st stmt
		switch {
		case kind != 1 && g.IntN(6) == 0:
			st = serve(name, g.function(false))
		case g.IntN(6) == 0:
			st = declareZero(name, choose(g, []string{"int", "string", "[]int", "func(int) int"}))
		case len(vars) > 0 && g.IntN(3) == 0:
			st = declareTwo(name, vars[0], g.value(), g.value())
			vars = vars[1:]
		default:
			st = declareVar(name, g.value())
		}
		if !declare(st) {
			return nil
		}
	}
	for range g.IntN(4) {
		c.stmts = append(c.stmts, g.statement(kind == 0))
	}
	for i, f := range bodies {
		c.decls[i] = f()
	}
	if _, _, _, _, ok := m.env.plan(c); !ok {
		return nil
	}
	switch kind {
	case 0:
		c.stmts = slices.Insert(c.stmts, g.IntN(len(c.stmts)+1), choose(g, []stmt{fails(`panic("midway")`, "midway"), fails("var none map[string]int\nnone[\"a\"] = 1", "assignment to entry in nil map"), fails("_ = []int{1}[len(os.Args)+7]", "index out of range")}))
	case 1:
		c.stmts = append(c.stmts, endlessly(choose(g, []string{"for {}", "select {}", "time.Sleep(time.Hour)", "for i := 0; ; i++ { if i < 0 { break } }"})))
	case 2:
		c.wrong = choose(g, []string{"_ = undeclared", "var wrong int = \"text\"", "func wrong() int { }", "return 5", "func (T9) M() {}", "type wrong struct{ wrong }", "unused(", "import \"no/such\""})
	}
	if c.source() == "" {
		return nil
	}
	return c
}

// runSession runs a random session and tells of the first thing that the model has otherwise.
func runSession(t *testing.T, seed uint64, cells int) (found string) {
	g := &sessionGen{Rand: rand.New(rand.NewPCG(seed, 7))}
	s, m := newSession(t), newSessionModel()
	var log strings.Builder
	number := 0
	runCell := func(src string, endless bool) (string, string) {
		if name, ok := strings.CutPrefix(src, "%rm "); ok {
			fmt.Fprintf(&log, "\n---\n%s", src)
			if err := s.Forget(name); err != nil {
				return "error", err.Error()
			}
			return "", ""
		}
		number++
		fmt.Fprintf(&log, "\n---\n%s", src)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if endless {
			os.Unsetenv("TRIVIUM_ARRIVED")
			go func() {
				for os.Getenv("TRIVIUM_ARRIVED") == "" && ctx.Err() == nil {
					time.Sleep(time.Millisecond)
				}
				cancel()
			}()
		}
		out := s.Run(ctx, Cell{number, src})
		var l []string
		for _, v := range out.Values {
			l = append(l, v.Text)
		}
		_, compile := errors.AsType[*CompileError](out.Err)
		_, panics := errors.AsType[*PanicError](out.Err)
		switch {
		case compile:
			return "does not compile", out.Err.Error()
		case panics:
			return "panic", out.Err.Error()
		case out.Err != nil && endless:
			return "interrupted", out.Err.Error()
		case out.Err != nil:
			return "error", out.Err.Error()
		}
		return strings.Join(l, " "), ""
	}
	if got, why := runCell(sessionPrelude, false); got != "" {
		return got + why
	}
	var earlier []*sessionCell
	for range cells {
		var c *sessionCell
		if len(earlier) > 0 && g.IntN(4) == 0 {
			c = choose(g, earlier)
		} else if c = g.cell(m); c == nil {
			continue
		} else {
			earlier = append(earlier, c)
		}
		want, sure := m.run(c)
		if !sure {
			continue
		}
		got, why := runCell(c.source(), want == "interrupted")
		kind, text, _ := strings.Cut(want, ": ")
		if why == "" { // a value that the cell shows
			got = ""
		}
		if got != kind || !strings.Contains(why, text) {
			return fmt.Sprintf("seed %d, cell %d: got %q %s, want %q\n%s", seed, number, got, why, want, log.String())
		}
		look, want := m.look()
		if got, why := runCell(look, false); got != want {
			return fmt.Sprintf("seed %d, cell %d:\ngot  %s%s\nwant %s\n%s", seed, number, got, why, want, log.String())
		}
	}
	return ""
}

// TestGeneratedSessions runs random sessions: a few, or as long as TRIVIUM_GENERATE says from TRIVIUM_SEED on.
func TestGeneratedSessions(t *testing.T) {
	seed, until := uint64(1), time.Now()
	if d, err := time.ParseDuration(os.Getenv("TRIVIUM_GENERATE")); err == nil && os.Getenv("TRIVIUM_REPRODUCE") != "" {
		until = until.Add(d)
	}
	if n, err := strconv.ParseUint(os.Getenv("TRIVIUM_SEED"), 10, 64); err == nil {
		seed = n
	}
	first := seed
	for ; seed < first+5 || time.Now().Before(until); seed++ {
		if found := runSession(t, seed, 40); found != "" {
			t.Error(found)
			if os.Getenv("TRIVIUM_ALL") == "" {
				break
			}
		}
	}
	t.Logf("%d sessions", seed-first)
}
