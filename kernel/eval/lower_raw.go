package eval

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A looker is a compiled function that looks into its arguments by reflection. A box would tell it
// nothing, so it is given what yaegi has, or what package reflect can make of that; neither
// has methods.
type looker struct {
	name  string   // as messages call it
	fills bool     // it takes pointers to what it fills, or reads memory as it lies
	own   []string // methods by which a type would speak for itself
}

var lookers = map[string]*looker{
	"json in":   {"encoding/json", true, []string{"UnmarshalJSON", "UnmarshalText"}},
	"xml in":    {"encoding/xml", true, []string{"UnmarshalXML", "UnmarshalXMLAttr", "UnmarshalText"}},
	"xml out":   {"encoding/xml", false, nil}, // for its methods see spoken.go
	"gob in":    {"encoding/gob", true, []string{"GobDecode", "UnmarshalBinary"}},
	"gob out":   {"encoding/gob", true, []string{"GobEncode", "MarshalBinary"}},
	"template":  {"a template", false, []string{"String", "Error", "Format"}},
	"scan":      {"fmt", true, []string{"Scan"}},
	"memory":    {"the package", true, nil},
	"binary in": {"encoding/binary", true, nil},
	"log":       {"log/slog", false, nil},
	"plot":      {"plotutil", false, nil},
}

// lookerOf gives what a function is as a looker, nil if it is none.
func lookerOf(f *types.Func) *looker {
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
	case path == "encoding/xml":
		return lookers["xml out"]
	case path == "encoding/gob" && in:
		return lookers["gob in"]
	case path == "encoding/gob":
		return lookers["gob out"]
	case path == "text/template", path == "html/template":
		if strings.HasPrefix(name, "Execute") {
			return lookers["template"]
		}
	case path == "fmt" && strings.Contains(name, "can"):
		return lookers["scan"]
	case path == "gonum.org/v1/plot/plotutil":
		return lookers["plot"]
	case path == "log/slog":
		return lookers["log"]
	case path == "encoding/binary" && (name == "Read" || name == "Decode"):
		return lookers["binary in"]
	case path == "sort", strings.HasPrefix(path, "encoding"):
		return lookers["memory"]
	}
	return nil
}

// rawArg lowers an argument of such a function.
func (l *lowerer) rawArg(a ast.Expr, f *looker) ast.Expr {
	t := l.typeOf(a)
	switch {
	case f == lookers["log"]: // asks boxes for one method more than others do
		return l.rt("LogValue", l.conv(a, anyType))
	case f == lookers["plot"]: // asks for interfaces of package plotter
		return l.rt("Data", l.conv(a, anyType))
	case types.IsInterface(t):
		return l.rt("Open", l.str(lookerName(f)), l.conv(a, anyType))
	case !isCellType(t) && !f.fills && holdsInterface(t):
		return l.rt("Open", l.str(lookerName(f)), l.expr(a))
	case !isCellType(t):
		return l.expr(a)
	}
	if n, method := ownMethod(t, f.own, map[types.Type]bool{}); n != "" {
		l.refuse(a.Pos(), f.name+" cannot call the method "+method+" of "+n+", a type declared in a cell", f.way(method))
	}
	if f == lookers["xml out"] {
		l.descParts(t, func(t types.Type) bool { return speaks(t) != "" || speaksAttr(t) }, map[types.Type]bool{})
	}
	x := l.expr(a)
	if !f.fills {
		return l.rt("Plain", l.str(lookerName(f)), l.int(l.descOf(t)), x)
	}
	if f == lookers["gob out"] || f == lookers["binary in"] { // the one skips such a field, the other panics
		if n, field := hiddenField(t, f != lookers["gob out"], map[types.Type]bool{}); n != "" {
			l.refuse(a.Pos(), hiddenText(f, n, field), "the interpreter knows exported fields only; export it, or use encoding/json")
		}
	}
	if p, isPtr := t.Underlying().(*types.Pointer); isPtr && f.own != nil && !f.isGob() && embeds(p.Elem(), map[types.Type]bool{}) {
		l.refuse(a.Pos(), "a pointer to a struct with embedded fields cannot be given to a package that looks into it", "give the field a name or a tag, or fill the embedded struct by itself")
	}
	return x
}

// isGob tells whether f is package encoding/gob, to which an embedded struct is a field like others.
func (f *looker) isGob() bool { return f == lookers["gob in"] || f == lookers["gob out"] }

func hiddenText(f *looker, name, field string) string {
	return f.name + " would see the field " + field + " of " + name + ", a type declared in a cell"
}

func lookerName(f *looker) string {
	for name, x := range lookers {
		if x == f {
			return name
		}
	}
	return ""
}

// way is the way round a method that cannot be called.
func (f *looker) way(method string) string {
	switch {
	case f.name == "a template":
		return "call it first, and give the template what it returns"
	case strings.HasPrefix(method, "Marshal"), method == "GobEncode":
		return "call it first, and give " + f.name + " what it returns"
	}
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

// hiddenField finds a field that is not exported, but for blank ones where they may be, of a struct declared in a cell.
func hiddenField(t types.Type, blank bool, seen map[types.Type]bool) (name, field string) {
	t = types.Unalias(t)
	n, isNamed := t.(*types.Named)
	if seen[t] || isNamed && !isMain(n.Obj().Pkg()) {
		return "", ""
	}
	seen[t] = true
	if st, ok := t.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			if !f.Exported() && !(blank && f.Name() == "_") {
				return typeString(t), f.Name()
			}
		}
	}
	for _, p := range partsOf(t) {
		if name, field = hiddenField(p, blank, seen); name != "" {
			return name, field
		}
	}
	return "", ""
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

// xmlEncode lowers xml.Encoder.Encode of a struct of a cell, as xmlMarshal does xml.Marshal.
func (l *lowerer) xmlEncode(e *ast.CallExpr, encoder ast.Expr) ast.Expr {
	name := xmlName(l.typeOf(e.Args[0]))
	if name == "" {
		return nil
	}
	before, recv := len(l.pre), []ast.Expr{encoder}
	x := l.rawArg(e.Args[0], lookers["xml out"])
	l.holdBefore(before, recv)
	return l.rt("EncodeXML", recv[0], l.str(name), x)
}

// xmlMarshal lowers xml.Marshal of a struct of a cell: package encoding/xml calls the element by the
// name of the type, which yaegi's has not. Nil: an ordinary call.
func (l *lowerer) xmlMarshal(e *ast.CallExpr) ast.Expr {
	name := xmlName(l.typeOf(e.Args[0]))
	if name == "" {
		return nil
	}
	args := []ast.Expr{l.str(name), l.rawArg(e.Args[0], lookers["xml out"])}
	for _, a := range e.Args[1:] {
		args = append(args, l.expr(a))
	}
	if len(e.Args) == 1 {
		args = append(args, l.str(""), l.str(""))
	}
	return l.rt("MarshalXML", args...)
}

// xmlName gives the name of the cell type that an element is called by, "" if it is called otherwise.
func xmlName(t types.Type) string {
	for {
		p, ok := t.Underlying().(interface{ Elem() types.Type })
		if !ok {
			break
		}
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !isMain(n.Obj().Pkg()) || types.IsInterface(n) {
		return ""
	}
	if st, ok := n.Underlying().(*types.Struct); ok && hasField(st, "XMLName") {
		return ""
	}
	return n.Obj().Name()
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
