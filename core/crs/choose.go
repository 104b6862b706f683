package crs

import "math"

// level returns the k-th largest of c, k from 1, with x of the same length for scratch. A histogram
// finds the interval that it is in, and only what is in there is searched. It takes O(n).
func level(c, x []float64, k int) float64 {
	const buckets, few = 1024, 256
	lo, hi := c[0], c[0]
	for _, v := range c {
		if v < lo {
			lo = v
		}
		if v > hi {
			hi = v
		}
	}
	scale := buckets / (hi - lo)
	if len(c) < few || math.IsInf(scale, 0) { // so few, or all alike
		copy(x, c)
		return kth(x, k)
	}
	var count [buckets + 1]int // the last is for the largest
	for _, v := range c {
		count[int((v-lo)*scale)]++
	}
	b, above := buckets, 0
	for ; above+count[b] < k; b-- {
		above += count[b]
	}
	n := 0
	for _, v := range c {
		x[n] = v
		if int((v-lo)*scale) == b {
			n++
		}
	}
	return kth(x[:n], k-above)
}

// kth returns the k-th largest of x, k from 1, and leaves x in another order. It takes O(n):
// Hoare's selection with the median of three as pivot.
func kth(x []float64, k int) float64 {
	lo, hi, at := 0, len(x)-1, k-1
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if x[mid] > x[lo] {
			x[mid], x[lo] = x[lo], x[mid]
		}
		if x[hi] > x[lo] {
			x[hi], x[lo] = x[lo], x[hi]
		}
		if x[hi] > x[mid] {
			x[hi], x[mid] = x[mid], x[hi]
		}
		pivot := x[mid]
		i, j := lo, hi
		for i <= j {
			for x[i] > pivot {
				i++
			}
			for x[j] < pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case at <= j:
			hi = j
		case at >= i:
			lo = i
		default:
			return x[at]
		}
	}
	return x[at]
}

// waterLevel returns t such that Σ min(1, cᵢ/t) = k: with these probabilities k pairs are expected
// and Σ(1-p)/p·c², the error of independent draws, is smallest (by Lagrange's condition c²/p² is
// the same for all p below 1). It also returns how many have probability 1 and the sum of the
// other norms. t is 0 where no more than k norms are above 0: then all of these are kept.
func waterLevel(c []float64, k int) (t float64, certain int, rest float64) {
	rest = sum(c)
	for {
		left := k - certain
		if left <= 0 {
			return 0, certain, 0
		}
		level := rest / float64(left)
		if level == 0 {
			return 0, certain, 0
		}
		// The level falls from pass to pass, so what was above it stays so.
		n, r := 0, 0.0
		for _, v := range c {
			if v >= level {
				n++
			} else {
				r += v
			}
		}
		if n == certain {
			return level, n, r
		}
		certain, rest = n, r
	}
}

// atLevel returns min(1, c/t), and 1 at level 0 for what is above 0.
func atLevel(c, t float64) float64 {
	if c >= t {
		if c > 0 {
			return 1
		}
		return 0
	}
	return c / t
}
