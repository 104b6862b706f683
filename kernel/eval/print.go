package eval

import (
	"fmt"
	"math"
	"os"
	"reflect"
	"strconv"

	"trivium/kernel/symbols/box"
)

// What the builtins print and println write, and panics of basic values.

func rtPrint(args ...any) {
	for _, a := range args {
		fmt.Fprint(os.Stderr, printForm(a))
	}
}

func rtPrintln(args ...any) {
	for i, a := range args {
		if i > 0 {
			fmt.Fprint(os.Stderr, " ")
		}
		fmt.Fprint(os.Stderr, printForm(a))
	}
	fmt.Fprintln(os.Stderr)
}

// printForm is how the builtin print writes a value.
func printForm(a any) string {
	if o, ok := box.Of(a); ok {
		a = o.V
	}
	v := reflect.ValueOf(a)
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return printFloat(v.Float())
	case reflect.Complex64, reflect.Complex128:
		im := printFloat(imag(v.Complex()))
		if im[0] != '-' && im[0] != '+' {
			im = "+" + im
		}
		return "(" + printFloat(real(v.Complex())) + im + "i)"
	case reflect.Bool, reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return fmt.Sprint(v)
	case reflect.Pointer, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return fmt.Sprintf("%#x", v.Pointer())
	case reflect.Slice:
		return fmt.Sprintf("[%d/%d]%#x", v.Len(), v.Cap(), v.Pointer())
	case reflect.Invalid: // of no other type is nil seen here
		return "(0x0,0x0)"
	}
	return fmt.Sprint(a)
}

func printFloat(f float64) string {
	switch {
	case f != f:
		return "NaN"
	case math.IsInf(f, 1):
		return "+Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
