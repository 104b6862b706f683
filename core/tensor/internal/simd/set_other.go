//go:build !amd64

package simd

// vectorSets has nothing to offer on this processor.
func vectorSets(Level) (*Set[float32], *Set[float64]) { return nil, nil }
