package nb_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trivium/kernel/display"
	"trivium/kernel/nb"
	shown "trivium/kernel/nb/display"
)

// run is background work of which the test decides everything.
type run struct {
	name string
	done chan struct{}
	err  error
}

func newRun(name string) *run        { return &run{name: name, done: make(chan struct{})} }
func (r *run) Name() string          { return r.name }
func (r *run) Done() <-chan struct{} { return r.done }
func (r *run) end(err error)         { r.err = err; close(r.done) }
func (r *run) Err() error {
	select {
	case <-r.done:
		return r.err
	default:
		return nil
	}
}

// notebook is the surroundings of the cells in these tests.
type notebook struct {
	runs    []nb.Run
	stopped bool
}

func (n *notebook) Runs() []nb.Run { return n.runs }
func (n *notebook) StopAll()       { n.stopped = true }
func (n *notebook) Progress(r nb.Run) (nb.Progress, bool) {
	if r.Name() == "unknown" {
		return nb.Progress{}, false
	}
	return nb.Progress{Done: 30, Total: 120, Seconds: 90, Left: 270, Last: "loss 0.5", State: "running"}, true
}
func (n *notebook) Doc(name string) (string, string, bool) {
	return "func F()", "F does it.", name == "p.F"
}
func (n *notebook) Input(_ context.Context, prompt string, password bool) (string, error) {
	return fmt.Sprint(prompt, password), nil
}
func (n *notebook) NextRead(prompt string, password bool) {}

// output collects what is shown, as "type data".
type output struct {
	mu  sync.Mutex
	all []string
}

func (o *output) sink(_ uint64, msgType string, content []byte) error {
	var c struct {
		Data map[string]any `json:"data"`
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, fmt.Sprint(msgType, " ", c.Data))
	return nil
}

func (o *output) list() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.all...)
}

// use makes a display and a notebook for the test.
func use(t *testing.T) (*output, *notebook, *display.Manager) {
	o, n := &output{}, &notebook{}
	m := display.New(o.sink, display.Options{})
	display.Use(m)
	nb.Use(n)
	return o, n, m
}

func TestShow(t *testing.T) {
	o, _, m := use(t)
	defer m.Close()
	nb.Show("a", 2)
	nb.ShowHTML("<i>x</i>")
	nb.ShowMarkdown("# t")
	nb.ShowLatex("$x$")
	nb.ShowSVG("<svg/>")
	nb.ShowPNG([]byte{1, 2})
	nb.ShowMIME("application/json", map[string]int{"n": 1}, "n is 1")
	place := nb.ShowLater("first")
	place.Update("second")
	shown.Display(shown.Math("x"))
	shown.Update("id", shown.HTML("<p>"))
	want := []string{
		"display_data map[text/plain:a]", "display_data map[text/plain:2]",
		"display_data map[text/html:<i>x</i> text/plain:HTML]",
		"display_data map[text/markdown:# t text/plain:# t]",
		"display_data map[text/latex:$x$ text/plain:$x$]",
		"display_data map[image/svg+xml:<svg/> text/plain:SVG picture]",
		"display_data map[image/png:AQI= text/plain:PNG picture, 2 bytes]",
		"display_data map[application/json:map[n:1] text/plain:n is 1]",
		"display_data map[text/plain:first]", "update_display_data map[text/plain:second]",
		"display_data map[text/latex:$$x$$ text/plain:x]",
		"update_display_data map[text/html:<p> text/plain:text/html, 3 bytes]",
	}
	got := o.list()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("message %d of\n%s\nwant\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, n, m := use(t)
		a, b := newRun("exact <run>"), newRun("unknown")
		n.runs = []nb.Run{a, b}
		wrong := errors.New("diverged")
		go func() {
			time.Sleep(time.Second)
			a.end(nil)
			time.Sleep(time.Second)
			b.end(wrong)
		}()
		began := time.Now()
		err := nb.Await()                                                                    // all that go on
		if took := time.Since(began); took < 2*time.Second || took > 2100*time.Millisecond { // a moment for the last frames
			t.Errorf("waited %v, want until both had ended", took)
		}
		if !errors.Is(err, wrong) || !strings.Contains(err.Error(), "unknown: diverged") {
			t.Errorf("error %v, want that of the run that failed, with its name", err)
		}
		m.Close()
		first := o.list()[0]
		for _, part := range []string{
			"exact &lt;run&gt;", "width:25.0%", "30 of 120, 1 min 30 s, 0.333/s, 4 min 30 s left, loss 0.5",
			"exact <run> [#####...............]  25%", "unknown</td><td></td>", "\nunknown]",
		} {
			if !strings.Contains(first, part) {
				t.Errorf("the bars are %q, without %q", first, part)
			}
		}
		if err := nb.Await(a); err != nil {
			t.Errorf("a run that has ended: %v", err)
		}
	})
}

// ended has runs that have ended, in several ways.
type ended struct {
	notebook
	progress map[string]nb.Progress
}

func (n *ended) Progress(r nb.Run) (nb.Progress, bool) {
	p, ok := n.progress[r.Name()]
	return p, ok
}

func TestEndedRuns(t *testing.T) {
	n := &ended{progress: map[string]nb.Progress{
		"early":   {Done: 14, Total: 60, Unit: "cycles", Seconds: 2, Last: "residual 1e-9", State: "converged"},
		"full":    {Done: 60, Total: 60, Unit: "steps", Seconds: 2, State: "done"},
		"unknown": {State: "done"},
		"stopped": {Done: 15, Total: 60, Seconds: 2, State: "stopped"},
		"failed":  {Done: 15, Total: 60, State: "failed"},
	}}
	for name, want := range map[string]string{
		"early":   "early [####################] 100% converged at 14 of at most 60 cycles, 2.0 s, residual 1e-9",
		"full":    "full [####################] 100% finished after 60 steps, 2.0 s",
		"unknown": "unknown [####################] 100% finished",
		"stopped": "stopped [#####...............]  25% 15 of 60, 2.0 s, 7.5/s, stopped",
		"failed":  "failed [#####...............]  25% 15 of 60, failed, out of range",
		"other":   "other [####################] 100% finished", // of no known progress
	} {
		r := newRun(name)
		r.end(nil)
		switch name {
		case "failed":
			r.err = errors.New("out of range")
		case "stopped":
			r.err = errors.New("stopped")
		}
		n.runs = []nb.Run{r}
		nb.Use(n)
		if data, _ := nb.Runs().MIMEBundle(); data[display.Text] != want {
			t.Errorf("%s: %q, want %q", name, data[display.Text], want)
		}
	}
}

func TestAwaitIsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, m := use(t)
		ctx, stop := context.WithCancel(t.Context())
		m.Begin(display.Cell{ID: 1, Ctx: ctx})
		r := newRun("long")
		go func() {
			time.Sleep(time.Second)
			stop()
		}()
		func() {
			defer func() {
				if v := recover(); v != nb.ErrInterrupted {
					t.Errorf("Await ended with %v, want the panic that ends the cell", v)
				}
			}()
			nb.Await(r)
			t.Error("Await returned")
		}()
		if r.Err() != nil {
			t.Error("the run was touched")
		}
		m.Close()
	})
}

func TestCheckHelpInput(t *testing.T) {
	_, n, m := use(t)
	defer m.Close()
	nb.Check(nil)
	wrong := errors.New("wrong")
	func() {
		defer func() {
			if v := recover(); v != wrong {
				t.Errorf("Check panicked with %v, want the error", v)
			}
		}()
		nb.Check(wrong)
	}()
	if h := nb.Help("p.F"); h != "```go\nfunc F()\n```\n\nF does it." {
		t.Errorf("help %q", h)
	}
	if h := nb.Help("p.G"); !strings.Contains(string(h), "Nothing is known about `p.G`") {
		t.Errorf("help %q", h)
	}
	if in, err := nb.Password("key "); in != "key true" || err != nil {
		t.Errorf("input %q, %v", in, err)
	}
	if nb.StopAll(); !n.stopped {
		t.Error("StopAll did not reach the notebook")
	}
	if data, _ := nb.Runs().MIMEBundle(); data[display.Text] != "no runs" {
		t.Errorf("no runs are shown as %v", data)
	}
}

func ExampleHelp() {
	nb.Use(&notebook{})
	fmt.Println(nb.Help("p.F"))
	// Output:
	// ```go
	// func F()
	// ```
	//
	// F does it.
}
