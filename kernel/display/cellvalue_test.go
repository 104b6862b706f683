package display

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"trivium/kernel/symbols/box"
)

// cellValue is a value as the evaluator gives it, of a type with these methods.
func cellValue(v any, methods map[string]any) any {
	return box.Obj{D: &box.Desc{Name: "main.T", Methods: methods}, V: v}
}

func TestCellValuesShowThemselves(t *testing.T) {
	text := func(s string) func(any) string { return func(v any) string { return fmt.Sprint(s, v) } }
	for name, c := range map[string]struct {
		methods map[string]any
		want    map[string]any
	}{
		"HTML":       {map[string]any{"HTML": text("<b>")}, map[string]any{HTML: "<b>7", Text: "text/html, 4 bytes"}},
		"two":        {map[string]any{"SVG": text("s"), "PNG": func(any) []byte { return []byte{1} }}, map[string]any{SVG: "s7", PNG: []byte{1}, Text: "image/png, 1 bytes"}},
		"JSON":       {map[string]any{"JSON": func(any) map[string]any { return map[string]any{"a": 1} }}, map[string]any{JSON: map[string]any{"a": 1}, Text: "application/json"}},
		"bundle":     {map[string]any{"MIMEBundle": func(v any) (map[string]any, map[string]any) { return map[string]any{Latex: "$x$"}, nil }}, map[string]any{Latex: "$x$", Text: "$x$"}},
		"simple":     {map[string]any{"SimpleRender": func(any) map[string]any { return map[string]any{HTML: "h", Text: "t"} }}, map[string]any{HTML: "h", Text: "t"}},
		"render":     {map[string]any{"Render": func(any) still { return still{} }}, map[string]any{HTML: "fig", Text: "text/html, 3 bytes"}},
		"page":       {map[string]any{"WriteTo": writes("<!DOCTYPE html><p>", nil)}, map[string]any{HTML: "<!DOCTYPE html><p>", Text: "text/html, 18 bytes"}},
		"text":       {map[string]any{"WriteTo": writes("words", nil)}, map[string]any{Text: "words"}},
		"broken":     {map[string]any{"WriteTo": writes("", errors.New("no ink"))}, map[string]any{Text: "value that could not be written: no ink"}},
		"other name": {map[string]any{"Render": func(any) int { panic("called") }}, nil},
		"other type": {map[string]any{"HTML": func(any, int) string { panic("called") }}, nil},
		"reader":     {map[string]any{"WriteTo": writes("<html>", nil), "Read": 1}, nil},
	} {
		b, rich := Render(cellValue(7, c.methods))
		if c.want == nil {
			if rich {
				t.Errorf("%s: shown as %v", name, b.Data)
			}
			continue
		}
		if !rich || fmt.Sprint(b.Data) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, rich %v; want %v", name, b.Data, rich, c.want)
		}
	}
	b, rich := Render(cellValue(7, map[string]any{"HTML": func(any) string { panic("boom") }}))
	if rich || b.Data[Text] != "drawing a main.T panicked: boom" {
		t.Errorf("a panic gives %v", b.Data)
	}
}

type still struct{}

func (still) MIMEBundle() (data, metadata map[string]any) { return map[string]any{HTML: "fig"}, nil }

func writes(s string, err error) func(any, io.Writer) (int64, error) {
	return func(_ any, w io.Writer) (int64, error) {
		n, werr := io.WriteString(w, s)
		return int64(n), errors.Join(err, werr)
	}
}

func TestCellPicture(t *testing.T) {
	b, rich := Render(cellValue(9, map[string]any{
		"ColorModel": func(any) color.Model { return color.GrayModel },
		"Bounds":     func(any) image.Rectangle { return image.Rect(0, 0, 3, 2) },
		"At":         func(v any, x, y int) color.Color { return color.Gray{uint8(v.(int) + x)} },
	}))
	back, _, err := image.Decode(bytes.NewReader(b.Data[PNG].([]byte)))
	if err != nil || !rich || back.Bounds().Size() != image.Pt(3, 2) || back.At(2, 1) != (color.Gray{11}) {
		t.Errorf("%v %v %v", rich, err, b)
	}
}

func TestLiveCellValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, r := manager(Options{})
		done := make(chan struct{})
		drawn := 0
		if err := m.Show(cellValue(nil, map[string]any{
			"HTML": func(any) string { drawn++; return fmt.Sprint("frame ", drawn) },
			"Done": func(any) <-chan struct{} { return done },
		})); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		close(done)
		synctest.Wait()
		m.Close()
		all := r.list()
		if len(all) < 4 || all[0].msgType != "display_data" || all[len(all)-1].msgType != "update_display_data" {
			t.Fatalf("%d messages: %v", len(all), all)
		}
		if got := all[len(all)-1].content["data"].(map[string]any)[HTML]; got != fmt.Sprint("frame ", len(all)) {
			t.Errorf("the last frame is %v of %d", got, len(all))
		}
	})
}

func TestWriters(t *testing.T) {
	buf := bytes.NewBufferString("%PDF-1.7 …")
	b, rich := Render(buf)
	if fmt.Sprintf("%s", b.Data[PDF]) != "%PDF-1.7 …" || b.Data[Text] != "application/pdf, 12 bytes" || !rich || buf.Len() != 12 {
		t.Errorf("a buffer: %v %v, %d bytes are left", b.Data, rich, buf.Len())
	}
	if b, rich := Render(bytes.NewBufferString("words")); rich || b.Data[Text] != "words" {
		t.Errorf("a buffer of text: %v %v", b, rich)
	}
	s := strings.NewReader("<html>")
	if Render(s); s.Len() != 6 {
		t.Error("showing a reader has read it")
	}
	endless := cellValue(nil, map[string]any{"WriteTo": func(_ any, w io.Writer) (int64, error) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return 0, err
			}
		}
	}})
	if b, _ := Render(endless); !strings.Contains(b.Data[Text].(string), "more than can be shown") {
		t.Errorf("an endless value: %.200v", b.Data[Text])
	}
}

func TestSniff(t *testing.T) {
	for data, want := range map[string]string{
		"\x89PNG\r\n\x1a\nxx": PNG, "\xff\xd8\xff\xe0": JPEG, "GIF89a": GIF, "%PDF-1.4": PDF,
		"  <svg xmlns=": SVG, "<?xml version='1.0'?>\n<svg ": SVG, "<?xml version='1.0'?><a/>": Text,
		"<HTML>": HTML, "plain": Text, "\xfe\x00": "", "a\x00b": "", "": Text,
	} {
		if got := Sniff([]byte(data)); got != want {
			t.Errorf("%q is %q, want %q", data, got, want)
		}
	}
}
