package unblock

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"reflect"
	"runtime"
	"testing"
	"time"
)

// table is what cells would find under a path: the library's functions, wrapped.
func (ws *waiters) table(path string) map[string]reflect.Value {
	t := map[string]reflect.Value{
		"Dial": reflect.ValueOf(net.Dial), "Listen": reflect.ValueOf(net.Listen), "ListenPacket": reflect.ValueOf(net.ListenPacket),
		"ListenAndServe": reflect.ValueOf(http.ListenAndServe), "Command": reflect.ValueOf(exec.Command),
		"CommandContext": reflect.ValueOf(exec.CommandContext), "DialTimeout": reflect.ValueOf(net.DialTimeout),
	}
	ws.wrap(path, t)
	return t
}

// TestWaitsEnd calls what waits for ever as a cell does, and interrupts it.
func TestWaitsEnd(t *testing.T) {
	ws := &waiters{known: map[*waiter]struct{}{}}
	lib := ws.table("net")
	listen := lib["Listen"].Interface().(func(string, string) (net.Listener, error))
	dial := lib["Dial"].Interface().(func(string, string) (net.Conn, error))
	l, err := listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	unused, err := listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer unused.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	was := http.DefaultTransport.(*http.Transport).DialContext
	defer func() { http.DefaultTransport.(*http.Transport).DialContext = was }()
	serve := ws.table("net/http")["ListenAndServe"].Interface().(func(string, http.Handler) error)
	command := ws.table("os/exec")["Command"].Interface().(func(string, ...string) *exec.Cmd)

	for name, wait := range map[string]func() error{
		"accept": func() error { _, err := unused.Accept(); return err },
		"read": func() error {
			c, err := dial("tcp", l.Addr().String())
			if err != nil {
				t.Error(err)
			}
			_, err = bufio.NewReader(c).ReadString('\n')
			return err
		},
		"http.Get":            func() error { _, err := http.Get(silent.URL); return err },
		"http.ListenAndServe": func() error { return serve("127.0.0.1:0", nil) },
		"program":             func() error { return command("sleep", "1000").Run() },
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("sleep"); err != nil && name == "program" {
				t.Skip(err)
			}
			began, ended := time.Now(), make(chan struct{})
			var err error
			go func() {
				defer close(ended)
				err = wait()
			}()
			select {
			case <-ended:
				t.Fatalf("it did not wait: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				ws.end(began, ended)
			}()
			select {
			case <-done:
			case <-time.After(10 * time.Second):
				t.Fatal("it waits on")
			}
			if err == nil {
				t.Error("no error tells that it was ended")
			}
		})
	}
}

// TestDialerStays: a cell may give the library's transport a dialer of its own, which stays when
// another cell imports the package.
func TestDialerStays(t *testing.T) {
	transport := http.DefaultTransport.(*http.Transport)
	was := transport.DialContext
	defer func() { transport.DialContext = was }()
	ws := &waiters{known: map[*waiter]struct{}{}}
	ws.table("net/http")
	own := errors.New("a dialer of the cell")
	transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, own }
	ws.table("net/http")
	if _, err := transport.DialContext(t.Context(), "tcp", "127.0.0.1:1"); err != own {
		t.Errorf("the transport dials by something else: %v", err)
	}
}

// TestWhatIsKept: connections can be used on, and programs of earlier cells go on.
func TestWhatIsKept(t *testing.T) {
	ws := &waiters{known: map[*waiter]struct{}{}}
	lib := ws.table("net")
	l, err := lib["Listen"].Interface().(func(string, string) (net.Listener, error))("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, ok := l.(*net.TCPListener); !ok {
		t.Errorf("the listener is a %T: cells ask for a *net.TCPListener", l)
	}
	var early *exec.Cmd
	if _, err := exec.LookPath("sleep"); err == nil {
		early = ws.command(context.Background(), "sleep", "1000")
		if err := early.Start(); err != nil {
			t.Fatal(err)
		}
		defer early.Wait()
		defer early.Process.Kill()
	}
	time.Sleep(time.Millisecond)
	ended := make(chan struct{})
	go func() {
		time.Sleep(20 * time.Millisecond)
		close(ended)
	}()
	ws.end(time.Now(), ended)

	go func() {
		if c, err := net.Dial("tcp", l.Addr().String()); err == nil {
			c.Write([]byte("hello\n"))
			c.Close()
		}
	}()
	c, err := l.Accept()
	if err != nil {
		t.Fatalf("the listener is of no use any more: %v", err)
	}
	if line, err := bufio.NewReader(c).ReadString('\n'); line != "hello\n" {
		t.Errorf("read %q, %v", line, err)
	}
	c.Close()
	if early != nil {
		if early.ProcessState != nil || early.Err != nil {
			t.Error("a program of an earlier cell was ended")
		}
	}
}

// TestConnectionsAreNotKept: knowing a connection does not keep it in memory.
func TestConnectionsAreNotKept(t *testing.T) {
	ws := &waiters{known: map[*waiter]struct{}{}}
	for range 300 {
		ws.opened(&net.UDPConn{})
		runtime.GC()
	}
	if n := len(ws.known); n > 130 {
		t.Errorf("%d connections are known, of which at most one is there", n)
	}
	ws.opened((*net.TCPConn)(nil)) // of a call that failed
	ws.opened(net.Conn(nil))
}
