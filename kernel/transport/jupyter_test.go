package transport

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trivium/kernel/wire"
)

// toyKernel answers until a shutdown request has been answered.
func toyKernel(t testing.TB, s Server) {
	send := func(msgType string, parent *wire.Message, content any) *wire.Message {
		m, err := wire.NewMessage(msgType, parent, content)
		if err != nil {
			t.Error(err)
		}
		return m
	}
	answer := func(req Request) {
		p := req.Message
		s.Publish(send(wire.TypeStatus, p, wire.Status{ExecutionState: "busy"}))
		defer func() { s.Publish(send(wire.TypeStatus, p, wire.Status{ExecutionState: "idle"})) }()
		var reply any = wire.InterruptReply{Reply: wire.OK()}
		switch p.Header.MsgType {
		case wire.TypeKernelInfoRequest:
			reply = wire.KernelInfoReply{Reply: wire.OK(), ProtocolVersion: wire.Version}
		case wire.TypeShutdownRequest:
			reply = wire.ShutdownReply{Reply: wire.OK()}
		case wire.TypeExecuteRequest:
			var r wire.ExecuteRequest
			if err := p.Decode(&r); err != nil {
				t.Error(err)
			}
			s.Publish(send(wire.TypeExecuteInput, p, wire.ExecuteInput{Code: r.Code, ExecutionCount: 1}))
			text := r.Code
			switch r.Code {
			case "large":
				text = strings.Repeat("x", 10_000_000)
			case "input":
				if err := s.Input(req, send(wire.TypeInputRequest, p, wire.InputRequest{Prompt: "name?"})); err != nil {
					t.Error(err)
				}
				var in wire.InputReply
				if err := (<-s.Requests(Stdin)).Decode(&in); err != nil {
					t.Error(err)
				}
				text = in.Value
			}
			s.Publish(send(wire.TypeStream, p, wire.Stream{Name: "stdout", Text: text}))
			reply = wire.ExecuteReply{Reply: wire.OK(), ExecutionCount: 1}
		}
		replyType := strings.TrimSuffix(p.Header.MsgType, "_request") + "_reply"
		if err := s.Reply(req, send(replyType, p, reply)); err != nil {
			t.Logf("reply: %v", err) // a client may go away without waiting for it
		}
	}
	for shell, control := s.Requests(Shell), s.Requests(Control); ; {
		select {
		case req, open := <-shell:
			if !open {
				return
			}
			answer(req)
		case req, open := <-control:
			if !open {
				return
			}
			answer(req)
			if req.Header.MsgType == wire.TypeShutdownRequest {
				return
			}
		}
	}
}

func TestJupyterClient(t *testing.T) {
	const python = "/usr/bin/python3"
	if err := exec.Command(python, "-c", "import jupyter_client").Run(); err != nil {
		if os.Getenv("TRIVIUM_CI") == "1" {
			t.Fatalf("needs Python with jupyter_client (python3-jupyter-client): %v", err)
		}
		t.Skipf("needs Python with jupyter_client (python3-jupyter-client): %v", err)
	}
	for name, conn := range connections(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of it is Python starting
			file := filepath.Join(t.TempDir(), "kernel.json")
			if err := conn.Write(file); err != nil {
				t.Fatal(err)
			}
			conn, err := ReadConnection(file)
			if err != nil {
				t.Fatal(err)
			}
			var log logs
			s, err := Listen(conn, log.printf)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close(0)
			done := make(chan struct{})
			go func() {
				defer close(done)
				toyKernel(t, s)
				s.Close(3 * time.Second)
			}()
			cmd := exec.CommandContext(t.Context(), python, filepath.Join("testdata", "jupyter.py"), file)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s\n%s", err, out, log.text())
			}
			t.Logf("%s", out)
			<-done
			if text := log.text(); strings.Count(text, wire.ErrSignature.Error()) != 1 {
				t.Errorf("log is %q", text)
			}
		})
	}
}
