package eval

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A genType is a type of a random program. Identical types are the same pointer.
type genType struct {
	name    string // as the program writes it
	kind    byte   // one of the k constants
	bits    int    // of numbers
	elem    *genType
	key     *genType
	n       int // length of an array
	fields  []genField
	params  []*genType
	result  *genType // of a function; nil for none
	named   bool
	methods []*genFunc // with receivers of this type or of a pointer to it; of an interface: what it asks for
	cmp     bool       // has ==
	prints  bool       // prints the same every time
}

const (
	kBool    = 'b'
	kInt     = 'i'
	kUint    = 'u'
	kFloat   = 'f'
	kComplex = 'c'
	kString  = 's'
	kSlice   = 'S'
	kArray   = 'A'
	kMap     = 'M'
	kStruct  = 'T'
	kPointer = 'P'
	kFunc    = 'F'
	kIface   = 'I'
)

type genField struct {
	name     string
	t        *genType
	embedded bool
}

// A genFunc is a function, a method, or a variable that holds a function.
type genFunc struct {
	name    string
	params  []*genType
	result  *genType // nil for none
	pointer bool     // receiver
	effects bool     // prints, or changes what it does not own: such calls stand alone
	cost    int      // steps of a call, about
}

func (t *genType) isNumber() bool  { return strings.IndexByte("iufc", t.kind) >= 0 }
func (t *genType) isInteger() bool { return t.kind == kInt || t.kind == kUint }
func (t *genType) isOrdered() bool { return strings.IndexByte("iufs", t.kind) >= 0 }
func (t *genType) isBasic() bool   { return strings.IndexByte("biufcs", t.kind) >= 0 }

// A gen makes one program.
type gen struct {
	r        *rand.Rand
	p        *genProgram
	basic    []*genType // in the order of basicNames
	types    []*genType // declared by the program
	ifaces   []*genType
	composed map[string]*genType
	making   *genType // whose methods are being written
	anyType  *genType
	errType  *genType
	funcs    []*genFunc
	scopes   [][]genVar
	nvar     int
	mult     int // how often the statement being made runs
	cost     int // of the function being made
	loops    []string
	inLoop   int
	effects  bool     // the expression being made may print
	depth    int      // of literals in literals
	result   *genType // of the function being made
	inFunc   bool
	noVars   bool // only what the function itself declares: its calls have no effects
}

type genVar struct {
	name string
	t    *genType
	fn   *genFunc // of a variable that holds a closure
	ro   bool     // is not assigned to
}

var basicNames = []string{"int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex128", "string", "bool", "uintptr", "complex64"}

func (g *gen) basics() {
	kinds := "iiiiiuuuuuffcsbuc"
	bits := []int{64, 8, 16, 32, 64, 64, 8, 16, 32, 64, 32, 64, 128, 0, 0, 64, 64}
	for i, n := range basicNames {
		g.basic = append(g.basic, &genType{name: n, kind: kinds[i], bits: bits[i], cmp: true, prints: true})
	}
	g.anyType = &genType{name: "any", kind: kIface, cmp: false, prints: true}
	g.errType = &genType{name: "error", kind: kIface, named: true, prints: true, methods: []*genFunc{{name: "Error", result: g.named("string")}}}
}

func (g *gen) named(name string) *genType { return g.basic[slices.Index(basicNames, name)] }

func (g *gen) compose(t genType) *genType {
	if old, ok := g.composed[t.name]; ok {
		return old
	}
	g.composed[t.name] = &t
	return &t
}

func (g *gen) slice(e *genType) *genType {
	return g.compose(genType{name: "[]" + e.name, kind: kSlice, elem: e, prints: e.prints})
}

func (g *gen) array(n int, e *genType) *genType {
	return g.compose(genType{name: fmt.Sprintf("[%d]%s", n, e.name), kind: kArray, n: n, elem: e, prints: e.prints, cmp: e.cmp})
}

func (g *gen) mapOf(k, e *genType) *genType {
	return g.compose(genType{name: "map[" + k.name + "]" + e.name, kind: kMap, key: k, elem: e, prints: e.prints && k.prints})
}

func (g *gen) pointer(e *genType) *genType {
	return g.compose(genType{name: "*" + e.name, kind: kPointer, elem: e, cmp: true})
}

func typeList(list []*genType) string {
	var names []string
	for _, t := range list {
		names = append(names, t.name)
	}
	return strings.Join(names, ", ")
}

// anyBasic gives a basic type, ints and strings more often than others.
func (g *gen) anyBasic() *genType {
	switch g.r.IntN(8) {
	case 0, 1:
		return g.named("int")
	case 2:
		return g.named("string")
	case 3:
		if len(g.types) > 0 {
			if t := pick(g, g.types); t.isBasic() {
				return t
			}
		}
	}
	return pick(g, g.basic)
}

// keyType gives a type for the keys of a map.
func (g *gen) keyType() *genType {
	for range 4 {
		t := g.anyType0(1)
		if t.cmp && t.prints && t.kind != kFloat && t.kind != kComplex && t.kind != kIface && t.kind != kPointer && !mentionsFloat(t) {
			return t
		}
	}
	return g.named("string")
}

func mentionsFloat(t *genType) bool {
	if t == nil {
		return false
	}
	if t.kind == kFloat || t.kind == kComplex || t.kind == kIface || t.kind == kPointer {
		return true
	}
	return mentionsFloat(t.elem) || slices.ContainsFunc(t.fields, func(f genField) bool { return mentionsFloat(f.t) })
}

// anyType0 gives a type of any kind; depth limits how it is composed.
func (g *gen) anyType0(depth int) *genType {
	if depth <= 0 {
		return g.anyBasic()
	}
	switch g.r.IntN(14) {
	case 0, 1:
		return g.slice(g.anyType0(depth - 1))
	case 2:
		return g.array(1+g.r.IntN(3), g.anyType0(depth-1))
	case 3:
		return g.mapOf(g.keyType(), g.anyType0(depth-1))
	case 4:
		return g.pointer(g.anyType0(depth - 1))
	case 5, 6, 7:
		if len(g.types) > 0 {
			return pick(g, g.types)
		}
	case 8:
		return g.anyType
	case 9:
		if len(g.ifaces) > 0 {
			return pick(g, g.ifaces)
		}
	case 10:
		return g.errType
	}
	return g.anyBasic()
}

func pick[T any](g *gen, list []T) T { return list[g.r.IntN(len(list))] }

func (g *gen) push() { g.scopes = append(g.scopes, nil) }
func (g *gen) pop()  { g.scopes = g.scopes[:len(g.scopes)-1] }

func (g *gen) declare(v genVar) { g.scopes[len(g.scopes)-1] = append(g.scopes[len(g.scopes)-1], v) }

// visible gives the variables in scope for which f holds, shadowed ones left out.
func (g *gen) visible(f func(genVar) bool) (list []genVar) {
	seen := map[string]bool{}
	for i := len(g.scopes) - 1; i >= 0; i-- {
		for j := len(g.scopes[i]) - 1; j >= 0; j-- {
			v := g.scopes[i][j]
			if !seen[v.name] && f(v) {
				list = append(list, v)
			}
			seen[v.name] = true
		}
	}
	return list
}

// fresh names a variable: in an inner scope sometimes as one outside.
func (g *gen) fresh() string {
	if len(g.scopes) > 2 && g.r.IntN(5) == 0 {
		outer := g.scopes[g.r.IntN(len(g.scopes)-1)]
		if len(outer) > 0 {
			n := pick(g, outer).name
			if n[0] == 'v' && !slices.ContainsFunc(g.scopes[len(g.scopes)-1], func(v genVar) bool { return v.name == n }) {
				return n
			}
		}
	}
	g.nvar++
	return fmt.Sprintf("v%d", g.nvar)
}
