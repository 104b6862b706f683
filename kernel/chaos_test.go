//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// children lists the processes that a process has started.
func children(pid int) (out []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, l := range lists {
		b, _ := os.ReadFile(l)
		for _, f := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(f); err == nil {
				out = append(out, n)
			}
		}
	}
	return out
}

// TestChaos kills and interrupts at random moments while cells run. Every cell gets its
// reply, the heart beats, and in the end there is one evaluator that works.
func TestChaos(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("this system does not list the children of a process")
	}
	k := startKernel(t)
	const rounds = 200
	seed := uint64(20240501)
	r := rand.New(rand.NewPCG(seed, 1))
	cells := []string{"for {}", "time.Sleep(time.Hour)", "for i := 0; i < 1000; i++ { fmt.Println(i) }", "1+1", "<-make(chan int)"}
	died := 0
	for i := range rounds {
		code := cells[r.IntN(len(cells))]
		pause := time.Duration(r.IntN(30)) * time.Millisecond
		kill := r.IntN(3) == 0
		c := k.run(code, func() {
			time.Sleep(pause)
			if kill {
				for _, pid := range children(k.PID()) {
					syscall.Kill(pid, syscall.SIGKILL)
				}
				time.Sleep(50 * time.Millisecond)
			}
			k.interrupt()
		})
		if c.Error != nil && c.EName == "EvaluatorDied" {
			died++
		}
		if c.took > 5*time.Second {
			t.Errorf("round %d: %q took %v", i, code, c.took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		if err := k.Client.Heartbeat(ctx); err != nil {
			t.Fatalf("round %d: no heartbeat: %v", i, err)
		}
		cancel()
	}
	time.Sleep(100 * time.Millisecond) // the last interrupt may still be on its way
	for range 2 {                      // it may have met the first of these cells
		if c := k.run("1+1", nil); c.out == "2" {
			if n := len(children(k.PID())); n != 1 {
				t.Errorf("the kernel has %d children, want one evaluator", n)
			}
			t.Logf("%d of %d rounds ended an evaluator", died, rounds)
			if died == 0 {
				t.Error("no evaluator died: nothing was tested")
			}
			return
		}
	}
	t.Error("no cell works afterwards")
}
