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

	"trivium/kernel/transport"
	"trivium/kernel/wire"
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

// TestChaos kills, interrupts and resets at random moments while cells run. Every cell gets its
// reply, the heart beats, and in the end there is one evaluator that works.
func TestChaos(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("this system does not list the children of a process")
	}
	k := startKernel(t)
	rounds := 200
	if os.Getenv("TRIVIUM_CI") != "1" && os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		rounds = 60
	}
	seed := uint64(20240501)
	r := rand.New(rand.NewPCG(seed, 1))
	cells := []string{"%reset", "!sleep 100 & sleep 100; wait", "for {}", "time.Sleep(time.Hour)", "for i := 0; i < 1000; i++ { fmt.Println(i) }", "1+1", "<-make(chan int)"}
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
		if c.took > 30*time.Second {
			t.Errorf("round %d: %q took %v", i, code, c.took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
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

// TestRestarts asks for a restart at random moments while cells run: the reply comes, and both
// processes end soon.
func TestRestarts(t *testing.T) {
	r := rand.New(rand.NewPCG(20240502, 1))
	cells := []string{"for {}", "time.Sleep(time.Hour)", "for { fmt.Println(1) }", "!sleep 100", "func f(n int) int { return f(n+1) + 1 }\nf(0)", "1+1"}
	for i, code := range cells {
		k := startKernel(t)
		before := children(k.PID())
		k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": code})
		time.Sleep(time.Duration(r.IntN(150)) * time.Millisecond)
		asked := time.Now()
		id := k.send(transport.Control, wire.TypeShutdownRequest, map[string]any{"restart": true})
		var reply wire.ShutdownReply
		for waiting := true; waiting; {
			select {
			case m := <-k.Client.Receive(transport.Control):
				if h, _ := m.ParentHeader(); h.MsgID == id {
					waiting = false
					if err := m.Decode(&reply); err != nil || !reply.Restart || reply.Status != "ok" {
						t.Errorf("%q: the reply is %+v, %v", code, reply, err)
					}
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("round %d, %q: no reply to a restart", i, code)
			}
		}
		select {
		case <-k.Done():
		case <-time.After(10 * time.Second):
			t.Fatalf("round %d, %q: the kernel did not end", i, code)
		}
		if took := time.Since(asked); took > 30*time.Second {
			t.Errorf("round %d, %q: ending took %v", i, code, took)
		}
		for _, pid := range before {
			if err := syscall.Kill(pid, 0); err == nil && !gone(pid) {
				t.Errorf("round %d, %q: the evaluator lives on", i, code)
			}
		}
	}
}

// gone waits until a process is there no more, or a zombie that nobody has collected yet.
func gone(pid int) bool {
	for range 400 {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(b), ") Z") {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// TestCommandsEndWithTheirEvaluator kills an evaluator, or the kernel, while a command of the shell
// runs. The whole group of the command ends.
func TestCommandsEndWithTheirEvaluator(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("this system does not list the children of a process")
	}
	k := startKernel(t)
	file := filepath.Join(t.TempDir(), "pids")
	c := k.run("!echo $$ > "+file+"; sleep 100 & echo $! >> "+file+"; echo there >> "+file+"; wait", func() {
		for range 2000 {
			if b, _ := os.ReadFile(file); strings.Contains(string(b), "there") {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		for _, pid := range children(k.PID()) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	if c.Error == nil || c.EName != "EvaluatorDied" {
		t.Errorf("the cell ended with %s %+v", c.Status, c.Error)
	}
	b, _ := os.ReadFile(file)
	pids := strings.Fields(strings.TrimSuffix(strings.TrimSpace(string(b)), "there"))
	if len(pids) != 2 {
		t.Fatalf("the command wrote %q", b)
	}
	for _, p := range pids {
		pid, err := strconv.Atoi(p)
		if err != nil {
			t.Fatal(err)
		}
		if !gone(pid) {
			t.Errorf("process %d of the command lives on", pid)
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
