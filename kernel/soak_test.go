//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// resident is the memory that a process holds, in bytes.
func resident(t *testing.T, pid int) float64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseFloat(strings.Fields(string(b))[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * float64(os.Getpagesize())
}

// threads and descriptors that a process has.
func counted(t *testing.T, pid int, what string) int {
	t.Helper()
	list, err := filepath.Glob(fmt.Sprintf("/proc/%d/%s/*", pid, what))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// soakCells are what the cells of a session do, over and over.
var soakCells = []string{
	"1 + 1",
	"x := 3\nx * x",
	"fmt.Println(\"a line\")",
	"func f(n int) int { return n + 1 }\nf(4)",
	"type point struct{ X, Y int }\npoint{1, 2}",
	"s := []string{\"b\", \"a\"}\nslices.Sort(s)\ns",
	"go func() { time.Sleep(time.Millisecond) }()",
	"nb.ShowHTML(\"<b>x</b>\")",
	"undefinedName",
	"panic(\"expected\")",
}

// TestReproduceSoak runs 10,000 cells in one session and prints what grows. The interpreter
// keeps the code of every cell, so the evaluator does; nothing else may, and no goroutine,
// thread or descriptor is left.
func TestReproduceSoak(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("TRIVIUM_REPRODUCE=1 runs 10,000 cells, for some minutes")
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("this system does not tell the memory of a process")
	}
	const cells, step = 10_000, 1000
	k := startKernel(t)
	goroutines := func() int {
		c := k.run("runtime.GC()\nruntime.NumGoroutine()", nil)
		n, err := strconv.Atoi(strings.TrimSpace(c.out))
		if err != nil {
			t.Fatalf("the number of goroutines reads %q: %v", c.out, err)
		}
		return n
	}
	type state struct {
		cell                  int
		kernel, evaluator     float64 // MB
		goroutines, threads   int
		kernelFDs, evaluators int
		ms                    float64 // per cell since the row before
	}
	var rows []state
	k.run("1 + 1", nil) // the evaluator is there now
	began := time.Now()
	for i := 0; i <= cells; i++ {
		if i%step == 0 {
			pids := children(k.PID())
			if len(pids) != 1 {
				t.Fatalf("after %d cells there are %d evaluators", i, len(pids))
			}
			per := 0.0
			if i > 0 {
				per = time.Since(began).Seconds() * 1000 / step
			}
			rows = append(rows, state{i, resident(t, k.PID()) / 1e6, resident(t, pids[0]) / 1e6, goroutines(),
				counted(t, pids[0], "task"), counted(t, k.PID(), "fd"), counted(t, pids[0], "fd"), per})
			began = time.Now()
		}
		c := k.run(soakCells[i%len(soakCells)], nil)
		if fails := i%len(soakCells) >= 8; fails != (c.Error != nil) {
			t.Fatalf("cell %d, %q: %s %s", i, soakCells[i%len(soakCells)], c.Status, c.trace)
		}
	}
	t.Log("cells  kernel MB  evaluator MB  goroutines  threads  descriptors (kernel, evaluator)  ms/cell")
	for _, r := range rows {
		t.Logf("%5d  %9.1f  %12.1f  %10d  %7d  %6d, %d  %25.2f", r.cell, r.kernel, r.evaluator, r.goroutines, r.threads, r.kernelFDs, r.evaluators, r.ms)
	}
	first, last := rows[1], rows[len(rows)-1]
	n := float64(last.cell - first.cell)
	perCell := (last.evaluator - first.evaluator) * 1e6 / n
	kernelPerCell := (last.kernel - first.kernel) * 1e6 / n
	k.run("%reset", nil)
	k.run("1 + 1", nil)
	pids := children(k.PID())
	if len(pids) != 1 {
		t.Fatalf("after %%reset there are %d evaluators", len(pids))
	}
	fresh := resident(t, pids[0]) / 1e6
	t.Logf("after %%reset the evaluator holds %.1f MB, at the beginning %.1f, at the end %.1f; the kernel %.1f",
		fresh, rows[0].evaluator, last.evaluator, resident(t, k.PID())/1e6)
	if fresh > last.evaluator/2 {
		t.Error("%reset does not give the memory back")
	}
	t.Logf("growth per cell: evaluator %.0f bytes, target below 60,000 (the code of the cell); kernel %.0f bytes, target below 2,000 (its history)", perCell, kernelPerCell)
	if perCell > 60_000 || kernelPerCell > 2000 {
		t.Error("memory grows by more than that")
	}
	if last.goroutines > rows[0].goroutines+2 {
		t.Errorf("%d goroutines, and %d at the beginning", last.goroutines, rows[0].goroutines)
	}
	if last.evaluators > first.evaluators+4 || last.kernelFDs > first.kernelFDs+4 {
		t.Error("descriptors are left open")
	}
}
