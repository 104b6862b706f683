package datasets

import (
	"bytes"
	"image/png"
	"math"
	"strings"
	"testing"

	"trivium/core/tensor"
)

func TestShowPictures(t *testing.T) {
	x := tensor.New[float32](4, 6)
	copy(x.Data, []float32{0, 0.5, 1, 2, -1, float32(math.NaN())})
	s, err := New("tiny <b>", x, []int{1, 0, 1, 1}, []string{"a", "b&c"}, Image{2, 3, 1, false})
	if err != nil {
		t.Fatal(err)
	}
	data, meta := s.MIMEBundle()
	if got, want := data["text/plain"], "tiny <b>: 4 samples of 6 features (2×3 pixels), 2 classes: a 1, b&c 3"; got != want {
		t.Errorf("text\n%q, want\n%q", got, want)
	}
	h := data["text/html"].(string)
	if !strings.Contains(h, "tiny &lt;b&gt;") || !strings.Contains(h, "b&amp;c") || strings.Count(h, "data:image/png") != 2 {
		t.Errorf("html: %s", h)
	}
	m, err := png.Decode(bytes.NewReader(data["image/png"].([]byte)))
	if err != nil {
		t.Fatal(err)
	}
	// Sample 0 is the first of class b, whose strip begins below the 2 rows of class a and a gap.
	for i, want := range []uint32{0, 128, 255, 255, 0, 0} {
		r, _, _, a := m.At(i%3, 3+i/3).RGBA()
		if r>>8 != want || a != 0xffff {
			t.Errorf("pixel %d is %d, want %d", i, r>>8, want)
		}
	}
	if meta["image/png"].(map[string]any)["width"] != m.Bounds().Dx() {
		t.Errorf("metadata %v for %v", meta, m.Bounds())
	}
}

func TestShowOthers(t *testing.T) {
	nan := float32(math.NaN())
	inf := float32(math.Inf(1))
	odd, err := FromRows("odd", [][]float32{{nan, 1}, {inf, 2}, {3, -3e38}, {1, 3e38}}, []int{0, 1, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	wide, err := FromRows("wide", [][]float32{make([]float32, 30)}, []int{150})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Set{XOR(), Spirals(9000, 9, 0.1, 1), odd, wide, XOR().Slice(0, 0)} {
		data, _ := s.MIMEBundle()
		if text := data["text/plain"].(string); !strings.HasPrefix(text, s.Name()) || len(text) > 2000 {
			t.Errorf("text %q", text)
		}
		if h := data["text/html"].(string); len(h) > 100_000 {
			t.Errorf("%s: %d bytes of HTML", s.Name(), len(h))
		}
	}
	split := &Split{Train: XOR(), Test: XOR().Slice(0, 2)}
	data, _ := split.MIMEBundle()
	if h := data["text/html"].(string); !strings.Contains(h, "4 samples") || !strings.Contains(h, "2 samples") {
		t.Errorf("a split shows %s", h)
	}
}

func TestPlanesOrPixels(t *testing.T) {
	row := []float32{1, 0, 0, 0, 0, 1} // two pixels of three channels
	if c := (Image{1, 2, 3, false}).At(row, 1, 0); c.R != 0 || c.B != 255 {
		t.Errorf("pixel after pixel: %v", c)
	}
	if c := (Image{1, 2, 3, true}).At(row, 0, 0); c.R != 255 || c.G != 0 || c.B != 0 {
		t.Errorf("plane after plane: %v", c)
	}
}
