package viz

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"trivium/core/run"
)

// wellFormed checks that an SVG is XML, that its ids are each used once, and that no
// coordinate is NaN or infinite.
func wellFormed(t *testing.T, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	ids := map[string]bool{}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("not XML: %v", err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range e.Attr {
			if a.Name.Local == "id" {
				if ids[a.Value] {
					t.Errorf("id %q twice", a.Value)
				}
				ids[a.Value] = true
			}
			if a.Name.Local != "href" && (strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf")) {
				t.Errorf("%s of %s is %q", a.Name.Local, e.Name.Local, a.Value)
			}
		}
	}
	if len(ids) != 2 {
		t.Errorf("ids %v, want those of title and desc", ids)
	}
}

// bundle checks what every figure must give, whatever it is made of, and returns its
// text and SVG.
func bundle(t *testing.T, f *Figure) (text, svg string) {
	t.Helper()
	data, meta := f.MIMEBundle()
	text, _ = data["text/plain"].(string)
	svg, _ = data["image/svg+xml"].(string)
	if strings.TrimSpace(text) == "" || !strings.HasPrefix(svg, "<svg ") {
		t.Fatalf("text %q, svg %.40q", text, svg)
	}
	wellFormed(t, svg)
	if img, ok := data["image/png"].([]byte); ok {
		c, err := png.DecodeConfig(bytes.NewReader(img))
		size, _ := meta["image/png"].(map[string]any)
		if err != nil || c.Width != 2*size["width"].(int) || c.Height != 2*size["height"].(int) {
			t.Errorf("png of %v×%v for %v: %v", c.Width, c.Height, size, err)
		}
	}
	if strings.Contains(text, "could not be") || strings.Contains(text, "panic") {
		t.Errorf("text: %s", text)
	}
	return text, svg
}

func sampled(values ...float64) *run.Run {
	return did("s", func(t *run.Trace) error {
		for k, v := range values {
			t.Sample("loss", float64(k), v)
			t.Sample("residual", float64(k), v)
		}
		return nil
	})
}

// TestAnyInput is the promise that no input makes a figure panic or come out without a
// sentence that says what is there.
func TestAnyInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	var none *run.Run
	sources := map[string]struct {
		sources []Source
		says    string
	}{
		"no runs":        {nil, "No runs were given"},
		"nil runs":       {[]Source{nil, none}, "No runs were given"},
		"no data":        {[]Source{sampled()}, "has no series"},
		"one point":      {[]Source{sampled(1)}, "1 value, 1"},
		"one zero":       {[]Source{sampled(0)}, "1 value"},
		"equal":          {[]Source{sampled(2, 2, 2)}, "3 values, 2 → 2"},
		"all NaN":        {[]Source{sampled(nan, nan)}, "all 2 values"},
		"all infinite":   {[]Source{sampled(inf, -inf)}, "all 2 values"},
		"all zero":       {[]Source{sampled(0, 0, 0)}, "3 values"},
		"some of each":   {[]Source{sampled(1, nan, 0, -1, inf, 1e-300, 1e300)}, "of 7 values"},
		"greatest":       {[]Source{sampled(math.MaxFloat64, -math.MaxFloat64, 1)}, "3 values"},
		"smallest":       {[]Source{sampled(math.SmallestNonzeroFloat64, 0)}, "2 values"},
		"failed at once": {[]Source{run.Failed(run.Options{Name: "m"}, errors.New("rate < 0 & <so on>\x00"))}, "m failed: rate < 0"},
		"odd name":       {[]Source{did("<b>\"&\n\x1b", func(t *run.Trace) error { t.Sample("loss", 1, 1); return nil })}, "value"},
		"many runs": {func() (s []Source) {
			for i := range 30 {
				s = append(s, did(strings.Repeat("long name ", 9)+fmt.Sprint(i), func(t *run.Trace) error { t.Sample("loss", 1, 1); return nil }))
			}
			return s
		}(), "30 curves"},
	}
	for name, c := range sources {
		for kind, make := range map[string]func() *Figure{
			"curves":    func() *Figure { return Curves("loss", c.sources...) },
			"log":       func() *Figure { return Curves("loss", c.sources...).LogY().LogX().X(Work) },
			"smooth":    func() *Figure { return Curves("loss", c.sources...).Smooth(0.9).X(Seconds) },
			"residuals": func() *Figure { return Residuals(c.sources...) },
			"compare":   func() *Figure { return Compare(c.sources...) },
			"small":     func() *Figure { return Curves("loss", c.sources...).Size(1, -5) },
			"large":     func() *Figure { return Residuals(c.sources...).Size(500, 10).Title(strings.Repeat("title ", 80)) },
		} {
			t.Run(name+"/"+kind, func(t *testing.T) {
				f := make()
				if f.set.w == usualWidth {
					f.Size(160, 100) // PNGs take most of the time
				}
				text, _ := bundle(t, f)
				if kind == "curves" && !strings.Contains(text, c.says) {
					t.Errorf("text %q does not say %q", text, c.says)
				}
			})
		}
	}
}

func TestSizes(t *testing.T) {
	r := sampled(1, 2, 3)
	for _, size := range [][2]int{{0, 0}, {-1, -1}, {1, 1}, {160, 100}, {640, 100}, {100, 900}} {
		_, svg := bundle(t, Curves("loss", r).Title("title").Size(size[0], size[1]))
		if size[0] == 0 && !strings.Contains(svg, `width="640" height="400"`) {
			t.Errorf("size 0: %.120s", svg)
		}
	}
	_, svg := bundle(t, Curves("loss").Size(1<<30, 1<<30))
	if !strings.Contains(svg, `width="4000"`) {
		t.Errorf("%.120s", svg)
	}
}

func TestPlainData(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		f    *Figure
		says string
	}{
		"nothing":   {Lines("y", nil, nil), "no values"},
		"no x":      {Lines("y", nil, []float64{1, 2}), "2 values, 1 → 2"},
		"unequal":   {Lines("y", []float64{1, 2, 3}, []float64{1, 2}), "3 values of x and 2 of y"},
		"NaN in x":  {Lines("y", []float64{1, nan, 3}, []float64{1, 2, 3}), "of 3 values, 1 is NaN"},
		"unordered": {Lines("y", []float64{3, 1, 2}, []float64{1, 2, 3}), "3 values"},
		"two":       {Lines("a", nil, []float64{1}).And("b", nil, []float64{2}), "2 curves"},
	} {
		t.Run(name, func(t *testing.T) {
			if text, _ := bundle(t, c.f); !strings.Contains(text, c.says) {
				t.Errorf("text %q does not say %q", text, c.says)
			}
		})
	}
}

// TestLive follows a figure from before the first sample to after the last.
func TestLive(t *testing.T) {
	next := make(chan int)
	sent := make(chan struct{})
	r := run.Start(context.Background(), run.Options{Name: "live"}, func(ctx context.Context, tr *run.Trace) (any, error) {
		for v := range next {
			tr.Sample("loss", float64(v), float64(v))
			sent <- struct{}{}
		}
		return nil, nil
	})
	f := Curves("loss", r)
	if text, _ := bundle(t, f); !strings.Contains(text, `no "loss" yet`) {
		t.Errorf("before the first sample: %s", text)
	}
	version := f.Version()
	for v := 1; v <= 3; v++ {
		next <- v
		<-sent
		if f.Version() <= version {
			t.Errorf("version %d after a sample, was %d", f.Version(), version)
		}
		version = f.Version()
		text, svg := bundle(t, f)
		if want := plural(v, "value"); !strings.Contains(text, want) || !strings.Contains(text, "running") {
			t.Errorf("text %q does not say %q", text, want)
		}
		if data, _ := f.MIMEBundle(); data["image/png"] != nil {
			t.Error("a PNG in a frame that is not the last")
		}
		_ = svg
	}
	select {
	case <-f.Done():
		t.Error("done while the run goes on")
	default:
	}
	close(next)
	<-f.Done()
	if f.Version() <= version {
		t.Error("the end of the run is no news")
	}
	if data, _ := f.MIMEBundle(); data["image/png"] == nil || !strings.Contains(data["text/plain"].(string), "done") {
		t.Errorf("last frame: %v", data["text/plain"])
	}
}

// TestNewSettings: a change of axes draws all points again, over what was asked for.
func TestNewSettings(t *testing.T) {
	r := did("r", func(t *run.Trace) error {
		for k := range 50 {
			t.Work(3e9)
			t.Sample("loss", float64(k), float64(k%10))
		}
		return nil
	})
	f := Curves("loss", r)
	before := f.Version()
	a := f.String()
	b := f.X(Work).LogY().String()
	if f.Version() == before || !strings.Contains(a, "over step") || !strings.Contains(b, "over work (Gflop)") || !strings.Contains(b, "5 are not positive") {
		t.Errorf("%s\n%s", a, b)
	}
	if c := f.X(Steps).LinearY().String(); c != a {
		t.Errorf("there and back: %q, want %q", c, a)
	}
}

func TestSmooth(t *testing.T) {
	values := []float64{1, 5, 2, math.NaN(), 8, 3}
	const w = 0.6
	st := &curveState{key: axesKey{smooth: w}, raw: newThinner(99, false, false), mean: newThinner(99, false, false)}
	for i, v := range values {
		st.smooth(float64(i), v)
		// The definition: the mean of all values so far, weighted by w to the power of age.
		sum, weight, age := 0.0, 0.0, 0
		for j := i; j >= 0; j-- {
			if math.IsNaN(values[j]) {
				continue
			}
			sum += math.Pow(w, float64(age)) * values[j]
			weight += math.Pow(w, float64(age))
			age++
		}
		if got, want := st.mean.last.y, sum/weight; math.Abs(got-want) > 1e-12 {
			t.Errorf("after %d values: %v, want %v", i+1, got, want)
		}
	}
	if st.mean.notFin != 1 {
		t.Errorf("%d gaps, want 1", st.mean.notFin)
	}
}

// TestManyAtOnce is for the race detector: a figure is drawn, changed and grown at once.
func TestManyAtOnce(t *testing.T) {
	r := run.Start(context.Background(), run.Options{Name: "r"}, func(ctx context.Context, tr *run.Trace) (any, error) {
		for k := 0; run.Gate(ctx) == nil; k++ {
			tr.Sample("loss", float64(k), math.Sin(float64(k)/100))
			if k%100 == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		return nil, nil
	})
	f, g := Curves("loss", r), Residuals(r)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for k := range 4 {
				f.Smooth(float64(k) / 5).X(X(i % 3)).LogY()
				f.MIMEBundle()
				g.MIMEBundle()
				f.Version()
				f.Done()
			}
		})
	}
	wg.Wait()
	r.Stop()
	<-f.Done()
}

func TestSameColourInEveryFigure(t *testing.T) {
	a, b, c := sampled(1, 2), sampled(2, 1), sampled(3, 3)
	colour := func(f *Figure, i int) ink {
		s, _ := f.snapshot()
		return s.keys[i].look.color
	}
	first := colour(Curves("loss", a, b, c), 1)
	if got := colour(Residuals(b), 0); got != first {
		t.Errorf("the same run is %v and %v", first, got)
	}
	if got := colour(Curves("loss", c, b), 0); got == first {
		t.Error("two runs have one colour")
	}
	var many []Source
	for range 2 * len(palette) {
		many = append(many, sampled(1, 2))
	}
	s, _ := Curves("loss", many...).snapshot()
	seen := map[string]bool{}
	for _, k := range s.keys {
		id := fmt.Sprint(k.look)
		if seen[id] {
			t.Errorf("two curves look alike: %v", k.look)
		}
		seen[id] = true
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	f := Curves("loss", sampled(1, 2, 3))
	for ext, begins := range map[string]string{".svg": "<svg ", ".png": "\x89PNG", ".PDF": "%PDF-"} {
		path := filepath.Join(dir, "f"+ext)
		if err := Save(path, f); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(data), begins) {
			t.Errorf("%s begins with %.8q, %v", path, data, err)
		}
	}
	if err := Save(filepath.Join(dir, "f.bmp"), f); err == nil || !strings.Contains(err.Error(), ".svg, .png or .pdf") {
		t.Errorf("unknown ending: %v", err)
	}
	if err := Save(filepath.Join(dir, "absent", "f.svg"), f); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such directory: %v", err)
	}
	if err := Save("x.svg", nil); err == nil {
		t.Error("a nil figure was saved")
	}
}
