package viz

import (
	"fmt"
	"strings"

	"trivium/core/run"
)

// accuracies says in a line how good the runs are that have been tested, "" if none has: what a
// comparison of losses leaves out. Differences are from the first of them, in points.
func accuracies(sources []Source) string {
	const series = "accuracy"
	var parts []string
	first, same := 0.0, -1.0
	for _, s := range sources {
		n := s.Trace().Len(series)
		if n == 0 {
			continue
		}
		var last run.Point
		s.Trace().Visit(series, n-1, func(part []run.Point) { last = part[len(part)-1] })
		text := fmt.Sprintf("%s %.2f %%", s.Name(), 100*last.Value)
		if len(parts) == 0 {
			first = last.Value
		} else {
			text += fmt.Sprintf(" (%+.2f points)", 100*(last.Value-first))
		}
		if same < 0 {
			same = last.Step
		} else if same != last.Step {
			text += fmt.Sprintf(" at step %g", last.Step)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return "Accuracy in the last test: " + strings.Join(parts, ", ") + "."
}
