package eval

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// Pieces that run several times, each time with other values: what an interpreter keeps of the first time shows then. The second
// time the two values of the type have changed places, the third time maps are empty, channels are closed and interfaces are nil.

// matrixForms are the ways in which a piece runs again, where ⟨ and ⟩ enclose what is done each time. § are the variables that it declares.
var matrixForms = map[byte]string{
	'l': "for round := range 3 { ⟨ @ ⟩ }",                                                                                                    // in a loop
	'k': "var kept []func(); for round := range 3 { ⟨ @; kept = append(kept, func() { fmt.Println(§) }) ⟩ }; for _, k := range kept { k() }", // something holds on to its variables
	'r': "var rec func(round int); rec = func(round int) { ⟨ @; if round < 2 { rec(round + 1) }; fmt.Println(§) ⟩ }; rec(0)",                 // in a function that calls itself
	'g': "each := func(round int) { ⟨ @ ⟩ }; for round := range 3 { done := make(chan bool); go func() { defer close(done); " + // on goroutines one after the other
		"defer func() { if r := recover(); r != nil { fmt.Println(\"panicked:\", r) } }(); each(round) }(); <-done }",
}

// matrixFormNames are the forms, "" is for once.
const matrixFormNames = "lkrg"

// again gives the body of a piece in a form. That of a generic function has its locals anew each time.
func again(body string, mode byte, form byte) string {
	begin, end := "again(round); ", ""
	if mode == inGeneric {
		begin = "v0, v1 := v0, v1; if round == 1 { v0, v1 = v1, v0 }\n" + matrixLocals + "if round == 2 { ia, h.A, h.M, sa[1] = nil, nil, nil, nil; clear(ms); ch = func() chan T { c := make(chan T); close(c); return c } }\n"
	}
	vars := strings.Join(declaredIn(body), ", ")
	return strings.NewReplacer("⟨", begin, "⟩", end, "@", body, "§", vars).Replace(matrixForms[form])
}

// declaredIn gives the names of the variables that statements declare, but for those in blocks.
func declaredIn(body string) (names []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", "package p; func f() { "+body+"\n}", parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	seen := map[string]bool{"_": true}
	add := func(id *ast.Ident) {
		if !seen[id.Name] {
			seen[id.Name] = true
			names = append(names, id.Name)
		}
	}
	for _, st := range f.Decls[0].(*ast.FuncDecl).Body.List {
		switch st := st.(type) {
		case *ast.AssignStmt:
			for _, x := range st.Lhs {
				if id, ok := x.(*ast.Ident); ok && st.Tok == token.DEFINE {
					add(id)
				}
			}
		case *ast.DeclStmt:
			for _, spec := range st.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					for _, id := range v.Names {
						add(id)
					}
				}
			}
		}
	}
	return names
}
