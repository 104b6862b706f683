package box

import (
	"fmt"
	"reflect"
	"strings"
)

// Sprint is fmt.Sprint with cells' values among its arguments: it puts a space between two of which neither
// is a string, and a string of a type declared in a cell does not look like one in its wrapper.
func Sprint(args ...any) string {
	if !anyBoxed(args) || len(args) < 2 {
		return fmt.Sprint(args...)
	}
	var b strings.Builder
	for i, a := range args {
		if i > 0 && !isString(a) && !isString(args[i-1]) {
			b.WriteByte(' ')
		}
		fmt.Fprint(&b, a)
	}
	return b.String()
}

func isString(x any) bool {
	if o, ok := Of(x); ok {
		x = o.V
	}
	return x != nil && reflect.TypeOf(x).Kind() == reflect.String
}
