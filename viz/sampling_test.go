package viz

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// study is a sampling study of known numbers.
type study struct{ err error }

func (s study) Names() []string {
	return []string{"top-k", "Bernoulli", "with replacement", "exact"}
}

func (s study) Curve(name string) (kept, measured, low, high, theory []float64) {
	for i, k := range []float64{0.1, 0.25, 0.5} {
		base := map[string]float64{"top-k": 0.5, "Bernoulli": 2, "with replacement": 3}[name]
		v := base / (1 + 8*float64(i))
		kept, theory = append(kept, k), append(theory, v)
		measured, low, high = append(measured, 1.05*v), append(low, 0.85*v), append(high, 1.25*v)
	}
	return kept, measured, low, high, theory
}

func (s study) About() string { return "30×100 times 100×30, 400 trials" }
func (s study) Err() error    { return s.err }

// draws is a record in which the drawn pairs move.
type draws struct{ names []string }

func (d draws) Series() []string { return d.names }

func (d draws) Drawn(name string) (often [][]float64, pairs int, first, last float64) {
	if len(d.names) == 0 {
		return nil, 0, 0, 0
	}
	for i := range 100 {
		row := make([]float64, 120)
		for j := range row {
			row[j] = 1 / (1 + math.Exp(float64(i-30)/6-float64(j)/40+3*math.Sin(float64(i*len(name)))))
		}
		often = append(often, row)
	}
	return often, 400, 0, 959
}

func (d draws) Share(name string) (steps, share []float64) {
	for i := range 120 {
		steps = append(steps, float64(8*i))
		share = append(share, 1/(1.2+0.01*float64(i*len(name)%7)+float64(i)/float64(20+4*len(name))))
	}
	return steps, share
}

func init() {
	names := []string{"dense3 weight gradient", "dense2 forward", "dense1 forward"}
	goldens["sampling-error"] = func() *Figure { return SamplingError(study{}) }
	goldens["kept"] = func() *Figure { return Kept(draws{names}) }
	goldens["kept-of"] = func() *Figure { return KeptOf(draws{names}, "dense3 weight gradient") }
	goldens["budget"] = func() *Figure { return Budget(draws{names}) }
}

func TestSamplingFiguresSayWhatIsWrong(t *testing.T) {
	var none *study
	for want, f := range map[string]*Figure{
		"crs: keep is 3":             SamplingError(study{err: errors.New("crs: keep is 3")}),
		"No study was given":         SamplingError(none),
		"No record was given":        Kept(nil),
		"Nothing has been drawn":     Kept(draws{}),
		"There is no product \"x\"":  KeptOf(draws{}, "x"),
		"Nothing has been drawn yet": Budget(draws{}),
	} {
		if want == "There is no product \"x\"" {
			f = KeptOf(nothingOf{draws{[]string{"dense1 forward"}}}, "x")
		}
		if got := fmt.Sprint(f); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		if _, err := f.PNG(1); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// nothingOf has series without draws.
type nothingOf struct{ draws }

func (nothingOf) Drawn(string) ([][]float64, int, float64, float64) { return nil, 0, 0, 0 }

func TestSamplingErrorInWords(t *testing.T) {
	got := fmt.Sprint(SamplingError(study{}))
	for _, want := range []string{"30×100 times 100×30", "Bernoulli: 2.1 measured, 2 by theory at 0.1", "Of 12 errors, 3 are zero"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}
