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
			// Where rows are apart, and where the elements of a step are those of the next too.
			for _, apart := range []int{3, 0, 1 - rows} {
				testTile(t, l, s, rows, k, rows+apart, cols+max(apart, 0))
			}
		}
	}
}

func testTile[T simd.Float](t *testing.T, l simd.Level, s *simd.Set[T], rows, k, lda, ldb int) {
	cols := s.Columns()
	a, b := make([]T, (k-1)*lda+rows), make([]T, (k-1)*ldb+cols)
	for i := range a {
		a[i] = T(i%7 - 3)
	}
	for i := range b {
		b[i] = T(i%5 - 2)
	}
	off, together, packed := make([]int, k), make([]T, k*rows), make([]T, k*cols)
	for p := range off {
		off[p] = p * ldb * sizeOf[T]()
		copy(together[p*rows:][:rows], a[p*lda:])
	}
	ld := cols + 3
	for add := range 2 {
		check := func(name string, cols int, tile func(c []T)) {
			c := make([]T, rows*ld)
			for i := range c {
				c[i] = T(i % 11)
			}
			tile(c)
			for i := range c {
				want := T(i % 11)
				if r, j := i/ld, i%ld; j < cols {
					if add == 0 {
						want = 0
					}
					for p := range k {
						want += 2 * a[p*lda+r] * b[p*ldb+j]
					}
				}
				if c[i] != want {
					t.Fatalf("%v, %T, %s, %d rows, %d steps, %d and %d apart, add %d: element %d is %v, want %v", l, want, name, rows, k, lda, ldb, add, i, c[i], want)
				}
			}
		}
		check("Tile", cols, func(c []T) { s.Tile[rows](k, &a[0], lda, &b[0], ldb, &c[0], ld, 2, add, &a[0], 0) })
		check("Half", s.Vector, func(c []T) { s.Half[rows](k, &a[0], lda, &b[0], ldb, &c[0], ld, 2, add, &a[0], 0) })
		check("TileX", cols, func(c []T) {
			s.TileX[rows](k, &together[0], &b[0], &b[s.Vector], &off[0], &c[0], &c[s.Vector], ld, 2, add)
		})
		check("HalfX", s.Vector, func(c []T) { s.HalfX[rows](k, &together[0], &b[0], &off[0], &c[0], ld, 2, add) })
		if rows != s.Rows {
			continue
		}
		check("TileP", cols, func(c []T) { s.TileP(k, &a[0], lda, &b[0], ldb, &c[0], ld, 2, add, &packed[0], cols) })
		for i, v := range packed {
			if want := b[i/cols*ldb+i%cols]; v != want {
				t.Fatalf("%v, %T, TileP, %d steps: element %d is packed as %v, want %v", l, v, k, i, v, want)
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
