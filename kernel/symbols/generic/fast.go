package generic

// The fast paths: a real generic function, instantiated for the types that cells use most,
// is tried on the arguments and skipped if their types are others. Each takes the result
// where one is.

func try1[A any](a any, f func(A)) bool {
	x, ok := a.(A)
	if ok {
		f(x)
	}
	return ok
}

func try2[A, B any](a, b any, f func(A, B)) bool {
	x, ok := a.(A)
	y, ok2 := b.(B)
	if ok && ok2 {
		f(x, y)
	}
	return ok && ok2
}

func get2[A, B, R any](r *R, a, b any, f func(A, B) R) bool {
	x, ok := a.(A)
	y, ok2 := b.(B)
	if ok && ok2 {
		*r = f(x, y)
	}
	return ok && ok2
}
