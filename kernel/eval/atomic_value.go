package eval

import (
	"sync/atomic"

	"trivium/kernel/symbols/box"
)

// An atomic.Value holds values of one type only. Those of all types of cells are boxes, so that what type a box is of is
// compared here.

func (s *Session) rtAtomicStore(v *atomic.Value, x any) {
	sameBoxed(v.Load(), x, "sync/atomic: store of inconsistently typed value into Value")
	v.Store(x)
}

func (s *Session) rtAtomicSwap(v *atomic.Value, x any) any {
	sameBoxed(v.Load(), x, "sync/atomic: swap of inconsistently typed value into Value")
	return v.Swap(x)
}

func (s *Session) rtAtomicCompareAndSwap(v *atomic.Value, old, x any) bool {
	sameBoxed(old, x, "sync/atomic: compare and swap of inconsistently typed values")
	sameBoxed(v.Load(), x, "sync/atomic: compare and swap of inconsistently typed value into Value")
	return v.CompareAndSwap(old, x)
}

// sameBoxed panics if two boxes hold values of different types.
func sameBoxed(x, y any, text string) {
	a, ok := box.Of(x)
	b, ok2 := box.Of(y)
	if ok && ok2 && a.D != b.D {
		panic(text)
	}
}
