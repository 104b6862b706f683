package viz

import (
	"errors"
	"math"
	"strings"
	"testing"

	"trivium/core/run"
)

// multigridRun has the series of an iteration over n steps on levels, coarsened by m each time: the
// errors fall by factor in a cycle and more at high frequencies, and what is exact grows from the left.
func multigridRun(name string, n, m, levels, cycles int, up bool) *run.Run {
	return did(name, func(t *run.Trace) error {
		for l, stride := 0, 1; l < levels; l, stride = l+1, stride*m {
			t.Sample("mgrit/grid", float64(stride), float64(n/stride))
		}
		for cycle := range cycles {
			for l := range levels {
				t.Sample("mgrit/visit", float64(cycle), float64(l))
			}
			for l := levels - 2; l >= 0; l-- {
				t.Sample("mgrit/visit", float64(cycle), float64(l))
				for d := l + 1; up && l > 0 && d < levels; d++ { // a V-cycle from here, of an F-cycle
					t.Sample("mgrit/visit", float64(cycle), float64(d))
				}
				for d := levels - 2; up && l > 0 && d >= l; d-- {
					t.Sample("mgrit/visit", float64(cycle), float64(d))
				}
			}
		}
		points := n / m
		for cycle := range cycles + 1 {
			size := math.Pow(0.05, float64(cycle))
			for i := 1; i <= points; i++ {
				e := size * (1.2 + math.Sin(float64(7*i)/float64(points)))
				if i <= 2*cycle {
					e = 0
				}
				if cycle < cycles {
					t.Sample("mgrit/profile", float64(i*m), e)
				}
			}
			for i := 1; i <= points; i++ {
				e := size * (1.2 + math.Cos(float64(9*i)/float64(points)))
				if i <= 2*cycle {
					e = 0
				}
				t.Sample("mgrit/error", float64(i*m), e)
			}
			for _, k := range []float64{0.5, 1, 2, 3, 5, 8, 13, 21, 34, 55} {
				t.Sample("mgrit/spectrum", k, size/(1+k)*math.Pow(0.9, k*float64(cycle)/8))
			}
		}
		for p := 1.0; p <= 256; p *= 2 {
			t.Sample("speedup/model", p, 12/(1+200/p))
			t.Sample("speedup/simulated", p, 8/(1+150/p))
		}
		t.Sample("speedup/measured", 1, 0.04)
		t.Sample("speedup/measured", 2, 0.07)
		return nil
	})
}

func init() {
	goldens["hierarchy"] = func() *Figure { return Hierarchy(multigridRun("V", 128, 2, 5, 3, false)) }
	goldens["hierarchy-f"] = func() *Figure { return Hierarchy(multigridRun("F", 4096, 4, 6, 3, true)) }
	goldens["errorheat"] = func() *Figure { return ErrorHeat(multigridRun("V", 64, 2, 3, 6, false)) }
	goldens["speedup"] = func() *Figure { return SpeedUp(multigridRun("V", 64, 2, 3, 6, false)) }
	goldens["spectrum"] = func() *Figure { return Spectrum(multigridRun("V", 64, 2, 3, 6, false)) }
}

var multigridFigures = map[string]func(Source) *Figure{
	"hierarchy": Hierarchy, "errorheat": ErrorHeat, "spectrum": Spectrum,
	"speedup": func(s Source) *Figure { return SpeedUp(s) },
}

// No input makes one of the figures panic, or come out without a sentence that says what is there.
func TestMultigridFiguresOfAnyInput(t *testing.T) {
	var none *run.Run
	odd := did("odd", func(t *run.Trace) error {
		for _, v := range []float64{math.NaN(), math.Inf(1), -1, 0, math.MaxFloat64, math.SmallestNonzeroFloat64} {
			for _, series := range []string{"mgrit/grid", "mgrit/visit", "mgrit/profile", "mgrit/error", "mgrit/spectrum", "speedup/model", "speedup/measured"} {
				t.Sample(series, v, v)
				t.Sample(series, 1, v)
				t.Sample(series, v, 1)
			}
		}
		return nil
	})
	zeros := did("zeros", func(t *run.Trace) error {
		for _, series := range []string{"mgrit/grid", "mgrit/visit", "mgrit/profile", "mgrit/error", "mgrit/spectrum", "speedup/model"} {
			t.Sample(series, 1, 0)
		}
		return nil
	})
	serial := did("one level", func(t *run.Trace) error { t.Sample("mgrit/grid", 1, 12); return nil })
	many := multigridRun("many", 1<<20, 1<<12, 2, 2, false)
	for name, s := range map[string]Source{
		"nil": nil, "nil run": none, "empty": did("empty", func(*run.Trace) error { return nil }), "odd": odd, "zeros": zeros,
		"serial": serial, "many": many, "failed": run.Failed(run.Options{Name: "m"}, errors.New("mgrit: no & <steps>")),
	} {
		for kind, of := range multigridFigures {
			t.Run(name+"/"+kind, func(t *testing.T) {
				text, _ := bundle(t, of(s).Size(160, 160)) // PNGs take most of the time
				if name == "failed" && !strings.Contains(text, "no & <steps>") {
					t.Errorf("does not say why: %s", text)
				}
			})
		}
	}
}

func TestMultigridFiguresSay(t *testing.T) {
	r := multigridRun("mg", 64, 2, 3, 6, false)
	for kind, says := range map[string][]string{
		"hierarchy": {"3 levels", "level 2: 16 steps, each for 4", "cycle 5: 5 visits"},
		"errorheat": {"Error of mg", "7 rows", "42 are exactly 0"},
		"spectrum":  {"7 curves", "first guess: 0.667 in the longest wave"},
		"speedup":   {"model: up to 6.74 with 256 processors, as fast as serial work with 32", "measured: up to 0.07 with 2 processors, never"},
	} {
		text := multigridFigures[kind](r).String()
		for _, s := range says {
			if !strings.Contains(text, s) {
				t.Errorf("%s does not say %q:\n%s", kind, s, text)
			}
		}
	}
	only := did("residuals", func(t *run.Trace) error {
		t.Sample("mgrit/profile", 8, 0.5)
		t.Sample("mgrit/profile", 8, 0.1)
		return nil
	})
	if text := ErrorHeat(only).String(); !strings.Contains(text, "Residual of residuals") || !strings.Contains(text, "2 rows") {
		t.Errorf("without errors: %s", text)
	}
}

// Axes that are logarithmic by themselves can be made linear.
func TestSpeedUpOnLinearAxes(t *testing.T) {
	logs := func(f *Figure) [2]bool {
		s, _ := f.snapshot()
		return [2]bool{s.x.log, s.y.log}
	}
	f := func() *Figure { return SpeedUp(multigridRun("V", 64, 2, 3, 6, false)) }
	for want, figure := range map[[2]bool]*Figure{{true, true}: f(), {false, true}: f().LinearX(), {true, false}: f().LinearY()} {
		if got := logs(figure); got != want {
			t.Errorf("x and y are logarithmic: %v, expected %v", got, want)
		}
	}
}
