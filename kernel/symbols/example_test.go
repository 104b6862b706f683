package symbols_test

import (
	"fmt"
	"io"
	"os"

	"trivium/kernel/symbols"
	"trivium/kernel/symbols/box"
)

func Example() {
	// What a cell can reach of package strings, as the interpreter takes it.
	repeat := symbols.All.Exports("strings")["Repeat"].Interface().(func(string, int) string)
	fmt.Println(repeat("ab", 3))

	// Its documentation is there where no Go toolchain is.
	signature, _, _ := symbols.All.Doc("strings", "Repeat")
	fmt.Println(signature)

	// Output:
	// ababab
	// func Repeat(s string, count int) string
}

// A type that a cell declares as
//
//	type Greeting string
//	func (g Greeting) WriteTo(w io.Writer) (int64, error)
//	func (g Greeting) Read(p []byte) (int, error)
//
// is an io.Reader for compiled code, and io.Copy finds its WriteTo.
func ExampleTable_Wrapper() {
	greeting := &box.Desc{Name: "main.Greeting", Methods: map[string]any{
		"Read": func(any, []byte) (int, error) { return 0, io.ErrUnexpectedEOF },
		"WriteTo": func(g any, w io.Writer) (int64, error) {
			n, err := fmt.Fprintf(w, "hello, %s\n", g.(string))
			return int64(n), err
		},
	}}
	wrap, _ := symbols.All.Wrapper("io.Reader")
	r := wrap(box.Obj{D: greeting, V: "cells"}).(io.Reader)
	n, err := io.Copy(os.Stdout, r)
	fmt.Println(n, err)

	fmt.Println("reflect.Type has no wrapper because it", symbols.All.WrapperProblem("reflect.Type"))
	// Output:
	// hello, cells
	// 13 <nil>
	// reflect.Type has no wrapper because it has the unexported method common
}
