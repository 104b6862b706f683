package mgrit

import "fmt"

// A Machine is what a simulation runs on: as many processors as asked for, each with its
// own memory, that send each other vectors. The zero value is a cluster of today.
type Machine struct {
	Step      float64 // seconds that one call of the step function takes; 0 means as measured in the run, or 1 µs
	Serial    float64 // seconds that a step of serial training takes; 0 means Step
	Latency   float64 // seconds that a message takes whatever its size; 0 means 2 µs, below 0 none
	Bandwidth float64 // bytes per second of a message; 0 means 1e10
}

func (m Machine) filled(measured float64) (Machine, error) {
	for _, f := range []struct {
		name  string
		value float64
		low   bool // may be below 0
	}{{"Step", m.Step, false}, {"Serial", m.Serial, false}, {"Latency", m.Latency, true}, {"Bandwidth", m.Bandwidth, false}} {
		if !finite(f.value) || f.value < 0 && !f.low {
			return m, fmt.Errorf("mgrit: Machine.%s is %v: it must be a positive number (0 means the usual)", f.name, f.value)
		}
	}
	if m.Step == 0 {
		m.Step = measured
	}
	if m.Step == 0 {
		m.Step = 1e-6
	}
	if m.Serial == 0 {
		m.Serial = m.Step
	}
	switch {
	case m.Latency == 0:
		m.Latency = 2e-6
	case m.Latency < 0:
		m.Latency = 0
	}
	if m.Bandwidth == 0 {
		m.Bandwidth = 1e10
	}
	return m, nil
}

// message is the seconds from when a vector of d numbers is sent to when it is there.
func (m Machine) message(d int) float64 { return m.Latency + 8*float64(d)/m.Bandwidth }

// A Forecast says how a run would go on so many processors. All of it is computed: none
// of it was measured but the time of a step, if the [Machine] did not say.
type Forecast struct {
	Processors int
	Model      float64 // speed-up over serial training that counting steps promises: no messages, nobody waits
	SpeedUp    float64 // speed-up in the simulation
	Seconds    float64 // of the run in the simulation
	Serial     float64 // seconds of serial training
	Messages   int     // vectors sent from one processor to another
	Memory     float64 // bytes of vectors on the fullest processor
	Busy       float64 // part of the time that the processors compute, on average
}

func (f Forecast) String() string {
	return fmt.Sprintf("%d processors: speed-up %.3g simulated, %.3g by the model; %.3g s, %d messages, %.3g kB on the fullest, busy for %.2g%%",
		f.Processors, f.SpeedUp, f.Model, f.Seconds, f.Messages, f.Memory/1e3, 100*f.Busy)
}
