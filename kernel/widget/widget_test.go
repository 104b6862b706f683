package widget_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"trivium/kernel/display"
	"trivium/kernel/widget"
)

// page is the front end of these tests: it collects what it is told and can answer.
type page struct {
	t   *testing.T
	hub *widget.Hub

	mu    sync.Mutex
	sent  []widget.Message
	shown []string // "place data" of outputs, in order
	turns []func()
	ids   map[string]int
}

// newPage connects a hub and a display with a page. Turns wait until the test runs them.
func newPage(t *testing.T, o widget.Options) *page {
	p := &page{t: t, ids: map[string]int{}}
	o.Send = func(m widget.Message) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sent = append(p.sent, m)
		return nil
	}
	o.Turn = func(_ display.Cell, f func(context.Context), failed func([]string)) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.turns = append(p.turns, func() {
			defer func() {
				if v := recover(); v != nil {
					failed([]string{fmt.Sprint("panic: ", v)})
				}
			}()
			f(t.Context())
		})
	}
	o.Logf = func(format string, args ...any) { t.Logf(format, args...) }
	p.hub = widget.New(o)
	t.Cleanup(p.hub.Close)
	m := display.New(p.sink, display.Options{Switches: p.hub.ShowSwitches})
	display.Use(m)
	t.Cleanup(m.Close)
	m.Begin(display.Cell{ID: 7, N: 3, Attended: true})
	return p
}

func (p *page) sink(_ uint64, msgType string, content []byte) error {
	var c struct {
		Data      map[string]any
		Transient struct {
			ID string `json:"display_id"`
		}
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id := c.Transient.ID
	if _, known := p.ids[id]; !known {
		p.ids[id] = len(p.ids)
	}
	text := fmt.Sprint(c.Data[display.Text])
	if h, ok := c.Data[display.HTML]; ok {
		text = fmt.Sprint(h)
	}
	p.shown = append(p.shown, fmt.Sprintf("%s %d %s", msgType, p.ids[id], text))
	return nil
}

// model finds the state of an open model by its class.
func (p *page) model(name string) (id string, state map[string]any) {
	p.t.Helper()
	for _, m := range p.sent {
		var d struct{ State map[string]any }
		if m.Type == "comm_open" && json.Unmarshal(m.Data, &d) == nil && d.State["_model_name"] == name {
			return m.Comm, d.State
		}
	}
	p.t.Fatalf("no model %s was opened", name)
	return "", nil
}

func (p *page) deliver(comm string, data string) {
	p.hub.Deliver(widget.Message{Type: "comm_msg", Comm: comm, Data: json.RawMessage(data), Cell: 99})
}

// run makes the calls that wait, and returns how many there were.
func (p *page) run() int {
	p.mu.Lock()
	turns := p.turns
	p.turns = nil
	p.mu.Unlock()
	for _, f := range turns {
		f()
	}
	return len(turns)
}

var tags = regexp.MustCompile(`<[^>]*>`)

// picture is the text of what the latest panel's widget shows now.
func (p *page) picture() string {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	id, page := "", ""
	for _, m := range p.sent {
		var d struct{ State map[string]any }
		if json.Unmarshal(m.Data, &d) != nil {
			continue
		}
		if m.Type == "comm_open" && d.State["_model_name"] == "HTMLModel" {
			id = m.Comm
		}
		if v, ok := d.State["value"].(string); ok && m.Comm == id {
			page = v
		}
	}
	return html.UnescapeString(tags.ReplaceAllString(page, ""))
}

func TestInteract(t *testing.T) {
	p := newPage(t, widget.Options{})
	var calls []string
	f := func(keep float64, n int, sampler string, twice, pressed bool) (string, error) {
		calls = append(calls, fmt.Sprintf("%v %v %v %v %v", keep, n, sampler, twice, pressed))
		if n == 9 {
			return "", errors.New("nine is too many")
		}
		if n == 8 {
			panic("eight")
		}
		return calls[len(calls)-1], nil
	}
	err := p.hub.Interact(f, []*widget.Control{
		widget.Slider("keep", 0, 1), widget.IntSlider("n", 0, 10), widget.Choice("sampler", "norm", "uniform"), widget.Checkbox("twice"), widget.Button("go"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.picture(); got != "0.5 5 norm false false" {
		t.Errorf("first picture %q", got)
	}
	slider, state := p.model("FloatSliderModel")
	for k, want := range map[string]any{
		"_model_module": "@jupyter-widgets/controls", "_model_module_version": "2.0.0", "_view_name": "FloatSliderView",
		"value": 0.5, "min": 0.0, "max": 1.0, "step": 0.01, "readout_format": ".2f", "description": "keep",
	} {
		if state[k] != want {
			t.Errorf("state %s is %v, want %v", k, state[k], want)
		}
	}
	ints, _ := p.model("IntSliderModel")
	choice, _ := p.model("DropdownModel")
	check, _ := p.model("CheckboxModel")
	button, _ := p.model("ButtonModel")

	// Many messages while nothing runs: one call, with the newest values.
	for i := range 50 {
		p.deliver(slider, fmt.Sprintf(`{"method":"update","state":{"value":%v},"buffer_paths":[]}`, float64(i)/100))
	}
	p.deliver(ints, `{"method":"update","state":{"value":7}}`)
	p.deliver(choice, `{"method":"update","state":{"index":1}}`)
	p.deliver(check, `{"method":"update","state":{"value":true}}`)
	p.deliver(button, `{"method":"custom","content":{"event":"click"}}`)
	if n := p.run(); n != 1 {
		t.Errorf("%d calls, want one for all that came meanwhile", n)
	}
	if got := p.picture(); got != "0.49 7 uniform true true" {
		t.Errorf("picture %q", got)
	}
	// A click counts once; a value outside of the ends is the nearest.
	p.deliver(slider, `{"method":"update","state":{"value":17}}`)
	p.run()
	if got := p.picture(); got != "1 7 uniform true false" {
		t.Errorf("picture %q", got)
	}
	p.deliver(ints, `{"method":"update","state":{"value":9}}`)
	p.run()
	if got := p.picture(); got != "error: nine is too many" {
		t.Errorf("an error is shown as %q", got)
	}
	p.deliver(ints, `{"method":"update","state":{"value":8}}`)
	p.run()
	if got := p.picture(); got != "panic: eight" {
		t.Errorf("a panic is shown as %q", got)
	}
	// What makes no sense changes nothing.
	before := len(calls)
	for _, data := range []string{`{"method":"update","state":{"value":"x"}}`, `{"method":"update","state":null}`, `[]`, `{"method":"nonsense"}`,
		`{"method":"update","state":{"nonsense":1}}`, `{"method":"update","state":{},"buffer_paths":[["a"]]}`} {
		p.deliver(slider, data)
	}
	p.deliver(choice, `{"method":"update","state":{"index":1e300}}`)
	if p.run(); len(calls) != before {
		t.Errorf("the function was called with %s", calls[len(calls)-1])
	}
}

// TestState is what a manager asks for when a page is loaded.
func TestState(t *testing.T) {
	p := newPage(t, widget.Options{})
	if err := p.hub.Interact(func(x float64) float64 { return x }, []*widget.Control{widget.Slider("x", 0, 2)}); err != nil {
		t.Fatal(err)
	}
	slider, _ := p.model("FloatSliderModel")
	p.deliver(slider, `{"method":"update","state":{"value":1.5},"buffer_paths":[]}`)
	echo := p.sent[len(p.sent)-1]
	if want := `{"buffer_paths":[],"method":"echo_update","state":{"value":1.5}}`; string(echo.Data) != want || echo.Comm != slider || echo.Cell != 99 {
		t.Errorf("echo %s for request %d, want %s for 99", echo.Data, echo.Cell, want)
	}
	p.deliver(slider, `{"method":"request_state"}`)
	var update struct {
		Method string
		State  map[string]any
	}
	if err := json.Unmarshal(p.sent[len(p.sent)-1].Data, &update); err != nil || update.Method != "update" || update.State["value"] != 1.5 {
		t.Errorf("state %+v, %v", update, err)
	}
	p.hub.Deliver(widget.Message{Type: "comm_open", Comm: "c", Target: "jupyter.widget.control", Data: json.RawMessage("{}")})
	p.deliver("c", `{"method":"request_states"}`)
	var all struct {
		Method string
		States map[string]struct {
			Name  string `json:"model_name"`
			State map[string]any
		}
		Paths []any `json:"buffer_paths"`
	}
	if err := json.Unmarshal(p.sent[len(p.sent)-1].Data, &all); err != nil || all.Method != "update_states" || all.Paths == nil {
		t.Fatalf("states %+v, %v", all, err)
	}
	if got := all.States[slider]; got.Name != "FloatSliderModel" || got.State["value"] != 1.5 || len(all.States) != 8 { // slider, HTML, column, with their parts
		t.Errorf("%d models, the slider %+v", len(all.States), got)
	}
	// Every model that another refers to is there.
	for id, m := range all.States {
		for name, v := range m.State {
			if ref, ok := v.(string); ok && strings.HasPrefix(ref, "IPY_MODEL_") {
				if _, ok := all.States[strings.TrimPrefix(ref, "IPY_MODEL_")]; !ok {
					t.Errorf("%s of %s refers to nothing", name, id)
				}
			}
		}
	}
}

func TestUnknownComms(t *testing.T) {
	p := newPage(t, widget.Options{})
	p.hub.Deliver(widget.Message{Type: "comm_open", Comm: "a", Target: "nonsense", Cell: 5})
	p.deliver("b", `{}`)
	for i, id := range []string{"a", "b"} {
		if m := p.sent[i]; m.Type != "comm_close" || m.Comm != id {
			t.Errorf("%s was answered with %+v, want comm_close", id, m)
		}
	}
	p.hub.Deliver(widget.Message{Type: "comm_close", Comm: "a"})
}

func TestMistakesInInteract(t *testing.T) {
	p := newPage(t, widget.Options{})
	x, s := widget.Slider("x", 0, 1), widget.Choice("s", "a")
	for want, f := range map[string]any{
		"is not a function":         3,
		"has 2 parameters":          func(a, b float64) {},
		"a float64 is not a string": func(a string) {},
		"use IntSlider":             func(n int) {},
	} {
		if err := p.hub.Interact(f, []*widget.Control{x}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: error %v, want one with %q", f, err, want)
		}
	}
	if err := p.hub.Interact(func(a int) {}, []*widget.Control{s}); err == nil {
		t.Error("text was given to an int")
	}
	if err := p.hub.Interact(func() int { return 4 }, nil); err != nil || p.picture() != "4" {
		t.Errorf("no controls: %v, %q", err, p.picture())
	}
	if err := p.hub.Interact(func() {}, []*widget.Control{nil}); err == nil {
		t.Error("a control that is nil was taken")
	}
}

// TestManyPanels: the oldest panel is closed, and its models are no longer listed.
func TestManyPanels(t *testing.T) {
	p := newPage(t, widget.Options{})
	for range 70 {
		if err := p.hub.Interact(func(x float64) {}, []*widget.Control{widget.Slider("x", 0, 1)}); err != nil {
			t.Fatal(err)
		}
	}
	closed := 0
	for _, m := range p.sent {
		if m.Type == "comm_close" {
			closed++
		}
	}
	if want := 6 * 8; closed != want { // the slider, the picture, the column, their layouts, and two styles
		t.Errorf("%d models were closed, want %d of the six oldest panels", closed, want)
	}
}

// TestPage moves a control by the script's channel.
func TestPage(t *testing.T) {
	p := newPage(t, widget.Options{Kernel: "11111111-2222-3333-4444-555555555555"})
	if err := p.hub.Interact(func(x int, s string) string { return fmt.Sprint(x, s) }, []*widget.Control{widget.IntSlider("x", 0, 4), widget.Choice("s", "</script>", "b")}); err != nil {
		t.Fatal(err)
	}
	first := p.shown[0]
	if strings.Count(first, "</script>") != 1 {
		t.Error("what a cell gives ends the script")
	}
	_, spec, _ := strings.Cut(first, `"panel":"`)
	panel, _, _ := strings.Cut(spec, `"`)
	p.hub.Deliver(widget.Message{Type: "comm_open", Comm: "c", Target: widget.PageTarget, Data: json.RawMessage(`{"panel":"` + panel + `","control":0,"value":3}`)})
	p.deliver("c", `{"panel":"`+panel+`","control":1,"value":"b"}`)
	p.run()
	if got := p.picture(); got != "3b" {
		t.Errorf("picture %q", got)
	}
	if m := p.sent[len(p.sent)-1]; m.Comm != "c" || string(m.Data) != `{"panel":"`+panel+`","picture":"\u003cdiv\u003e\u003cpre\u003e3b\u003c/pre\u003e\u003c/div\u003e"}` {
		t.Errorf("the page is told %s", m.Data)
	}
	ints, _ := p.model("IntSliderModel")
	for _, m := range p.sent { // the widget follows
		if m.Comm == ints && m.Type == "comm_msg" && string(m.Data) == `{"buffer_paths":[],"method":"update","state":{"value":3}}` {
			ints = ""
		}
	}
	if ints != "" {
		t.Error("the widget of a control does not follow the page")
	}
	for _, data := range []string{`{"panel":"` + panel + `","control":5,"value":1}`, `{"panel":"` + panel + `","control":-1,"value":1}`, `{"panel":"` + panel + `","control":0,"value":[]}`, `7`, `{}`} {
		p.deliver("c", data)
	}
	p.deliver("c", `{"panel":"other","control":0,"value":1}`)
	if m := p.sent[len(p.sent)-1]; m.Comm != "c" || string(m.Data) != `{"gone":"other"}` {
		t.Errorf("a panel that is gone is answered with %+v", m)
	}
	if n := p.run(); n != 0 {
		t.Errorf("%d calls of values that make no sense", n)
	}
}

// figure can be switched.
type figure struct {
	mu   sync.Mutex
	done chan struct{}
	y    string
}

func (f *figure) Done() <-chan struct{} { return f.done }
func (f *figure) Switches() [][]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return [][]string{{"y", f.y, "linear", "log"}}
}
func (f *figure) Switch(name, choice string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.y = choice
}
func (f *figure) MIMEBundle() (data, metadata map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return map[string]any{display.Text: "y is " + f.y}, nil
}

func TestSwitches(t *testing.T) {
	p := newPage(t, widget.Options{Kernel: "11111111-2222-3333-4444-555555555555"})
	f := &figure{done: make(chan struct{}), y: "linear"}
	if err := display.Current().Show(f); err != nil {
		t.Fatal(err)
	}
	if len(p.shown) != 2 || !strings.Contains(p.shown[0], `"kind":"switch","name":"y","value":"linear"`) || p.shown[1] != "display_data 1 y is linear" {
		t.Fatalf("shown: %q, want the switches and below them the figure", p.shown)
	}
	_, spec, _ := strings.Cut(p.shown[0], `"panel":"`)
	panel, _, _ := strings.Cut(spec, `"`)
	use := func(choice string) {
		p.hub.Deliver(widget.Message{Type: "comm_open", Comm: "c", Target: widget.PageTarget, Data: json.RawMessage(`{"panel":"` + panel + `","control":"y","value":"` + choice + `"}`)})
	}
	wait := func(want string) {
		t.Helper()
		for range 5000 {
			p.mu.Lock()
			for _, s := range p.shown {
				if s == want {
					p.mu.Unlock()
					return
				}
			}
			p.mu.Unlock()
			sleep()
		}
		t.Fatalf("%q was not shown in %q", want, p.shown)
	}
	use("log")
	wait("update_display_data 1 y is log")
	close(f.done)
	use("other")
	wait("update_display_data 1 y is other")
}

func TestPlay(t *testing.T) {
	for name, c := range map[string]struct {
		f      any
		frames []any
		want   []string
	}{
		"values":   {func(n int) string { return fmt.Sprint("<n", n) }, []any{1, 2}, []string{"<pre>&lt;n1</pre>", "<pre>&amp;lt;n2</pre>", `data-label="2"`, `max="1"`}},
		"a slice":  {func(s string) string { return s + s }, []any{[]string{"a", "b", "c"}}, []string{"<pre>aa</pre>", "<pre>cc</pre>"}},
		"a slider": {func(x float64) float64 { return 2 * x }, []any{widget.Slider("keep", 0, 1)}, []string{"keep <input", `data-label="1"`, "<pre>2</pre>"}},
		"one":      {func(x int) int { return x }, []any{5}, []string{"<pre>5</pre>"}},
		"pictures": {nil, []any{"first", "second"}, []string{"<pre>first</pre>", "<pre>second</pre>"}},
	} {
		p, err := widget.Play(c.f, c.frames...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		data, _ := p.MIMEBundle()
		for _, want := range c.want {
			if !strings.Contains(data[display.HTML].(string), want) {
				t.Errorf("%s: %q is not in %s", name, want, data[display.HTML])
			}
		}
	}
	for want, c := range map[string]struct {
		f      any
		frames []any
	}{
		"0 frames":            {func(int) int { return 0 }, nil},
		"frame 1: int is not": {3, []any{1}},
		"has 2 parameters":    {func(a, b int) int { return 0 }, []any{1}},
		"frame 2: bad":        {func(a int) (int, error) { return a, map[int]error{2: errors.New("bad")}[a] }, []any{1, 2}},
		"play fewer": {func(a int) any {
			return display.Bundle{Data: map[string]any{display.HTML: strings.Repeat("x", 2_000_000)}}
		}, []any{1, 2}},
	} {
		if _, err := widget.Play(c.f, c.frames...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// growing changes until it is done.
type growing struct {
	done chan struct{}
	mu   sync.Mutex
	n    int
}

func (g *growing) Done() <-chan struct{} { return g.done }
func (g *growing) MIMEBundle() (data, metadata map[string]any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return map[string]any{display.Text: fmt.Sprint("grown to ", g.n)}, nil
}

// TestGrowingResult: a figure that grows goes on growing until another takes its place.
func TestGrowingResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPage(t, widget.Options{})
		g := &growing{done: make(chan struct{})}
		f := func(x int) any {
			if x == 0 {
				return g
			}
			return x
		}
		if err := p.hub.Interact(f, []*widget.Control{widget.IntSlider("x", 0, 4).Start(0)}); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{3, 4} {
			g.mu.Lock()
			g.n = n
			g.mu.Unlock()
			time.Sleep(time.Second)
			if got, want := p.picture(), fmt.Sprint("grown to ", n); got != want {
				t.Errorf("picture %q, want %q", got, want)
			}
		}
		slider, _ := p.model("IntSliderModel")
		p.deliver(slider, `{"method":"update","state":{"value":2}}`)
		p.run()
		g.mu.Lock()
		g.n = 9
		g.mu.Unlock()
		time.Sleep(time.Second)
		close(g.done)
		if got := p.picture(); got != "2" {
			t.Errorf("picture %q, want that of the slider's newest value", got)
		}
	})
}
