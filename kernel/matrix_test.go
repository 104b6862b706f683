package main

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"trivium/kernel/display"
)

func TestMatricesAreReadable(t *testing.T) {
	large := mat.NewDense(100, 30, nil)
	large.Set(99, 29, 7)
	for name, c := range map[string]struct {
		v    any
		want string
	}{
		"small":         {mat.NewDense(2, 2, []float64{1, 2.5, 3, 4}), "2×2\n⎡1  2.5⎤\n⎣3    4⎦"},
		"vector":        {mat.NewVecDense(2, []float64{1, 2}), "2×1\n⎡1⎤\n⎣2⎦"},
		"transposed":    {mat.NewDense(1, 2, []float64{1, 2}).T(), "2×1\n⎡1⎤\n⎣2⎦"},
		"without cells": {&mat.Dense{}, "0×0"},
	} {
		b, ok := gonumMatrix(c.v)
		if got := b.Data[display.Text]; !ok || got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	b, _ := gonumMatrix(large)
	text, _ := b.Data[display.Text].(string)
	if !strings.HasPrefix(text, "Dims(100, 30)") || !strings.Contains(text, "7") || len(text) > 2000 {
		t.Errorf("a large matrix reads %q", text)
	}
	for _, v := range []any{nil, 3, (*mat.Dense)(nil), []float64{1}} {
		if _, ok := gonumMatrix(v); ok {
			t.Errorf("%v is shown as a matrix", v)
		}
	}
}
