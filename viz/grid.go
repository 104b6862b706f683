package viz

import (
	"fmt"
	"math"
	"reflect"

	"trivium/core/tensor"
)

// A Grid is a matrix of numbers, such as gonum's mat.Matrix.
type Grid interface {
	Dims() (rows, cols int)
	At(row, col int) float64
}

// Rows is a Grid made of slices; short rows end in NaN.
type Rows [][]float64

// Dims returns the number of rows and the length of the longest.
func (r Rows) Dims() (rows, cols int) {
	for _, row := range r {
		cols = max(cols, len(row))
	}
	return len(r), cols
}

// At returns a value, NaN beyond the end of a row.
func (r Rows) At(i, j int) float64 {
	if j >= len(r[i]) {
		return math.NaN()
	}
	return r[i][j]
}

// matrix32 and matrix64 are the engine's matrices as grids.
type (
	matrix32 tensor.Matrix[float32]
	matrix64 tensor.Matrix[float64]
)

func (m matrix32) Dims() (rows, cols int) { return m.Rows, m.Cols }
func (m matrix32) At(i, j int) float64    { return float64(m.Data[i*m.Stride+j]) }
func (m matrix64) Dims() (rows, cols int) { return m.Rows, m.Cols }
func (m matrix64) At(i, j int) float64    { return m.Data[i*m.Stride+j] }

// rows32 is Rows of float32.
type rows32 [][]float32

func (r rows32) Dims() (rows, cols int) {
	for _, row := range r {
		cols = max(cols, len(row))
	}
	return len(r), cols
}

func (r rows32) At(i, j int) float64 {
	if j >= len(r[i]) {
		return math.NaN()
	}
	return float64(r[i][j])
}

// gridOf returns a value as a matrix: a Grid, a matrix of the engine, slices of slices. The
// grid is nil for nil, and ok false for what is no matrix at all.
func gridOf(v any) (g Grid, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case [][]float64:
		return Rows(v), true
	case [][]float32:
		return rows32(v), true
	case [][]int:
		r := make(Rows, len(v))
		for i := range v {
			r[i] = widen(v[i])
		}
		return r, true
	case tensor.Matrix[float32]:
		return matrix32(v), true
	case tensor.Matrix[float64]:
		return matrix64(v), true
	case Grid:
		if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
			return nil, true
		}
		return v, true
	}
	return nil, false
}

// notGrid says what a matrix could have been.
func notGrid(v any) string {
	return fmt.Sprintf("a %T is no matrix: slices of slices of numbers, a matrix of gonum or of the engine, or a value with methods Dims and At is one", v)
}
