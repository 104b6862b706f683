package eval

import (
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	s := newSession(t)
	run(t, s, 1, `type Point struct { X, Y float64; label string }
func (p Point) Norm() float64 { return math.Hypot(p.X, p.Y) }
pts := []Point{{1, 2, "a"}}
total := 3
var sb strings.Builder`)
	for name, c := range map[string]struct {
		src  string // the cursor is at |
		want string // among the items, the first if it ends in !
		kind string
	}{
		"member of a package":         {"strings.Spl|", "Split!", "function"},
		"package without import":      {"filepath.Jo|", "Join!", "function"},
		"method of a compiled type":   {"sb.Wri|", "WriteString", "method"},
		"method of a cell type":       {"pts[0].N|", "Norm!", "method"},
		"unexported field of a cell":  {"pts[0].la|", "label!", "field"},
		"variable of the session":     {"tot|", "total!", "variable"},
		"variable of the cell":        {"value := 1\nval|", "value!", "variable"},
		"local, in an open block":     {"for i := range 3 {\n\tq := pts[i]\n\tq.|", "Norm", "method"},
		"result of a call":            {"strings.NewReader(\"x\").Le|", "Len!", "method"},
		"key of a literal":            {"p := Point{X: 1, la|", "label!", "field"},
		"key of a compiled literal":   {"http.Client{Tim|", "Timeout!", "field"},
		"import path":                 {"import \"encoding/js|", "encoding/json!", "package"},
		"keyword":                     {"swi|", "switch!", "keyword"},
		"after a statement, one line": {"a := pts[0]; a.No|", "Norm!", "method"},
		"loop variable, one line":     {"for _, q := range pts { q.No|", "Norm!", "method"},
		"parameter, one line":         {"f := func(a Point) string { return a.la| }", "label!", "field"},
		"key after an open block":     {"if total > 2 { pts = append(pts, Point{la|", "label!", "field"},
	} {
		t.Run(name, func(t *testing.T) {
			at := strings.IndexByte(c.src, '|')
			src := c.src[:at] + c.src[at+1:]
			got := s.Complete(src, at)
			want, first := strings.CutSuffix(c.want, "!")
			for i, it := range got.Items {
				if it.Text == want && it.Kind == c.kind && (i == 0 || !first) {
					if src[got.Start:got.End] != src[got.Start:at] {
						t.Errorf("replaces %q", src[got.Start:got.End])
					}
					return
				}
			}
			t.Errorf("want %s (%s), got %+v", c.want, c.kind, got.Items[:min(5, len(got.Items))])
		})
	}
	if got := s.Complete("x := 1 // tot", 13); len(got.Items) > 0 {
		t.Errorf("in a comment: %+v", got.Items)
	}
	if got := text(t, s, 2, "total"); got != "3" { // completing changes nothing
		t.Error(got)
	}
}

func TestInspect(t *testing.T) {
	s := newSession(t)
	run(t, s, 1, "func twice(x int) int { return 2*x }\nn := 5\nvar sb strings.Builder")
	for src, want := range map[string]string{
		"strings.Spl|it":                       "func Split(s, sep string) []string",
		"twi|ce":                               "func twice(x int) int",
		"n|":                                   "var n int",
		"sb.Gr|ow":                             "func (b *Builder) Grow(n int)",
		"twice(|":                              "func twice(x int) int",
		"le|n":                                 "func len",
		"http.Client{Time|out: 1}":             "Timeout time.Duration",
		"p := struct{ a, b int }{a: 1, b|: 2}": "b int",
	} {
		at := strings.IndexByte(src, '|')
		d, ok := s.Inspect(src[:at]+src[at+1:], at, 0)
		if !ok || !strings.Contains(d.Signature, want) {
			t.Errorf("%s: %v %+v", src, ok, d)
		}
	}
	if d, _ := s.Inspect("twice", 3, 1); !strings.Contains(d.Source, "return 2*x") {
		t.Errorf("no source: %+v", d)
	}
	if _, ok := s.Inspect("nothing", 3, 0); ok {
		t.Error("documented a name that is not there")
	}
}

func TestIsComplete(t *testing.T) {
	s := newSession(t)
	for src, want := range map[string]string{
		"x := 1": "complete", "func f() {": "incomplete", "func f() {\n}": "complete", "x := ": "incomplete",
		"f(1,": "incomplete", "`abc": "incomplete", "x := }": "invalid", "for i := range 3 {": "incomplete",
		"1 +": "incomplete", "": "complete", "i++": "complete", "\"abc": "invalid",
	} {
		if got, _ := s.IsComplete(src); got != want {
			t.Errorf("%q: %s, want %s", src, got, want)
		}
	}
	if _, indent := s.IsComplete("if x {\n\tfor {"); indent != "\t\t" {
		t.Errorf("indent %q", indent)
	}
}

// TestCompleteDocs sees documentation beside what is completed, and no key twice.
func TestCompleteDocs(t *testing.T) {
	s := newSession(t)
	for src, want := range map[string]string{
		"strings.Spl|":             "Split slices s into all substrings",
		"http.Client{Time|":        "Timeout specifies a time limit",
		"import \"encoding/jso|":   "Package json implements",
		"new(strings.Builder).Gr|": "Grow grows b's capacity",
	} {
		at := strings.IndexByte(src, '|')
		c := s.Complete(src[:at], at)
		if len(c.Items) == 0 || !strings.HasPrefix(c.Items[0].Doc, want) {
			t.Errorf("%s: got %+v, want %q", src, c.Items[:min(1, len(c.Items))], want)
		}
	}
	src := "http.Client{Timeout: 3, Transport: nil, T"
	for _, it := range s.Complete(src, len(src)).Items {
		if it.Kind == "field" && (it.Text == "Timeout" || it.Text == "Transport") {
			t.Errorf("%s is offered again", it.Text)
		}
	}
}

// BenchmarkComplete measures completions that look at many names, after a thousand cells.
func BenchmarkComplete(b *testing.B) {
	s := newSession(b)
	for i := range 1000 {
		run(b, s, i+1, ordinary(i))
	}
	for _, src := range []string{"strings.", "m", "data7.", "http.Client{", "import \"enc", "mat."} {
		b.Run(src, func(b *testing.B) {
			for b.Loop() {
				s.Complete(src, len(src))
			}
		})
	}
}

// TestCompleteBeforeAName sees that what is chosen where the cursor stands in front of a name is put before
// it, as in IPython, and that a name is replaced where the cursor is in it.
func TestCompleteBeforeAName(t *testing.T) {
	s := newSession(t)
	run(t, s, 1, "foobar := 1")
	for src, want := range map[string]string{"x := |foobar": "", "x := foo|bar": "foobar", "fmt.|Println": "", "fmt.Pri|ntln": "Println"} {
		at := strings.IndexByte(src, '|')
		src = src[:at] + src[at+1:]
		c := s.Complete(src, at)
		if got := src[c.Start:c.End]; got != want || len(c.Items) == 0 {
			t.Errorf("%s at %d: %d candidates replace %q, want %q", src, at, len(c.Items), got, want)
		}
	}
}
