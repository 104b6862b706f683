package viz

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"trivium/core/run"
)

func TestDataFiguresTakeAnyInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	var big [][]float64
	for i := range 900 {
		big = append(big, make([]float64, 1000))
		big[i][i] = float64(i)
	}
	spans := func(s ...run.Span) *Figure {
		r := did("amp", func(*run.Trace) error { return nil })
		return newFigure(&timeline{[]Source{r}, func() []run.Span { return s }})
	}
	var none *run.Run
	for name, c := range map[string]struct {
		f    *Figure
		says string
	}{
		"heat of nothing":        {Heat("m", nil), "no cells"},
		"heat of empty rows":     {Heat("m", Rows{{}, {}}), "2 rows, 0 columns"},
		"heat of ragged rows":    {Heat("m", Rows{{1, 2}, {3}}), "of 4 values, 1 is NaN"},
		"heat of NaN":            {Heat("m", Rows{{nan, inf}}), "all 2 values"},
		"heat of one value":      {Heat("m", Rows{{7}}), "from 7 to 7"},
		"heat of huge values":    {Heat("m", Rows{{-math.MaxFloat64, math.MaxFloat64}}), "1×2"},
		"large heat":             {Heat("m", Rows(big)), "from 0 to 899"},
		"histogram of nothing":   {Histogram("h", nil), "no values to count"},
		"histogram of NaN":       {Histogram("h", []float64{nan, inf}), "all 2 values"},
		"histogram of one":       {Histogram("h", []float64{3}), "median 3"},
		"histogram of equals":    {Histogram("h", []float64{3, 3, 3, 3}).LogY(), "4 values"},
		"histogram of extremes":  {Histogram("h", []float64{-math.MaxFloat64, 0, math.MaxFloat64}), "3 values"},
		"scatter of nothing":     {Scatter("s", nil, nil), "no points"},
		"scatter of unequal":     {Scatter("s", []float64{1, 2}, []float64{3}), "2 values of x and 1 of y"},
		"scatter on log axes":    {Scatter("s", []float64{0, 1, nan}, []float64{1, 1, 1}).LogX().LogY(), "2 cannot be shown"},
		"timeline of nothing":    {Timeline(nil), "No run was given"},
		"timeline of nil":        {Timeline(none), "No run was given"},
		"timeline without work":  {spans(), "no spans"},
		"timeline of a failure":  {Timeline(run.Failed(run.Options{Name: "f"}, errors.New("no"))), "f failed: no"},
		"a span of no length":    {spans(run.Span{}), "worker 0: busy for 0"},
		"a span that ends early": {spans(run.Span{Start: 5, End: 3}, run.Span{Worker: -1, End: time.Hour}), "worker -1"},
	} {
		t.Run(name, func(t *testing.T) {
			if text, _ := bundle(t, c.f.Size(160, 100)); !strings.Contains(text, c.says) {
				t.Errorf("text %q does not say %q", text, c.says)
			}
		})
	}
}

// TestHeatKeepsOutliers: one large cell among a million is seen.
func TestHeatKeepsOutliers(t *testing.T) {
	m := make(Rows, 1000)
	for i := range m {
		m[i] = make([]float64, 1000)
	}
	m[123][456] = 5
	s, _ := Heat("m", m).snapshot()
	img := s.marks[0].(cells).img
	found := 0
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if img.NRGBAAt(x, y) == s.scale.at(5) {
				found++
			}
		}
	}
	if found != 1 {
		t.Errorf("the outlier is in %d cells, want 1", found)
	}
}

func TestHistogramCountsEachOnce(t *testing.T) {
	for _, values := range [][]float64{{1}, {1, 2, 3}, {0, 0, 0, 1}, {-5, 1e9, 1e9, 2}} {
		s, _ := Histogram("h", values).snapshot()
		sum := 0
		for _, k := range s.marks[0].(bars).counts {
			sum += k
		}
		if sum != len(values) {
			t.Errorf("%v: %d counted", values, sum)
		}
	}
}

// TestMergeKeepsTheTime: bars have the busy time of the spans they are made of.
func TestMergeKeepsTheTime(t *testing.T) {
	var spans []run.Span
	busy := 0.0
	for i := range 10000 {
		start := time.Duration(i) * time.Millisecond
		spans = append(spans, run.Span{Worker: i % 2, Start: start, End: start + 300*time.Microsecond})
		busy += 300e-6
	}
	bars := merge(spans, 0.05)
	got := 0.0
	for _, b := range bars {
		got += (b.end - b.start) * b.share
	}
	if math.Abs(got-busy) > 1e-9 || len(bars) > 500 {
		t.Errorf("%d bars of %v s, want %v s", len(bars), got, busy)
	}
}

func TestTable(t *testing.T) {
	with := func(name, rate string) *run.Run {
		r := run.Start(t.Context(), run.Options{Name: name, Settings: []run.Setting{{Name: "rate", Value: rate}, {Name: "batch", Value: "64"}}},
			func(_ context.Context, tr *run.Trace) (any, error) {
				tr.Sample("loss", 0, 0.5)
				return nil, nil
			})
		<-r.Done()
		return r
	}
	table := Table(with("a", "0.1"), with("b", "<1>"), run.Failed(run.Options{Name: "c"}, errors.New("no")), nil)
	<-table.Done()
	data, _ := table.MIMEBundle()
	text, page := data["text/plain"].(string), data["text/html"].(string)
	head := strings.Join(strings.Fields(strings.SplitN(text, "\n", 2)[0]), " ")
	// c has no batch, so the two that do not differ from each other differ from it.
	if head != "run rate batch state seconds loss" || !strings.Contains(text, "failed") || strings.Count(text, "0.5") < 2 {
		t.Errorf("text:\n%s", text)
	}
	if !strings.Contains(page, "<td>&lt;1&gt;</td>") || strings.Count(page, "<tr>") != 4 {
		t.Errorf("html: %s", page)
	}
	text = Table(with("a", "0.1"), with("b", "0.2")).String()
	if strings.Contains(text, "batch") || !strings.Contains(text, "rate") {
		t.Errorf("settings that do not differ are shown:\n%s", text)
	}
	if Table().String() == "" {
		t.Error("an empty table says nothing")
	}
}

func TestOf(t *testing.T) {
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		t.Fatal(err)
	}
	good, bad := plot.New(), plot.New()
	good.Add(line)
	bad.Add(line)
	bad.Y.Scale = plot.LogScale{} // panics on the zero when drawn
	for name, c := range map[string]struct {
		v    any
		says string
	}{
		"run":                {sampled(1, 2), "Residual norm"},
		"runs":               {[]*run.Run{sampled(1), sampled(2)}, "2 curves"},
		"run of nothing":     {sampled(), "state"},
		"slice":              {[]float64{1, 2}, "2 values"},
		"ints":               {[]int{1, 2, 3}, "3 values, 1 → 3"},
		"matrix":             {[][]float64{{1}, {2}}, "2×1"},
		"grid":               {waves{3, 4}, "3×4"},
		"gonum's plot":       {good, "Plot"},
		"a plot that panics": {bad, "could not be drawn"},
		"figure":             {Lines("y", nil, nil), "no values"},
	} {
		v, ok := Of(c.v)
		if !ok {
			t.Errorf("%s: no picture", name)
			continue
		}
		data, _ := v.MIMEBundle()
		if text := data["text/plain"].(string); !strings.Contains(text, c.says) {
			t.Errorf("%s: text %q does not say %q", name, text, c.says)
		}
	}
	var none *run.Run
	for _, v := range []any{nil, 1, "text", none, (*plot.Plot)(nil)} {
		if f, ok := Of(v); ok {
			t.Errorf("%T gave a %T", v, f)
		}
	}
}
