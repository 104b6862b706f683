package main

import (
	"fmt"
	"reflect"

	"gonum.org/v1/gonum/mat"

	"trivium/kernel/display"
	"trivium/viz"
)

// shownCells is how many rows and columns of a matrix are shown whole; of a larger one, its corners.
const shownCells = 10

// gonumMatrix shows a matrix of gonum in rows and columns.
func gonumMatrix(v any) (display.Bundle, bool) {
	m, ok := v.(mat.Matrix)
	if r := reflect.ValueOf(v); !ok || r.Kind() == reflect.Pointer && r.IsNil() {
		return display.Bundle{}, false
	}
	rows, cols := m.Dims()
	text := fmt.Sprintf("%d×%d", rows, cols)
	if rows > 0 && cols > 0 {
		options := []mat.FormatOption{mat.Squeeze()}
		if rows > shownCells || cols > shownCells {
			options = append(options, mat.Excerpt(shownCells/2)) // says the sizes itself
			text = fmt.Sprintf("%.5g", mat.Formatted(m, options...))
		} else {
			text += fmt.Sprintf("\n%.5g", mat.Formatted(m, options...))
		}
	}
	b := display.Bundle{Data: map[string]any{display.Text: text}}
	if rows > shownCells || cols > shownCells {
		if f, ok := viz.Of(m); ok {
			b.Data, b.Metadata = f.MIMEBundle()
			b.Data[display.Text] = text
		}
	}
	return b, true
}
