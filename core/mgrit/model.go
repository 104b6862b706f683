package mgrit

// A visit is a phase of a cycle: a level relaxed and restricted, or corrected from.
type visit struct {
	level int
	down  bool
}

// criticalPath is how many steps of one cycle come after each other, with a processor for
// every interval and no communication. A level that is relaxed takes, with coarsening
// factor m and ν C-relaxations, (ν+1)(m-1)+ν steps of relaxation, one for the residual,
// one of the coarse level for its right-hand side, and m-1 of the F-relaxation that
// interpolates: 6 for m = 2 and FCF. The coarsest level takes all its steps.
func (s *solver) criticalPath() int {
	sum := 0
	for _, v := range s.visits {
		l := s.levels[v.level]
		switch {
		case v.down:
			sum += ((l.sweeps+1)*(l.m-1)+l.sweeps+1+l.m-1)*l.calls() + s.levels[v.level+1].calls()
		case l.m == 0 && l.choices == nil:
			sum += l.n * l.calls()
		case l.m == 0:
			for _, c := range l.choices {
				sum += l.step.Repeat * l.step.Average * c.stages
			}
		}
	}
	return sum
}

// calls is how many calls of the step function a step of the level takes, the longest if
// they differ.
func (l *level) calls() int {
	if l.choices == nil {
		return l.step.calls()
	}
	n := 0
	for _, c := range l.choices {
		n = max(n, c.stages)
	}
	return n * l.step.Repeat * l.step.Average
}
