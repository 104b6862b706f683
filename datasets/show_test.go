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

func TestShowBatch(t *testing.T) {
	set := Blobs(90, 3, 0.1, 1)
	batches := set.Batches(40).Shuffled(7)
	if got, want := batches.String(), "3 blobs of 90 points: 90 samples in 3 batches of 40, the last of 10, shuffled by seed 7"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	b := batches.At(2)
	data, _ := b.MIMEBundle()
	text, html := data["text/plain"].(string), data["text/html"].(string)
	if want := "3 blobs of 90 points: a batch of 10 samples of 2 features; classes "; !strings.HasPrefix(text, want) || strings.Count(text, ", ") != 9 {
		t.Errorf("got %q, want %q and ten classes", text, want)
	}
	if !strings.Contains(html, "3 blobs of 90 points, a batch: 10 samples") || !strings.Contains(html, "data:image/png") {
		t.Errorf("html: %.300s", html)
	}
	// What somebody put together or changed is told in text.
	for _, b := range []Batch{{X: b.X, Labels: b.Labels}, {X: b.X, Labels: b.Labels[:3], of: set}, {X: b.X, Labels: []int{9, 0, 0, 0, 0, 0, 0, 0, 0, -1}, of: set}} {
		data, _ := b.MIMEBundle()
		if text := data["text/plain"].(string); !strings.Contains(text, "samples of 2 features; classes") || data["text/html"] != nil {
			t.Errorf("%v", data)
		}
	}
}

func TestSplitOfSet(t *testing.T) {
	s := Blobs(90, 3, 0.1, 1).Split(0.2, 5)
	if got, want := s.String(), "3 blobs of 90 points, training: 72 samples of 2 features, 3 classes: 0 24, 1 24, 2 24\n"+
		"3 blobs of 90 points, test: 18 samples of 2 features, 3 classes: 0 6, 1 6, 2 6"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	x, labels := XOR().TrainData()
	none, no := XOR().TestData()
	if x.Rows != 4 || len(labels) != 4 || none.Rows != 0 || no != nil {
		t.Errorf("a set has %d samples, %d labels to train with, %d and %d to test", x.Rows, len(labels), none.Rows, len(no))
	}
}
