//go:build unix

package link

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// This test program plays the evaluator when it is started with a role.
const roleVariable = "TRIVIUM_LINK_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		play(role)
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func play(role string) {
	if role == "kernel" { // starts an evaluator that never looks at its link, and waits to be killed
		p, err := Start([]string{os.Args[0]}, append(os.Environ(), roleVariable+"=deaf"), &recorder{})
		if err != nil {
			panic(err)
		}
		for p.PID() == 0 {
			time.Sleep(time.Millisecond)
		}
		fmt.Println(p.PID())
		select {}
	}
	conn, err := Inherited()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
	switch role {
	case "deaf":
		time.Sleep(time.Minute)
	case "panic":
		fmt.Fprintln(os.Stderr, "before the panic")
		go func() { panic("boom") }()
		time.Sleep(time.Minute)
	case "overflow":
		debug.SetMaxStack(32 << 20)
		var f func(int) int
		f = func(n int) int { return f(n+1) + 1 }
		fmt.Println(f(0))
	case "exit":
		os.Exit(3)
	case "garbage":
		os.NewFile(fdOut, "").WriteString("this is no frame, as anybody can see")
		time.Sleep(time.Minute)
	case "echo":
		conn.Send(Ready, 0, Hello{PID: os.Getpid()}, nil)
		for {
			f, err := conn.Receive()
			if err != nil || f.Kind == Shutdown {
				return
			}
			os.Stdout.Write(f.Body)
			os.Stderr.WriteString("!")
			conn.Send(Done, f.ID, Outcome{}, f.Body)
		}
	}
}

// recorder keeps what a process tells.
type recorder struct {
	mu     sync.Mutex
	text   map[string]string
	frames []Frame
	onDone func(p *Process, r *recorder)
	exit   chan Death
}

func newRecorder() *recorder {
	return &recorder{text: map[string]string{}, exit: make(chan Death, 1)}
}

func (r *recorder) Text(_ *Process, name string, text []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text != nil {
		r.text[name] += string(text)
	}
}

func (r *recorder) Frame(p *Process, f Frame) {
	if f.Kind == Done && r.onDone != nil {
		r.onDone(p, r)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frames = append(r.frames, f)
}

func (r *recorder) Exit(_ *Process, d Death) {
	if r.exit != nil {
		r.exit <- d
	}
}

func (r *recorder) got(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text[name]
}

func start(t *testing.T, role string, r *recorder) *Process {
	t.Helper()
	p, err := Start([]string{os.Args[0]}, append(os.Environ(), roleVariable+"="+role, "GOTRACEBACK=single"), r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill("test over")
		<-p.Exited()
	})
	return p
}

func wait(t *testing.T, r *recorder) Death {
	t.Helper()
	select {
	case d := <-r.exit:
		return d
	case <-time.After(20 * time.Second):
		t.Fatal("the evaluator's end was not told within 20 s")
		return Death{}
	}
}

func TestFramesAndText(t *testing.T) {
	r := newRecorder()
	const n = 50
	done := make(chan struct{})
	count := 0
	// Everything printed before Done is there once Drain has returned, whatever the readers did.
	r.onDone = func(p *Process, r *recorder) {
		count++
		p.Drain()
		if got := len(r.got("stdout")); got < count*10_000 {
			t.Errorf("cell %d: %d bytes of stdout after Drain, want at least %d", count, got, count*10_000)
		}
		if got := len(r.got("stderr")); got < count {
			t.Errorf("cell %d: %d bytes of stderr after Drain, want at least %d", count, got, count)
		}
		if count == n {
			close(done)
		}
	}
	p := start(t, "echo", r)
	for i := range n {
		if err := p.Send(Run, uint64(i+1), RunCell{N: i}, bytes.Repeat([]byte("x"), 10_000)); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("only %d of %d answers", count, n)
	}
	p.Close(5 * time.Second)
	if d := wait(t, r); d.Code != 0 || d.Reason != "" || d.Crash != "" {
		t.Errorf("after Shutdown: %+v, want a clean end", d)
	}
	if r.frames[0].Kind != Ready || len(r.frames) != n+1 {
		t.Errorf("%d frames, the first %v; want Ready and %d answers", len(r.frames), r.frames[0].Kind, n)
	}
}

func TestDeaths(t *testing.T) {
	for role, check := range map[string]func(d Death, stderr string) error{
		"panic": func(d Death, stderr string) error {
			if d.Code != 2 || !strings.HasPrefix(d.Crash, "panic: boom\n") || !strings.Contains(d.Crash, "process_test.go:") {
				return errors.New("want status 2 and the panic with its trace")
			}
			if !strings.HasPrefix(stderr, "before the panic\n") {
				return fmt.Errorf("stderr is %q, want what was printed before the panic", stderr)
			}
			return nil
		},
		"overflow": func(d Death, _ string) error {
			if d.Code != 2 || !strings.HasPrefix(d.Crash, "runtime: goroutine stack exceeds") || !strings.Contains(d.Crash, "fatal error: stack overflow") {
				return errors.New("want status 2 and all that the runtime says of a stack overflow")
			}
			return nil
		},
		"exit": func(d Death, _ string) error {
			if d.Code != 3 || d.Crash != "" || d.Signal != 0 {
				return errors.New("want exit status 3 and no crash")
			}
			return nil
		},
		"garbage": func(d Death, _ string) error {
			if !errors.Is(d.Err, ErrFrame) {
				return errors.New("want ErrFrame")
			}
			return nil
		},
	} {
		t.Run(role, func(t *testing.T) {
			r := newRecorder()
			start(t, role, r)
			d := wait(t, r)
			if err := check(d, r.got("stderr")); err != nil {
				t.Errorf("%v; got %+v", err, d)
			}
		})
	}
}

func TestKill(t *testing.T) {
	r := newRecorder()
	p := start(t, "deaf", r)
	p.Kill("because")
	if d := wait(t, r); d.Reason != "because" || d.Signal != syscall.SIGKILL {
		t.Errorf("got %+v, want SIGKILL with the reason", d)
	}
}

func TestKilledFromOutside(t *testing.T) {
	r := newRecorder()
	p := start(t, "deaf", r)
	for p.PID() == 0 {
		time.Sleep(time.Millisecond)
	}
	syscall.Kill(p.PID(), syscall.SIGKILL)
	if d := wait(t, r); d.Reason != "" || d.Signal != syscall.SIGKILL {
		t.Errorf("got %+v, want SIGKILL and no reason of ours", d)
	}
}

func TestNoSuchProgram(t *testing.T) {
	r := newRecorder()
	if _, err := Start([]string{"/no/such/program"}, nil, r); err != nil {
		t.Fatal(err)
	}
	if d := wait(t, r); d.Err == nil || !strings.Contains(d.Err.Error(), "/no/such/program") {
		t.Errorf("got %+v, want an error that names the program", d)
	}
}

// An evaluator that does nothing but compute ends with the kernel all the same.
func TestEvaluatorDoesNotOutliveTheKernel(t *testing.T) {
	kernel := exec.Command(os.Args[0])
	kernel.Env = append(os.Environ(), roleVariable+"=kernel")
	out, err := kernel.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := kernel.Start(); err != nil {
		t.Fatal(err)
	}
	var line [16]byte
	n, _ := out.Read(line[:])
	kernel.Process.Kill()
	kernel.Wait()
	pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
	if err != nil {
		t.Fatalf("the kernel said %q, want the evaluator's number", line[:n])
	}
	for range 500 {
		if !alive(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	syscall.Kill(pid, syscall.SIGKILL)
	t.Error("the evaluator was still there 5 s after the kernel was killed")
}

// alive reports whether a process is there and is not merely waiting to be collected.
func alive(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	s := string(b)
	return !strings.HasPrefix(strings.TrimSpace(s[strings.LastIndexByte(s, ')')+1:]), "Z")
}

func TestLocal(t *testing.T) {
	r := newRecorder()
	p, err := Local(r, func(conn *Conn, stdout, stderr *os.File) string {
		f, err := conn.Receive()
		if err != nil {
			return err.Error()
		}
		io.WriteString(stdout, "out")
		conn.Send(Done, f.ID, nil, nil)
		conn.Receive()
		return "panic: at the end"
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Send(Run, 1, RunCell{}, nil)
	p.Send(Run, 2, RunCell{}, nil)
	if d := wait(t, r); d.Crash != "panic: at the end" || d.Code != 2 {
		t.Errorf("got %+v, want the crash", d)
	}
	if r.got("stdout") != "out" || len(r.frames) != 1 {
		t.Errorf("got %q and %d frames", r.got("stdout"), len(r.frames))
	}
}

func TestMemory(t *testing.T) {
	if MachineMemory() == 0 {
		t.Skip("this system does not tell its memory")
	}
	if r := Resident(os.Getpid()); r < 1<<20 || r > MachineMemory() {
		t.Errorf("this process holds %d bytes of %d", r, MachineMemory())
	}
}
