//go:build unix

package host

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"trivium/kernel/eval"
)

// Standard input is the process's own, so its test runs in a process of its own.
const roleVariable = "TRIVIUM_HOST_TEST_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVariable) == "stdin" {
		readers()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// readers reads standard input in the ways that cells do.
func readers() {
	in, err := NewStdin()
	if err != nil || in == nil {
		fmt.Println("no stdin:", err)
		return
	}
	asked := 0
	lines := []string{"Ada Lovelace", "", "last"}
	in.Begin(true, func() (string, bool) {
		asked++
		if asked > len(lines) {
			return "", false
		}
		return lines[asked-1], true
	})
	var first, second string
	fmt.Scanln(&first, &second)
	fmt.Println("scan", first, second)
	r := bufio.NewReader(os.Stdin)
	for {
		line, err := r.ReadString('\n')
		fmt.Printf("read %q %v\n", line, err)
		if err != nil {
			break
		}
	}
	in.End()
	in.Begin(false, func() (string, bool) { asked = 99; return "", true })
	b, err := io.ReadAll(os.Stdin)
	fmt.Printf("not allowed: %q %v, asked %d\n", b, err, asked)
	in.End()
	in.Begin(true, func() (string, bool) { return "again", true })
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	fmt.Printf("next cell: %q %v\n", line, err)
	in.End()
	in.Begin(true, func() (string, bool) { return "to it", true })
	program := exec.Command("sh", "-c", `(read x; echo "program $x")`)
	program.Stdin, program.Stdout = os.Stdin, os.Stdout
	fmt.Println(program.Run())
	in.End()
}

func TestStdin(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=stdin")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.HasPrefix(string(out), "no stdin: <nil>") {
		t.Skip("this system does not tell who waits for input")
	}
	want := `scan Ada Lovelace
read "\n" <nil>
read "last\n" <nil>
read "" EOF
not allowed: "" <nil>, asked 4
next cell: "again\n" <nil>
program to it
<nil>
`
	if string(out) != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
}

func shellSession(t *testing.T) (*session, context.CancelCauseFunc) {
	r := &running{id: 1, ended: make(chan struct{})}
	r.wait, r.stop = context.WithCancelCause(t.Context())
	return &session{r: r}, r.stop
}

func TestShellStatus(t *testing.T) {
	s, _ := shellSession(t)
	file := filepath.Join(t.TempDir(), "out")
	if err := s.shell("printf '%s' a b | tr a-z A-Z > " + file); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(file); string(b) != "AB" {
		t.Errorf("the command wrote %q, want AB", b)
	}
	if err := s.shell("exit 7"); err == nil || !strings.Contains(err.Error(), "exit status 7") {
		t.Errorf("exit 7: %v", err)
	}
	if err := s.shell(""); err == nil {
		t.Error("no command was accepted")
	}
}

// The whole process group of a command ends with the cell, also what ignores polite signals.
func TestShellIsInterrupted(t *testing.T) {
	s, stop := shellSession(t)
	file := filepath.Join(t.TempDir(), "pids")
	go func() {
		for range 1000 {
			if b, _ := os.ReadFile(file); bytes.Count(b, []byte("\n")) == 2 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		stop(ErrInterrupted)
	}()
	began := time.Now()
	err := s.shell("trap '' TERM; sleep 60 & echo $! >> " + file + "; echo $$ >> " + file + "; wait; sleep 60")
	if !errors.Is(err, eval.ErrInterrupted) || time.Since(began) > 10*time.Second {
		t.Errorf("%v after %v, want an interrupt", err, time.Since(began))
	}
	b, _ := os.ReadFile(file)
	for _, line := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; present(pid); i++ {
			if i == 200 {
				t.Errorf("process %d is still there", pid)
				syscall.Kill(pid, syscall.SIGKILL)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// present reports whether a process is there and is not merely waiting to be collected.
func present(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(state, "Z")
}
