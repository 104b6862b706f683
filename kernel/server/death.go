package server

import (
	"encoding/json"
	"strings"

	"trivium/kernel/link"
	"trivium/kernel/wire"
)

// Reasons for which the kernel itself ends an evaluator.
const (
	resetReason = "reset"
	stopReason  = "ended by a second interrupt"
)

// lost is what a cell gets whose evaluator died under it.
func (s *Server) lost(r *run, d link.Death) *link.Failure {
	name := "EvaluatorDied"
	if d.Reason == stopReason {
		name = "Interrupted"
	}
	f := &link.Failure{Name: name, Value: deathText(d), Interrupted: d.Reason == stopReason}
	f.Traceback = epitaph(r.n, d)
	return f
}

// mourn tells of an evaluator that died while no cell ran, in the output of the latest cell.
func (s *Server) mourn(d link.Death) {
	c := s.out.cell(0)
	if c == nil {
		s.opt.Logf("server: an evaluator died before any cell ran: %s", deathText(d))
		return
	}
	content, err := json.Marshal(wire.Error{EName: "EvaluatorDied", EValue: deathText(d), Traceback: epitaph(c.n, d)})
	if err != nil {
		return // strings can be encoded
	}
	s.out.message(c, wire.TypeError, content, nil)
}

const (
	red   = "\x1b[1;31m"
	bold  = "\x1b[1m"
	plain = "\x1b[0m"
)

// epitaph is the traceback of a death: the reason, the runtime's trace as far as it speaks
// of code that the user may know, and what is lost.
func epitaph(n int, d link.Death) []string {
	lines := []string{red + "The evaluator ended" + plain + ": " + deathText(d)}
	lines = append(lines, knownTrace(d.Crash)...)
	return append(lines, bold+"All variables and declarations of this notebook are lost"+plain+
		"; runs that were saved can be loaded again. The next cell runs in a fresh evaluator.")
}

// knownTrace keeps of a Go trace the first goroutine, without the frames of the interpreter,
// the runtime and the kernel.
func knownTrace(crash string) []string {
	const most = 20
	var out []string
	lines := strings.Split(strings.TrimSpace(crash), "\n")
	inside, own := false, false
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		if strings.HasPrefix(l, "goroutine ") {
			if inside {
				break
			}
			inside = true
			continue
		}
		if !inside {
			own = own || l == "runtime stack:" // of the runtime, up to the first goroutine
			if i > 0 && l != "" && len(out) < most && !own && !strings.HasPrefix(l, "runtime: sp=") {
				out = append(out, "  "+l)
			}
			continue
		}
		if l == "" {
			break
		}
		if i+1 >= len(lines) || !strings.HasPrefix(lines[i+1], "\t") {
			continue
		}
		where := strings.TrimSpace(lines[i+1])
		i++
		if hidden(l) || len(out) >= most {
			continue
		}
		where, _, _ = strings.Cut(where, " +0x")
		out = append(out, "  "+l, "      "+where)
	}
	return out
}

func hidden(function string) bool {
	for _, p := range []string{
		"runtime.", "panic(", "reflect.", "github.com/traefik/yaegi/", "trivium/kernel/eval", "trivium/kernel/host",
		"internal/", "created by github.com/traefik/yaegi", "main.", "created by trivium/kernel",
	} {
		if strings.HasPrefix(function, p) {
			return true
		}
	}
	return false
}
