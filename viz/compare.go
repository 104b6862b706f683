package viz

import "fmt"

// Compare draws the same series of several runs three times side by side: over steps,
// seconds and work, because a method that wins by one of them may lose by another. The
// series is "residual" or "loss" where a run has it, else the first of the first run.
// [Figure.X] has no effect. The figure grows while the runs go on.
func Compare(sources ...Source) *Figure {
	c := &comparison{src: present(sources)}
	return newFigure(c).Size(900, 340)
}

type comparison struct {
	src    []Source
	series string
	parts  [3]*curveSet
}

func (c *comparison) sources() []Source { return c.src }

// choose decides on the series once there is one.
func (c *comparison) choose() {
	c.series = mainSeries(c.src)
	if c.series == "" {
		return
	}
	for i := range c.parts {
		c.parts[i] = runCurves(c.series, c.src)
	}
}

// mainSeries is the series that says most of some runs.
func mainSeries(sources []Source) string {
	first := ""
	for _, s := range sources {
		for _, n := range s.Trace().Series() {
			if n == "residual" || n == "loss" {
				return n
			}
			if first == "" {
				first = n
			}
		}
	}
	return first
}

func (c *comparison) scene(set settings) *scene {
	if c.series == "" {
		c.choose()
	}
	if c.series == "" {
		s := &scene{summary: fmt.Sprintf("Comparison of %s", plural(len(c.src), "run")), empty: "Nothing to draw yet."}
		if len(c.src) == 0 {
			s.empty = "No runs were given, so there is nothing to draw."
		} else if f := failures(c.src); len(f) > 0 {
			s.empty = list(f)
		}
		return s
	}
	part := set
	part.w /= 3
	if c.series == "residual" {
		part.logY = true
	}
	var whole *scene
	for i, x := range []X{Steps, Seconds, Work} {
		part.x = x
		s := c.parts[i].scene(part)
		if whole == nil {
			whole = &scene{yLabel: s.yLabel, keys: s.keys, notes: s.notes, empty: s.empty, details: s.details, legend: true}
			whole.summary = fmt.Sprintf("%s over steps, seconds and work, %s", upper(c.series), plural(len(c.src), "run"))
		}
		if whole.empty == "" {
			s.keys = nil
			whole.panels = append(whole.panels, s)
		}
	}
	return whole
}
