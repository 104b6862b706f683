package symbols

import (
	"fmt"
	"io"
	"log"

	"trivium/kernel/symbols/box"
)

// formatting are the functions that take a format, with %T answered for cell types, and those that put spaces
// between operands that are no strings. The methods of a log.Logger remain, to which a cell type is its wrapper.
var formatting = map[string]map[string]any{
	"fmt": {
		"Print":   func(a ...any) (int, error) { return fmt.Print(spaced(a)...) },
		"Sprint":  box.Sprint,
		"Fprint":  func(w io.Writer, a ...any) (int, error) { return fmt.Fprint(w, spaced(a)...) },
		"Append":  func(b []byte, a ...any) []byte { return fmt.Append(b, spaced(a)...) },
		"Printf":  func(f string, a ...any) (int, error) { return fmt.Printf(box.TypeVerbs(f, a), a...) },
		"Sprintf": func(f string, a ...any) string { return fmt.Sprintf(box.TypeVerbs(f, a), a...) },
		"Fprintf": func(w io.Writer, f string, a ...any) (int, error) { return fmt.Fprintf(w, box.TypeVerbs(f, a), a...) },
		"Appendf": func(b []byte, f string, a ...any) []byte { return fmt.Appendf(b, box.TypeVerbs(f, a), a...) },
		"Errorf":  func(f string, a ...any) error { return fmt.Errorf(box.TypeVerbs(f, a), a...) },
	},
	"log": {
		"Print":  func(a ...any) { log.Print(spaced(a)...) },
		"Panic":  func(a ...any) { log.Panic(spaced(a)...) },
		"Printf": func(f string, a ...any) { log.Printf(box.TypeVerbs(f, a), a...) },
		"Panicf": func(f string, a ...any) { log.Panicf(box.TypeVerbs(f, a), a...) },
		"Fatalf": func(f string, a ...any) { log.Fatalf(box.TypeVerbs(f, a), a...) },
	},
}

// spaced gives one string for what is printed with spaces by package box.
func spaced(a []any) []any {
	if len(a) < 2 {
		return a
	}
	return []any{box.Sprint(a...)}
}
