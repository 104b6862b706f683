// Package simd holds the inner loops of package tensor, once in plain Go and once in vector
// instructions, behind tables of functions.
//
// [Of] gives the table for an element type. The best instructions of the processor are
// chosen when the program starts; tests choose others by [SetLevel]. The functions take raw
// pointers and check nothing: package tensor has checked its operands before it calls.
//
// The assembly is written by the generator in ../gen, whose output go generate reproduces.
package simd

import (
	"fmt"
	"sync/atomic"
	"unsafe"
)

//go:generate go run ../gen -dir .

// Float is the element types.
type Float interface{ float32 | float64 }

// A Level is a set of instructions.
type Level int

// The levels, each of which includes those before it.
const (
	Plain    Level = iota // Go without vector instructions
	AVX2                  // 256-bit vectors with fused multiply-add
	AVX512                // 512-bit vectors in the products, 256-bit elsewhere
	Shape512              // AVX512 with its tiles in Go: tests what is around them where it cannot run
)

func (l Level) String() string {
	switch l {
	case Plain:
		return "plain Go"
	case AVX2:
		return "AVX2+FMA"
	case AVX512:
		return "AVX-512"
	case Shape512:
		return "AVX-512 tiles in Go"
	}
	return fmt.Sprintf("Level(%d)", int(l))
}

var (
	level   atomic.Int32
	table32 atomic.Pointer[Set[float32]]
	table64 atomic.Pointer[Set[float64]]
)

func init() {
	l := Levels()
	SetLevel(l[len(l)-1])
}

// Levels returns the levels that this processor can run, the best one last.
func Levels() []Level {
	l := []Level{Plain}
	for _, v := range []Level{AVX2, AVX512} {
		if s, d := vectorSets(v); s != nil && d != nil {
			l = append(l, v)
		}
	}
	return l
}

// Testable returns Levels and Shape512 where that can run.
func Testable() []Level {
	l := Levels()
	if s, _ := vectorSets(Shape512); s != nil {
		l = append(l, Shape512)
	}
	return l
}

// Current returns the level in use.
func Current() Level { return Level(level.Load()) }

// SetLevel changes the level and returns the one before. It is for tests, between
// computations; a level that the processor cannot run is refused by a panic.
func SetLevel(l Level) Level {
	s, d := plainSet[float32](), plainSet[float64]()
	if l != Plain {
		if s, d = vectorSets(l); s == nil {
			panic(fmt.Sprintf("simd: this processor cannot run %v", l))
		}
	}
	table32.Store(s)
	table64.Store(d)
	return Level(level.Swap(int32(l)))
}

// Of returns the functions in use for an element type.
func Of[T Float]() *Set[T] {
	var z T
	if unsafe.Sizeof(z) == 4 {
		return (*Set[T])(unsafe.Pointer(table32.Load()))
	}
	return (*Set[T])(unsafe.Pointer(table64.Load()))
}
