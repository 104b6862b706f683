// Package shape has an interface that cells implement.
package shape

// A Shape has an area.
type Shape interface{ Area() float64 }
