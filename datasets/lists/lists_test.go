package lists

import (
	"fmt"
	"math"
	"reflect"
	"sort"
	"strings"
	"testing"
)

// Worked out by hand.
func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		tokens []int
		want   int
	}{
		{[]int{Mean, 1, 2}, 2},                // 1.5
		{[]int{Mean, 2, 3}, 2},                // 2.5, to the even number
		{[]int{Mean, 9, 9, 8}, 9},             // 8.67
		{[]int{Difference, 1, 9, 2, 8}, 3},    // 1.5 - 8.5 = -7
		{[]int{Difference, 7}, 7},             // 7 - nothing
		{[]int{Difference, 0, 9}, 1},          // -9
		{[]int{Difference, 4, 1, 2, 1, 6}, 3}, // 4 - 1
		{[]int{Difference, 1, 1, 2, 1}, 0},    // 0.5, to the even number
		{[]int{Range, 3, 9, 1}, 8},
		{[]int{Range, 5}, 0},
		{[]int{Length, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 9},
	} {
		if got, err := Answer(c.tokens); got != c.want || err != nil {
			t.Errorf("%v gives %d, %v; want %d", c.tokens, got, err, c.want)
		}
	}
	for _, bad := range [][]int{nil, {Mean}, {3, 4}, {Tokens, 1}, {Mean, 10}, {Mean, -1}} {
		if _, err := Answer(bad); err == nil {
			t.Errorf("%v has an answer", bad)
		}
	}
}

// Length, digits and operation are independent and uniform: chi-squared with k-1 degrees of
// freedom has mean k-1 and deviation √2(k-1); six of those, once in some 10⁵ seeds.
func TestGenerateIsUniform(t *testing.T) {
	const n = 20000
	counts := map[string]map[int]int{"length": {}, "operation": {}, "last digit": {}}
	for _, s := range Generate(n, 1).Samples {
		counts["length"][len(s.Tokens)]++
		counts["operation"][s.Tokens[0]]++
		counts["last digit"][s.Tokens[len(s.Tokens)-1]]++
		if want, _ := Answer(s.Tokens); s.Label != want {
			t.Fatalf("%v", s)
		}
	}
	for name, k := range map[string]int{"length": Longest - 1, "operation": 4, "last digit": 10} {
		if len(counts[name]) != k {
			t.Errorf("%s has %d values, want %d", name, len(counts[name]), k)
		}
		want, chi := float64(n)/float64(k), 0.
		for _, c := range counts[name] {
			chi += (float64(c) - want) * (float64(c) - want) / want
		}
		if d := float64(k - 1); chi > d+6*math.Sqrt(2*d) {
			t.Errorf("%s: chi-squared %.1f with %g degrees of freedom: %v", name, chi, d, counts[name])
		}
	}
}

func TestBatchesHaveEqualLengths(t *testing.T) {
	s := Generate(1000, 2)
	var all []int
	for _, b := range s.Batches(32, 5) {
		if len(b) == 0 || len(b) > 32 {
			t.Errorf("a batch of %d", len(b))
		}
		for _, i := range b {
			if len(s.Samples[i].Tokens) != len(s.Samples[b[0]].Tokens) {
				t.Errorf("lengths differ in batch %v", b)
			}
		}
		all = append(all, b...)
	}
	sort.Ints(all)
	for i, k := range all {
		if i != k {
			t.Fatalf("sample %d is absent or doubled", i)
		}
	}
	if len(all) != 1000 || !reflect.DeepEqual(s.Batches(32, 5), s.Batches(32, 5)) || reflect.DeepEqual(s.Batches(32, 5), s.Batches(32, 6)) {
		t.Error("the seed does not decide the batches")
	}
}

func TestSeedAndShow(t *testing.T) {
	if !reflect.DeepEqual(Generate(10, 3), Generate(10, 3)) || reflect.DeepEqual(Generate(10, 3).Samples, Generate(10, 4).Samples) {
		t.Error("the seed does not decide the samples")
	}
	data, _ := Generate(20, 3).MIMEBundle()
	if n := strings.Count(data["text/html"].(string), "<tr>"); n != 12 {
		t.Errorf("%d rows", n)
	}
	if n := strings.Count(data["text/plain"].(string), "\n"); n != 10 {
		t.Errorf("%d lines", n)
	}
}

func Example() {
	s := Sample{Tokens: []int{Range, 3, 1, 4}}
	s.Label, _ = Answer(s.Tokens)
	fmt.Println(s)
	fmt.Println(Generate(5, 1).Len())
	// Output:
	// max-min 3 1 4: 3
	// 5
}
