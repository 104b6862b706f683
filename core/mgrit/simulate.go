package mgrit

import (
	"fmt"
	"math"
	"math/bits"
)

// Forecast simulates the run that gave r on each of the numbers of processors. It follows
// every relaxation, message and wait of a cycle, for a program with distributed memory that
// works as this one does: processors own contiguous intervals of each level, begin at
// the right-most, and wait for nothing but the vectors they need. Vector sums are taken to
// cost nothing beside steps. What came before the first cycle (an adapting rule's march) counts.
func (r *Result) Forecast(m Machine, processors ...int) ([]Forecast, error) {
	if r.Plan == nil {
		return nil, fmt.Errorf("mgrit: a forecast needs a multigrid run of two levels or more: this has no cycles of levels to simulate")
	}
	m, err := m.filled(r.Plan.Step)
	if err != nil {
		return nil, err
	}
	var all []Forecast
	for _, p := range processors {
		if p < 1 || p > 1<<20 {
			return nil, fmt.Errorf("mgrit: cannot simulate %d processors: from 1 to %d can be", p, 1<<20)
		}
		all = append(all, newSimulation(r.Plan, m, p).forecast(r.Cycles))
	}
	return all, nil
}

// BreakEven is the fewest processors with which the simulated run is as fast as serial
// training; 0 if no number is enough.
func (r *Result) BreakEven(m Machine) (int, error) {
	most := 1
	for r.Plan != nil && most < r.Plan.Levels[0].Intervals {
		most *= 2
	}
	lo := 0
	for p := 1; p <= most; p *= 2 {
		f, err := r.Forecast(m, p)
		if err != nil {
			return 0, err
		}
		if f[0].SpeedUp < 1 {
			lo = p
			continue
		}
		for p-lo > 1 { // bisection: lo is too few, p is enough
			mid := (lo + p) / 2
			if f, err = r.Forecast(m, mid); err != nil {
				return 0, err
			}
			if f[0].SpeedUp < 1 {
				lo = mid
			} else {
				p = mid
			}
		}
		return p, nil
	}
	return 0, nil
}

// A simulation of one run on one number of processors. The owner of chunk a of a level
// with n chunks is processor a·processors/n, so that neighbours in time are neighbours.
type simulation struct {
	plan    *Plan
	m       Machine
	p       int
	message float64
	free    []float64   // when a processor has done what it had to do so far
	done    [][]float64 // by level and chunk: when its points were last written
	last    int         // level of the phase before this; below 0 for none
	spent   float64     // seconds of computing, of all processors
	sent    int

	left, right []float64 // when the values of a C-point between two chunks are there
	ends        []float64 // of a phase
}

func newSimulation(plan *Plan, m Machine, processors int) *simulation {
	s := &simulation{plan: plan, m: m, p: processors, message: m.message(plan.Numbers), last: -2}
	s.free, s.ends = make([]float64, processors), make([]float64, processors)
	for _, l := range plan.Levels {
		if len(s.left) < l.Sweeps+1 {
			s.left, s.right = make([]float64, l.Sweeps+1), make([]float64, l.Sweeps+1)
		}
	}
	s.done = make([][]float64, len(plan.Levels))
	for k := range plan.Levels {
		s.done[k] = make([]float64, s.chunks(k))
	}
	return s
}

// chunks is how many processors share a level.
func (s *simulation) chunks(k int) int { return min(s.p, max(1, s.plan.Levels[k].Intervals)) }

func (s *simulation) owner(k, chunk int) int {
	n := s.chunks(k)
	if n == s.p { // as with share and chunkOf: no divisions where there is one of each
		return chunk
	}
	return chunk * s.p / n
}

// forecast runs two cycles: those after the second are like it.
func (s *simulation) forecast(cycles int) Forecast {
	before := float64(s.plan.before(s.p)) * s.m.Step
	first, spent, sent := s.cycle(), s.spent, s.sent
	total := first
	if cycles > 1 {
		total += float64(cycles-1) * (s.cycle() - first)
		spent += float64(cycles-1) * (s.spent - spent)
		sent += (cycles - 1) * (s.sent - sent)
	}
	f := Forecast{Processors: s.p, Seconds: before + total, Messages: sent, Memory: s.memory()}
	f.Serial = float64(s.plan.Levels[0].Steps) * s.m.Serial
	f.SpeedUp = f.Serial / f.Seconds
	f.Model = float64(s.plan.Levels[0].Steps) / float64(s.plan.before(s.p)+cycles*s.plan.path(s.p))
	shared := float64(s.plan.before(1)-s.plan.Before) * s.m.Step // readings are work for all
	f.Busy = (float64(s.plan.Before)*s.m.Step + shared + spent) / (f.Seconds * float64(s.p))
	return f
}

// cycle does one cycle and returns when it is over: when all know its residual and have
// done what they had to.
func (s *simulation) cycle() float64 {
	known := 0.0
	for n, phase := range s.plan.Phases {
		switch {
		case phase.Down:
			s.down(phase.Level)
		case s.plan.Levels[phase.Level].Intervals == 0:
			s.coarsest(phase.Level)
		default:
			s.up(phase.Level)
		}
		s.last = phase.Level
		if n == 0 { // the residual is summed up and told over a tree
			rounds := bits.Len(uint(s.p - 1))
			known = latest(s.done[0]) + 2*float64(rounds)*s.m.Latency
		}
	}
	end := max(known, latest(s.free))
	for p := range s.free {
		s.free[p] = max(s.free[p], known)
	}
	return end
}

// down relaxes and restricts level k, chunk after chunk from the left: each needs what
// its left neighbour sends.
func (s *simulation) down(k int) {
	l := &s.plan.Levels[k]
	step := float64(l.Calls) * s.m.Step
	relaxed := float64(l.Coarsen) * step
	restricted := relaxed + float64(s.plan.Levels[k+1].Calls)*s.m.Step
	n := s.chunks(k)
	left, right := s.left, s.right
	for a := range n {
		lo, hi := share(l.Intervals, a, n)
		t := max(s.free[s.owner(k, a)], s.arrival(k, a))
		began := t
		right = append(right[:0], t+s.message)
		waited := 0.0
		for sweep := range l.Sweeps + 1 {
			cost := relaxed
			if sweep == l.Sweeps {
				cost = restricted
			}
			t += float64(hi-lo-1) * cost
			if hi-lo > 1 && sweep < l.Sweeps {
				right = append(right, t-float64(hi-lo-2)*cost+s.message)
			}
			if a > 0 && left[sweep] > t {
				waited += left[sweep] - t
				t = left[sweep]
			}
			t += cost
			if hi-lo == 1 && sweep < l.Sweeps {
				right = append(right, t+s.message)
			}
		}
		s.spent += t - began - waited
		s.ends[a] = t
		left, right = right, left
	}
	s.sent += (n - 1) * (l.Sweeps + 1)
	for a, t := range s.ends[:n] {
		s.done[k][a], s.free[s.owner(k, a)] = t, t
	}
}

// arrival is when chunk a of level k has what the last phase made for it: new points from
// the finer level on the way down, corrections from the coarser one on the way up.
func (s *simulation) arrival(k, a int) float64 {
	lo, hi := s.span(k, a)
	switch s.last {
	case k - 1:
		return s.from(k-1, lo, hi, s.owner(k, a))
	case k + 1:
		lo, hi = share(s.plan.Levels[k].Intervals, a, s.chunks(k))
		return s.fromCoarser(k, lo, hi, s.owner(k, a))
	}
	return 0 // the very first phase
}

// span is the steps of level k that chunk a owns: all of a coarsest level.
func (s *simulation) span(k, a int) (lo, hi int) {
	l := &s.plan.Levels[k]
	if l.Intervals == 0 {
		return 0, l.Steps
	}
	lo, hi = share(l.Intervals, a, s.chunks(k))
	if hi == l.Intervals {
		return lo * l.Coarsen, l.Steps
	}
	return lo * l.Coarsen, hi * l.Coarsen
}

// from is when a processor has the C-points that end intervals lo to hi-1 of level k.
func (s *simulation) from(k, lo, hi, to int) float64 {
	n, all := s.chunks(k), s.plan.Levels[k].Intervals
	t := 0.0
	for b := chunkOf(lo, all, n); b <= chunkOf(hi-1, all, n); b++ {
		t = max(t, s.received(s.done[k][b], s.owner(k, b), to))
	}
	return t
}

// fromCoarser is when a processor has the corrections of C-points lo to hi of level k.
func (s *simulation) fromCoarser(k, lo, hi, to int) float64 {
	l := &s.plan.Levels[k+1]
	n := s.chunks(k + 1)
	first, last := 0, 0
	if l.Intervals > 0 { // C-point i is in the coarse interval (i-1)/Coarsen, those left over in the last
		first = chunkOf(min(max(lo-1, 0)/l.Coarsen, l.Intervals-1), l.Intervals, n)
		last = chunkOf(min(max(hi-1, 0)/l.Coarsen, l.Intervals-1), l.Intervals, n)
	}
	t := 0.0
	for b := first; b <= last; b++ {
		t = max(t, s.received(s.done[k+1][b], s.owner(k+1, b), to))
	}
	return t
}

// chunkOf is which of n chunks interval i of all belongs to: share's inverse.
func chunkOf(i, all, n int) int {
	if n == all {
		return i
	}
	return ((i+1)*n - 1) / all
}

// received is when what is done at t by one processor is there at another.
func (s *simulation) received(t float64, from, to int) float64 {
	if from == to {
		return t
	}
	s.sent++
	return t + s.message
}

// up completes level k by F-relaxation from corrected C-points.
func (s *simulation) up(k int) {
	l := &s.plan.Levels[k]
	step := float64(l.Calls) * s.m.Step
	for a := range s.chunks(k) {
		lo, hi := share(l.Intervals, a, s.chunks(k))
		cost := float64((hi-lo)*(l.Coarsen-1)) * step
		if hi == l.Intervals {
			cost += float64(l.Steps-hi*l.Coarsen) * step
		}
		p := s.owner(k, a)
		s.free[p] = max(s.free[p], s.arrival(k, a)) + cost
		s.done[k][a] = s.free[p]
		s.spent += cost
	}
}

// coarsest takes the coarsest level's steps on the first processor.
func (s *simulation) coarsest(k int) {
	cost := float64(s.plan.Coarsest) * s.m.Step
	s.free[0] = max(s.free[0], s.arrival(k, 0)) + cost
	s.done[k][0] = s.free[0]
	s.spent += cost
}

// memory is the bytes on the processor that owns the first chunk of every level.
func (s *simulation) memory() float64 {
	sum := float64(scratchVectors + s.plan.Levels[0].Sweeps + 1)
	for k, l := range s.plan.Levels {
		sum += math.Ceil(float64(l.Stored) / float64(s.chunks(k)))
	}
	return 8 * sum * float64(s.plan.Numbers)
}

func latest(times []float64) float64 {
	t := 0.0
	for _, x := range times {
		t = max(t, x)
	}
	return t
}
