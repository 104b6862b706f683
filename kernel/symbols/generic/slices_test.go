package generic

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
)

// Types of every sort that an adapter may meet: the fast ones, named ones, a struct with an
// unexported field, interfaces, pointers.
type (
	celsius float64
	words   []string
	point   struct {
		X int
		s string
	}
)

func randInt(r *rand.Rand) int         { return r.IntN(4) }
func randString(r *rand.Rand) string   { return []string{"", "a", "ab", "b"}[r.IntN(4)] }
func randCelsius(r *rand.Rand) celsius { return celsius(randFloat(r)) }
func randPoint(r *rand.Rand) point     { return point{r.IntN(2), randString(r)} }
func randError(r *rand.Rand) error     { return []error{nil, io.EOF, io.ErrClosedPipe}[r.IntN(3)] }
func randPointer(r *rand.Rand) *int    { return []*int{nil, new(int)}[r.IntN(2)] }
func randAny(r *rand.Rand) any {
	return []any{nil, 1, "a", point{1, "x"}, time.Second, 1.0}[r.IntN(6)]
}
func randFloat(r *rand.Rand) float64 {
	return []float64{0, math.Copysign(0, -1), 1.5, -2, math.NaN(), math.Inf(1)}[r.IntN(6)]
}

func randSlice[S ~[]E, E any](r *rand.Rand, gen func(*rand.Rand) E) S {
	if r.IntN(10) == 0 {
		return nil
	}
	s := make(S, r.IntN(8))
	for i := range s {
		s[i] = gen(r)
	}
	return s
}

// observe runs f on a copy of s that lies in an array with some room to spare, and tells
// all that can be seen of it: type, value, length and capacity of the results, what became
// of the array, the panic.
func observe[S ~[]E, E any](s S, spare int, f func(S) []any) (seen string) {
	var arg S
	if s != nil {
		arg = make(S, len(s), len(s)+spare)
		copy(arg, s)
	}
	defer func() {
		seen += fmt.Sprintf(" array %#v panic %v", arg[:cap(arg)], recover())
	}()
	for _, x := range f(arg) {
		seen += fmt.Sprintf("%#v ", x)
		if v := reflect.ValueOf(x); v.Kind() == reflect.Slice {
			seen += fmt.Sprintf("len %d cap %d ", v.Len(), v.Cap())
		}
	}
	return seen
}

type trial[S any] struct {
	name       string
	real, ours func(S) []any
}

// run compares each adapter with the real function.
func run[S ~[]E, E any](t *testing.T, s S, spare int, trials []trial[S]) {
	t.Helper()
	for _, c := range trials {
		if want, got := observe(s, spare, c.real), observe(s, spare, c.ours); got != want {
			t.Errorf("%s of %#v with room for %d more:\n got %s\nwant %s", c.name, s, spare, got, want)
		}
	}
}

func r1(x any) []any    { return []any{x} }
func r2(x, y any) []any { return []any{x, y} }
func pairs[K, V any](seq func(func(K, V) bool)) (l []any) {
	for k, v := range seq {
		l = append(l, k, v)
	}
	return l
}
func values[V any](seq func(func(V) bool)) (l []any) {
	for v := range seq {
		l = append(l, v)
	}
	return l
}

// testAny tries the functions that need no order.
func testAny[S ~[]E, E comparable](t *testing.T, gen func(*rand.Rand) E) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s, y, x, spare := randSlice[S](r, gen), randSlice[S](r, gen), gen(r), r.IntN(6)
		i, j, n := r.IntN(8), r.IntN(8), r.IntN(6)-1
		eq := func(a, b E) bool { return len(fmt.Sprint(a)) == len(fmt.Sprint(b)) }
		is := func(a E) bool { return len(fmt.Sprint(a))%2 == 1 }
		order := func(a, b E) int { return len(fmt.Sprint(a)) - len(fmt.Sprint(b)) }
		run(t, s, spare, []trial[S]{
			{"Clip", func(s S) []any { return r1(slices.Clip(s)) }, func(s S) []any { return r1(sliceClip(s)) }},
			{"Clone", func(s S) []any { return r1(slices.Clone(s)) }, func(s S) []any { return r1(sliceClone(s)) }},
			{"Compact", func(s S) []any { return r1(slices.Compact(s)) }, func(s S) []any { return r1(sliceCompact(s)) }},
			{"CompactFunc", func(s S) []any { return r1(slices.CompactFunc(s, eq)) }, func(s S) []any { return r1(sliceCompactFunc(s, eq)) }},
			{"Concat", func(s S) []any { return r1(slices.Concat(s, y, s)) }, func(s S) []any { return r1(sliceConcat([]S{s, y, s})) }},
			{"Contains", func(s S) []any { return r1(slices.Contains(s, x)) }, func(s S) []any { return r1(sliceContains(s, x)) }},
			{"ContainsFunc", func(s S) []any { return r1(slices.ContainsFunc(s, is)) }, func(s S) []any { return r1(sliceContainsFunc(s, is)) }},
			{"Delete", func(s S) []any { return r1(slices.Delete(s, i, j)) }, func(s S) []any { return r1(sliceDelete(s, i, j)) }},
			{"DeleteFunc", func(s S) []any { return r1(slices.DeleteFunc(s, is)) }, func(s S) []any { return r1(sliceDeleteFunc(s, is)) }},
			{"Equal", func(s S) []any { return r1(slices.Equal(s, y)) }, func(s S) []any { return r1(sliceEqual(s, y)) }},
			{"Equal, itself", func(s S) []any { return r1(slices.Equal(s, s)) }, func(s S) []any { return r1(sliceEqual(s, s)) }},
			{"EqualFunc", func(s S) []any { return r1(slices.EqualFunc(s, y, eq)) }, func(s S) []any { return r1(sliceEqualFunc(s, y, eq)) }},
			{"Grow", func(s S) []any { return r1(slices.Grow(s, n)) }, func(s S) []any { return r1(sliceGrow(s, n)) }},
			{"Index", func(s S) []any { return r1(slices.Index(s, x)) }, func(s S) []any { return r1(sliceIndex(s, x)) }},
			{"IndexFunc", func(s S) []any { return r1(slices.IndexFunc(s, is)) }, func(s S) []any { return r1(sliceIndexFunc(s, is)) }},
			{"Insert", func(s S) []any { return r1(slices.Insert(s, i, y...)) }, func(s S) []any { return r1(sliceInsert(s, i, []E(y))) }},
			{"Insert, none", func(s S) []any { return r1(slices.Insert(s, i)) }, func(s S) []any { return r1(sliceInsert(s, i, nil)) }},
			{"Insert, of itself", func(s S) []any { return r1(slices.Insert(s, i, s[len(s)/2:]...)) }, func(s S) []any { return r1(sliceInsert(s, i, []E(s[len(s)/2:]))) }},
			{"Repeat", func(s S) []any { return r1(slices.Repeat(s, n)) }, func(s S) []any { return r1(sliceRepeat(s, n)) }},
			{"Replace", func(s S) []any { return r1(slices.Replace(s, i, j, y...)) }, func(s S) []any { return r1(sliceReplace(s, i, j, []E(y))) }},
			{"Reverse", func(s S) []any { slices.Reverse(s); return nil }, func(s S) []any { sliceReverse(s); return nil }},
			{"SortFunc", func(s S) []any { slices.SortFunc(s, order); return nil }, func(s S) []any { sliceSortFunc(s, order); return nil }},
			{"SortStableFunc", func(s S) []any { slices.SortStableFunc(s, order); return nil }, func(s S) []any { sliceSortStableFunc(s, order); return nil }},
			{"IsSortedFunc", func(s S) []any { return r1(slices.IsSortedFunc(s, order)) }, func(s S) []any { return r1(sliceIsSortedFunc(s, order)) }},
			{"MinFunc", func(s S) []any { return r1(slices.MinFunc(s, order)) }, func(s S) []any { return r1(sliceMinFunc(s, order)) }},
			{"MaxFunc", func(s S) []any { return r1(slices.MaxFunc(s, order)) }, func(s S) []any { return r1(sliceMaxFunc(s, order)) }},
			{"CompareFunc", func(s S) []any { return r1(slices.CompareFunc(s, y, order)) }, func(s S) []any { return r1(sliceCompareFunc(s, y, order)) }},
			{"BinarySearchFunc", func(s S) []any { return r2(slices.BinarySearchFunc(s, x, order)) }, func(s S) []any { return r2(sliceBinarySearchFunc(s, x, order)) }},
			{"All", func(s S) []any { return pairs(slices.All(s)) }, func(s S) []any { return pairs(sliceAll(s).(func(func(int, E) bool))) }},
			{"Backward", func(s S) []any { return pairs(slices.Backward(s)) }, func(s S) []any { return pairs(sliceBackward(s).(func(func(int, E) bool))) }},
			{"Values", func(s S) []any { return values(slices.Values(s)) }, func(s S) []any { return values(sliceValues(s).(func(func(E) bool))) }},
			{"Chunk", func(s S) []any { return values(slices.Chunk(s, n)) }, func(s S) []any { return values(sliceChunk(s, n).(func(func(S) bool))) }},
			{"AppendSeq", func(s S) []any { return r1(slices.AppendSeq(s, slices.Values(y))) }, func(s S) []any { return r1(sliceAppendSeq(s, sliceValues(y))) }},
			{"Collect", func(s S) []any { return r1(slices.Collect(slices.Values(s))) }, func(s S) []any { return r1(sliceCollect(slices.Values(s))) }},
			{"SortedFunc", func(s S) []any { return r1(slices.SortedFunc(slices.Values(s), order)) }, func(s S) []any { return r1(sliceSortedFunc(sliceValues(s), order)) }},
			{"SortedStableFunc", func(s S) []any { return r1(slices.SortedStableFunc(slices.Values(s), order)) }, func(s S) []any { return r1(sliceSortedStableFunc(sliceValues(s), order)) }},
		})
	}
}

// testOrdered tries the functions that need an order.
func testOrdered[S ~[]E, E cmp.Ordered](t *testing.T, gen func(*rand.Rand) E) {
	testAny[S](t, gen)
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		s, y, x, y0 := randSlice[S](r, gen), randSlice[S](r, gen), gen(r), gen(r)
		if r.IntN(2) == 0 {
			slices.Sort(s)
		}
		run(t, s, 0, []trial[S]{
			{"Sort", func(s S) []any { slices.Sort(s); return nil }, func(s S) []any { sliceSort(s); return nil }},
			{"Sorted", func(s S) []any { return r1(slices.Sorted(slices.Values(s))) }, func(s S) []any { return r1(sliceSorted(sliceValues(s))) }},
			{"IsSorted", func(s S) []any { return r1(slices.IsSorted(s)) }, func(s S) []any { return r1(sliceIsSorted(s)) }},
			{"Min", func(s S) []any { return r1(slices.Min(s)) }, func(s S) []any { return r1(sliceMin(s)) }},
			{"Max", func(s S) []any { return r1(slices.Max(s)) }, func(s S) []any { return r1(sliceMax(s)) }},
			{"Compare", func(s S) []any { return r1(slices.Compare(s, y)) }, func(s S) []any { return r1(sliceCompare(s, y)) }},
			{"BinarySearch", func(s S) []any { return r2(slices.BinarySearch(s, x)) }, func(s S) []any { return r2(sliceBinarySearch(s, x)) }},
			{"cmp.Or", func(s S) []any { return r1(cmp.Or(s...)) }, func(s S) []any { return r1(cmpOr([]E(s))) }},
			{"cmp.Compare", func(S) []any { return r1(cmp.Compare(x, y0)) }, func(S) []any { return r1(cmpCompare(x, y0)) }},
			{"cmp.Less", func(s S) []any { return r1(cmp.Less(x, y0)) }, func(s S) []any { return r1(cmpLess(x, y0)) }},
		})
	}
}

func TestSlices(t *testing.T) {
	t.Run("int", func(t *testing.T) { testOrdered[[]int](t, randInt) })
	t.Run("float64", func(t *testing.T) { testOrdered[[]float64](t, randFloat) })
	t.Run("string", func(t *testing.T) { testOrdered[[]string](t, randString) })
	t.Run("named slice", func(t *testing.T) { testOrdered[words](t, randString) })
	t.Run("named float", func(t *testing.T) { testOrdered[[]celsius](t, randCelsius) })
	t.Run("uint8", func(t *testing.T) { testOrdered[[]uint8](t, func(r *rand.Rand) uint8 { return uint8(r.IntN(4)) }) })
	t.Run("struct", func(t *testing.T) { testAny[[]point](t, randPoint) })
	t.Run("any", func(t *testing.T) { testAny[[]any](t, randAny) })
	t.Run("error", func(t *testing.T) { testAny[[]error](t, randError) })
	t.Run("pointer", func(t *testing.T) { testAny[[]*int](t, randPointer) })
}

// TestEveryKind sorts a slice of every ordered kind.
func TestEveryKind(t *testing.T) {
	for _, s := range []any{[]int{2, 1}, []int8{2, 1}, []int16{2, 1}, []int32{2, 1}, []int64{2, 1}, []uint{2, 1}, []uint8{2, 1},
		[]uint16{2, 1}, []uint32{2, 1}, []uint64{2, 1}, []uintptr{2, 1}, []float32{2, 1}, []float64{2, 1}, []string{"2", "1"}, []time.Duration{2, 1}} {
		small, large := sliceMin(s), sliceMax(s)
		sliceSort(s)
		v := reflect.ValueOf(s)
		if v.Index(0).Interface() != small || v.Index(1).Interface() != large || small == large {
			t.Errorf("%T sorted is %v, with least %v and greatest %v", s, s, small, large)
		}
	}
}

// TestSortUnstable: on many equal elements the order depends on every step of the sort.
func TestSortUnstable(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	s := make([]point, 3000)
	for i := range s {
		s[i] = point{r.IntN(9), fmt.Sprint(i)}
	}
	want := slices.Clone(s)
	order := func(a, b point) int { return a.X - b.X }
	slices.SortFunc(want, order)
	sliceSortFunc(s, order)
	if !slices.Equal(s, want) {
		t.Error("equal elements are in another order than after slices.SortFunc")
	}
}

// TestUncomparable: == on values that cannot be compared panics as in compiled code.
func TestUncomparable(t *testing.T) {
	text := func(f func()) (s string) {
		defer func() { s = fmt.Sprint(recover()) }()
		f()
		return
	}
	s := []any{[]int{1}}
	want := text(func() { _ = slices.Index(s, any([]int{1})) })
	if got := text(func() { _ = sliceIndex(s, []int{1}) }); got != want {
		t.Errorf("panic %q, want %q", got, want)
	}
}

// TestBadArguments: what a front end could get wrong is named in the panic.
func TestBadArguments(t *testing.T) {
	for name, f := range map[string]func(){
		"not a slice":     func() { sliceClone(1) },
		"not an iterator": func() { sliceCollect(1) },
		"no order":        func() { sliceSort([]point{{}}) },
		"wrong element":   func() { sliceIndex([]int{1}, "x") },
		"not a map":       func() { mapKeys([]int{1}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if s, ok := recover().(string); !ok || len(s) < 10 || s[:8] != "generic:" {
					t.Errorf("panic %q, want one that begins with generic:", s)
				}
			}()
			f()
		})
	}
}

// TestBreak: an iterator stops when the loop does, and a panic in the loop gets out of it.
func TestBreak(t *testing.T) {
	n := 0
	for range sliceValues([]point{{1, ""}, {2, ""}, {3, ""}}).(func(func(point) bool)) {
		if n++; n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d rounds, want 2", n)
	}
	stop := errors.New("stop")
	defer func() {
		if r := recover(); r != stop {
			t.Errorf("panic %v, want %v", r, stop)
		}
	}()
	for range sliceAll([]point{{1, ""}}).(func(func(int, point) bool)) {
		panic(stop)
	}
}
