package widget

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"

	"trivium/kernel/symbols/box"
)

// function is a function of a cell that is called with the values of controls.
type function struct {
	v         reflect.Value
	signature *types.Signature // where a type of a cell occurs in it; else nil
	descOf    func(types.Type) *box.Desc
}

// errorType is the type of a result that is looked at and not shown.
var errorType = reflect.TypeFor[error]()

// newFunction checks that f takes what the controls give.
func newFunction(f any, controls []*Control) (*function, error) {
	fn, err := functionOf(f)
	if err != nil {
		return nil, err
	}
	t := fn.v.Type()
	if t.IsVariadic() || t.NumIn() != len(controls) {
		return nil, fmt.Errorf("the function %v has %d parameters and there are %d controls; each control sets one", t, t.NumIn(), len(controls))
	}
	for i, c := range controls {
		if _, err := argument(c.start, t.In(i)); err != nil {
			return nil, fmt.Errorf("%v sets parameter %d of %v: %w", c, i+1, t, err)
		}
	}
	return fn, nil
}

// functionOf takes a function of a cell.
func functionOf(f any) (*function, error) {
	fn := &function{}
	if o, ok := box.Of(f); ok {
		fn.signature, _ = o.D.Type.(*types.Signature)
		fn.descOf = o.D.DescOf
		f = o.V
	}
	fn.v = reflect.ValueOf(f)
	if fn.v.Kind() != reflect.Func || fn.v.IsNil() {
		return nil, fmt.Errorf("%T is not a function that can be called", f)
	}
	return fn, nil
}

// argument makes of a control's value one of the type that a parameter has. Numbers become
// numbers only, so that 65 is never "A".
func argument(v any, t reflect.Type) (reflect.Value, error) {
	x := reflect.ValueOf(v)
	if !x.IsValid() {
		return x, fmt.Errorf("nil is not a %v", t)
	}
	if x.Type().AssignableTo(t) {
		return x, nil
	}
	numeric := func(k reflect.Kind) bool {
		return k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr
	}
	same := x.Kind() == t.Kind() || numeric(x.Kind()) && numeric(t.Kind())
	if !same || !x.CanConvert(t) {
		return x, fmt.Errorf("a %v is not a %v", x.Type(), t)
	}
	if x.CanFloat() && !(t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64) && x.Float() != float64(int64(x.Float())) {
		return x, fmt.Errorf("%v is not a whole number, as %v needs; use IntSlider", v, t)
	}
	return x.Convert(t), nil
}

// call returns the results that are to be shown. An error as the last result is the error
// instead.
func (fn *function) call(values []any) ([]any, error) {
	t := fn.v.Type()
	args := make([]reflect.Value, len(values))
	for i, v := range values {
		var err error
		if args[i], err = argument(v, t.In(i)); err != nil {
			return nil, err
		}
	}
	var out []any
	results := fn.v.Call(args)
	for i, r := range results {
		v := r.Interface()
		if i == len(results)-1 && t.Out(i) == errorType {
			if err, ok := v.(error); ok && err != nil {
				return nil, &resultError{err}
			}
			break
		}
		out = append(out, fn.boxed(i, v))
	}
	return out, nil
}

// boxed puts a result of a type declared in a cell beside its description, by which it is shown.
func (fn *function) boxed(i int, v any) any {
	if fn.signature == nil || fn.descOf == nil || i >= fn.signature.Results().Len() {
		return v
	}
	t := fn.signature.Results().At(i).Type()
	if types.IsInterface(t) {
		return v
	}
	if d := fn.descOf(t); d != nil {
		return box.Obj{D: d, V: v}
	}
	return v
}

// resultError is an error that a function of a cell returned.
type resultError struct{ err error }

func (e *resultError) Error() string { return e.err.Error() }
func (e *resultError) Unwrap() error { return e.err }

// errText is what is shown of an error that a function returned.
func errText(err error) string {
	var r *resultError
	if errors.As(err, &r) {
		return "error: " + r.Error()
	}
	return err.Error()
}
