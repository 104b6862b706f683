package mgrit

import "math"

// Names of the series from which figures of the iteration are drawn, beside "residual", "residual/L1", ...
// and "loss". A row of a series that has rows ends where Step gets smaller.
const (
	GridSeries     = "mgrit/grid"     // a point for each level from the finest: Step is the training steps that one of its steps stands for, Value how many it has
	VisitSeries    = "mgrit/visit"    // the levels visited: Step is the cycle, Value the level
	ProfileSeries  = "mgrit/profile"  // a row for each cycle: the largest residual of the C-points in a part of the training, over their step
	ErrorSeries    = "mgrit/error"    // the same of the distance to Options.Compare, after the cycle; first that of the guess
	SpectrumSeries = "mgrit/spectrum" // a row for each of those: the error's part at a frequency; Step is in half waves over the training, 0.5 standing for the mean
)

const (
	profileParts  = 64 // of the training
	spectrumParts = 48 // frequencies
	spectrumMost  = 64 // numbers of a vector whose spectrum is taken
)

// recordVisit tells that a level is visited. Visits before the first residual are told
// after it, because whoever shows one series of a run shows the first.
func (s *solver) recordVisit(level int) {
	if !s.figures || s.trace == nil {
		return
	}
	s.early = append(s.early, level)
	if s.trace.Len("residual") > 0 {
		s.recordEarly()
	}
}

func (s *solver) recordEarly() {
	if !s.figures {
		return
	}
	if s.trace.Len(GridSeries) == 0 {
		for _, l := range s.levels {
			s.trace.Sample(GridSeries, float64(l.stride), float64(l.n))
		}
	}
	for _, k := range s.early {
		s.trace.Sample(VisitSeries, float64(s.cycle), float64(k))
	}
	s.early = s.early[:0]
}

// recordProfile tells where on the finest level the residuals are that [solver.residual] sums up.
func (s *solver) recordProfile(l *level) {
	if !s.figures || s.trace == nil {
		return
	}
	s.profile(ProfileSeries, l, func(i int) float64 { return l.sq[i] })
}

// profile records the largest of each part of the C-points 1, 2, ..., whose squares are given.
func (s *solver) profile(series string, l *level, square func(i int) float64) {
	n := len(l.sq)
	for part := range min(n, profileParts) {
		lo, hi := part*n/min(n, profileParts), (part+1)*n/min(n, profileParts)
		most := 0.0
		for i := lo; i < hi; i++ {
			most = max(most, square(i))
		}
		s.trace.Sample(series, float64(hi*max(l.m, 1)), math.Sqrt(most))
	}
}

// recordError compares with the path that Options.Compare gives, where it does.
func (s *solver) recordError() {
	l := s.levels[0]
	if !s.figures || s.trace == nil || s.o.Compare == nil || l.intervals == 0 {
		return
	}
	errors := newVectors(l.intervals, s.d)
	squares := make([]float64, l.intervals)
	for i := range l.intervals {
		subtract(errors.at(i), l.c(i+1), s.o.Compare[(i+1)*l.m])
		squares[i] = dot(errors.at(i), errors.at(i))
	}
	s.profile(ErrorSeries, l, func(i int) float64 { return squares[i] })
	s.spectrum(errors)
}

// spectrum records the cosine transform (DCT-II, orthonormal) over the C-points of errors, as
// the root of the sum of squares over the numbers of a vector, at frequencies spread evenly
// on a log scale; between two of them, the largest.
func (s *solver) spectrum(errors vectors) {
	n := len(errors.data) / s.d
	every := max(1, s.d/spectrumMost)
	cosines := make([]float64, 4*n) // cos(π·j/2n)
	for j := range cosines {
		cosines[j] = math.Cos(math.Pi * float64(j) / float64(2*n))
	}
	before := 0
	for part := range spectrumParts {
		k := int(math.Round(math.Pow(float64(n), float64(part)/(spectrumParts-1)))) - 1
		k = min(max(k, part), n-1)
		if part > 0 && k <= before {
			continue
		}
		before = k
		sum := 0.0
		for j := 0; j < s.d; j += every {
			a := 0.0
			for i := range n {
				a += errors.data[i*s.d+j] * cosines[(2*i+1)*k%(4*n)]
			}
			sum += a * a
		}
		scale := 2 / float64(n)
		if k == 0 {
			scale = 1 / float64(n)
		}
		s.trace.Sample(SpectrumSeries, max(float64(k), 0.5), math.Sqrt(sum*scale))
	}
}
