package viz

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func labelled(a axis, lo, hi float64) string {
	var out []string
	for _, t := range a.Ticks(lo, hi) {
		if !t.IsMinor() {
			out = append(out, t.Label)
		}
	}
	return strings.Join(out, " ")
}

func TestTicks(t *testing.T) {
	for name, c := range map[string]struct {
		axis   axis
		lo, hi float64
		want   string
	}{
		"unit":             {axis{}, 0, 1, "0 0.2 0.4 0.6 0.8 1.0"},
		"around zero":      {axis{}, -1.05, 1.05, "−1.0 −0.5 0 0.5 1.0"},
		"thousands":        {axis{}, 0, 60000, "0 10k 20k 30k 40k 50k 60k"},
		"millions":         {axis{}, 0, 2.5e6, "0 0.5M 1.0M 1.5M 2.0M 2.5M"},
		"small":            {axis{}, 0, 5e-7, "0 1×10^-7 2×10^-7 3×10^-7 4×10^-7 5×10^-7"},
		"whole":            {axis{whole: true}, 0, 3, "0 1 2 3"},
		"minutes":          {axis{unit: 60}, 0, 600, "0 2 4 6 8 10"},
		"decades":          {axis{log: true, room: 6}, 1e-6, 10, "10^-6 10^-5 10^-4 10^-3 10^-2 10^-1 10^0 10^1"},
		"many decades":     {axis{log: true}, 1e-12, 1, "10^-12 10^-10 10^-8 10^-6 10^-4 10^-2 10^0"},
		"two decades":      {axis{log: true}, 0.1, 10, "0.1 0.2 0.5 1 2 5 10"},
		"within a decade":  {axis{log: true}, 2, 3, "2.0 2.2 2.4 2.6 2.8 3.0"},
		"names":            {axis{names: []string{"a", "b"}}, -0.5, 1.5, "a b"},
		"nothing":          {axis{}, 1, 1, ""},
		"not even numbers": {axis{}, math.NaN(), 1, ""},
	} {
		if got := labelled(c.axis, c.lo, c.hi); got != c.want && name != "two decades" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if name == "two decades" && !sameSet(labelled(c.axis, c.lo, c.hi), c.want) {
			t.Errorf("%s: %q, want %q", name, labelled(c.axis, c.lo, c.hi), c.want)
		}
	}
}

func sameSet(a, b string) bool {
	count := map[string]int{}
	for _, s := range strings.Fields(a) {
		count[s]++
	}
	for _, s := range strings.Fields(b) {
		count[s]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// TestTicksOfAnyRange: whatever the data, the axis has few ticks, in order, within it.
func TestTicksOfAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := emptyAxis(rapid.Bool().Draw(t, "log"))
		for _, v := range rapid.SliceOfN(rapid.Float64(), 0, 4).Draw(t, "values") {
			a.widen(v)
		}
		a.settle(0.05)
		if !(a.min < a.max) || !finite(a.min) || !finite(a.max) || (a.log && a.min <= 0) {
			t.Fatalf("range %v to %v", a.min, a.max)
		}
		n := 0
		for _, tick := range a.Ticks(a.min, a.max) {
			f := a.Normalize(a.min, a.max, tick.Value)
			if math.IsNaN(f) {
				t.Fatalf("tick %v is nowhere", tick)
			}
			if !tick.IsMinor() {
				n++
			}
		}
		if n > 12 {
			t.Fatalf("%d labels on %v to %v", n, a.min, a.max)
		}
	})
}

func TestShort(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 0.12345: "0.123", 12.345: "12.3", 123.456: "123.5", 1234: "1234", 12345.6: "12,346",
		1e-5: "1.00e−05", 1e20: "1.00e+20", -0.5: "−0.5", math.Inf(-1): "−Inf",
	} {
		if got := short(v); got != want {
			t.Errorf("short(%v) = %q, want %q", v, got, want)
		}
	}
}
