package viz

import "strings"

// Utilisation draws which share of the time each worker of a run was at work: the series whose names begin with
// "worker ", over seconds. What is missing to 1 is waiting. The figure grows while the run goes on.
//
//	viz.Utilisation(g)
func Utilisation(source Source) *Figure {
	src := present([]Source{source})
	c := &curveSet{src: src, yLabel: "share of the time at work", step: "instance", what: "utilisation"}
	c.list = func() []spec {
		var specs []spec
		for _, s := range src {
			for _, name := range s.Trace().Series() {
				if strings.HasPrefix(name, "worker ") {
					i := len(specs)
					specs = append(specs, spec{source: s, id: int64(i), series: name, name: name, look: lookOf(i), width: 1.6})
				}
			}
			if len(specs) == 0 { // says that there are none
				specs = append(specs, spec{source: s, id: s.ID(), series: "worker …", name: s.Name(), look: lookOf(0)})
			}
		}
		return specs
	}
	return newFigure(c).X(Seconds)
}
