package eval

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"go/types"
	"io"
	"reflect"
	"slices"
	"strings"

	"trivium/kernel/symbols/box"
)

// Packages encoding/json and encoding/xml find the methods UnmarshalJSON, UnmarshalText and UnmarshalXML, embedded
// structs and what is not exported by reflection, which sees nothing of these in what yaegi makes of a
// cell's type. So they are given a shadow of it: a type made for them, in which structs are
// embedded where the cell embeds them and a value whose type has a method is a catch, which keeps
// what there is to decode. What they have filled in is copied from the shadow, and the methods
// are called with what was caught.

// caught is what there is to decode, if there is anything.
type caught struct {
	raw string
	set bool
}

func (c *caught) keep(b []byte) error { *c = caught{string(b), true}; return nil }
func (c caught) kept() caught         { return c }

// caughtJSON is in the place of a value with the method UnmarshalJSON, or of one whose type contains itself.
type caughtJSON struct{ caught }

func (c *caughtJSON) UnmarshalJSON(b []byte) error { return c.keep(b) }

// caughtText is in the place of a value with the method UnmarshalText.
type caughtText struct{ caught }

func (c *caughtText) UnmarshalText(b []byte) error { return c.keep(b) }

// caughtXML is in the place of a value with the method UnmarshalXML.
type caughtXML struct {
	caught
	tokens []xml.Token // of the element, in place of its text
}

func (c *caughtXML) UnmarshalXML(d *xml.Decoder, start xml.StartElement) error {
	c.set, c.tokens = true, []xml.Token{start.Copy()}
	for depth := 1; depth > 0; {
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		c.tokens = append(c.tokens, xml.CopyToken(t))
	}
	return nil
}

// tokens are read again.
type tokens []xml.Token

func (list *tokens) Token() (t xml.Token, err error) {
	if len(*list) == 0 {
		return nil, io.EOF
	}
	t, *list = (*list)[0], (*list)[1:]
	return t, nil
}

func isCaught(t reflect.Type) bool {
	return t == caughtJSONType || t == caughtTextType || t == caughtXMLType
}

// closed is in the place of an interface with methods, which nothing can be decoded into.
type closed interface{ closed() }

var (
	caughtJSONType = reflect.TypeFor[caughtJSON]()
	caughtTextType = reflect.TypeFor[caughtText]()
	caughtXMLType  = reflect.TypeFor[caughtXML]()
	closedType     = reflect.TypeFor[closed]()
)

// A shadower makes the shadow of one value.
type shadower struct {
	s     *Session
	tag   string                            // of fields: json or xml
	again func(data []byte, into any) error // decodes into the shadow of what was caught because it contains itself
	busy  []types.Type
	fail  error // the first error of a method
}

// decodes gives the method that decodes into a type, "" if it has none.
func (x *shadower) decodes(t types.Type) string {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || !isMain(n.Obj().Pkg()) || types.IsInterface(n) {
		return ""
	}
	methods := []string{"UnmarshalJSON", "UnmarshalText"}
	if x.tag == "xml" {
		methods[0] = "UnmarshalXML"
	}
	set := types.NewMethodSet(types.NewPointer(n))
	for _, m := range methods {
		if set.Lookup(nil, m) != nil {
			return m
		}
	}
	return ""
}

// needs tells whether the package would not see in yaegi's type what it has to.
func (x *shadower) needs(t types.Type, seen map[types.Type]bool) bool {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok && !isMain(n.Obj().Pkg()) || seen[t] {
		return false
	}
	seen[t] = true
	switch {
	case x.decodes(t) != "":
		return true
	case types.IsInterface(t):
		return ifaceKind(t) == cellIface
	}
	if st, ok := t.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			if f.Embedded() || !f.Exported() {
				return true
			}
		}
	}
	return slices.ContainsFunc(partsOf(t), func(p types.Type) bool { return x.needs(p, seen) })
}

// shadow gives the shadow of a type, which yaegi represents by rt.
func (x *shadower) shadow(t types.Type, rt reflect.Type) reflect.Type {
	switch m := x.decodes(t); {
	case m == "UnmarshalJSON":
		return caughtJSONType
	case m == "UnmarshalText":
		return caughtTextType
	case m == "UnmarshalXML":
		return caughtXMLType
	case types.IsInterface(t) && ifaceKind(t) == cellIface:
		return closedType
	case !x.needs(t, map[types.Type]bool{}):
		return rt
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		if slices.ContainsFunc(x.busy, func(b types.Type) bool { return types.Identical(b, n) }) {
			if x.tag == "xml" {
				panic(plainError("encoding/xml cannot be given " + typeString(n) + ", a type declared in a cell that contains itself and has embedded fields, fields that are not exported or parts with the method UnmarshalText"))
			}
			return caughtJSONType
		}
		x.busy = append(x.busy, n)
		defer func() { x.busy = x.busy[:len(x.busy)-1] }()
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return reflect.PointerTo(x.shadow(u.Elem(), rt.Elem()))
	case *types.Slice:
		return reflect.SliceOf(x.shadow(u.Elem(), rt.Elem()))
	case *types.Array:
		return reflect.ArrayOf(int(u.Len()), x.shadow(u.Elem(), rt.Elem()))
	case *types.Map:
		return reflect.MapOf(x.shadow(u.Key(), rt.Key()), x.shadow(u.Elem(), rt.Elem()))
	case *types.Struct:
		var fields []reflect.StructField
		for _, i := range x.fields(u, rt) {
			fields = append(fields, x.field(u, i, rt))
		}
		return reflect.StructOf(fields)
	}
	return rt
}

// fields lists the fields that the package looks at.
func (x *shadower) fields(u *types.Struct, rt reflect.Type) (list []int) {
	for i := range u.NumFields() {
		f := u.Field(i)
		st, isStruct := derefType(f.Type()).Underlying().(*types.Struct)
		switch {
		case f.Embedded() && isStruct:
			if isMain(pkgOf(derefType(f.Type()))) || slices.ContainsFunc(slices.Collect(st.Fields()), (*types.Var).Exported) {
				list = append(list, i)
			}
		case f.Exported():
			list = append(list, i)
		}
	}
	return list
}

func derefType(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func pkgOf(t types.Type) *types.Package {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Pkg()
	}
	return nil
}

func (x *shadower) field(u *types.Struct, i int, rt reflect.Type) reflect.StructField {
	f := u.Field(i)
	sf := reflect.StructField{Name: f.Name(), Tag: reflect.StructTag(u.Tag(i)), Type: x.shadow(f.Type(), rt.Field(i).Type)}
	if t := derefType(f.Type()); f.Embedded() {
		if _, isStruct := t.Underlying().(*types.Struct); isStruct {
			if !f.Exported() {
				sf.Name = hiddenName + f.Name()
			}
			sf.Anonymous = !isCaught(sf.Type)
			if sf.Anonymous && (sf.Type.NumMethod() > 0 || reflect.PointerTo(sf.Type).NumMethod() > 0) {
				panic(plainError("encoding/" + x.tag + " cannot be given a struct declared in a cell that embeds " + typeString(f.Type())))
			}
		}
	}
	return sf
}

// hiddenName begins the name of an embedded field that is not exported.
const hiddenName = "Hiddenʹ"

// fill copies what there is into a shadow, so that it is kept where nothing is decoded.
func (x *shadower) fill(to, from reflect.Value, t types.Type) {
	if to.Type() == from.Type() {
		to.Set(from)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if !from.IsNil() && to.Kind() == reflect.Pointer {
			to.Set(reflect.New(to.Type().Elem()))
			x.fill(to.Elem(), from.Elem(), u.Elem())
		}
	case *types.Slice:
		if !from.IsNil() && to.Kind() == reflect.Slice {
			to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
			for i := range from.Len() {
				x.fill(to.Index(i), from.Index(i), u.Elem())
			}
		}
	case *types.Array:
		for i := 0; to.Kind() == reflect.Array && i < from.Len(); i++ {
			x.fill(to.Index(i), from.Index(i), u.Elem())
		}
	case *types.Map: // keys are added to what there is
		if !from.IsNil() && to.Kind() == reflect.Map {
			to.Set(reflect.MakeMap(to.Type()))
		}
	case *types.Struct:
		if to.Kind() == reflect.Struct && !isCaught(to.Type()) {
			for j, i := range x.fields(u, from.Type()) {
				x.fill(to.Field(j), from.Field(i), u.Field(i).Type())
			}
		}
	}
}

// take copies what was decoded into the shadow to the value, and calls the methods. Where one fails it
// ends, as decoding would, but in the order of the fields and not of what is decoded.
func (x *shadower) take(to, from reflect.Value, t types.Type) {
	if x.fail != nil {
		return
	}
	if isCaught(from.Type()) { // and not a pointer to one
		if c := from.Interface().(interface{ kept() caught }).kept(); c.set {
			x.caught(to, t, c.raw, from)
		}
		return
	}
	if to.Type() == from.Type() {
		to.Set(from)
		return
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		switch {
		case from.IsNil():
			to.SetZero()
			return
		case to.IsNil():
			to.Set(reflect.New(to.Type().Elem()))
		}
		x.take(to.Elem(), from.Elem(), u.Elem())
	case *types.Slice:
		if from.IsNil() {
			to.SetZero()
			return
		}
		n := from.Len()
		if n <= to.Cap() && !to.IsNil() {
			was := to.Len()
			to.SetLen(n)
			for i := was; i < n; i++ {
				to.Index(i).SetZero()
			}
		} else {
			grown := reflect.MakeSlice(to.Type(), n, n)
			reflect.Copy(grown, to)
			to.Set(grown)
		}
		for i := range n {
			x.take(to.Index(i), from.Index(i), u.Elem())
		}
	case *types.Array:
		for i := range from.Len() {
			x.take(to.Index(i), from.Index(i), u.Elem())
		}
	case *types.Map:
		switch {
		case from.IsNil():
			to.SetZero()
			return
		case to.IsNil():
			to.Set(reflect.MakeMap(to.Type()))
		}
		for it := from.MapRange(); it.Next(); {
			k, v := reflect.New(to.Type().Key()).Elem(), reflect.New(to.Type().Elem()).Elem()
			x.take(k, it.Key(), u.Key())
			x.take(v, it.Value(), u.Elem())
			to.SetMapIndex(k, v)
		}
	case *types.Struct:
		for j, i := range x.fields(u, to.Type()) {
			x.take(to.Field(i), from.Field(j), u.Field(i).Type())
		}
	}
}

// caught gives what was caught to the method that is there for it, or decodes it into another shadow.
func (x *shadower) caught(to reflect.Value, t types.Type, raw string, from reflect.Value) {
	m := x.decodes(t)
	var err error
	if m == "" {
		if raw == "null" {
			switch to.Kind() {
			case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
				to.SetZero()
			}
			return
		}
		err = x.s.fillShadow(x.tag, t, to, func(into any) error { return x.again([]byte(raw), into) }, x.again)
	} else {
		d := x.s.findDesc(types.NewPointer(t))
		if d == nil {
			panic(plainError("encoding/" + x.tag + " cannot call the method " + m + " of " + typeString(t) + ", a type declared in a cell: decode into a variable of its static type"))
		}
		switch f := d.Method(m).(type) {
		case func(any, []byte) error:
			err = f(to.Addr().Interface(), []byte(raw))
		case func(any, *xml.Decoder, xml.StartElement) error:
			list := tokens(from.Interface().(caughtXML).tokens)
			again := xml.NewTokenDecoder(&list)
			var start xml.Token
			if start, err = again.Token(); err == nil {
				err = f(to.Addr().Interface(), again, start.(xml.StartElement))
			}
		}
	}
	if x.fail == nil {
		x.fail = err
	}
}

// fillShadow decodes into a value of a type declared in a cell.
func (s *Session) fillShadow(tag string, t types.Type, to reflect.Value, decode func(into any) error, again func([]byte, any) error) error {
	x := &shadower{s: s, tag: tag, again: again}
	if x.decodes(t) == "" && !x.needs(t, map[types.Type]bool{}) {
		return decode(to.Addr().Interface())
	}
	shadow := reflect.New(x.shadow(t, to.Type()))
	x.fill(shadow.Elem(), to, t)
	err := decode(shadow.Interface())
	x.take(to, shadow.Elem(), t)
	if err == nil {
		err = x.fail
	}
	return err
}

// rtFill calls a function that decodes into what v points to. The type of v has the descriptor id; -1: v is an
// interface.
func (s *Session) rtFill(function string, source any, id int, v any, start any) error {
	if id < 0 {
		o, ok := box.Of(v)
		if !ok {
			return decodeFrom(function, source, start, v)
		}
		v, id = o.V, s.desc(o.D.Type)
	}
	tag := "json"
	if strings.HasPrefix(function, "xml") {
		tag = "xml"
	}
	t := s.descAt(id).Type
	p, isPtr := t.Underlying().(*types.Pointer)
	to := reflect.ValueOf(v)
	if !isPtr || to.IsNil() {
		if tag == "json" {
			return &json.InvalidUnmarshalError{Type: s.reflected(t, to.Type())}
		}
		return decodeFrom(function, source, start, v)
	}
	again := func(data []byte, into any) error {
		d := json.NewDecoder(bytes.NewReader(data))
		if of, ok := source.(*json.Decoder); ok {
			set := reflect.ValueOf(of).Elem().FieldByName("d")
			if set.FieldByName("useNumber").Bool() {
				d.UseNumber()
			}
			if set.FieldByName("disallowUnknownFields").Bool() {
				d.DisallowUnknownFields()
			}
		}
		return d.Decode(into)
	}
	err := s.fillShadow(tag, p.Elem(), to.Elem(), func(into any) error { return decodeFrom(function, source, start, into) }, again)
	if e := (*json.UnmarshalTypeError)(nil); errors.As(err, &e) {
		s.nameTypes(e, p.Elem())
	}
	return err
}

func decodeFrom(function string, source, start, into any) error {
	switch function {
	case "json.Unmarshal":
		return json.Unmarshal(bytesOf(source), into)
	case "json.Decode":
		return source.(*json.Decoder).Decode(into)
	case "xml.Unmarshal":
		return xml.Unmarshal(bytesOf(source), into)
	case "xml.Decode":
		return source.(*xml.Decoder).Decode(into)
	case "xml.DecodeElement":
		el, _ := start.(*xml.StartElement)
		return source.(*xml.Decoder).DecodeElement(into, el)
	}
	panic("eval: " + function)
}

// rtJSONError gives an error of package encoding/json as Go's, without what that says of boxes.
func (s *Session) rtJSONError(err error) error {
	err = box.JSONErrorOf(err)
	e, ok := err.(*box.JSONError)
	if !ok {
		return err
	}
	t := s.reflected(e.Type, s.shape(e.Type))
	if e.Method == "" {
		return &json.UnsupportedTypeError{Type: t}
	}
	var sample any = failingJSON{}
	if e.Method == "MarshalText" {
		sample = failingText{}
	}
	_, err = json.Marshal(sample) // whose error knows the method
	m := err.(*json.MarshalerError)
	m.Type, m.Err = t, e.Err
	return m
}

type failingJSON struct{}

func (failingJSON) MarshalJSON() ([]byte, error) { return nil, io.EOF }

type failingText struct{}

func (failingText) MarshalText() ([]byte, error) { return nil, io.EOF }

// bytesOf gives a list of bytes, whose type may have a name.
func bytesOf(data any) []byte {
	if data == nil {
		return nil
	}
	return reflect.ValueOf(data).Bytes()
}

// nameTypes puts the names of a cell's types into an error about a value of one.
func (s *Session) nameTypes(e *json.UnmarshalTypeError, t types.Type) {
	within := func(t types.Type) types.Type {
		for {
			switch u := t.Underlying().(type) {
			case *types.Pointer:
				t = u.Elem()
			case *types.Slice:
				t = u.Elem()
			case *types.Array:
				t = u.Elem()
			case *types.Map:
				t = u.Elem()
			default:
				return t
			}
		}
	}
	if e.Field != "" {
		e.Field = strings.ReplaceAll(e.Field, hiddenName, "")
		promoted := false // the field before is an embedded struct, whose fields are those of the outer one
		for name := range strings.SplitSeq(e.Field, ".") {
			t = within(t)
			st, ok := t.Underlying().(*types.Struct)
			f := fieldNamed(st, name)
			if !ok || f == nil {
				return
			}
			if !promoted {
				e.Struct = ""
				if n, ok := types.Unalias(t).(*types.Named); ok {
					_, e.Struct, _ = strings.Cut(box.TypeString(n), ".")
				}
			}
			promoted = f.Embedded() && f.Name() == name
			t = f.Type()
		}
	}
	x := &shadower{s: s, tag: "json"}
	for range 20 {
		r := s.shape(t)
		if m := x.decodes(t); m != "" && e.Type.Kind() == reflect.Pointer && isCaught(e.Type.Elem()) {
			e.Type = s.reflected(types.NewPointer(t), e.Type)
			return
		}
		if r == e.Type || e.Type == closedType && ifaceKind(t) == cellIface || r != nil && e.Type.Kind() == reflect.Struct && r.Kind() == reflect.Struct {
			e.Type = s.reflected(t, e.Type)
			return
		}
		if m, ok := t.Underlying().(*types.Map); ok && s.shape(m.Key()) == e.Type && s.shape(m.Elem()) != e.Type {
			t = m.Key()
			continue
		}
		inner, ok := t.Underlying().(interface{ Elem() types.Type })
		if !ok {
			return
		}
		t = inner.Elem()
	}
}

// fieldNamed finds a field by what it is called in JSON.
func fieldNamed(st *types.Struct, name string) *types.Var {
	for i := 0; st != nil && i < st.NumFields(); i++ {
		tag, _, _ := strings.Cut(reflect.StructTag(st.Tag(i)).Get("json"), ",")
		if tag == name || tag == "" && st.Field(i).Name() == name {
			return st.Field(i)
		}
	}
	return nil
}

// shadowError says why a type can have no shadow, "" if it can.
func (s *Session) shadowError(tag string, t types.Type) (text string) {
	defer func() {
		if e, ok := recover().(plainError); ok {
			text = string(e)
		}
	}()
	x := &shadower{s: s, tag: tag}
	if r := s.shape(t); r != nil {
		x.shadow(t, r)
	}
	return ""
}
