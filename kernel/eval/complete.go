package eval

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A place is what stands before the cursor.
type place struct {
	start  int             // of the name being typed
	prefix string          // what there is of it
	base   string          // the expression before the dot, "" without a dot
	quoted bool            // in a string of an import
	lit    string          // type of the struct literal that a key is typed in
	keys   map[string]bool // that the literal has already
}

// Complete lists what the name at the cursor may become. It works on source that does not
// parse: it needs the words before the cursor only. What is chosen takes the place of the name that
// the cursor is in or behind, and goes before one that the cursor stands in front of.
func (s *Session) Complete(src string, offset int) Completion {
	offset = min(max(offset, 0), len(src))
	p := placeAt(src, offset)
	c := Completion{Start: p.start, End: offset}
	for c.End < len(src) && isNameByte(src[c.End]) && !p.quoted && p.prefix != "" {
		c.End++
	}
	if inComment(src[:offset]) {
		return c
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.quoted:
		for _, path := range s.opt.Symbols.Packages() {
			if strings.HasPrefix(path, p.prefix) || strings.Contains(path, "/"+p.prefix) {
				c.Items = append(c.Items, Item{Text: path, Kind: "package", Type: s.opt.Symbols.Name(path)})
			}
		}
		for i := range c.Items {
			if len(c.Items) > 12 {
				break // each takes a look into an archive
			}
			_, text, _ := s.opt.Symbols.Doc(c.Items[i].Text, "")
			c.Items[i].Doc, _, _ = strings.Cut(text, "\n")
		}
	case p.base != "":
		c.Items = s.members(src, p)
	default:
		c.Items = s.namesInScope(src, p)
	}
	c.Items = slices.DeleteFunc(c.Items, func(it Item) bool { return rank(it.Text, p.prefix) < 0 && !p.quoted })
	slices.SortStableFunc(c.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(rank(a.Text, p.prefix), rank(b.Text, p.prefix)), cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)), cmp.Compare(a.Text, b.Text))
	})
	// Front ends insert what all candidates have in common, so those that only hold the text
	// somewhere stand aside where others begin with it.
	if len(c.Items) > 0 && !p.quoted && rank(c.Items[0].Text, p.prefix) < 2 {
		c.Items = slices.DeleteFunc(c.Items, func(it Item) bool { return rank(it.Text, p.prefix) == 2 })
	}
	if len(c.Items) > 200 {
		c.Items = c.Items[:200]
	}
	return c
}

// inComment tells whether a source ends in a comment of a line.
func inComment(src string) bool {
	line := src[strings.LastIndexByte(src, '\n')+1:]
	i := strings.Index(line, "//")
	return i >= 0 && strings.Count(line[:i], `"`)%2 == 0 && strings.Count(line[:i], "`")%2 == 0
}

// rank orders candidates by how they fit: 0 exactly, 1 but for case, 2 anywhere in it; -1 not.
func rank(text, prefix string) int {
	switch {
	case strings.HasPrefix(text, prefix):
		return 0
	case strings.HasPrefix(strings.ToLower(text), strings.ToLower(prefix)):
		return 1
	case len(prefix) > 2 && strings.Contains(strings.ToLower(text), strings.ToLower(prefix)):
		return 2
	}
	return -1
}

func kindRank(kind string) int {
	return slices.Index([]string{"field", "variable", "method", "function", "type", "constant", "package", "keyword"}, kind)
}

func isNameByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// placeAt finds what is being typed at the cursor.
func placeAt(src string, offset int) place {
	p := place{start: offset}
	for p.start > 0 && isNameByte(src[p.start-1]) {
		p.start--
	}
	line := src[strings.LastIndexByte(src[:offset], '\n')+1 : offset]
	if q := strings.Count(line, `"`); q%2 == 1 && (strings.Contains(line, "import") || strings.HasPrefix(strings.TrimLeft(strings.TrimSpace(line), "_. abcdefghijklmnopqrstuvwxyz"), `"`) && strings.Contains(src[:offset], "import (")) {
		p.quoted = true
		p.start = offset - len(line) + strings.LastIndexByte(line, '"') + 1
		p.prefix = src[p.start:offset]
		return p
	}
	p.prefix = src[p.start:offset]
	if i := p.start - 1; i >= 0 && src[i] == '.' {
		p.base = baseBefore(src[:i])
		return p
	}
	p.lit, p.keys = literalAround(src[:p.start])
	return p
}

// baseBefore gives the operand that ends where src ends: x, f(a).b[1], m["k"].
func baseBefore(src string) string {
	i := len(src)
	for i > 0 {
		switch b := src[i-1]; {
		case isNameByte(b) || b == '.':
			i--
			continue
		case b == ')' || b == ']' || b == '}':
			depth := 0
			for i > 0 {
				switch src[i-1] {
				case ')', ']', '}':
					depth++
				case '(', '[', '{':
					depth--
				}
				i--
				if depth == 0 {
					break
				}
			}
			continue
		case b == '"' || b == '`':
			if j := strings.LastIndexByte(src[:i-1], b); j >= 0 {
				return src[j:]
			}
		}
		break
	}
	return strings.TrimLeft(src[i:], ".")
}

// literalAround gives the type written before the innermost open brace, if a key can stand here, and
// the keys before the cursor.
func literalAround(src string) (lit string, keys map[string]bool) {
	t := strings.TrimRight(src, " \t\n")
	if t == "" || t[len(t)-1] != '{' && t[len(t)-1] != ',' {
		return "", nil
	}
	depth := 0
	keys = map[string]bool{}
	for i := len(t) - 1; i >= 0; i-- {
		switch t[i] {
		case '}', ')', ']':
			depth++
		case '(', '[':
			if depth--; depth < 0 {
				return "", nil
			}
		case '{':
			if depth--; depth < 0 {
				return baseBefore(t[:i]), keys
			}
		case ':':
			if depth == 0 {
				j := i
				for j > 0 && isNameByte(t[j-1]) {
					j--
				}
				keys[t[j:i]] = true
			}
		}
	}
	return "", nil
}

// members lists what can be selected from the expression before the dot.
func (s *Session) members(src string, p place) (items []Item) {
	if path := s.packageNamed(src, p.base); path != "" {
		pkg, err := s.imp.Import(path)
		if err != nil {
			return nil
		}
		for _, name := range pkg.Scope().Names() {
			if o := pkg.Scope().Lookup(name); o.Exported() {
				items = append(items, s.item(o, path, name))
			}
		}
		return items
	}
	t, isType := s.typeOfText(src[:p.start], p.base)
	if t == nil {
		return nil
	}
	return s.selectable(t, isType)
}

// homeOf gives the package and the name by which a type is documented.
func homeOf(t types.Type) (path, name string) {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil {
		return n.Obj().Pkg().Path(), n.Obj().Name()
	}
	return "", ""
}

// selectable lists fields and methods, those of embedded fields too.
func (s *Session) selectable(t types.Type, isType bool) (items []Item) {
	seen := map[string]bool{}
	mt := t
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr && !types.IsInterface(t) {
		mt = types.NewPointer(t)
	}
	ms := types.NewMethodSet(mt)
	for i := range ms.Len() {
		fn := ms.At(i).Obj().(*types.Func)
		if seen[fn.Name()] || !fn.Exported() && !isMain(fn.Pkg()) {
			continue
		}
		seen[fn.Name()] = true
		path, name := "", ""
		if r := fn.Signature().Recv(); r != nil {
			path, name = homeOf(r.Type())
		}
		it := s.item(fn, path, name+"."+fn.Name())
		it.Kind = "method"
		items = append(items, it)
	}
	var fields func(t types.Type, depth int)
	fields = func(t types.Type, depth int) {
		if p, ok := t.Underlying().(*types.Pointer); ok {
			t = p.Elem()
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok || depth > 5 {
			return
		}
		path, name := homeOf(t)
		for f := range st.Fields() {
			if seen[f.Name()] || !f.Exported() && !isMain(f.Pkg()) {
				continue
			}
			seen[f.Name()] = true
			it := s.item(f, path, name+"."+f.Name())
			it.Kind = "field"
			items = append(items, it)
		}
		for f := range st.Fields() {
			if f.Embedded() {
				fields(f.Type(), depth+1)
			}
		}
	}
	if !isType {
		fields(t, 0)
	}
	return items
}

// item describes an object; docName is what it is documented as in its package.
func (s *Session) item(o types.Object, path, docName string) Item {
	it := Item{Text: strings.TrimSuffix(o.Name(), special), Type: typeString(o.Type())}
	switch o.(type) {
	case *types.Func:
		it.Kind = "function"
	case *types.TypeName:
		it.Kind = "type"
		it.Type = typeString(o.Type().Underlying())
		if len(it.Type) > 60 {
			it.Type = it.Type[:strings.IndexAny(it.Type+"{", "{")]
		}
	case *types.Const:
		it.Kind = "constant"
	default:
		it.Kind = "variable"
	}
	if path == "main" || path == "" && isMain(o.Pkg()) {
		it.Doc, _, _ = strings.Cut(s.said[docName], "\n")
	} else if path != "" {
		if _, text, ok := s.opt.Symbols.Doc(path, docName); ok {
			it.Doc, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
		}
	}
	return it
}

// namesInScope lists what a bare name can be: names of the session and of the cell itself,
// keys of a literal, packages, builtins, keywords.
func (s *Session) namesInScope(src string, p place) (items []Item) {
	seen := map[string]bool{}
	add := func(it Item) {
		if !seen[it.Text] && !strings.ContainsRune(it.Text, 'ʹ') {
			seen[it.Text] = true
			items = append(items, it)
		}
	}
	if p.lit != "" {
		if t, _ := s.typeOfText(src[:p.start], p.lit); t != nil {
			if st, ok := t.Underlying().(*types.Struct); ok {
				for f := range st.Fields() {
					if (f.Exported() || isMain(f.Pkg())) && !p.keys[f.Name()] {
						path, name := homeOf(t)
						it := s.item(f, path, name+"."+f.Name())
						it.Kind = "field"
						add(it)
					}
				}
			}
		}
	}
	for _, o := range s.scope.objs {
		add(s.item(o, "", ""))
	}
	for _, w := range words(src) {
		add(Item{Text: w, Kind: "variable"})
	}
	for _, n := range types.Universe.Names() {
		kind := "function"
		switch types.Universe.Lookup(n).(type) {
		case *types.TypeName:
			kind = "type"
		case *types.Const, *types.Nil:
			kind = "constant"
		}
		add(Item{Text: n, Kind: kind})
	}
	for tok := token.BREAK; tok <= token.VAR; tok++ {
		add(Item{Text: tok.String(), Kind: "keyword"})
	}
	for n := range s.scope.imports {
		if n[0] != '.' {
			add(Item{Text: n, Kind: "package", Type: s.scope.imports[n]})
		}
	}
	for _, n := range s.imp.names() {
		add(Item{Text: n, Kind: "package", Type: s.imp.named(n)[0]})
	}
	return items
}
