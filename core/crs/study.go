package crs

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"

	"trivium/core/random"
	"trivium/core/run"
	"trivium/core/tensor"
)

// StudyOptions sets what Study compares. The zero value compares all samplers.
type StudyOptions struct {
	Keep     []float64 // shares; none means 0.1, 0.25 and 0.5
	Trials   int       // draws of each; 0 means 400
	Samplers []Sampler // each is tried with every share in place of its own; none means all
	Seed     uint64
}

// AllSamplers returns one of each kind.
func AllSamplers() []Sampler {
	return []Sampler{
		TopK{}, TopKWeights{}, TopKAdaptive{}, Bernoulli{}, Bernoulli{Clipped: true}, WTA{},
		WithoutReplacement{}, WithReplacement{}, Uniform{},
	}
}

// A StudyResult is the error of samplers for one product: measured, and by theory. Errors are
// squared and relative: ‖estimate - a·b‖²_F/‖a·b‖²_F.
type StudyResult struct {
	Rows []StudyRow

	about string
	names []string
	err   error
}

// A StudyRow is one sampler with one share.
type StudyRow struct {
	Sampler  string
	Keep     float64 // share that was asked for
	Kept     float64 // mean share of the pairs that were computed: less where a pair came twice
	Measured float64 // mean of the trials
	Low      float64 // and the band that has the true mean with 95%
	High     float64
	Theory   float64
	Trials   int // 1 for samplers that always choose the same
}

// Study draws estimates of a·b and compares their error with the closed forms of theory. It
// never fails: factors that cannot be multiplied give a result whose Err, and whose figure, says
// why. It takes 2mnp flops for each trial, sampler and share, on all processors.
func Study(a, b tensor.Mat32, o StudyOptions) *StudyResult {
	if len(o.Keep) == 0 {
		o.Keep = []float64{0.1, 0.25, 0.5}
	}
	if o.Trials == 0 {
		o.Trials = 400
	}
	if len(o.Samplers) == 0 {
		o.Samplers = AllSamplers()
	}
	r := &StudyResult{about: fmt.Sprintf("%d×%d times %d×%d, %d trials", a.Rows, a.Cols, b.Rows, b.Cols, o.Trials)}
	s, err := newStudy(a, b, o)
	if err == nil {
		err = s.all(r)
	}
	if err != nil {
		r.Rows, r.err = nil, err
	}
	return r
}

type study struct {
	a, b, exact tensor.Matrix[float64]
	whole       float64
	theory      *theory
	o           StudyOptions
}

func newStudy(a, b tensor.Mat32, o StudyOptions) (*study, error) {
	if o.Trials < 1 {
		return nil, &OptionError{"StudyOptions.Trials", fmt.Sprint(o.Trials), "it must be at least 1"}
	}
	for _, s := range o.Samplers {
		if s == nil {
			return nil, errNoSampler
		}
		for _, k := range o.Keep {
			if err := s.with(k).check(); err != nil {
				return nil, err
			}
		}
	}
	s := &study{a: widen(a), b: widen(b), o: o}
	if _, err := pairNorms(tensor.NN, s.a, s.b); err != nil {
		return nil, err
	}
	s.exact = tensor.New[float64](a.Rows, b.Cols)
	if err := tensor.Mul(nil, s.exact, tensor.NN, s.a, s.b, 1, 0); err != nil {
		return nil, err
	}
	if s.whole = tensor.SumSquares(s.exact.Data); s.whole == 0 {
		return nil, errors.New("crs: a·b is zero although its factors are not: errors relative to it mean nothing")
	}
	var err error
	s.theory, err = newTheory(s.a, s.b)
	return s, err
}

// all fills the rows, several at a time; hooks of notebook cells are for one goroutine, so
// samplers that have one are left to the caller's.
func (s *study) all(r *StudyResult) error {
	var jobs []func() error
	var own []func() error
	rows := make([]StudyRow, len(s.o.Samplers)*len(s.o.Keep))
	for i, kind := range s.o.Samplers {
		name := kindOf(kind)
		r.names = append(r.names, name)
		for j, keep := range s.o.Keep {
			row := &rows[i*len(s.o.Keep)+j]
			t := *s.theory // each has its own k
			job := func() error { return s.row(row, name, kind.with(keep), &t) }
			if _, hook := kind.(Custom); hook {
				own = append(own, job)
			} else {
				jobs = append(jobs, job)
			}
		}
	}
	next := make(chan func() error, len(jobs))
	for _, j := range jobs {
		next <- j
	}
	close(next)
	errs := make([]error, runtime.GOMAXPROCS(0)) // worker i writes errs[i]
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			defer run.Catch(&errs[i])
			for j := range next {
				if errs[i] = j(); errs[i] != nil {
					return
				}
			}
		})
	}
	var err error
	for _, j := range own {
		if err == nil {
			err = j()
		}
	}
	wg.Wait()
	r.Rows = rows
	return errors.Join(append(errs, err)...)
}

// kindOf is a sampler's name without its share.
func kindOf(s Sampler) string {
	name, _, _ := strings.Cut(s.with(1).String(), ", keep")
	name, _, _ = strings.Cut(name, ", mass")
	if _, ok := s.(TopKAdaptive); ok {
		name += " by mass"
	}
	return name
}

// row measures one sampler with one share.
func (s *study) row(row *StudyRow, name string, sampler Sampler, t *theory) error {
	trials := s.o.Trials
	switch sampler.(type) {
	case TopK, TopKWeights, TopKAdaptive:
		trials = 1 // all are the same
	}
	keep := sampler.keep()
	if a, ok := sampler.(TopKAdaptive); ok {
		keep = a.Mass
	}
	*row = StudyRow{Sampler: name, Keep: keep, Trials: trials, Theory: t.of(sampler) / s.whole}
	c := newSelector[float64](sampler, random.New(s.o.Seed).Split(sampler.String()))
	dst := tensor.New[float64](s.exact.Rows, s.exact.Cols)
	var sum, squares, kept float64
	for trial := range trials {
		drawn, err := c.pairs(tensor.NN, s.a, s.b, MulOptions{Draw: uint64(trial)})
		if err != nil {
			return err
		}
		kept += of(drawn, s.a.Cols) / float64(s.a.Cols)
		if drawn == nil {
			continue // all pairs, no error
		}
		if err := tensor.MulSampled(nil, dst, tensor.NN, s.a, s.b, *drawn, 1, 0); err != nil {
			return err
		}
		tensor.Sub(dst.Data, dst.Data, s.exact.Data)
		e := tensor.SumSquares(dst.Data) / s.whole
		sum += e
		squares += e * e
	}
	n := float64(trials)
	row.Kept, row.Measured = kept/n, sum/n
	row.Low, row.High = row.Measured, row.Measured
	if trials > 1 {
		spread := math.Sqrt(max(squares-sum*sum/n, 0) / (n - 1) / n)
		row.Low, row.High = max(row.Measured-1.96*spread, 0), row.Measured+1.96*spread
	}
	return nil
}

// Err returns why there are no rows, nil if there are.
func (r *StudyResult) Err() error { return r.err }

// About says what was multiplied.
func (r *StudyResult) About() string { return r.about }

// Names returns the kinds of samplers, in the order of the rows.
func (r *StudyResult) Names() []string { return r.names }

// Curve returns the rows of one kind as columns.
func (r *StudyResult) Curve(name string) (kept, measured, low, high, theory []float64) {
	for _, w := range r.Rows {
		if w.Sampler == name {
			kept, measured = append(kept, w.Kept), append(measured, w.Measured)
			low, high, theory = append(low, w.Low), append(high, w.High), append(theory, w.Theory)
		}
	}
	return kept, measured, low, high, theory
}

func (r *StudyResult) String() string {
	if r.err != nil {
		return r.err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "relative squared error of %s\n", r.about)
	fmt.Fprintf(&b, "  %-24s %6s %6s %10s %10s\n", "sampler", "asked", "kept", "measured", "theory")
	for _, w := range r.Rows {
		fmt.Fprintf(&b, "  %-24s %6.2f %6.2f %10.4g %10.4g\n", w.Sampler, w.Keep, w.Kept, w.Measured, w.Theory)
	}
	return b.String()
}
