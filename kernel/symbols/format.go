package symbols

import (
	"fmt"
	"io"
	"log"

	"trivium/kernel/symbols/box"
)

// formatting are the functions that take a format, with %T answered for cell types. The
// methods of a log.Logger remain, whose %T of a cell type is the wrapper's name.
var formatting = map[string]map[string]any{
	"fmt": {
		"Printf":  func(f string, a ...any) (int, error) { return fmt.Printf(box.TypeVerbs(f, a), a...) },
		"Sprintf": func(f string, a ...any) string { return fmt.Sprintf(box.TypeVerbs(f, a), a...) },
		"Fprintf": func(w io.Writer, f string, a ...any) (int, error) { return fmt.Fprintf(w, box.TypeVerbs(f, a), a...) },
		"Appendf": func(b []byte, f string, a ...any) []byte { return fmt.Appendf(b, box.TypeVerbs(f, a), a...) },
		"Errorf":  func(f string, a ...any) error { return fmt.Errorf(box.TypeVerbs(f, a), a...) },
	},
	"log": {
		"Printf": func(f string, a ...any) { log.Printf(box.TypeVerbs(f, a), a...) },
		"Panicf": func(f string, a ...any) { log.Panicf(box.TypeVerbs(f, a), a...) },
		"Fatalf": func(f string, a ...any) { log.Fatalf(box.TypeVerbs(f, a), a...) },
	},
}
