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
func (s *solver) criticalPath() float64 {
	sum := 0
	for _, v := range s.visits {
		l := s.levels[v.level]
		switch {
		case v.down:
			coarse := s.levels[v.level+1]
			sum += ((l.sweeps+1)*(l.m-1)+l.sweeps+1)*l.step.Repeat + coarse.step.Repeat + (l.m-1)*l.step.Repeat
		case l.m == 0:
			sum += l.n * l.step.Repeat
		}
	}
	return float64(sum)
}
