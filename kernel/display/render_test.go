package display

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

func withCause(t *testing.T) (context.Context, context.CancelCauseFunc) {
	ctx, stop := context.WithCancelCause(context.Background())
	t.Cleanup(func() { stop(nil) })
	return ctx, stop
}

type (
	htmler struct{}
	svger  struct{}
	pnger  struct{}
	latexr struct{}
	jsoner struct{}
	named  struct{ svger }
	bomb   struct{}
	twice  struct {
		htmler
		latexr
	}
)

func (htmler) HTML() string         { return "<b>x</b>" }
func (svger) SVG() string           { return "<svg/>" }
func (pnger) PNG() []byte           { return []byte("\x89PNG....") }
func (latexr) Latex() string        { return "$x$" }
func (jsoner) JSON() map[string]any { return map[string]any{"a": 1} }
func (named) String() string        { return "a named thing" }
func (bomb) HTML() string           { panic("boom") }

func TestRender(t *testing.T) {
	for _, c := range []struct {
		v    any
		rich bool
		want map[string]any
	}{
		{htmler{}, true, map[string]any{HTML: "<b>x</b>", Text: "text/html, 8 bytes"}},
		{named{}, true, map[string]any{SVG: "<svg/>", Text: "a named thing"}},
		{pnger{}, true, map[string]any{PNG: []byte("\x89PNG...."), Text: "image/png, 8 bytes"}},
		{latexr{}, true, map[string]any{Latex: "$x$", Text: "$x$"}},
		{jsoner{}, true, map[string]any{JSON: map[string]any{"a": 1}, Text: "application/json"}},
		{twice{}, true, map[string]any{HTML: "<b>x</b>", Latex: "$x$", Text: "$x$"}},
		{bomb{}, false, map[string]any{Text: "drawing a display.bomb panicked: boom"}},
		{"text", false, map[string]any{Text: "text"}},
		{nil, false, map[string]any{Text: "<nil>"}},
		{struct{ A int }{3}, false, map[string]any{Text: "{A:3}"}},
		{bytes.Repeat([]byte{7}, 1<<20), false, map[string]any{Text: "[]byte of length 1048576: 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 …"}},
		{context.Background(), false, map[string]any{Text: "context.Background"}},
	} {
		b, rich := Render(c.v)
		if rich != c.rich || fmt.Sprint(b.Data) != fmt.Sprint(c.want) {
			t.Errorf("%T: %v, rich %v; want %v, %v", c.v, b.Data, rich, c.want, c.rich)
		}
	}
	if b, _ := Render(strings.Repeat("é", 1<<20)); len(b.Data[Text].(string)) > textLimit+100 {
		t.Error("a long text is not cut")
	}
}

func TestImage(t *testing.T) {
	img := image.NewRGBA(image.Rect(2, 3, 32, 23))
	img.Set(4, 5, color.RGBA{200, 100, 50, 255})
	b, rich := Render(img)
	back, err := png.Decode(bytes.NewReader(b.Data[PNG].([]byte)))
	if err != nil || !rich {
		t.Fatal(err)
	}
	if r, g, bl, _ := back.At(2, 2).RGBA(); back.Bounds().Size() != image.Pt(30, 20) || r>>8 != 200 || g>>8 != 100 || bl>>8 != 50 {
		t.Errorf("the picture that came back is %v with %d %d %d", back.Bounds(), r>>8, g>>8, bl>>8)
	}
	if fmt.Sprint(b.Metadata[PNG]) != "map[height:20 width:30]" || b.Data[Text] != "picture, 30×20" {
		t.Errorf("metadata %v, text %v", b.Metadata, b.Data[Text])
	}
}

func TestRegister(t *testing.T) {
	type special struct{}
	Register(func(v any) (Bundle, bool) {
		_, ok := v.(special)
		return Bundle{Data: map[string]any{HTML: "special"}}, ok
	})
	if b, rich := Render(special{}); !rich || b.Data[HTML] != "special" {
		t.Errorf("got %v", b)
	}
}

func TestResult(t *testing.T) {
	for _, c := range []struct {
		values []Value
		want   string
	}{
		{nil, ""},
		{[]Value{{V: 42, Text: "42"}}, `{"text/plain":"42"}`},
		{[]Value{{V: 1, Text: "1"}, {V: "b", Text: `b`}}, `{"text/plain":"1 b"}`},
		{[]Value{{V: htmler{}, Text: "{}"}, {V: nil, Text: "<nil>"}}, `{"text/html":"<b>x</b>","text/plain":"text/html, 8 bytes"}`},
		{[]Value{{V: htmler{}, Text: "{}"}, {V: 2, Text: "2"}}, `{"text/plain":"{} 2"}`},
	} {
		m, r := manager(Options{})
		if err := m.Result(c.values); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range r.list() {
			var b bytes.Buffer
			e := json.NewEncoder(&b)
			e.SetEscapeHTML(false)
			e.Encode(s.content["data"])
			got += strings.TrimSpace(b.String())
			if s.msgType != "execute_result" || s.content["execution_count"] != 3.0 || s.cell != 7 {
				t.Errorf("%+v", s)
			}
		}
		if got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		m.Close()
	}
}

func TestBinaryIsBase64(t *testing.T) {
	m, r := manager(Options{})
	defer m.Close()
	m.ShowBundle(Bundle{Data: map[string]any{PNG: []byte{0, 255, 1}}}, "place")
	m.Update("place", Bundle{Data: map[string]any{Text: "later"}})
	m.Clear(true)
	got := r.list()
	if b := got[0].content["data"].(map[string]any)[PNG]; b != base64.StdEncoding.EncodeToString([]byte{0, 255, 1}) {
		t.Errorf("a picture is sent as %v", b)
	}
	if got[0].content["data"].(map[string]any)[Text] != "image/png, 3 bytes" {
		t.Errorf("text %v", got[0].content["data"])
	}
	for i, want := range []string{"display_data", "update_display_data"} {
		if got[i].msgType != want || fmt.Sprint(got[i].content["transient"]) != "map[display_id:place]" {
			t.Errorf("%d: %s %v", i, got[i].msgType, got[i].content["transient"])
		}
	}
	if got[2].msgType != "clear_output" || got[2].content["wait"] != true {
		t.Errorf("%+v", got[2])
	}
}

func TestSilent(t *testing.T) {
	m, r := manager(Options{})
	defer m.Close()
	m.Begin(Cell{ID: 1, Silent: true})
	m.Show(htmler{})
	m.Result([]Value{{V: 1, Text: "1"}})
	m.Clear(false)
	if n := len(r.list()); n != 0 {
		t.Errorf("%d messages of a silent cell", n)
	}
}
