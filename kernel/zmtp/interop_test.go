package zmtp

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// python is a command with libzmq's Python binding; without it the test is skipped, unless
// TRIVIUM_CI asks for everything.
func python(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	const interpreter = "/usr/bin/python3"
	if err := exec.Command(interpreter, "-c", "import zmq").Run(); err != nil {
		if os.Getenv("TRIVIUM_CI") == "1" {
			t.Fatalf("needs Python with pyzmq (python3-zmq): %v", err)
		}
		t.Skipf("needs Python with pyzmq (python3-zmq): %v", err)
	}
	return exec.CommandContext(t.Context(), interpreter, append([]string{filepath.Join("testdata", "interop.py")}, args...)...)
}

// echoing answers what a ROUTER receives; a message that starts with "publish" is published.
func echoing(t *testing.T, s *RouterSocket, x *XPubSocket) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for m := range s.Incoming() {
			at := 0
			if len(m.Frames[0]) == 0 && len(m.Frames) > 1 { // the envelope of a REQ
				at = 1
			}
			if string(m.Frames[at]) == "publish" {
				x.Publish(m.Frames[at+1:])
			} else if err := s.Send(m.Peer, m.Frames); err != nil {
				t.Log(err)
			}
		}
	}()
	t.Cleanup(func() { s.Close(0); <-done })
}

func TestLibzmqDrivesOurSockets(t *testing.T) {
	for name := range endpoints(t) {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			endpoint := func(n string) string {
				if name == "ipc" {
					return "ipc://" + filepath.Join(dir, n)
				}
				return "tcp://127.0.0.1:0"
			}
			x := xpub(t, endpoint("xpub"), Options{Logf: t.Logf, Welcome: func(topic string) [][]byte { return bytesOf("welcome", topic) }})
			s := router(t, endpoint("router"), Options{Logf: t.Logf})
			echoing(t, s, x)
			e := echo(t, endpoint("rep"), Options{Logf: t.Logf})
			out, err := python(t, "drive", at(s), at(x), at(e)).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

func TestOurConnectionsDriveLibzmq(t *testing.T) {
	cmd := python(t, "serve", t.TempDir())
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close(); cmd.Wait() })
	lines := bufio.NewScanner(stdout)
	at := map[string][]string{}
	for range 3 {
		if !lines.Scan() {
			t.Fatalf("Python said too little: %v", lines.Err())
		}
		for i, e := range strings.Fields(lines.Text()) {
			name := []string{"tcp", "ipc"}[i]
			at[name] = append(at[name], e)
		}
	}
	for name, e := range at {
		t.Run(name, func(t *testing.T) {
			d := dial(t, Dealer, e[0], "me on "+name) // libzmq ignores a second peer with the same identity
			frames := [][]byte{{}, []byte("x"), bytes.Repeat([]byte("y"), 255), bytes.Repeat([]byte("z"), 256), make([]byte, 10_000_000)}
			if err := d.Send(frames); err != nil {
				t.Fatal(err)
			}
			if got := receive(t, d.Incoming()); !bytes.Equal(bytes.Join(got, []byte("|")), bytes.Join(frames, []byte("|"))) {
				t.Errorf("%d frames came back changed", len(got))
			}
			r := dial(t, Req, e[2], "")
			for range 10 {
				send(t, r, "beat")
				if got := text(receive(t, r.Incoming())); got != "beat" {
					t.Errorf("got %q", got)
				}
			}
			sub := dial(t, Sub, e[1], "")
			if err := sub.Subscribe("news"); err != nil {
				t.Fatal(err)
			}
			if got := text(receive(t, sub.Incoming())); got != "news|welcome" {
				t.Errorf("got %q", got)
			}
			send(t, d, "publish", "other", "1")
			send(t, d, "publish", "news", "2")
			if got := text(receive(t, sub.Incoming())); got != "news|2" {
				t.Errorf("got %q", got)
			}
			if err := sub.Send(bytesOf("x")); err == nil {
				t.Error("a SUB sent a message")
			}
			if err := d.Subscribe("x"); err == nil {
				t.Error("a DEALER subscribed")
			}
		})
	}
}
