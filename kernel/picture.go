package main

import (
	"reflect"

	"trivium/kernel/display"
	"trivium/kernel/symbols/box"
	"trivium/viz"
)

// drawnNumbers is how many numbers a list has at least that is drawn: fewer are read faster
// than a picture of them. So are matrices that gonumMatrix shows whole.
const drawnNumbers = 32

// picture draws what does not draw itself: runs, long lists of numbers, large matrices.
func picture(v any) (display.Figure, bool) {
	switch v.(type) {
	case nil, display.Figure:
		return nil, false
	case viz.Source:
		return viz.Of(v)
	case viz.Grid: // of gonum: gonumMatrix
		return nil, false
	}
	if _, ok := box.Of(v); ok {
		return nil, false
	}
	f, ok := viz.Of(v)
	if !ok {
		return nil, false
	}
	if _, live := f.(interface{ Done() <-chan struct{} }); live && holdsRuns(v) {
		return f, true
	}
	if small(v) {
		return nil, false
	}
	return numbers{f}, true
}

// holdsRuns reports whether v is a slice of runs, not of numbers.
func holdsRuns(v any) bool {
	t := reflect.TypeOf(v)
	return (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && t.Elem().Implements(reflect.TypeFor[viz.Source]())
}

// small reports whether a list or a matrix is better read than looked at.
func small(v any) bool {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Slice, reflect.Array:
		if r.Type().Elem().Kind() != reflect.Slice {
			return r.Len() < drawnNumbers
		}
		cols := 0
		for i := range r.Len() {
			cols = max(cols, r.Index(i).Len())
		}
		return r.Len() <= shownCells && cols <= shownCells
	case reflect.Struct: // a matrix of the engine
		rows, cols := r.FieldByName("Rows"), r.FieldByName("Cols")
		return rows.IsValid() && cols.IsValid() && rows.Int() <= shownCells && cols.Int() <= shownCells
	}
	return false
}

// numbers is a picture of numbers, whose text is the numbers.
type numbers struct{ viz.View }

func (n numbers) MIMEBundle() (data, metadata map[string]any) {
	data, metadata = n.View.MIMEBundle()
	delete(data, display.Text)
	return data, metadata
}
