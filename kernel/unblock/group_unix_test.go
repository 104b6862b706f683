//go:build unix

package unblock

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestProgramsOfPrograms: what a program has started ends with it.
func TestProgramsOfPrograms(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	ws := &waiters{known: map[*waiter]struct{}{}}
	began := time.Now()
	file := filepath.Join(t.TempDir(), "pid")
	c := ws.command(context.Background(), "sh", "-c", "sleep 1000 & echo $! > "+file+".part; mv "+file+".part "+file+"; wait")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	for range 1000 {
		if b, err := os.ReadFile(file); err == nil {
			pid, _ = strconv.Atoi(strings.TrimSpace(string(b)))
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if pid == 0 {
		c.Process.Kill()
		t.Fatal("the program did not start another")
	}
	ended := make(chan struct{})
	go ws.end(began, ended)
	if err := c.Wait(); err == nil {
		t.Error("the program ended without an error")
	}
	close(ended)
	for range 1000 {
		// Whoever collects it, here nobody may, so a zombie counts as ended.
		state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(state), ") Z") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	syscall.Kill(pid, syscall.SIGKILL)
	t.Error("what the program has started runs on")
}
