package mgrit

// Names of the series that a run's trace ends with: speed-up over serial training, where
// a point's Step is a number of processors. The first two are computed, see [Forecast]; the
// last is measured, and only in a trace of [Measure].
const (
	ModelSeries     = "speedup/model"
	SimulatedSeries = "speedup/simulated"
	MeasuredSeries  = "speedup/measured"
)

// sampleForecast records what other numbers of processors would bring, up to one for
// every interval.
func (s *solver) sampleForecast(res *Result) {
	if !s.figures || s.trace == nil || res.Plan == nil {
		return
	}
	for _, p := range doublings(res.Plan.unlimited()) {
		f, err := res.Forecast(Machine{}, p)
		if err != nil {
			return // a run that took no time that can be measured, for example
		}
		s.trace.Sample(ModelSeries, float64(p), f[0].Model)
		s.trace.Sample(SimulatedSeries, float64(p), f[0].SpeedUp)
	}
}

// doublings is 1, 2, 4, ... up to most, and most.
func doublings(most int) []int {
	var all []int
	for p := 1; p < most; p *= 2 {
		all = append(all, p)
	}
	return append(all, most)
}
