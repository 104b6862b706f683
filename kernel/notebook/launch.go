package notebook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// Launch says how to start a kernel.
type Launch struct {
	Argv     []string      // as in kernel.json; "{connection_file}" is replaced in each argument
	Env      []string      // added to the environment of this process
	Dir      string        // working directory of the kernel; "" means this process's
	Deadline time.Duration // for the answer to kernel_info; 0 means 30 s
	Stderr   io.Writer     // gets what the kernel writes to stderr and stdout, besides Kernel.Stderr; may be nil
}

// A Kernel is a kernel process started by [Start]. Shutdown ends it; nothing else does unless
// the process fails.
type Kernel struct {
	Client *transport.Client
	Info   wire.KernelInfoReply
	Ready  time.Duration // from the start of the process to its first answer

	cmd    *exec.Cmd
	dir    string // holds the connection file
	stderr *tail
	done   chan struct{}
	exit   error // of the process, once done is closed
}

// A StartError says that a kernel did not come up.
type StartError struct {
	Program string
	Text    string // what happened and, if the kernel said anything, its last lines
}

func (e *StartError) Error() string {
	return fmt.Sprintf("notebook: the kernel %s did not start: %s", e.Program, e.Text)
}

// Start starts a kernel with a private connection file and returns when it has answered a
// kernel_info_request. When it fails, no process and no file is left.
func Start(ctx context.Context, l Launch) (*Kernel, error) {
	if len(l.Argv) == 0 {
		return nil, &StartError{"(none)", "the command is empty"}
	}
	limit := either(l.Deadline, 30*time.Second)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %v", limit))
	defer cancel()
	// Ports are chosen here and bound by the kernel a moment later. Another program may take one
	// in between, and then the kernel says so and ends; other ports are tried.
	for try := 1; ; try++ {
		k, err := start(ctx, l)
		if err == nil || try == 3 || ctx.Err() != nil || !strings.Contains(err.Error(), "in use") {
			return k, err
		}
	}
}

func start(ctx context.Context, l Launch) (_ *Kernel, err error) {
	fail := func(format string, args ...any) error {
		return &StartError{l.Argv[0], fmt.Sprintf(format, args...)}
	}
	conn, err := transport.NewConnection()
	if err != nil {
		return nil, fail("%v", err)
	}
	k := &Kernel{stderr: &tail{also: l.Stderr}, done: make(chan struct{})}
	if k.dir, err = os.MkdirTemp("", "trivium-kernel-"); err != nil { // mode 0700
		return nil, fail("%v", err)
	}
	defer func() {
		if err != nil {
			k.Kill()
		}
	}()
	file := filepath.Join(k.dir, "connection.json")
	if err := conn.Write(file); err != nil {
		return nil, fail("%v", err)
	}

	args := make([]string, len(l.Argv))
	for i, a := range l.Argv {
		args[i] = strings.ReplaceAll(a, "{connection_file}", file)
	}
	k.cmd = exec.Command(args[0], args[1:]...)
	k.cmd.Dir = l.Dir
	k.cmd.Env = append(append(os.Environ(), fmt.Sprintf("JPY_PARENT_PID=%d", os.Getpid())), l.Env...)
	k.cmd.Stdout, k.cmd.Stderr = k.stderr, k.stderr
	k.cmd.WaitDelay = 2 * time.Second // a grandchild that holds the pipes must not keep us
	ownGroup(k.cmd)
	began := time.Now()
	if err := k.cmd.Start(); err != nil {
		k.cmd = nil
		return nil, fail("%v", err)
	}
	go func() {
		k.exit = k.cmd.Wait()
		close(k.done)
	}()

	dialing, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // there is no sense in waiting for the sockets of a kernel that has ended
		select {
		case <-k.done:
			stop()
		case <-dialing.Done():
		}
	}()
	if k.Client, err = transport.Dial(dialing, conn); err == nil {
		err = k.askInfo(dialing)
	}
	k.Ready = time.Since(began)
	switch {
	case err == nil:
		return k, nil
	case k.ended():
		return nil, fail("%s", k.Why())
	case ctx.Err() != nil:
		return nil, fail("%v%s", context.Cause(ctx), k.said())
	}
	return nil, fail("%v%s", err, k.said())
}

// askInfo sends a kernel_info_request on shell until one is answered.
func (k *Kernel) askInfo(ctx context.Context) error {
	req, err := wire.NewMessage(wire.TypeKernelInfoRequest, nil, nil)
	if err != nil {
		return err
	}
	if err := k.Client.Send(transport.Shell, req); err != nil {
		return err
	}
	for {
		select {
		case m, ok := <-k.Client.Receive(transport.Shell):
			if !ok {
				return errors.New("the kernel closed the connection")
			}
			if m.Header.MsgType == wire.TypeKernelInfoReply {
				return m.Decode(&k.Info)
			}
		case <-k.Client.IOPub(): // busy and idle of this request
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Runner returns a Runner for this kernel that notices when the process ends.
func (k *Kernel) Runner() *Runner {
	return &Runner{Client: k.Client, Died: k.done, Why: k.Why}
}

// Done is closed when the kernel's process has ended.
func (k *Kernel) Done() <-chan struct{} { return k.done }

// PID is the process id.
func (k *Kernel) PID() int { return k.cmd.Process.Pid }

// Stderr returns the last lines that the process wrote to stderr or stdout.
func (k *Kernel) Stderr() string { return k.stderr.String() }

// Why says how the process ended and what it said last, or "" while it is running.
func (k *Kernel) Why() string {
	select {
	case <-k.done:
	case <-time.After(100 * time.Millisecond): // its sockets close before the process is gone
		if !k.ended() {
			return ""
		}
	}
	how := "exit status 0"
	if k.exit != nil {
		how = k.exit.Error()
	}
	return how + k.said()
}

func (k *Kernel) said() string {
	if s := strings.TrimSpace(k.stderr.String()); s != "" {
		return "; it said: " + s
	}
	return ""
}

func (k *Kernel) ended() bool {
	select {
	case <-k.done:
		return true
	default:
		return false
	}
}

// Shutdown asks the kernel to end and waits; a kernel that is still there after grace (0 means
// 3 s) is killed with its children. Its connection file is gone afterwards.
func (k *Kernel) Shutdown(grace time.Duration) error {
	defer k.Kill()
	if k.ended() {
		return nil
	}
	m, err := wire.NewMessage(wire.TypeShutdownRequest, nil, wire.ShutdownRequest{})
	if err == nil {
		err = k.Client.Send(transport.Control, m)
	}
	if err != nil {
		return fmt.Errorf("notebook: the kernel could not be asked to end and was killed: %w", err)
	}
	late := time.NewTimer(either(grace, 3*time.Second))
	defer late.Stop()
	iopub := k.Client.IOPub()
	for {
		select {
		case <-k.done:
			return nil
		case <-late.C:
			return fmt.Errorf("notebook: the kernel did not end when asked to and was killed%s", k.said())
		case _, ok := <-iopub: // taken, so that nothing in the kernel waits for a reader
			if !ok {
				iopub = nil
			}
		}
	}
}

// Kill ends the process and its children at once, closes the sockets and removes the files.
// Calling it again, or after Shutdown, does nothing.
func (k *Kernel) Kill() {
	if k.cmd != nil {
		killGroup(k.cmd) // also when the kernel has ended: a child may have outlived it
		<-k.done
	}
	if k.Client != nil {
		k.Client.Close()
	}
	os.RemoveAll(k.dir)
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	b    []byte
	also io.Writer
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if over := len(t.b) - tailSize; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	if t.also != nil {
		_, _ = t.also.Write(p) // what is shown to people may get lost, the tail is kept
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.b), "")
}
