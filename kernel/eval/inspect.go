package eval

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
)

// Inspect tells what is known about the name at the cursor, or about the function whose
// arguments are being typed there.
func (s *Session) Inspect(src string, offset, detail int) (Doc, bool) {
	offset = min(max(offset, 0), len(src))
	end := offset
	for end < len(src) && isNameByte(src[end]) {
		end++
	}
	start := end
	for start > 0 && isNameByte(src[start-1]) {
		start--
	}
	if start == end { // behind a bracket: the function called
		depth := 0
		for i := offset - 1; i >= 0; i-- {
			switch src[i] {
			case ')':
				depth++
			case '(':
				if depth--; depth < 0 {
					return s.Inspect(src, i, detail)
				}
			}
			if src[i] == '\n' && depth == 0 {
				break
			}
		}
		if offset > 0 && start > 0 && isNameByte(src[start-1]) {
			return s.Inspect(src, offset-1, detail)
		}
		return Doc{}, false
	}
	name, base := src[start:end], ""
	if start > 0 && src[start-1] == '.' {
		base = baseBefore(src[:start-1])
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if base == "" {
		if t := s.typeOfKey(src, start, end); t != nil {
			if d, ok := s.inspectSelected(t, name); ok {
				return d, true
			}
		}
		return s.inspectName(src, name, detail)
	}
	if path := s.packageNamed(src, base); path != "" {
		return s.inspectMember(path, name)
	}
	t, _ := s.typeOfText(src[:start], base)
	if t == nil {
		return Doc{}, false
	}
	return s.inspectSelected(t, name)
}

// typeOfKey gives the type of the struct literal in which src[start:end] is a key, nil if it is none.
func (s *Session) typeOfKey(src string, start, end int) types.Type {
	after := strings.TrimLeft(src[end:], " \t")
	if !strings.HasPrefix(after, ":") || strings.HasPrefix(after, ":=") {
		return nil
	}
	lit, _ := literalAround(src[:start])
	if lit == "" {
		return nil
	}
	if t, _ := s.typeOfText(src[:start], lit); t != nil {
		if _, ok := t.Underlying().(*types.Struct); ok {
			return t
		}
	}
	return nil
}

// inspectSelected tells of a field or method.
func (s *Session) inspectSelected(t types.Type, name string) (Doc, bool) {
	o, _, _ := types.LookupFieldOrMethod(t, true, s.scope.pkg, name)
	if o == nil {
		return Doc{}, false
	}
	owner := typeString(t)
	path, typ := "", ""
	n := t
	if fn, ok := o.(*types.Func); ok && fn.Signature().Recv() != nil {
		n = fn.Signature().Recv().Type()
	}
	if p, ok := n.Underlying().(*types.Pointer); ok {
		if _, named := types.Unalias(n).(*types.Named); !named {
			n = p.Elem()
		}
	}
	if named, ok := types.Unalias(n).(*types.Named); ok && named.Obj().Pkg() != nil {
		path, typ = named.Obj().Pkg().Path(), named.Obj().Name()
	}
	d := Doc{Name: strings.TrimPrefix(owner, "*") + "." + name, Signature: objectString(o)}
	if isMain(o.Pkg()) {
		d.Text = s.said[typ+"."+name]
	} else if sig, text, ok := s.opt.Symbols.Doc(path, typ+"."+name); ok {
		d.Signature, d.Text = sig, text
	}
	return d, true
}

func objectString(o types.Object) string {
	return types.ObjectString(o, func(p *types.Package) string {
		if isMain(p) {
			return ""
		}
		return p.Name()
	})
}

func (s *Session) inspectMember(path, name string) (Doc, bool) {
	pkg, err := s.imp.Import(path)
	if err != nil {
		return Doc{}, false
	}
	o := pkg.Scope().Lookup(name)
	if o == nil || !o.Exported() {
		return Doc{}, false
	}
	d := Doc{Name: pkg.Name() + "." + name, Signature: objectString(o)}
	if sig, text, ok := s.opt.Symbols.Doc(path, name); ok {
		d.Signature, d.Text = sig, text
	}
	return d, true
}

func (s *Session) inspectName(src, name string, detail int) (Doc, bool) {
	if o := s.scope.objs[name]; o != nil {
		d := Doc{Name: name, Signature: objectString(o), Text: s.said[name]}
		if v, ok := o.(*types.Var); ok {
			if p := s.vars[s.scope.emitted[o]]; p.IsValid() {
				text := s.render(v.Type(), s.boxed(v.Type(), p.Elem()))
				if len(text) > 500 {
					text = strings.ToValidUTF8(text[:500], "") + "…"
				}
				d.Text = name + " = " + text
			}
		}
		if detail > 0 {
			d.Source = s.sources[name]
		}
		return d, true
	}
	if path := s.packageNamed(src, name); path != "" {
		d := Doc{Name: name, Signature: fmt.Sprintf("package %s // import %q", name, path)}
		if _, text, ok := s.opt.Symbols.Doc(path, ""); ok {
			d.Text = text
		}
		return d, true
	}
	if b, ok := builtins[name]; ok {
		return Doc{Name: name, Signature: b.signature, Text: b.text}, true
	}
	if types.Universe.Lookup(name) != nil {
		return Doc{Name: name, Signature: objectString(types.Universe.Lookup(name))}, true
	}
	if token.IsKeyword(name) {
		return Doc{Name: name, Signature: name, Text: "a keyword of Go"}, true
	}
	t, _ := s.typeOfText(src, name)
	if t == nil {
		return Doc{}, false
	}
	return Doc{Name: name, Signature: "var " + name + " " + typeString(t)}, true
}
