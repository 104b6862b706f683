package mgrit

// A Phase of a cycle: a level is relaxed and restricted (Down), or completed, the coarsest
// solved, and its changes added to the next finer one.
type Phase struct {
	Level int
	Down  bool
}

// A Plan is the work of a run's cycles, all that a forecast needs to know of it.
type Plan struct {
	Numbers  int // in a vector
	Levels   []PlanLevel
	Coarsest int     // calls of the step function that solve the coarsest level
	Before   int     // calls one after the other before the first cycle, and for readings between cycles with a processor for each
	Readings int     // of sharpness between cycles, each time they are taken
	Rounds   int     // times
	Step     float64 // seconds that a call took, with all that is around it; 0 if not known
	Phases   []Phase // of a cycle
}

// A PlanLevel is one level of a Plan.
type PlanLevel struct {
	Steps, Intervals, Coarsen int
	Sweeps                    int // C-relaxations
	Calls                     int // of the step function in a step, the most if they differ
	Stored                    int // vectors
}

// path is how many calls of one cycle come after each other on so many processors,
// without communication. A level that is relaxed takes for each interval of a processor,
// with coarsening factor m and ν C-relaxations, (ν+1)(m-1)+ν steps of relaxation, one for the
// residual, one of the coarse level for its right-hand side, and m-1 of the F-relaxation
// that interpolates: 6 for m = 2 and FCF. The coarsest level takes all its steps.
func (p *Plan) path(processors int) int {
	sum := 0
	for _, v := range p.Phases {
		l := &p.Levels[v.Level]
		switch {
		case v.Down:
			each := (l.Sweeps+1)*(l.Coarsen-1) + l.Sweeps + 1 + l.Coarsen - 1
			share := (l.Intervals + processors - 1) / processors
			sum += share * (each*l.Calls + p.Levels[v.Level+1].Calls)
		case l.Intervals == 0:
			sum += p.Coarsest
		}
	}
	return sum
}

// before is how many calls come after each other on so many processors outside of cycles.
func (p *Plan) before(processors int) int {
	more := (p.Readings+processors-1)/processors - 1
	return p.Before + p.Rounds*max(0, more)*(firstPower+1)
}

// unlimited is enough processors to have one for every interval.
func (p *Plan) unlimited() int { return max(1, p.Levels[0].Intervals) }

// planned is the plan of the cycle just done.
func (s *solver) planned() *Plan {
	p := &Plan{Numbers: s.d, Before: s.before, Readings: min(readings, s.levels[0].intervals), Rounds: s.rounds, Step: s.stepSeconds(), Phases: s.visits}
	for k, l := range s.levels {
		p.Levels = append(p.Levels, PlanLevel{Steps: l.n, Intervals: l.intervals, Coarsen: l.m, Sweeps: l.sweeps, Calls: l.calls(), Stored: l.stored()})
		if k == len(s.levels)-1 {
			p.Coarsest = l.n * l.calls()
			if l.choices != nil {
				p.Coarsest = 0
				for _, c := range l.choices {
					p.Coarsest += l.step.each() * c.stages
				}
			}
		}
	}
	return p
}

// calls is how many calls of the step function a step of the level takes, the longest if
// they differ. One for several minibatches counts as so many.
func (l *level) calls() int {
	if l.choices == nil {
		return l.step.each() * l.step.Stages
	}
	n := 0
	for _, c := range l.choices {
		n = max(n, c.stages)
	}
	return n * l.step.each()
}

// criticalPath is how many calls of the cycle just done come after each other, with a
// processor for every interval and no communication.
func (s *solver) criticalPath() int {
	p := s.planned()
	return p.path(p.unlimited())
}
