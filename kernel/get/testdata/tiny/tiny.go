// Package tiny is a third-party package for tests.
package tiny

import "example.org/tiny/shape"

// Double gives twice a number.
func Double(n int) int { return 2 * n }

// Total adds the areas of shapes.
func Total(list ...shape.Shape) (area float64) {
	for _, s := range list {
		area += s.Area()
	}
	return area
}
