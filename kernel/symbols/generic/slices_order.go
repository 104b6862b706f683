package generic

import (
	"reflect"
	"slices"
)

// Sorting, searching and comparing. Sorts with a callback run the real sort on copies of
// the elements, so that equal elements end in the order in which compiled Go leaves them.

func sliceSort(s any) {
	if try1(s, slices.Sort[[]int]) || try1(s, slices.Sort[[]float64]) || try1(s, slices.Sort[[]string]) {
		return
	}
	v := sliceOf(s)
	orderedBy(v.Type().Elem()).sort(v)
}

func sliceSortFunc(s, cmp any) {
	if try2(s, cmp, slices.SortFunc[[]int]) || try2(s, cmp, slices.SortFunc[[]float64]) || try2(s, cmp, slices.SortFunc[[]string]) {
		return
	}
	v := sliceOf(s)
	l := liftCopy(v)
	slices.SortFunc(l, callback2[int](cmp))
	put(v, l)
}

func sliceSortStableFunc(s, cmp any) {
	if try2(s, cmp, slices.SortStableFunc[[]int]) || try2(s, cmp, slices.SortStableFunc[[]float64]) || try2(s, cmp, slices.SortStableFunc[[]string]) {
		return
	}
	v := sliceOf(s)
	l := liftCopy(v)
	slices.SortStableFunc(l, callback2[int](cmp))
	put(v, l)
}

func sliceIsSorted(s any) bool {
	v := sliceOf(s)
	return orderedBy(v.Type().Elem()).isSorted(v)
}

func sliceIsSortedFunc(s, cmp any) bool {
	return slices.IsSortedFunc(lift(sliceOf(s)), callback2[int](cmp))
}

func sliceMin(s any) any {
	v := sliceOf(s)
	return as(orderedBy(v.Type().Elem()).min(v), v.Type().Elem()).Interface()
}

func sliceMax(s any) any {
	v := sliceOf(s)
	return as(orderedBy(v.Type().Elem()).max(v), v.Type().Elem()).Interface()
}

func sliceMinFunc(s, cmp any) any {
	return slices.MinFunc(lift(sliceOf(s)), callback2[int](cmp)).Interface()
}

func sliceMaxFunc(s, cmp any) any {
	return slices.MaxFunc(lift(sliceOf(s)), callback2[int](cmp)).Interface()
}

func sliceBinarySearch(s, target any) (int, bool) {
	v := sliceOf(s)
	e := v.Type().Elem()
	return orderedBy(e).search(v, as(target, e))
}

func sliceBinarySearchFunc(s, target, cmp any) (int, bool) {
	call := callback2[int](cmp)
	t := as(target, reflect.TypeOf(cmp).In(1))
	return slices.BinarySearchFunc(lift(sliceOf(s)), t, call)
}

func sliceCompare(a, b any) int {
	v := sliceOf(a)
	return orderedBy(v.Type().Elem()).compareSlices(v, sliceOf(b))
}

func sliceCompareFunc(a, b, cmp any) int {
	return slices.CompareFunc(lift(sliceOf(a)), lift(sliceOf(b)), callback2[int](cmp))
}

func sliceSorted(seq any) any {
	s := sliceCollect(seq)
	sliceSort(s)
	return s
}

func sliceSortedFunc(seq, cmp any) any {
	s := sliceCollect(seq)
	sliceSortFunc(s, cmp)
	return s
}

func sliceSortedStableFunc(seq, cmp any) any {
	s := sliceCollect(seq)
	sliceSortStableFunc(s, cmp)
	return s
}
