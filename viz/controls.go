package viz

import (
	"slices"
	"strings"
)

// Front ends with buttons ask a figure what can be switched in it, by two methods with plain
// types: see Switches.

// Switches lists what a reader can switch in the figure now. Each is a list: its name, the
// choice that is on, and all choices. The switch "run" stops, pauses and resumes the runs
// that go on; "x", "y" and "smoothing" are those of [Figure.X], [Figure.LogY] and
// [Figure.Smooth], where the figure has curves of runs.
func (f *Figure) Switches() [][]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	sources := f.content.sources()
	var out [][]string
	if state := runState(sources); state != "" {
		out = append(out, []string{"run", state, "running", "paused", "stopped"})
	}
	if _, ok := f.content.(*curveSet); !ok {
		return out
	}
	if len(sources) > 0 {
		out = append(out, []string{"x", xNames[min(max(int(f.set.x), 0), len(xNames)-1)], "steps", "seconds", "work"})
	}
	y, smooth := "linear", "other"
	if f.set.logY {
		y = "log"
	}
	for _, s := range smoothings {
		if s.w == f.set.smooth {
			smooth = s.name
		}
	}
	return append(out, []string{"y", y, "linear", "log"}, []string{"smoothing", smooth, "none", "0.6", "0.9"})
}

// Switch makes a choice of a switch; one that does not exist changes nothing. It returns at
// once: a run that is asked to stop does so when it can.
func (f *Figure) Switch(name, choice string) {
	switch name {
	case "run":
		f.mu.Lock()
		sources := f.content.sources()
		f.mu.Unlock()
		switchRuns(sources, choice)
		f.change(func(*settings) {})
	case "x":
		if i := slices.Index(xNames, choice); i >= 0 {
			f.X(X(i))
		}
	case "y":
		switch choice {
		case "log":
			f.LogY()
		case "linear":
			f.LinearY()
		}
	case "smoothing":
		for _, s := range smoothings {
			if s.name == choice {
				f.Smooth(s.w)
			}
		}
	}
}

// xNames are the choices of the switch "x", by X.
var xNames = []string{"steps", "seconds", "work"}

// smoothings are the choices of the switch "smoothing".
var smoothings = []struct {
	name string
	w    float64
}{{"none", 0}, {"0.6", 0.6}, {"0.9", 0.9}}

// runState is the state of the runs that go on, paused if all of them are; "" if none does.
func runState(sources []Source) string {
	state := ""
	for _, s := range sources {
		select {
		case <-s.Done():
			continue
		default:
		}
		if _, ok := s.(interface{ Stop() }); !ok {
			continue
		}
		if strings.ToLower(s.State().String()) != "paused" {
			return "running"
		}
		state = "paused"
	}
	return state
}

// switchRuns stops, pauses or resumes the runs of a figure.
func switchRuns(sources []Source, choice string) {
	for _, s := range sources {
		switch choice {
		case "stopped":
			if r, ok := s.(interface{ Stop() }); ok {
				r.Stop()
			}
		case "paused":
			if r, ok := s.(interface{ Pause() }); ok {
				r.Pause()
			}
		case "running":
			if r, ok := s.(interface{ Resume() }); ok {
				r.Resume()
			}
		}
	}
}
