// Package tiny is a third-party package for tests.
package tiny

import (
	"fmt"
	"reflect"
	"strings"

	"example.org/tiny/shape"
)

// Double gives twice a number.
func Double(n int) int { return 2 * n }

// Total adds the areas of shapes.
func Total(list ...shape.Shape) (area float64) {
	for _, s := range list {
		area += s.Area()
	}
	return area
}

// Describe tells what reflection sees of a value: its type, and of a struct the fields with their tags, of an interface what it holds.
func Describe(x any) string { return describe(reflect.ValueOf(x)) }

func describe(v reflect.Value) string {
	if !v.IsValid() {
		return "nil"
	}
	if v.CanInterface() {
		if s, ok := v.Interface().(fmt.Stringer); ok {
			return v.Type().String() + " " + s.String()
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return "->" + describe(v.Elem())
	case reflect.Struct:
		var fields []string
		for i := range v.NumField() {
			f := v.Type().Field(i)
			fields = append(fields, fmt.Sprintf("%s(%s)=%s", f.Name, f.Tag.Get("tiny"), describe(v.Field(i))))
		}
		return v.Type().String() + "{" + strings.Join(fields, " ") + "}"
	}
	return fmt.Sprint(v.Type(), " ", v)
}

// Set sets a field of the struct that p points to.
func Set(p any, field string, x any) {
	reflect.ValueOf(p).Elem().FieldByName(field).Set(reflect.ValueOf(x))
}
