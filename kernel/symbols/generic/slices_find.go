package generic

import "slices"

// Looking for elements and comparing for equality.

func sliceIndex(s, x any) (r int) {
	if get2(&r, s, x, slices.Index[[]int]) || get2(&r, s, x, slices.Index[[]float64]) || get2(&r, s, x, slices.Index[[]string]) {
		return r
	}
	v := sliceOf(s)
	w := as(x, v.Type().Elem()).Interface()
	for i := range v.Len() {
		if v.Index(i).Interface() == w {
			return i
		}
	}
	return -1
}

func sliceIndexFunc(s, f any) (r int) {
	if get2(&r, s, f, slices.IndexFunc[[]int]) || get2(&r, s, f, slices.IndexFunc[[]float64]) || get2(&r, s, f, slices.IndexFunc[[]string]) {
		return r
	}
	return slices.IndexFunc(lift(sliceOf(s)), callback1[bool](f))
}

func sliceContains(s, x any) bool     { return sliceIndex(s, x) >= 0 }
func sliceContainsFunc(s, f any) bool { return sliceIndexFunc(s, f) >= 0 }

func sliceEqual(a, b any) (r bool) {
	if get2(&r, a, b, slices.Equal[[]int]) || get2(&r, a, b, slices.Equal[[]float64]) || get2(&r, a, b, slices.Equal[[]string]) {
		return r
	}
	return slices.EqualFunc(lift(sliceOf(a)), lift(sliceOf(b)), same)
}

func sliceEqualFunc(a, b, eq any) bool {
	return slices.EqualFunc(lift(sliceOf(a)), lift(sliceOf(b)), callback2[bool](eq))
}
