package viz

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"trivium/core/run"
	"trivium/core/tensor"
	"trivium/datasets"
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
		"heat of no matrix":      {Heat("m", "text"), "a string is no matrix"},
		"heat of a nil matrix":   {Heat("m", (*nilGrid)(nil)), "no cells"},
		"log heat of zeros":      {Heat("m", Rows{{0, -1}}).LogColor(), "2 are not positive"},
		"log heat of one":        {Heat("m", Rows{{1e-300, 0}}).LogColor(), "1 is not positive"},
		"log heat of extremes":   {Heat("m", Rows{{math.SmallestNonzeroFloat64, math.MaxFloat64}}).LogColor(), "1×2"},
		"engine's matrix":        {Heat("m", tensor.Of(1, 2, []float32{3, 4})), "from 3 to 4"},
		"confusion of nothing":   {Confusion(nil, nil, nil), "no samples"},
		"confusion of unequal":   {Confusion(nil, []int{0, 1, 1}, []int{0, 1}), "3 labels and 2 predictions"},
		"confusion of unknown":   {Confusion([]string{"a"}, []int{0, 7, -1}, []int{0, 0, 0}), "2 are of no known class"},
		"confusion, all unknown": {Confusion([]string{"a"}, []int{9}, []int{9}), "1 is of no known class"},
		"confusion of many":      {Confusion(nil, []int{1 << 40, 3}, []int{0, 3}), "1 is of no known class"},
		"confusion of negatives": {Confusion(nil, []int{-1}, []int{-1}), "of no known class"},
		"samples of nil":         {Samples(nil, nil), "No samples were given"},
		"samples of a nil set":   {Samples((*datasets.Set)(nil), nil), "No samples were given"},
		"samples of none":        {Samples(set(), nil), "has no samples"},
		"samples without values": {Samples(set([]float32{}), nil), "1 of 1"},
		"samples of NaN":         {Samples(set([]float32{float32(nan), 1, 2}), nil), "1 of 1"},
		"odd predictions":        {Samples(set([]float32{1}, []float32{2}), []int{99}), "0 → 99"},
		"no mistakes":            {Mistakes(set([]float32{1}), []int{0}), "No mistakes"},
		"mistakes of nothing":    {Mistakes(set([]float32{1}), nil), "No predictions were given"},
		"mistakes, none given":   {Mistakes(set([]float32{1}), []int{}), "no predictions"},
		"weights of nothing":     {Weights("w"), "no weights"},
		"weights of nil":         {Weights("w", nil, nil), "no weights"},
		"weights of text":        {Weights("w", "a"), "a string is no matrix"},
		"weights of NaN":         {Weights("w", Rows{{nan}}), "all 1 value"},
		"weights of two sizes":   {Weights("w", Rows{{1, 2}}, Rows{{3}, {4}}), "2 tiles"},
		"weights of many":        {Weights("w", Rows(big)), "The first 128 of 512"},
		"gradients of nothing":   {Gradients(nil), "No runs were given"},
		"gradients not recorded": {Gradients(sampled(1, 2)), "has no series"},
		"landscape of nil":       {Landscape("l", nil), "no surface"},
		"landscape of nothing":   {Landscape("l", &sampledSurface{}), "no surface"},
		"landscape, torn":        {Landscape("l", &sampledSurface{[]float64{0, 1}, []float64{0, 1}, [][]float64{{1, 2}, {1}}}), "row 1 has 1 values"},
		"landscape, unordered":   {Landscape("l", &sampledSurface{[]float64{1, 1}, []float64{0, 1}, [][]float64{{1, 2}, {1, 2}}}), "must ascend"},
		"landscape of NaN":       {Landscape("l", &sampledSurface{[]float64{0, 1}, []float64{0, 1}, [][]float64{{nan, nan}, {inf, nan}}}), "all 4 values"},
		"flat landscape":         {Function("f", 0, 1, 0, 1, func(x, y float64) float64 { return 0 }), "from 0"},
		"function of holes":      {Function("f", -1, 1, -1, 1, func(x, y float64) float64 { return 1 / math.Max(0, x) }), "infinite"},
		"no function":            {Function("f", 0, 1, 0, inf, nil), "a function and four"},
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

type nilGrid struct{}

func (*nilGrid) Dims() (rows, cols int)  { panic("asked") }
func (*nilGrid) At(row, col int) float64 { panic("asked") }

// set is samples of one class.
func set(rows ...[]float32) SampleSet { return rowSet(rows) }

type rowSet [][]float32

func (s rowSet) Len() int            { return len(s) }
func (s rowSet) Row(i int) []float32 { return s[i] }
func (s rowSet) Label(int) int       { return 0 }
func (s rowSet) Classes() []string   { return nil }

// TestConfusionCounts each sample once, at its row and column.
func TestConfusionCounts(t *testing.T) {
	s, _ := Confusion([]string{"a", "b", "c"}, []int{0, 0, 1, 2, 2, 2}, []int{0, 1, 1, 0, 2, 0}).snapshot()
	got := s.marks[0].(shares).counts
	want := [][]int{{1, 1, 0}, {0, 1, 0}, {2, 0, 1}}
	if !reflect.DeepEqual(got, want) || s.details[0] != "50 % right" || s.details[1] != "c taken for a: 2" {
		t.Errorf("counts %v, %v", got, s.details)
	}
}

// TestLevelLines: those of x²+y² are circles. Linear interpolation on a grid of distance h
// is off by at most h²/8 times the second derivative, 2, of the function.
func TestLevelLines(t *testing.T) {
	f := Function("f", -2, 2, -2, 2, func(x, y float64) float64 { return x*x + y*y })
	x, y, v := f.content.(landscape).of.Grid()
	h := x[1] - x[0]
	length := 0.0
	for _, s := range segments(x, y, v, 1) {
		for _, p := range s {
			if d := math.Abs(p.x*p.x + p.y*p.y - 1); d > h*h/4+1e-12 {
				t.Fatalf("(%v, %v) is off the circle by %v", p.x, p.y, d)
			}
		}
		length += math.Hypot(s[0].x-s[1].x, s[0].y-s[1].y)
	}
	if math.Abs(length-2*math.Pi) > 0.02 {
		t.Errorf("a circle of length %v, want %v", length, 2*math.Pi)
	}
	// A saddle: x·y at level 0+ has two branches, in the first and third quadrant.
	for _, s := range segments([]float64{-1, 1}, []float64{-1, 1}, [][]float64{{1, -1}, {-1, 1}}, 0.1) {
		if mid := (s[0].x + s[1].x) * (s[0].y + s[1].y); mid <= 0 {
			t.Errorf("a branch in the wrong quadrant: %v", s)
		}
	}
}

// TestReach against looking at all values.
func TestReach(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, up := range []bool{false, true} {
		var values []float64
		r := did("r", func(tr *run.Trace) error {
			for k := range 3000 {
				v := math.Exp(-float64(k)/1000) + 0.1*rng.NormFloat64()
				if k%50 == 7 {
					v = math.NaN()
				}
				values = append(values, v)
				tr.Sample("s", float64(k), v)
			}
			return nil
		})
		e := &reach{up: up}
		e.update(r.Trace(), "s")
		for _, target := range []float64{2, 1, 0.7, 0.3, 0.05, -0.1, -5} {
			want := -1
			for k, v := range values {
				if up && v >= target || !up && v <= target {
					want = k
					break
				}
			}
			p, ok := e.at(target)
			if ok != (want >= 0) || ok && p.Step != float64(want) {
				t.Errorf("up %v: %v is reached at %v %v, want %d", up, target, p.Step, ok, want)
			}
		}
	}
}

func TestReachOfMillions(t *testing.T) {
	r := did("r", func(tr *run.Trace) error {
		for k := range 200000 {
			tr.Sample("s", float64(k), -float64(k))
		}
		return nil
	})
	e := &reach{}
	e.update(r.Trace(), "s")
	if p, ok := e.at(-150000); len(e.records) > mostRecords+1 || !ok || p.Step < 150000 || p.Step > 150016 {
		t.Errorf("%d records, reached at %v", len(e.records), p.Step)
	}
}

// TestCompareTells by when each run came to a target.
func TestCompareTells(t *testing.T) {
	slow := did("slow", func(tr *run.Trace) error {
		for k, v := range []float64{1, 0.5, 0.2, 0.1} {
			tr.Work(1e9)
			tr.Sample("loss", float64(k), v)
			tr.Sample("accuracy", float64(k), 1-v)
		}
		return nil
	})
	quick := did("quick", func(tr *run.Trace) error {
		for k, v := range []float64{1, 0.2} {
			tr.Work(3e9)
			tr.Sample("loss", float64(k), v)
			tr.Sample("accuracy", float64(k), 1-v)
		}
		return nil
	})
	for want, f := range map[string]*Figure{
		"loss down to 0.2 after: quick 1 step, slow 2 steps (×2)":                           Compare(slow, quick),
		"loss down to 0.2 after: slow 3 Gflop, quick 6 Gflop (×2)":                          Compare(slow, quick),
		"loss down to 0.1 after: slow 3 steps, quick not reached":                           Compare(slow, quick).Target(0.1),
		"accuracy up to 0.5 after: quick 1 step, slow 1 step":                               Compare(quick, slow).Series("accuracy").Target(0.5),
		"no run has reached 0.01 yet":                                                       Compare(slow).Target(0.01),
		"Accuracy in the last test: slow 90.00 %, quick 80.00 % (-10.00 points) at step 1.": Compare(slow, quick),
		"no series \"nothing\"":                                                             Compare(slow).Series("nothing"),
	} {
		text, _ := bundle(t, f)
		if !strings.Contains(text, want) {
			t.Errorf("text %q does not say %q", text, want)
		}
	}
}

// TestNoWork: a run that recorded no work is not drawn over it as if it had done none.
func TestNoWork(t *testing.T) {
	f := Compare(sampled(3, 2, 1), sampled(3, 1))
	text, _ := bundle(t, f)
	s, _ := f.snapshot()
	if len(s.panels) != 2 || !strings.Contains(text, "No work was recorded.") || !strings.Contains(text, "over steps and seconds,") {
		t.Errorf("%d panels; text %q", len(s.panels), text)
	}
	if text, _ := bundle(t, Curves("loss", sampled(3, 2, 1)).X(Work)); !strings.Contains(text, "has recorded no work") {
		t.Errorf("curves over work: %q", text)
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
