package eval

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A looker is a compiled function that looks into its arguments by reflection. A box would tell it nothing.
type looker struct {
	name  string   // as messages call it
	shown string   // what of the support is asked for what it sees; "": what yaegi has
	own   []string // methods by which a type would speak for itself
}

var lookers = map[string]*looker{
	"json in": {"encoding/json", "", []string{"UnmarshalJSON", "UnmarshalText"}},
	"xml in":  {"encoding/xml", "", []string{"UnmarshalXML", "UnmarshalXMLAttr", "UnmarshalText"}},
	"reads":   {"", "Unboxed", nil},
	"fills":   {"", "View", nil},
	"foreign": {"", "Foreign", nil},
	"memory":  {"the package", "", nil},
}

// lookerOf gives what a function is as a looker, nil if it is none.
func (l *lowerer) lookerOf(f *types.Func) *looker {
	if f == nil || f.Pkg() == nil {
		return nil
	}
	name := f.Name()
	in := strings.Contains(name, "Unmarshal") || strings.HasPrefix(name, "Decode")
	switch path := f.Pkg().Path(); {
	case path == "encoding/json" && in:
		return lookers["json in"]
	case path == "encoding/json": // a box knows how it is marshalled
		return nil
	case path == "encoding/xml" && in:
		return lookers["xml in"]
	case path == "encoding/xml", path == "encoding/gob" && !in && !strings.HasPrefix(name, "Register"):
		return lookers["reads"]
	case (path == "text/template" || path == "html/template") && strings.HasPrefix(name, "Execute"):
		return lookers["reads"]
	case path == "go/ast":
		return lookers["reads"]
	case path == "fmt" && strings.Contains(name, "can"), path == "net/rpc", path == "testing/quick", strings.HasPrefix(path, "encoding"), path == "gonum.org/v1/plot/plotutil", path == "log/slog":
		return lookers["fills"]
	case path == "sort":
		return lookers["memory"]
	case l.s.foreign(path):
		return lookers["foreign"]
	}
	return nil
}

// rawArg lowers an argument of such a function.
func (l *lowerer) rawArg(a ast.Expr, f *looker) ast.Expr {
	t := l.typeOf(a)
	switch {
	case f.shown != "" && (isCellType(t) || holdsInterface(t)):
		return l.rt(f.shown, l.conv(a, anyType))
	case f.shown != "":
		return l.conv(a, anyType)
	case types.IsInterface(t):
		return l.rt("V", l.conv(a, anyType))
	case !isCellType(t):
		return l.expr(a)
	}
	if n, method := ownMethod(t, f.own, map[types.Type]bool{}); n != "" {
		l.refuse(a.Pos(), f.name+" cannot call the method "+method+" of "+n+", a type declared in a cell", f.way(method))
	}
	x := l.expr(a)
	if p, isPtr := t.Underlying().(*types.Pointer); isPtr && f.own != nil && embeds(p.Elem(), map[types.Type]bool{}) {
		l.refuse(a.Pos(), "a pointer to a struct with embedded fields cannot be given to a package that looks into it", "give the field a name or a tag, or fill the embedded struct by itself")
	}
	return x
}

// way is the way round a method that cannot be called.
func (f *looker) way(method string) string {
	return "read into a string or a []byte and call it with that"
}

// ownMethod finds a type declared in a cell, within what reflection sees of a type, that has one of the methods.
func ownMethod(t types.Type, methods []string, seen map[types.Type]bool) (name, method string) {
	t = types.Unalias(t)
	if seen[t] || len(methods) == 0 {
		return "", ""
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok && !types.IsInterface(n) {
		if !isMain(n.Obj().Pkg()) {
			return "", ""
		}
		set := types.NewMethodSet(types.NewPointer(n))
		for m := range set.Methods() {
			if slices.Contains(methods, m.Obj().Name()) {
				return n.Obj().Name(), m.Obj().Name()
			}
		}
	}
	for _, p := range partsOf(t) {
		if name, method = ownMethod(p, methods, seen); name != "" {
			return name, method
		}
	}
	return "", ""
}

// partsOf gives the types that reflection sees within a type.
func partsOf(t types.Type) (parts []types.Type) {
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() || f.Embedded() {
				parts = append(parts, f.Type())
			}
		}
	case *types.Map:
		parts = []types.Type{u.Key(), u.Elem()}
	case interface{ Elem() types.Type }:
		parts = []types.Type{u.Elem()}
	}
	return parts
}

// holdsInterface tells whether a box may be in a value of a type that no cell declares.
func holdsInterface(t types.Type) bool {
	return mentionsType(t, func(t types.Type) bool { return types.IsInterface(t) }, 0)
}

// embeds tells whether there is an embedded field in a type that has no tag: such a field is an ordinary
// one in the interpreter's type.
func embeds(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Struct:
		if n, ok := types.Unalias(t).(*types.Named); ok && !isMain(n.Obj().Pkg()) {
			return false
		}
		for i := range u.NumFields() {
			if u.Field(i).Embedded() && u.Tag(i) == "" || embeds(u.Field(i).Type(), seen) {
				return true
			}
		}
	case *types.Pointer:
		return embeds(u.Elem(), seen)
	case *types.Slice:
		return embeds(u.Elem(), seen)
	case *types.Array:
		return embeds(u.Elem(), seen)
	case *types.Map:
		return embeds(u.Elem(), seen)
	}
	return false
}

// decodeCall lowers the calls of packages encoding/json and encoding/xml that decode into a value of a
// cell, see decode.go. Decoder is the receiver if it is a method. Nil: an ordinary call.
func (l *lowerer) decodeCall(e *ast.CallExpr, decoder ast.Expr, sig *types.Signature, f *types.Func) ast.Expr {
	if l.oneTuple(e, sig) != nil {
		return nil
	}
	into, list := 1, []ast.Expr(nil) // the decoder or the data, what is decoded into, the start element
	if decoder != nil {
		into, list = 0, append(list, decoder)
	}
	t, tag := l.typeOf(e.Args[into]), f.Pkg().Name()
	id := -1
	switch {
	case types.IsInterface(t):
	case !isCellType(t):
		return nil
	default:
		if n, method := ownMethod(t, []string{"UnmarshalXMLAttr"}, map[types.Type]bool{}); n != "" && tag == "xml" {
			l.refuse(e.Args[into].Pos(), "encoding/xml cannot call the method "+method+" of "+n+", a type declared in a cell", lookers["xml in"].way(method))
		}
		if text := l.s.shadowError(tag, derefType(t)); text != "" {
			l.refuse(e.Args[into].Pos(), text, "decode into a struct of plain fields and copy them")
		}
		id = l.descOf(t)
		x := &shadower{s: l.s, tag: tag}
		l.descParts(t, func(t types.Type) bool { return x.decodes(t) != "" }, map[types.Type]bool{})
	}
	for i, a := range e.Args {
		list = append(list, l.then(list, func() ast.Expr {
			switch {
			case i == into && id < 0:
				return l.conv(a, anyType)
			case i == into:
				return l.expr(a)
			}
			return l.conv(a, l.paramAt(sig, i))
		}))
	}
	list = append(list, l.id("nil"))
	return l.rt("Fill", l.str(tag+"."+f.Name()), list[0], l.int(id), list[1], list[2])
}

// descParts has the methods known of pointers to those parts of a type that want it.
func (l *lowerer) descParts(t types.Type, wants func(types.Type) bool, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); seen[t] || ok && !isMain(n.Obj().Pkg()) {
		return
	}
	seen[t] = true
	if wants(t) {
		l.descOf(types.NewPointer(t))
	}
	for _, p := range partsOf(t) {
		l.descParts(p, wants, seen)
	}
}
