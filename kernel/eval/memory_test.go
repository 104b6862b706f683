package eval

import (
	"fmt"
	"runtime"
	"testing"
)

// ordinary is a cell of usual size: a function and what is done with it.
func ordinary(i int) string {
	return fmt.Sprintf(`func mean%[1]d(xs []float64) (m float64) {
	for _, x := range xs {
		m += x / float64(len(xs))
	}
	return m
}

data%[1]d := []float64{1, 2, 3, %[1]d}
m%[1]d := mean%[1]d(data%[1]d)
if m%[1]d > 1 {
	data%[1]d = append(data%[1]d, math.Sqrt(m%[1]d))
}
fmt.Sprintf("%%.3f", m%[1]d)`, i)
}

func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1000
}

// TestMemory bounds what a cell keeps, and sees that a session which is dropped for a new one, as for
// %reset, gives it back.
func TestMemory(t *testing.T) {
	const cells = 300
	s := newSession(t)
	text(t, s, 1, ordinary(0)) // loads the packages
	before := heap()
	for i := 1; i <= cells; i++ {
		if got := text(t, s, i+1, ordinary(i)); len(got) > 20 {
			t.Fatal(got)
		}
	}
	per := (heap() - before) / cells
	runtime.KeepAlive(s)
	t.Logf("%.1f kB per cell", per)
	if per > 100 {
		t.Errorf("a cell keeps %.0f kB, more than 100", per)
	}
	s = newSession(t)
	if left := heap() - before; left > 1000 {
		t.Errorf("%.0f kB kept of a session that is gone", left)
	}
	runtime.KeepAlive(s)
}

// TestClosureMemory sees that a closure keeps the variables that it uses, not all of the calls in
// which it was made.
func TestClosureMemory(t *testing.T) {
	s := newSession(t)
	text(t, s, 1, `var kept []func() int
func made(n int) func() int {
	big := make([]float64, 1<<17)
	if n > 0 {
		return made(n - 1)
	}
	big[0] = 3
	k := int(big[0])
	return func() int { return func() int { k++; return k }() }
}
func caller() {
	big := make([]float64, 1<<17)
	kept = append(kept, made(5))
	big[0]++
}`)
	before := heap()
	if got := text(t, s, 2, "for range 10 { caller() }\nkept[3]()\nkept[3]()"); got != "5" {
		t.Fatal(got)
	}
	if more := heap() - before; more > 5000 { // of 70 MB that are made
		t.Errorf("ten closures keep %.0f kB", more)
	}
}
