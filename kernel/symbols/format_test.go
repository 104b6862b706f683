package symbols_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"reflect"
	"strings"
	"testing"

	"trivium/kernel/symbols"
	"trivium/kernel/symbols/box"
)

// TestFormatting: each function that stands in for one with a format has its type, and prints
// a cell's type.
func TestFormatting(t *testing.T) {
	cell := box.Obj{D: &box.Desc{Name: "main.T"}, V: 1}
	ft, lt := symbols.All.Exports("fmt"), symbols.All.Exports("log")
	for name, f := range map[string]any{
		"Printf": fmt.Printf, "Sprintf": fmt.Sprintf, "Fprintf": fmt.Fprintf, "Appendf": fmt.Appendf, "Errorf": fmt.Errorf,
		"Print": fmt.Print, "Sprint": fmt.Sprint, "Fprint": fmt.Fprint, "Append": fmt.Append,
	} {
		if got, want := ft[name].Type(), reflect.TypeOf(f); got != want {
			t.Errorf("fmt.%s is a %s, want %s", name, got, want)
		}
	}
	for _, name := range []string{"Printf", "Panicf", "Fatalf"} {
		if got, want := lt[name].Type(), reflect.TypeFor[func(string, ...any)](); got != want {
			t.Errorf("log.%s is a %s, want %s", name, got, want)
		}
	}
	var b bytes.Buffer
	ft["Fprintf"].Interface().(func(io.Writer, string, ...any) (int, error))(&b, "%T ", cell)
	b.Write(ft["Appendf"].Interface().(func([]byte, string, ...any) []byte)(nil, "%T ", cell))
	b.WriteString(ft["Sprintf"].Interface().(func(string, ...any) string)("%T ", cell))
	b.WriteString(ft["Errorf"].Interface().(func(string, ...any) error)("%T ", cell).Error())
	old := log.Writer()
	log.SetOutput(&b)
	defer log.SetOutput(old)
	lt["Printf"].Interface().(func(string, ...any))("%T ", cell)
	func() {
		defer func() { fmt.Fprint(&b, recover()) }()
		lt["Panicf"].Interface().(func(string, ...any))("%T ", cell)
	}()
	if got := strings.Count(b.String(), "main.T "); got != 7 {
		t.Errorf("printed the type %d times, want 7: %q", got, b.String())
	}
}
