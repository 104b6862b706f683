package viz

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"trivium/core/run"
	"trivium/datasets"
	"trivium/datasets/digits"
)

var update = flag.Bool("update", false, "write the golden images anew; look at each afterwards")

// did returns a run that has ended after doing f.
func did(name string, f func(t *run.Trace) error) *run.Run {
	r := run.Start(context.Background(), run.Options{Name: name, Kind: "test"}, func(_ context.Context, t *run.Trace) (any, error) {
		return nil, f(t)
	})
	<-r.Done()
	return r
}

// training is a loss that falls with noise and, at one step, a peak.
func training(name string, n int, rate, floor float64, seed uint64) *run.Run {
	return did(name, func(t *run.Trace) error {
		rng := rand.New(rand.NewPCG(seed, 1))
		for k := range n {
			x := float64(k) / float64(n)
			v := floor + 2.3*math.Exp(-rate*x)*(1+0.12*rng.NormFloat64())
			if k == n*2/3 {
				v += 0.9
			}
			t.Work(1e8)
			t.Sample("loss", float64(k), v)
			t.Sample("accuracy", float64(k), 1-v/3)
		}
		return nil
	})
}

// stepped is a run of known seconds, a millisecond for 1e8 flops, if time is synctest's.
func stepped(name string, n int, rate, flops float64) *run.Run {
	return did(name, func(t *run.Trace) error {
		for k := range n {
			time.Sleep(time.Duration(flops / 100))
			t.Work(flops)
			t.Sample("loss", float64(k), 2*math.Exp(-rate*float64(k)/400))
		}
		return nil
	})
}

func multigrid(name string, factor float64, levels int) *run.Run {
	return did(name, func(t *run.Trace) error {
		r := 30.0
		for k := range 12 {
			t.Sample("residual", float64(k), r)
			for l := 1; l < levels; l++ {
				t.Sample(fmt.Sprintf("residual/L%d", l), float64(k), r*math.Pow(0.25, float64(l)))
			}
			r *= factor
		}
		return nil
	})
}

// waves is a smooth matrix of both signs.
type waves struct{ r, c int }

func (w waves) Dims() (r, c int) { return w.r, w.c }
func (w waves) At(i, j int) float64 {
	return math.Sin(float64(i)/5)*math.Cos(float64(j)/7) + 0.3*math.Sin(float64(i*j)/60)
}

// guesses are the labels of a set with a share of mistakes, each class mostly taken for the next.
func guesses(set *datasets.Set, wrong float64) []int {
	rng := rand.New(rand.NewPCG(11, 12))
	out := set.Labels()
	out = append([]int(nil), out...)
	for i, v := range out {
		if rng.Float64() < wrong {
			out[i] = (v + 1 + int(rng.ExpFloat64())) % 10
		}
	}
	return out
}

// rosenbrock is the function of that name with a descent on it.
type descent struct {
	*sampledSurface
	px, py []float64
}

func (d descent) Path() (x, y []float64) { return d.px, d.py }

func rosenbrock() descent {
	f := func(x, y float64) float64 { return 0.02 + (1-x)*(1-x) + 20*(y-x*x)*(y-x*x) }
	d := descent{sampledSurface: Function("", -1.6, 1.6, -0.6, 2, f).content.(landscape).of.(*sampledSurface)}
	x, y := -1.3, 1.2
	for range 400 {
		d.px, d.py = append(d.px, x), append(d.py, y)
		x, y = x+0.004*(2*(1-x)+80*x*(y-x*x)), y-0.004*40*(y-x*x)
	}
	return d
}

// workers is three workers of whom one has many short spans.
func workers(stale bool) *Figure {
	rng := rand.New(rand.NewPCG(7, 8))
	var spans []run.Span
	for w := range 3 {
		at := 0.0
		for at < 2 {
			d := rng.ExpFloat64() * 0.05
			if w == 2 {
				d /= 60 // too short to be seen one by one
			}
			name := []string{"forward", "backward", "update"}[rng.IntN(3)]
			second := func(v float64) time.Duration { return time.Duration(v * 1e9) }
			span := run.Span{Worker: w, Name: name, Start: second(at), End: second(at + d)}
			if stale {
				span.Stale = int(12 * at / 2 * rng.Float64())
			}
			spans = append(spans, span)
			at += d + rng.ExpFloat64()*0.01*d/0.05
		}
	}
	r := did("amp", func(*run.Trace) error { return nil })
	return newFigure(&timeline{[]Source{r}, func() []run.Span { return spans }})
}

var goldens = map[string]func() *Figure{
	"curves": func() *Figure {
		return Curves("loss", training("exact", 3000, 5, 0.1, 1), training("half", 2600, 4, 0.25, 2), training("quarter of the columns", 2000, 3, 0.5, 3))
	},
	"smooth": func() *Figure {
		return Curves("loss", training("exact", 3000, 5, 0.1, 1), training("half", 2600, 4, 0.25, 2)).Smooth(0.95).X(Work).Title("Loss by work done")
	},
	"five": func() *Figure {
		var s []Source
		for i := range 5 {
			s = append(s, training(fmt.Sprintf("keep = %d %%", 20*(i+1)), 400, 2+float64(i), 0.05, uint64(i)))
		}
		return Curves("loss", s...).LogY().Smooth(0.8)
	},
	"residuals": func() *Figure { return Residuals(multigrid("mgrit", 0.12, 3)) },
	"residuals-compare": func() *Figure {
		return Residuals(multigrid("V-cycle, FCF", 0.2, 1), multigrid("V-cycle, F", 0.45, 1))
	},
	"gaps": func() *Figure {
		return Residuals(did("broken", func(t *run.Trace) error {
			for k, v := range []float64{1, 0.3, 0.1, 0, 0.01, math.NaN(), 0.001, math.Inf(1), 1e-4, 5e-5} {
				t.Sample("residual", float64(k), v)
			}
			return fmt.Errorf("mgrit: cycle 9: the residual grows; a smaller coarse learning rate may help")
		}))
	},
	"one-point": func() *Figure { return Lines("value", []float64{1}, []float64{1}).LogX().LogY() },
	"failed": func() *Figure {
		return Curves("loss", run.Failed(run.Options{Name: "wrong"}, fmt.Errorf("train: 64 inputs wanted, the images have 784; set the first layer's size to 784")))
	},
	"compare": func() *Figure {
		return Compare(stepped("exact", 400, 5, 4e8), stepped("half", 400, 4.4, 2e8), stepped("quarter", 400, 3, 1e8)).LogY()
	},
	"heat": func() *Figure { return Heat("waves", waves{40, 60}) },
	"histogram": func() *Figure {
		rng := rand.New(rand.NewPCG(3, 4))
		v := []float64{math.NaN()}
		for range 5000 {
			v = append(v, rng.NormFloat64())
		}
		return Histogram("weight", v)
	},
	"scatter": func() *Figure {
		rng := rand.New(rand.NewPCG(5, 6))
		var x, y []float64
		for range 400 {
			u := rng.Float64()
			x, y = append(x, u), append(y, u*u+0.1*rng.NormFloat64())
		}
		return Scatter("estimate against truth", x, y)
	},
	"timeline":       func() *Figure { return workers(false) },
	"timeline-stale": func() *Figure { return workers(true) },
	"confusion": func() *Figure {
		set := digits.Load().Test
		return Confusion(set.Classes(), set.Labels(), guesses(set, 0.07))
	},
	"mistakes": func() *Figure {
		set := digits.Load().Test
		return Mistakes(set, guesses(set, 0.07))
	},
	"samples": func() *Figure {
		return Samples(digits.Load().Train.Slice(0, 24), nil)
	},
	"weights": func() *Figure {
		var tiles [][]float64
		for k := range 32 {
			row := make([]float64, 14*14)
			for i := range row {
				y, x := float64(i/14)/14-0.5, float64(i%14)/14-0.5
				a := float64(k) / 32 * math.Pi
				row[i] = math.Exp(-8*(x*x+y*y)) * math.Sin(float64(6+k%4*3)*(x*math.Cos(a)+y*math.Sin(a)))
			}
			tiles = append(tiles, row)
		}
		return Weights("weights of the first layer", tiles)
	},
	"gradients": func() *Figure {
		return Gradients(did("deep", func(t *run.Trace) error {
			rng := rand.New(rand.NewPCG(9, 9))
			for k := range 300 {
				for l := range 4 {
					t.Sample(fmt.Sprintf("gradient/dense%d", l+1), float64(k), math.Pow(0.2, float64(3-l))*(1+0.3*rng.NormFloat64())*math.Exp(-float64(k)/400))
				}
			}
			return nil
		}))
	},
	"landscape": func() *Figure { return Landscape("loss", rosenbrock()) },
	"function": func() *Figure {
		return Function("sin x · cos y", -3, 3, -3, 3, func(x, y float64) float64 { return math.Sin(x) * math.Cos(y) })
	},
	"heat-log": func() *Figure {
		var e Rows // the error of each step after each cycle
		for c := range 9 {
			row := make([]float64, 64)
			for s := range row {
				if row[s] = math.Pow(0.1, float64(c)) * float64(s+1) / 64; s < 8*c {
					row[s] = 0
				}
			}
			e = append(e, row)
		}
		return Heat("error by cycle", e).LogColor()
	},
	"lines": func() *Figure {
		var x, s, c []float64
		for i := range 200 {
			v := float64(i) / 20
			x, s, c = append(x, v), append(s, math.Sin(v)), append(c, math.Cos(v)*math.Exp(-v/5))
		}
		return Lines("sin x", x, s).And("decaying cos x", x, c)
	},
}

func TestGolden(t *testing.T) {
	if testing.Short() {
		t.Skip("draws some hundred pictures: left out with -short")
	}
	for name, make := range goldens {
		for theme, suffix := range map[Theme]string{Light: "light", Dark: "dark"} {
			t.Run(name+"/"+suffix, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // so that seconds are the same each time
					slots.Lock()
					slots.byID = nil // the same colours whichever test comes first
					slots.Unlock()
					data, err := make().Theme(theme).PNG(1)
					if err != nil {
						t.Fatal(err)
					}
					compare(t, data, filepath.Join("testdata", name+"-"+suffix+".png"))
				})
			})
		}
	}
}

func compare(t *testing.T, data []byte, path string) {
	if *update {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test -update writes it", err)
	}
	if d := difference(t, data, want); d > 0.002 {
		kept := filepath.Join(os.TempDir(), "viz-"+filepath.Base(path))
		os.WriteFile(kept, data, 0o644)
		t.Errorf("%.2f %% of the colour differs from %s; the new picture is %s", 100*d, path, kept)
	}
}

// difference is the mean difference of two images per channel, from 0 to 1. Rounding in
// other versions of the font or the rasteriser moves the edges of letters: 0.2 % of the
// colour allows for that, while a missing label or line of this size makes 0.3 % or more.
func difference(t *testing.T, a, b []byte) float64 {
	t.Helper()
	decode := func(data []byte) image.Image {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	x, y := decode(a), decode(b)
	if x.Bounds() != y.Bounds() {
		t.Fatalf("sizes %v and %v", x.Bounds(), y.Bounds())
	}
	sum := 0.0
	r := x.Bounds()
	for j := r.Min.Y; j < r.Max.Y; j++ {
		for i := r.Min.X; i < r.Max.X; i++ {
			r1, g1, b1, _ := x.At(i, j).RGBA()
			r2, g2, b2, _ := y.At(i, j).RGBA()
			for _, d := range [...]float64{float64(r1) - float64(r2), float64(g1) - float64(g2), float64(b1) - float64(b2)} {
				sum += math.Abs(d) / 0xffff
			}
		}
	}
	return sum / float64(3*r.Dx()*r.Dy())
}
