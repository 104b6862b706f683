package mgrit

import (
	"fmt"
	"strings"
)

// String says in a few lines what was found; the vectors themselves are in the fields.
func (r *Result) String() string {
	if r == nil {
		return "no result: the run goes on, failed or was stopped"
	}
	var b strings.Builder
	if r.Converged {
		b.WriteString("converged")
	} else {
		b.WriteString("not converged")
	}
	fmt.Fprintf(&b, " after %s: %s\n", count(r.Cycles, "cycle"), r.Why)
	fmt.Fprintf(&b, "vector of %s, %s\n", count(len(r.Final), "number"), count(len(r.Levels), "level"))
	fmt.Fprintf(&b, "steps computed: %d, of these one after the other: %d", r.Taken, r.Critical)
	if r.Converged && r.Potential > 0 {
		fmt.Fprintf(&b, "\npotential speed-up with unlimited processors: %.3g", r.Potential)
	}
	return b.String()
}

// String names the problem and its size.
func (p Problem) String() string {
	name := p.Name
	if name == "" {
		name = "problem"
	}
	return name + ": " + count(len(p.Init), "number")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
