package generic

import (
	"math/bits"
	"reflect"
	"slices"
)

// Functions that change a slice's length or its elements. Which array the result lies in and
// how much room it has are as with the real functions, since a cell can see both.

// bounds panics like s[i:j] when that is out of bounds. Slices of empty structs take no memory.
func bounds(s reflect.Value, i, j int) { _ = make([]struct{}, s.Len(), s.Cap())[i:j] }

// extend is append(s, make(S, n)...).
func extend(s reflect.Value, n int) reflect.Value {
	return reflect.AppendSlice(s, reflect.MakeSlice(s.Type(), n, n))
}

// clearFrom is clear(s[n:]).
func clearFrom(s reflect.Value, n int) { s.Slice(n, s.Len()).Clear() }

// clone copies the elements, nil only if s is.
func clone(s reflect.Value) reflect.Value { return reflect.AppendSlice(s.Slice3(0, 0, 0), s) }

func sliceClone(s any) any { return clone(sliceOf(s)).Interface() }

func sliceClip(s any) any {
	v := sliceOf(s)
	return v.Slice3(0, v.Len(), v.Len()).Interface()
}

func sliceGrow(s any, n int) any {
	if n < 0 {
		panic("cannot be negative")
	}
	v := sliceOf(s)
	if n -= v.Cap() - v.Len(); n > 0 {
		v = extend(v.Slice(0, v.Cap()), n).Slice(0, v.Len())
	}
	return v.Interface()
}

func sliceReverse(s any) {
	if try1(s, slices.Reverse[[]int]) || try1(s, slices.Reverse[[]float64]) || try1(s, slices.Reverse[[]string]) {
		return
	}
	v := sliceOf(s)
	swap := reflect.Swapper(s)
	for i, j := 0, v.Len()-1; i < j; i, j = i+1, j-1 {
		swap(i, j)
	}
}

func sliceInsert(s any, i int, x any) any {
	v := sliceOf(s)
	bounds(v, i, v.Len())
	return insert(v, i, clone(variadic(x, v.Type().Elem()))).Interface() // x may share memory with s
}

func insert(s reflect.Value, i int, x reflect.Value) reflect.Value {
	m, n := x.Len(), s.Len()
	if m == 0 {
		return s
	}
	if i == n {
		return reflect.AppendSlice(s, x)
	}
	var r reflect.Value
	if n+m > s.Cap() {
		r = extend(s.Slice(0, i), n+m-i)
	} else {
		r = s.Slice(0, n+m)
	}
	reflect.Copy(r.Slice(i+m, n+m), s.Slice(i, n))
	reflect.Copy(r.Slice(i, i+m), x)
	return r
}

func sliceDelete(s any, i, j int) any {
	v := sliceOf(s)
	_ = make([]struct{}, v.Len())[i:j:v.Len()]
	if i == j {
		return s
	}
	n := i + reflect.Copy(v.Slice(i, v.Len()), v.Slice(j, v.Len()))
	clearFrom(v, n)
	return v.Slice(0, n).Interface()
}

func sliceDeleteFunc(s, del any) any {
	v := sliceOf(s)
	return keep(v, slices.DeleteFunc(liftCopy(v), callback1[bool](del)))
}

func sliceCompact(s any) any {
	v := sliceOf(s)
	return keep(v, slices.CompactFunc(liftCopy(v), same))
}

func sliceCompactFunc(s, eq any) any {
	v := sliceOf(s)
	return keep(v, slices.CompactFunc(liftCopy(v), callback2[bool](eq)))
}

// keep leaves the elements l in s and clears the slots that become free.
func keep(s reflect.Value, l []reflect.Value) any {
	put(s, l)
	clearFrom(s, len(l))
	return s.Slice(0, len(l)).Interface()
}

func sliceReplace(s any, i, j int, x any) any {
	v := sliceOf(s)
	bounds(v, i, j)
	y := clone(variadic(x, v.Type().Elem())) // x may share memory with s
	if i == j {
		bounds(v, i, v.Len())
		return insert(v, i, y).Interface()
	}
	if j == v.Len() {
		r := reflect.AppendSlice(v.Slice(0, i), y)
		if r.Len() < v.Len() {
			clearFrom(v, r.Len())
		}
		return r.Interface()
	}
	bounds(v, j, v.Len())
	total := v.Len() - (j - i) + y.Len()
	if total > v.Cap() {
		r := extend(v.Slice(0, i), total-i)
		reflect.Copy(r.Slice(i, total), y)
		reflect.Copy(r.Slice(i+y.Len(), total), v.Slice(j, v.Len()))
		return r.Interface()
	}
	r := v.Slice(0, total)
	reflect.Copy(r.Slice(i+y.Len(), total), v.Slice(j, v.Len()))
	reflect.Copy(r.Slice(i, total), y)
	if total < v.Len() {
		clearFrom(v, total)
	}
	return r.Interface()
}

func sliceConcat(x any) any {
	if x == nil {
		panic("generic: slices.Concat needs the type of its slices: give it an empty [][]E, not nil")
	}
	v := sliceOf(x)
	size := 0
	for i := range v.Len() {
		size += v.Index(i).Len()
		if size < 0 {
			panic("len out of range")
		}
	}
	r := sliceOf(sliceGrow(reflect.Zero(v.Type().Elem()).Interface(), size))
	for i := range v.Len() {
		r = reflect.AppendSlice(r, v.Index(i))
	}
	return r.Interface()
}

func sliceRepeat(s any, count int) any {
	if count < 0 {
		panic("cannot be negative")
	}
	v := sliceOf(s)
	hi, lo := bits.Mul(uint(v.Len()), uint(count))
	if hi > 0 || lo > uint(^uint(0)>>1) {
		panic("the result of (len(x) * count) overflows")
	}
	r := reflect.MakeSlice(v.Type(), int(lo), int(lo))
	for i := 0; v.Len() > 0 && i < r.Len(); i += v.Len() {
		reflect.Copy(r.Slice(i, r.Len()), v)
	}
	return r.Interface()
}

func slicesFunc(name string) any {
	f, ok := map[string]any{
		"All": sliceAll, "AppendSeq": sliceAppendSeq, "Backward": sliceBackward,
		"BinarySearch": sliceBinarySearch, "BinarySearchFunc": sliceBinarySearchFunc,
		"Chunk": sliceChunk, "Clip": sliceClip, "Clone": sliceClone, "Collect": sliceCollect,
		"Compact": sliceCompact, "CompactFunc": sliceCompactFunc,
		"Compare": sliceCompare, "CompareFunc": sliceCompareFunc, "Concat": sliceConcat,
		"Contains": sliceContains, "ContainsFunc": sliceContainsFunc,
		"Delete": sliceDelete, "DeleteFunc": sliceDeleteFunc,
		"Equal": sliceEqual, "EqualFunc": sliceEqualFunc, "Grow": sliceGrow,
		"Index": sliceIndex, "IndexFunc": sliceIndexFunc, "Insert": sliceInsert,
		"IsSorted": sliceIsSorted, "IsSortedFunc": sliceIsSortedFunc,
		"Max": sliceMax, "MaxFunc": sliceMaxFunc, "Min": sliceMin, "MinFunc": sliceMinFunc,
		"Repeat": sliceRepeat, "Replace": sliceReplace, "Reverse": sliceReverse,
		"Sort": sliceSort, "SortFunc": sliceSortFunc, "SortStableFunc": sliceSortStableFunc,
		"Sorted": sliceSorted, "SortedFunc": sliceSortedFunc, "SortedStableFunc": sliceSortedStableFunc,
		"Values": sliceValues,
	}[name]
	if !ok {
		return nil
	}
	return f
}
