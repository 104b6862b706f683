package simd_test

import (
	"fmt"
	"testing"

	"trivium/core/tensor/internal/simd"
)

func ExampleOf() {
	x, y := []float64{1, 2, 3}, []float64{10, 20, 30}
	fmt.Println(simd.Of[float64]().Dot(len(x), &x[0], &y[0]))
	// Output: 140
}

// TestLevels switches between everything the processor can run. What the functions compute is
// tested in package tensor, on every level.
func TestLevels(t *testing.T) {
	levels := simd.Levels()
	if levels[0] != simd.Plain {
		t.Errorf("levels are %v; plain Go runs everywhere", levels)
	}
	best := simd.Current()
	if best != levels[len(levels)-1] {
		t.Errorf("%v is used, %v is there", best, levels)
	}
	for _, l := range simd.Testable() {
		simd.SetLevel(l)
		testTiles[float32](t, l)
		testTiles[float64](t, l)
	}
	simd.SetLevel(best)
	defer func() {
		if recover() == nil {
			t.Error("a level that does not exist was taken")
		}
	}()
	simd.SetLevel(99)
}

// testTiles runs every tile on small whole numbers, for which all sums are exact.
func testTiles[T simd.Float](t *testing.T, l simd.Level) {
	s := simd.Of[T]()
	cols := s.Columns()
	for rows := range s.Tile {
		if s.Tile[rows] == nil {
			continue
		}
		for _, k := range []int{1, 3, 4, 5, 9} {
			a, b := make([]T, k*rows), make([]T, k*cols)
			off := make([]int, k)
			for i := range a {
				a[i] = T(i%7 - 3)
			}
			for i := range b {
				b[i] = T(i%5 - 2)
			}
			for p := range off {
				off[p] = p * cols * sizeOf[T]()
			}
			for add := range 2 {
				ld := cols + 3
				c, d := make([]T, rows*ld), make([]T, rows*ld)
				for i := range c {
					c[i], d[i] = T(i%11), T(i%11)
				}
				s.Tile[rows](k, &a[0], &b[0], &c[0], ld, 2, add, &a[0], 0)
				s.TileX[rows](k, &a[0], &b[0], &b[s.Vector], &off[0], &d[0], &d[s.Vector], ld, 2, add)
				half := make([]T, rows*ld)
				for i := range half {
					half[i] = T(i % 11)
				}
				s.Half[rows](k, &a[0], &b[0], &half[0], ld, 2, add, &a[0], 0)
				for i := range half {
					want := T(i % 11)
					if i%ld < s.Vector {
						want = c[i]
					}
					if half[i] != want {
						t.Fatalf("%v, %T, %d rows, %d steps, add %d: element %d of half a tile is %v, want %v", l, want, rows, k, add, i, half[i], want)
					}
				}
				for i := range c {
					want := T(i % 11)
					if r, j := i/ld, i%ld; j < cols {
						if add == 0 {
							want = 0
						}
						for p := range k {
							want += 2 * a[p*rows+r] * b[p*cols+j]
						}
					}
					if c[i] != want || d[i] != want {
						t.Fatalf("%v, %T, %d rows, %d steps, add %d: element %d is %v and %v, want %v", l, want, rows, k, add, i, c[i], d[i], want)
					}
				}
			}
		}
	}
}

func sizeOf[T simd.Float]() int {
	var z T
	if _, ok := any(z).(float32); ok {
		return 4
	}
	return 8
}
