package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"trivium/kernel/notebook"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// started is a kernel process, with its evaluator process behind it.
type started struct {
	*notebook.Kernel
	t *testing.T
}

func startKernel(t *testing.T, env ...string) *started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	k, err := notebook.Start(t.Context(), notebook.Launch{
		Argv: []string{self, "kernel", "-f", "{connection_file}"},
		Env:  append([]string{asTrivium + "=1", "TRIVIUM_HISTORY=none"}, env...),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Kill)
	return &started{k, t}
}

// cell is what came of a cell.
type cell struct {
	wire.ExecuteReply
	out   string           // text printed, and text/plain shown
	shown []map[string]any // by MIME type
	trace string
	took  time.Duration
}

func (k *started) send(ch transport.Channel, msgType string, content any) string {
	k.t.Helper()
	m, err := wire.NewMessage(msgType, nil, content)
	if err != nil {
		k.t.Fatal(err)
	}
	k.Client.Session().Stamp(m)
	if err := k.Client.Send(ch, m); err != nil {
		k.t.Fatal(err)
	}
	return m.Header.MsgID
}

// run runs a cell; during, if not nil, is called once it runs.
func (k *started) run(code string, during func()) (c cell) {
	k.t.Helper()
	began := time.Now()
	id := k.send(transport.Shell, wire.TypeExecuteRequest, map[string]any{"code": code})
	late := time.After(60 * time.Second)
	for replied, idle := false, false; !replied || !idle; {
		select {
		case m := <-k.Client.Receive(transport.Shell):
			if h, _ := m.ParentHeader(); h.MsgID == id {
				replied = true
				if err := m.Decode(&c.ExecuteReply); err != nil {
					k.t.Fatal(err)
				}
			}
		case m := <-k.Client.IOPub():
			if h, _ := m.ParentHeader(); h.MsgID != id {
				continue
			}
			var content struct {
				State string         `json:"execution_state"`
				Text  string         `json:"text"`
				Data  map[string]any `json:"data"`
			}
			m.Decode(&content)
			idle = idle || content.State == "idle"
			c.out += content.Text
			if content.Data != nil {
				c.shown = append(c.shown, content.Data)
				c.out += fmt.Sprint(content.Data["text/plain"])
			}
			if m.Header.MsgType == wire.TypeExecuteInput && during != nil {
				go during()
			}
		case <-k.Done():
			k.t.Fatalf("the kernel process ended under %q: %s", code, k.Why())
		case <-late:
			k.t.Fatalf("%q did not end within 60 s", code)
		}
	}
	c.took = time.Since(began)
	if c.Error != nil {
		c.trace = strings.Join(c.Traceback, "\n")
	}
	return c
}

func (k *started) interrupt() { k.send(transport.Control, wire.TypeInterruptRequest, nil) }

// TestNothingEndsTheNotebook has cells do what ends a Go program. The cell gets an error with
// the reason, and the next one runs.
func TestNothingEndsTheNotebook(t *testing.T) {
	k := startKernel(t, "TRIVIUM_MEMORY_LIMIT=700MB")
	for name, c := range map[string]struct{ code, name, reason string }{
		"killed from outside": {"!kill -9 $PPID", "EvaluatorDied", "killed"},
		"stack overflow":      {"func so(n int) int { return so(n+1) + 1 }\nfmt.Println(so(0))", "", "stack"},
		"out of memory":       {"var held [][]byte\nfor { held = append(held, bytes.Repeat([]byte{1}, 10<<20)) }", "", "out of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			k := &started{k.Kernel, t}
			if c := k.run("x := 41", nil); c.Status != "ok" {
				t.Fatalf("before: %s", c.trace)
			}
			got := k.run(c.code, nil)
			if got.Status != "error" || (c.name != "" && got.EName != c.name) || !strings.Contains(got.EValue, c.reason) {
				t.Errorf("%s %s %q, want an error about %q\n%s", got.Status, got.Error.EName, got.EValue, c.reason, got.trace)
			}
			next := k.run("1+1", nil)
			if next.out != "2" {
				t.Errorf("the next cell printed %q\n%s", next.out, next.trace)
			}
			if got.EName == "EvaluatorDied" {
				if !strings.Contains(got.trace, "lost") {
					t.Errorf("the traceback does not say what is lost:\n%s", got.trace)
				}
			}
		})
	}
}

// TestMistakesKeepTheVariables has cells fail in ways that need not cost anything.
func TestMistakesKeepTheVariables(t *testing.T) {
	k := startKernel(t)
	if c := k.run("keep := 41", nil); c.Status != "ok" {
		t.Fatalf("before: %s", c.trace)
	}
	if c := k.run("go func() { panic(1) }(); time.Sleep(time.Second)", nil); c.EName != "panic" || !strings.Contains(c.trace, ": 1 [in a goroutine]") {
		t.Errorf("a panic in a goroutine reads %s\n%s", c.EName, c.trace)
	}
	k.run(`go func() { time.Sleep(time.Second); panic("late") }()`, nil)
	if c := k.run("time.Sleep(2*time.Second)\n6 * 7", nil); c.Status != "ok" || !strings.Contains(c.out, "Cell [3] started panicked: late") || !strings.Contains(c.out, "42") {
		t.Errorf("a cell during which a goroutine of another panicked: %s %q\n%s", c.Status, c.out, c.trace)
	}
	for code, want := range map[string]string{
		`go func() { panic("far away") }(); time.Sleep(time.Second)`: "far away",
		`os.Exit(3)`:                             "exit status 3",
		`log.Fatal("enough")`:                    "exit status 1",
		`panic("boom")`:                          "boom",
		"var p *int\n*p = 1":                     "nil pointer dereference",
		`fmt.Println(undefinedName)`:             "undefined: undefinedName",
		`func (`:                                 "line 1",
		`errors.New("a value")`:                  "a value",
		"sl := []int{1}; i := 5; println(sl[i])": "index out of range",
	} {
		if c := k.run(code, nil); c.Status != "error" || !strings.Contains(c.EValue, want) {
			t.Errorf("%s: %s %q, want an error with %q\n%s", code, c.Status, c.EValue, want, c.trace)
		}
		if c := k.run("keep + 1", nil); c.out != "42" {
			t.Errorf("after %s: %q, the variable is lost\n%s", code, c.out, c.trace)
		}
	}
}

// endless holds cells that go on, or wait, for ever. They use the names of beforeEndless.
var endless = []string{
	"for {}", "time.Sleep(time.Hour)", "<-make(chan int)", "select {}",
	"for i := 0; ; i++ { time.Sleep(10*time.Millisecond) }", "!sleep 60",
	"type endless struct{}\nfunc (endless) HTML() string { for {} }\nendless{}", // while its value is being shown
	"ln.Accept()", "c, _ := net.Dial(\"tcp\", ln.Addr().String())\nbufio.NewReader(c).ReadString('\\n')",
	"http.Get(\"http://\" + ln.Addr().String())", "exec.Command(\"sleep\", \"60\").Run()",
	"train.Train(ctx, nn.MLP(64, 64, 10), digits.Load(), train.Options{Epochs: 1 << 30})",
	"mgrit.Solve(ctx, mgrit.XOR(mgrit.XOROptions{}), mgrit.Options{Steps: 1 << 16, MaxCycles: 1 << 20, Tol: 1e-300})",
	"mgrit.Lyapunov(ctx, mgrit.XOR(mgrit.XOROptions{}), 1 << 40)",
	"train.LossPlane(ctx, nn.MLP(64, 64, 10), digits.Load(), nil, train.PlaneOptions{Points: 1000})",
	"crs.Nodes{}.Train(ctx, nn.MLP(64, 64, 10), digits.Load(), train.Options{Epochs: 1 << 30})",
	"run.Start(context.Background(), run.Options{}, func(ctx context.Context, t *run.Trace) (any, error) { <-ctx.Done(); return nil, nil }).Wait(ctx)",
}

const beforeEndless = "keep := 41\nln, _ := net.Listen(\"tcp\", \"127.0.0.1:0\")"

// stop runs a cell, interrupts it when it has run for a while, and gives how long it took to end.
func (k *started) stop(code string) time.Duration {
	k.t.Helper()
	var stopped time.Time
	c := k.run(code, func() {
		time.Sleep(200 * time.Millisecond)
		stopped = time.Now()
		k.interrupt()
	})
	took := time.Since(stopped)
	if !strings.Contains(c.trace, "Interrupted") {
		k.t.Errorf("%s: %s after %v\n%s", code, c.Status, took, c.trace)
	}
	if c := k.run("keep + 1", nil); c.out != "42" {
		k.t.Errorf("after %s: %q, the variable is lost\n%s", code, c.out, c.trace)
	}
	return took
}

// TestInterrupts stops cells, whatever they do.
func TestInterrupts(t *testing.T) {
	k := startKernel(t)
	k.run(beforeEndless, nil)
	for _, code := range endless {
		k.stop(code)
	}
}

// TestReproduceInterrupts measures how long cells take to end, from the request to the reply.
func TestReproduceInterrupts(t *testing.T) {
	if os.Getenv("TRIVIUM_REPRODUCE") != "1" {
		t.Skip("set TRIVIUM_REPRODUCE=1 to measure how long interrupted cells take to end")
	}
	const times, most = 10, 300 * time.Millisecond
	k := startKernel(t)
	k.run(beforeEndless, nil)
	t.Logf("%8s %8s %8s ms of %d, target: each within %v", "least", "median", "most", times, most)
	for _, code := range endless {
		var took []time.Duration
		for range times {
			took = append(took, k.stop(code))
		}
		slices.Sort(took)
		t.Logf("%8.1f %8.1f %8.1f %q", took[0].Seconds()*1e3, took[times/2].Seconds()*1e3, took[times-1].Seconds()*1e3, code)
		if took[times-1] > most {
			t.Errorf("%s: took up to %v to end", code, took[times-1])
		}
	}
	var took []time.Duration
	for range times {
		k.run("!kill -9 $PPID", nil)
		took = append(took, k.run("1+1", nil).took)
	}
	slices.Sort(took)
	t.Logf("%8.1f %8.1f %8.1f the next cell after the evaluator has died", took[0].Seconds()*1e3, took[times/2].Seconds()*1e3, took[times-1].Seconds()*1e3)
	if took[times-1] > most {
		t.Errorf("the next cell after the evaluator has died took up to %v", took[times-1])
	}
}
