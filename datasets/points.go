package datasets

import (
	"fmt"
	"math"

	"trivium/core/random"
	"trivium/core/tensor"
)

// XOR returns the four corners of the unit square; a corner's class is 1 where its coordinates
// differ. No straight line parts the classes, which makes it the smallest task for a network.
func XOR() *Set {
	x := tensor.Of(4, 2, []float32{0, 0, 0, 1, 1, 0, 1, 1})
	return &Set{name: "XOR", x: x, labels: []int{0, 1, 1, 0}, classes: []string{"equal", "different"}}
}

// NoisyXOR returns n points in the square from -1 to 1 with the class by the signs of their
// coordinates, moved by normal noise afterwards.
func NoisyXOR(n int, noise float64, seed uint64) *Set {
	r := random.New(seed).Split("xor")
	return points(fmt.Sprintf("XOR of %d points", max(n, 0)), n, []string{"equal", "different"}, func(i int) (x, y float64, class int) {
		x, y = 2*r.Float64()-1, 2*r.Float64()-1
		if (x > 0) != (y > 0) {
			class = 1
		}
		return x + float64(noise*r.Normal()), y + float64(noise*r.Normal()), class
	})
}

// Spirals returns n points on that many arms, which go one and a half times around the centre, at radius
// 0 to 1 moved by normal noise. Arms below 1 mean 2; classes are as equal as n allows.
func Spirals(n, arms int, noise float64, seed uint64) *Set {
	if arms < 1 {
		arms = 2
	}
	r := random.New(seed).Split("spirals")
	return points(fmt.Sprintf("%d spirals of %d points", arms, max(n, 0)), n, numbered(arms), func(i int) (x, y float64, class int) {
		class = i % arms
		t := math.Sqrt(r.Float64()) // equally dense along the arm
		angle := 2*math.Pi*float64(class)/float64(arms) + 3*math.Pi*t
		return float64(t*math.Cos(angle)) + float64(noise*r.Normal()), float64(t*math.Sin(angle)) + float64(noise*r.Normal()), class
	})
}

// Blobs returns n points of normal clouds around centres on the unit circle, one per class.
// Classes below 1 mean 3.
func Blobs(n, classes int, deviation float64, seed uint64) *Set {
	if classes < 1 {
		classes = 3
	}
	r := random.New(seed).Split("blobs")
	return points(fmt.Sprintf("%d blobs of %d points", classes, max(n, 0)), n, numbered(classes), func(i int) (x, y float64, class int) {
		class = i % classes
		angle := 2 * math.Pi * float64(class) / float64(classes)
		return math.Cos(angle) + float64(deviation*r.Normal()), math.Sin(angle) + float64(deviation*r.Normal()), class
	})
}

// points draws n points and puts them at places that are the same for every seed but out of
// step with the classes, so that a slice of the set has all of them.
func points(name string, n int, classes []string, draw func(i int) (x, y float64, class int)) *Set {
	n = max(n, 0)
	s := &Set{name: name, x: tensor.New[float32](n, 2), labels: make([]int, n), classes: classes}
	for i, at := range random.New(uint64(n)).Split("places").Perm(n) {
		x, y, class := draw(i)
		s.x.Row(at)[0], s.x.Row(at)[1], s.labels[at] = float32(x), float32(y), class
	}
	return s
}

func numbered(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	return names
}
