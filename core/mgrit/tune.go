package mgrit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"trivium/core/run"
)

// TuneOptions sets what Tune tries. Only Options.Steps must be given.
type TuneOptions struct {
	Options    Options // of the run to come; its Coarsen, Coarse and Cycle are proposed anew, the rest is kept
	Processors int     // to be fast on; 0 means one for every interval
	Small      int     // training steps of the smallest trials; 0 means 128
}

// A Trial is what one setting did on a shorter training.
type Trial struct {
	Coarsen   int
	Cycle     Cycle
	Coarse    string // the rule
	Steps     int
	Cycles    int
	Converged bool
	Why       string  // it ended
	Expected  float64 // speed-up of the full run by the model, with cycles growing as they did in the trials; 0 if it did not converge
}

func (t Trial) String() string {
	text := fmt.Sprintf("%v-cycle, m=%d, %s, %d steps: ", t.Cycle, t.Coarsen, t.Coarse, t.Steps)
	if !t.Converged {
		return text + t.Why
	}
	return text + fmt.Sprintf("%d cycles, expected speed-up %.2g", t.Cycles, t.Expected)
}

// A Proposal is what Tune found to be best.
type Proposal struct {
	Options Options
	Levels  []LevelInfo // that the options give
	Cycles  int         // expected of the full run
	SpeedUp float64     // expected by the model on the processors asked for
	Why     []string    // it, rather than something else
	Trials  []Trial     // in the order they were made
}

func (p *Proposal) String() string { return strings.Join(p.Why, "\n") }

// A candidate is a setting in the tournament.
type candidate struct {
	o      Options
	trials []Trial
}

// Tune tries coarse rules, coarsening factors and cycles on the first training steps of p,
// and proposes those with which the full run is expected to be fastest by the model: all on
// a short training, the best half on one four times as long, and so on up to a
// quarter of the full one. Cycles are taken to grow on as they did. The trials take about
// as many steps as a few runs of the full length. What happens later in the training than
// the longest trial is not seen; [Adaptive] is the rule that minds least.
func Tune(ctx context.Context, p Problem, t TuneOptions) (*Proposal, error) {
	t.Options.Method = Multigrid
	full, err := t.Options.filled(&p)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	if t.Processors < 0 || t.Small < 0 {
		return nil, fmt.Errorf("mgrit: TuneOptions with %d processors and trials of %d steps: both must be at least 0", t.Processors, t.Small)
	}
	setInt(&t.Small, 128)
	setInt(&t.Processors, 1<<40)
	ctx, done := run.Waits(ctx)
	defer done()
	p.Loss, full.OnCycle, full.Resume, full.Guess = nil, nil, nil, nil
	proposal := &Proposal{}
	field := candidates(full)
	for n := min(t.Small, full.Steps); ; n *= 4 {
		best := 0.0
		for i := range field {
			c := &field[i]
			trial, err := c.try(ctx, p, n, t.Processors, best)
			if err != nil {
				return nil, err
			}
			best = math.Max(best, trial.Expected)
			c.trials = append(c.trials, trial)
			proposal.Trials = append(proposal.Trials, trial)
		}
		slices.SortStableFunc(field, func(a, b candidate) int {
			return -compare(a.last().Expected, b.last().Expected)
		})
		if field[0].last().Expected == 0 {
			return nil, fmt.Errorf("mgrit: nothing that Tune knows converges on the first %d of %d training steps: %v", n, full.Steps, field[0].last())
		}
		if 4*n > max(full.Steps/4, t.Small) {
			break
		}
		field = field[:(len(field)+2)/3]
	}
	return proposal, proposal.choose(p, t, field)
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (c *candidate) last() Trial { return c.trials[len(c.trials)-1] }

// candidates begins with those that are usually good, so that the others can be cut short.
func candidates(full Options) []candidate {
	var all []candidate
	for _, cycle := range []Cycle{VCycle, FCycle} {
		for _, m := range []int{4, 2, 8} {
			by := float64(m)
			for _, rule := range []Rule{Adaptive{}, Growing{By: by, Cap: 16}, Growing{By: by, Cap: 4}, Growing{By: by}, Growing{By: 1.25}, Same{}} {
				o := full
				o.Cycle, o.Coarsen, o.Coarse = cycle, m, rule
				all = append(all, candidate{o: o})
			}
		}
	}
	return all
}

// try solves the first n steps, in no more cycles than are of use: those after which the
// candidate falls behind the best speed-up so far.
func (c *candidate) try(ctx context.Context, p Problem, n, processors int, best float64) (Trial, error) {
	t := Trial{Coarsen: c.o.Coarsen, Cycle: c.o.Cycle, Coarse: c.o.Coarse.String(), Steps: n}
	path := planFor(c.o).path(processors)
	o := c.o
	o.Steps, o.Memory = n, math.MaxInt64
	if best > 0 {
		o.MaxCycles = min(o.MaxCycles, int(float64(c.o.Steps)/(best*float64(path))))
	}
	if o.MaxCycles == 0 {
		t.Why = "even one cycle is too long to be best"
		return t, nil
	}
	res, err := Solve(ctx, p, o)
	var diverged *DivergenceError
	switch {
	case errors.As(err, &diverged):
		t.Why = fmt.Sprintf("diverged in cycle %d on level %d", diverged.Cycle, diverged.Level)
		return t, nil
	case err != nil:
		return t, err
	case len(res.Levels) == 1:
		t.Why = "has no coarse level"
		return t, nil
	case !res.Converged:
		t.Cycles, t.Why = res.Cycles, fmt.Sprintf("not converged after %d cycles, and behind the best by then", res.Cycles)
		return t, nil
	}
	t.Cycles, t.Converged, t.Why = res.Cycles, true, res.Why
	t.Expected = float64(c.o.Steps) / (float64(res.Plan.before(processors)) + c.expectedCycles(t)*float64(path))
	return t, nil
}

// expectedCycles goes on from the trials so far, and now, to the full run: as many more
// cycles for each doubling of the steps as there were so far, at least half a one.
func (c *candidate) expectedCycles(now Trial) float64 {
	more := 0.5
	if len(c.trials) > 0 {
		before := c.trials[len(c.trials)-1]
		more = math.Max(more, float64(now.Cycles-before.Cycles)/math.Log2(float64(now.Steps)/float64(before.Steps)))
	}
	return float64(now.Cycles) + more*math.Log2(float64(c.o.Steps)/float64(now.Steps))
}

// choose proposes the first of the field and says why.
func (p *Proposal) choose(problem Problem, t TuneOptions, field []candidate) error {
	best := &field[0]
	now := best.last()
	before := candidate{o: best.o, trials: best.trials[:len(best.trials)-1]}
	cycles := before.expectedCycles(now)
	p.Options = t.Options
	p.Options.Coarsen, p.Options.Coarse, p.Options.Cycle = best.o.Coarsen, best.o.Coarse, best.o.Cycle
	if cycles > 40 {
		p.Options.MaxCycles = max(t.Options.MaxCycles, int(2*cycles))
	}
	s, err := newSolver(problem, p.Options, nil)
	if err != nil {
		return err
	}
	p.Levels, p.Cycles, p.SpeedUp = describe(s.levels), int(math.Round(cycles)), now.Expected
	p.Why = append(p.Why, fmt.Sprintf("%v-cycles, coarsening by %d to %d levels, coarse steps with %v: %d cycles on %d steps, about %d expected on %d, speed-up about %.2g by the model",
		best.o.Cycle, best.o.Coarsen, len(p.Levels), best.o.Coarse, now.Cycles, now.Steps, p.Cycles, best.o.Steps, now.Expected))
	for _, what := range []struct {
		name string
		same func(o Options) bool // differs from the best in this alone
	}{
		{"another coarse rule", func(o Options) bool {
			return o.Coarsen == best.o.Coarsen && o.Cycle == best.o.Cycle && o.Coarse.String() != now.Coarse
		}},
		{"another coarsening", func(o Options) bool {
			return o.Coarsen != best.o.Coarsen && o.Cycle == best.o.Cycle && sameRule(o.Coarse, best.o.Coarse)
		}},
		{"another cycle", func(o Options) bool {
			return o.Coarsen == best.o.Coarsen && o.Cycle != best.o.Cycle && sameRule(o.Coarse, best.o.Coarse)
		}},
	} {
		if rival, ok := p.rival(what.same, best.o); ok {
			p.Why = append(p.Why, fmt.Sprintf("not %s: %v", what.name, rival))
		}
	}
	if now.Expected < 1 {
		p.Why = append(p.Why, "serial training is faster on any number of processors")
	}
	return nil
}

// sameRule says that two rules are of one kind, with whatever growth and cap.
func sameRule(a, b Rule) bool { return fmt.Sprintf("%T", a) == fmt.Sprintf("%T", b) }

// rival is the best of the trials, of the longest training that any of them came to.
func (p *Proposal) rival(same func(Options) bool, full Options) (best Trial, ok bool) {
	for _, c := range candidates(full) {
		if !same(c.o) {
			continue
		}
		for _, t := range p.Trials {
			if t.Coarsen != c.o.Coarsen || t.Cycle != c.o.Cycle || t.Coarse != c.o.Coarse.String() {
				continue
			}
			if !ok || t.Steps > best.Steps || t.Steps == best.Steps && t.Expected > best.Expected {
				best, ok = t, true
			}
		}
	}
	return best, ok
}

// planFor is the work of the cycles that options mean, before any is done, with one call
// of the step function for each step.
func planFor(o Options) *Plan {
	s := &solver{o: o, levels: plan(&o)}
	s.plannedVisit(0, o.Cycle)
	return s.planned()
}

// plannedVisit lists the phases of visit.
func (s *solver) plannedVisit(k int, kind Cycle) {
	correct := func(kind Cycle) {
		s.visits = append(s.visits, Phase{k, true})
		s.plannedVisit(k+1, kind)
		s.visits = append(s.visits, Phase{k + 1, false})
	}
	if k == len(s.levels)-1 {
		return
	}
	correct(kind)
	if k == 0 {
		return
	}
	switch kind {
	case FCycle:
		for range s.o.UpCycles {
			correct(VCycle)
		}
	case WCycle:
		correct(WCycle)
	}
}
