package eval

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	undefinedName   = regexp.MustCompile(`^undefined: (?:(\w+)\.)?(\w+)$`)
	undefinedMember = regexp.MustCompile(`type (\S+) has no field or method (\w+)\)?$`)
	packageMember   = regexp.MustCompile(`^(\w+)\.([A-Z]\w*) undefined \(type `)
	noFunction      = regexp.MustCompile(`^invalid operation: cannot call (?:non-function )?(\w+) \(variable of `)
	unknownField    = regexp.MustCompile(`^unknown field (\w+) in struct literal of type (\S+)$`)
)

// mistakes are what people write who come from other languages.
var mistakes = []struct {
	text *regexp.Regexp
	hint string
}{
	{regexp.MustCompile(`^no new variables on left side of :=`), "the variable exists: = gives it another value"},
	{regexp.MustCompile(`has no field or method (append|push|add|push_back)\)?$`), "s = append(s, x) appends to a slice"},
	{regexp.MustCompile(`has no field or method (len|length|size|count|Len)\)?$`), "len(x) is the length of slices, maps, strings and arrays"},
	{regexp.MustCompile(`mismatched types (untyped )?string and (untyped )?(int|float)|mismatched types (untyped )?(int|float64) and (untyped )?string`), "fmt.Sprint(a, b) makes a string of values; strconv.Itoa of an int"},
	{regexp.MustCompile(`mismatched types (int|float64|float32|int64|int32) and (int|float64|float32|int64|int32)\)`), "convert one of them, as in float64(n)*x"},
	{regexp.MustCompile(`time\.Duration and (int|float64)\)|(int|float64) and time\.Duration\)|of type (int|float64)\) as time\.Duration value`), "time.Duration(n) * time.Second makes a duration of a number"},
	{regexp.MustCompile(`of type int\) as float64 value`), "float64(x) converts it"},
	{regexp.MustCompile(`^assignment mismatch: 1 variable but .* returns 2 values`), "x, err := f() takes both values, x, _ := f() drops the second"},
	{regexp.MustCompile(`in single-value context$`), "x, err := f() takes the values first"},
	{regexp.MustCompile(`^cannot assign to struct field .* in map$`), "v := m[k]; v.Field = x; m[k] = v, or let the map hold pointers"},
	{regexp.MustCompile(`^undefined: (null|None|NULL)$`), "it is called nil in Go"},
	{regexp.MustCompile(`^undefined: nb\.Conte?xt$`), "the context of a cell is called ctx"},
	{regexp.MustCompile(`^undefined: (True|False)$`), "true and false are written small in Go"},
	{regexp.MustCompile(`^use of untyped nil$`), "nil has no type by itself: any(nil), []int(nil)"},
	{regexp.MustCompile(`\(overflows\)$`), "a number that is given no type is an int or a float64: float64(x), or package math/big"},
}

// hint says what may help against an error message, "" if nothing comes to mind.
func (s *Session) hint(p *parsed, msg string) string {
	if h := s.redefined(p, msg); h != "" {
		return h
	}
	for _, m := range mistakes {
		if m.text.MatchString(msg) {
			return m.hint
		}
	}
	if m := undefinedName.FindStringSubmatch(msg); m != nil {
		pkg, name := m[1], m[2]
		if pkg == "" {
			known := slices.Collect(maps.Keys(s.scope.objs))
			known = append(known, p.allDeclared()...)
			known = append(known, types.Universe.Names()...)
			if h := nearest(name, known); h != "" {
				return h
			}
			return nearest(name, s.imp.names())
		}
		if path := s.path(p, pkg); path != "" {
			if tp, err := s.imp.Import(path); err == nil {
				known := exported(tp.Scope().Names())
				if h := nearest(name, known); h != "" {
					return h
				}
				return alike(pkg, name, known)
			}
		}
		return ""
	}
	if m := packageMember.FindStringSubmatch(msg); m != nil && s.scope.objs[m[1]] != nil {
		for _, path := range s.imp.named(m[1]) {
			if pkg, err := s.imp.Import(path); err == nil && pkg.Scope().Lookup(m[2]) != nil {
				return fmt.Sprintf("%s is a variable now; import %q makes it the package again", m[1], path)
			}
		}
	}
	if m := noFunction.FindStringSubmatch(msg); m != nil && s.redeclared[m[1]] != 0 {
		return fmt.Sprintf("%[1]s is a variable since cell [%[2]d]: run the cell of the function %[1]s again, and give the variable another name", m[1], s.redeclared[m[1]])
	}
	if m := undefinedMember.FindStringSubmatch(msg); m != nil {
		if t := s.typeNamed(p, m[1]); t != nil {
			return nearest(m[2], append(fields(t), methods(t)...))
		}
	}
	if m := unknownField.FindStringSubmatch(msg); m != nil {
		if t := s.typeNamed(p, m[2]); t != nil {
			if h := nearest(m[1], fields(t)); h != "" {
				return h
			}
			return "it has " + listed(fields(t))
		}
	}
	return ""
}

// allDeclared lists the names that the cell declares somewhere: a misspelt one may be meant to be one of them.
func (p *parsed) allDeclared() (names []string) {
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
				names = append(names, id.Name)
			}
		}
	}
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt: // the := of the cell's own variables has become = by now
			if n.Tok == token.DEFINE || n.Tok == token.ASSIGN {
				add(n.Lhs...)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, n.Value)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.Field:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.FuncDecl:
			add(n.Name)
		case *ast.TypeSpec:
			add(n.Name)
		}
		return true
	}
	for _, d := range p.decls {
		ast.Inspect(d, visit)
	}
	if p.body != nil {
		ast.Inspect(p.body.Body, visit)
	}
	return names
}

// typeNamed finds a type by the name that a message calls it; nil if it has none of its own.
func (s *Session) typeNamed(p *parsed, name string) types.Type {
	name = strings.TrimLeft(name, "*")
	var obj types.Object
	if pkg, member, ok := strings.Cut(name, "."); ok {
		tp, err := s.imp.Import(s.path(p, pkg))
		if err != nil {
			return nil
		}
		obj = tp.Scope().Lookup(member)
	} else if obj = s.scope.objs[name]; obj == nil {
		obj = s.scope.pkg.Scope().Lookup(name) // of this cell
	}
	if tn, ok := obj.(*types.TypeName); ok {
		return tn.Type()
	}
	return nil
}

func fields(t types.Type) (names []string) {
	if st, ok := t.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			names = append(names, f.Name())
		}
	}
	return reachable(t, names)
}

func methods(t types.Type) (names []string) {
	if _, ok := t.Underlying().(*types.Interface); !ok {
		t = types.NewPointer(t)
	}
	for m := range types.NewMethodSet(t).Methods() {
		names = append(names, m.Obj().Name())
	}
	return reachable(t, names)
}

// reachable leaves out what a cell cannot name: the unexported members of compiled types.
func reachable(t types.Type, names []string) []string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() != "main" {
		return exported(names)
	}
	return names
}

// listed names some of a list.
func listed(names []string) string {
	const most = 12
	switch {
	case len(names) == 0:
		return "no fields that a cell can name"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}

var typeNames = regexp.MustCompile(`[\pL_][\pL\pN_]*`)

// redefined says that a type which a message names twice, or whose members it misses, is declared
// in two cells: a value of the earlier one is not one of the later.
func (s *Session) redefined(p *parsed, msg string) string {
	times := map[string]int{}
	for _, w := range typeNames.FindAllString(msg, -1) {
		times[w]++
	}
	declared := p.declared()
	for _, name := range slices.Sorted(maps.Keys(times)) {
		if times[name] < 2 && !strings.Contains(msg, "type "+name+" has no field or method") {
			continue
		}
		cell := s.redeclared[name]
		if _, was := s.scope.objs[name].(*types.TypeName); was && declared[name] {
			cell = p.n
		}
		if cell != 0 {
			return name + " was redefined in cell [" + itoa(cell) + "]; values made before have the earlier type: run the cells that make them again"
		}
	}
	return ""
}

// path gives the import path that a package name stands for in the cell.
func (s *Session) path(p *parsed, name string) string {
	for _, sp := range p.imports {
		if pkg, err := s.imp.Import(strings.Trim(sp.Path.Value, "`\"")); err == nil {
			if sp.Name != nil && sp.Name.Name == name || sp.Name == nil && pkg.Name() == name {
				return pkg.Path()
			}
		}
	}
	if path := s.scope.imports[name]; path != "" {
		return path
	}
	if l := s.imp.named(name); len(l) == 1 {
		return l[0]
	}
	return ""
}

func exported(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n[0] < 'A' || n[0] > 'Z' })
}

// nearest asks "did you mean" with the known name closest to a misspelt one, best one that goes on where it
// ends. Names of one or two letters are all close to each other.
func nearest(name string, known []string) string {
	best, dist := "", max(1, len(name)/4)+1
	for _, k := range known {
		if k == name || strings.ContainsRune(k, 'ʹ') {
			continue
		}
		d := distance(name, k)
		if strings.EqualFold(name, k) {
			d = 0
		}
		if len(name) < 3 && d > 0 {
			continue
		}
		longer, was := strings.HasPrefix(k, name), strings.HasPrefix(best, name)
		if d < dist || d == dist && best != "" && (longer && !was || longer == was && k < best) {
			best, dist = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}

// alike lists names that say what the unknown one says and more: all its letters in order, as
// NewMat32 has those of New32, or the word that it begins or ends with.
func alike(pkg, name string, known []string) string {
	var whole, part []string
	words := camel.FindAllString(name, -1)
	for _, k := range known {
		switch {
		case len(name) > 2 && k[0] == name[0] && subsequence(strings.ToLower(name), strings.ToLower(k)):
			whole = append(whole, k)
		case len(words) > 0 && len(words[0]) > 3 && strings.HasPrefix(k, words[0]),
			len(words) > 0 && len(words[len(words)-1]) > 3 && strings.HasSuffix(k, words[len(words)-1]):
			part = append(part, k)
		}
	}
	if len(whole) == 0 {
		whole = part
	}
	if len(whole) == 0 {
		return "Tab after \"" + pkg + ".\" lists what it has"
	}
	return pkg + " has " + listed(whole)
}

// camel cuts a name into its words.
var camel = regexp.MustCompile(`\p{Lu}*\P{Lu}+|\p{Lu}+`)

// subsequence tells whether the letters of a come in b in the same order.
func subsequence(a, b string) bool {
	for _, r := range b {
		if a == "" {
			break
		}
		if first, n := utf8.DecodeRuneInString(a); first == r {
			a = a[n:]
		}
	}
	return a == ""
}

// distance is the number of letters to insert, delete, change or swap with their neighbour
// that make a into b.
func distance(a, b string) int {
	if len(a) > len(b)+4 || len(b) > len(a)+4 {
		return 99
	}
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
