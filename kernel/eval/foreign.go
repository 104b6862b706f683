package eval

import (
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// A function of a cell that compiled code calls on a goroutine of its own, as gonum's optimize.Minimize calls its
// objective, and that panics has nobody below it who recovers: Go ends the process for that, and a notebook would lose
// all variables. So the outermost function of a cell on such a goroutine recovers, gives zero results, and
// ends the cell that runs instead, with the panic. Until that has come back from compiled code, functions that are called so
// give zeros at once, lest a search go on. Who is below is only looked for when a panic is there.

// foreignPanic is how the cell ends.
type foreignPanic struct {
	value any
	at    *traced
}

// A fate is what a run of a cell comes to by a panic elsewhere.
type fate struct {
	mu    sync.Mutex
	id    uintptr // the goroutine of its statements while they run, else 0
	panic *foreignPanic
	ends  chan struct{} // closed when there is a panic, or with the run's done
	over  bool          // whether it is closed
}

func (f *fate) begin() {
	id, _ := goroutine()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.id = id
}

// end gives the panic that the run is to end with, nil for none. Later ones are not the run's any more.
func (f *fate) end() *foreignPanic {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.id = 0
	return f.panic
}

// fails tells whether the run is to end with a panic elsewhere.
func (f *fate) fails() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.panic != nil
}

// stopped closes ends where the run is interrupted.
func (f *fate) stopped() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeEnds()
}

func (f *fate) closeEnds() {
	if !f.over {
		f.over = true
		close(f.ends)
	}
}

// defers tells whether the statements that run, on the goroutine that asks or on any, are those of functions which were deferred by a
// cell that ends with a panic elsewhere. They run as after any panic, and so do the goroutines of the cell until then.
func (f *fate) defers(any bool) bool {
	id, _ := goroutine()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.panic != nil && f.id != 0 && (any || f.id == id) && !unwinds(f.id)
}

// isOf tells whether the goroutine that asks runs the statements of the cell.
func (f *fate) isOf() bool {
	id, _ := goroutine()
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.id == id
}

// fail ends the cell that runs with a panic that a goroutine of compiled code would have ended the process with.
// Its goroutine unwinds, so that nothing of it runs with what compiled code makes of the zeros, but for deferred calls.
// It is false where no cell runs.
func (s *Session) fail(p *foreignPanic) bool {
	r := s.current.Load()
	if r == nil {
		return false
	}
	f := &r.fate
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.id == 0 {
		return false
	}
	if f.panic == nil { // later ones are like it or come of zeros
		f.panic = p
		s.layout.failing.Store(true)
		s.unwind(f.id, nil)
		f.closeEnds()
	}
	return true
}

// caught does what is to be done about what a function has panicked with on a goroutine of compiled code.
func (s *Session) caught(v any) {
	s.tracer.note()
	v = s.goValue(v)
	w := s.tracer.take()
	if _, ok := v.(interruption); ok || v == nil || s.fail(&foreignPanic{v, w}) {
		return
	}
	cell := 0
	if len(w.frames) > 0 {
		cell = w.frames[0].Cell
	}
	s.tellPanic(v, cell, w)
}

// ---- at the boundary

// barred tells whether a function that begins while the cell is to end has to give zeros at once, be it of this cell
// or of an earlier one that compiled code calls just now.
func (l *layout) barred() bool {
	if l.session.worksFor() != nil {
		return false
	}
	functions, taken := below()
	return functions == 0 && !taken
}

// catches is called where a function of a cell ends without returning, which is known by its frame. It tells whether
// the panic would end the process.
func (l *layout) catches(f *frame) bool {
	if l.session.owner() != nil {
		return false
	}
	functions, taken := below()
	return !taken && (functions <= 1 || outermost(f))
}

// below counts the functions of cells on this goroutine's stack, and tells whether compiled code from which the
// outermost was called recovers from its panics, or is ours and knows what to do.
func below() (functions int, taken bool) {
	pcs := make([]uintptr, 64)
	n := runtime.Callers(3, pcs)
	for n == len(pcs) {
		pcs = make([]uintptr, 4*len(pcs))
		n = runtime.Callers(3, pcs)
	}
	frames := runtime.CallersFrames(pcs[:n])
	for {
		f, more := frames.Next()
		switch name := f.Function; {
		case runsBody(name):
			functions++
			taken = false
		case strings.HasPrefix(name, "trivium/kernel/eval.(*layout)."):
		default:
			taken = taken || recovers(name)
		}
		if !more {
			return functions, taken
		}
	}
}

// runsBody tells whether a compiled function, given by name, runs the body of a function of a cell.
func runsBody(name string) bool {
	return name == "trivium/kernel/eval.runBody" || name == "github.com/traefik/yaegi/interp.runCfg"
}

// recovers tells whether a compiled function, given by name, recovers from all panics of what it calls.
func recovers(name string) bool {
	if ours, ok := strings.CutPrefix(name, "trivium/"); ok {
		return slices.ContainsFunc(ownRecovering, func(r string) bool {
			return ours == r || strings.HasSuffix(r, ".func") && strings.HasPrefix(ours, r)
		})
	}
	return slices.ContainsFunc(recovering, func(r string) bool { return strings.HasPrefix(name, r) })
}

// recovering are how the names of such functions of the standard library begin.
var recovering = []string{
	"net/http.(*conn).serve", "net/http.(*http2serverConn).runHandler", "net/http.(*timeoutHandler).ServeHTTP.func",
	"fmt.(*pp).handleMethods", "text/template.safeCall", "flag.isZeroValue",
	"log/slog.Value.Resolve", "log/slog.(*handleState).appendValue", "iter.Pull",
}

// ownRecovering are those of this module, without its name; .func stands for the literals in a function. A test compares them
// with the source.
var ownRecovering = []string{
	"core/amp.(*worker).loop", "core/amp.Plan", "core/amp.PlanOptions.simulate", "core/amp.begin", "core/amp.guard",
	"core/crs.(*parallel).work.func", "core/crs.(*study).all.func", "core/crs.Nodes.prepare",
	"core/mgrit.(*pool).do", "core/mgrit.(*sideBySide).part", "core/mgrit.Lyapunov", "core/mgrit.newOrder", "core/mgrit.newSolver", "core/mgrit.newTrained", "core/mgrit.serialPath",
	"core/run.decodeResult", "core/run.encodeResult", "core/run.guarded",
	"core/tensor.try",
	"core/train.newTrainer",
	"kernel/display.Render",
	"kernel/eval.(*Session).execute.func", "kernel/eval.(*Session).guarded.func", "kernel/eval.(*Session).render", "kernel/eval.(*Session).wait.func",
	"kernel/host.(*Host).makeEvaluator", "kernel/host.(*Host).query", "kernel/host.(*Host).runCell", "kernel/host.(*Host).runTurn",
	"kernel/symbols/box.printer.methods",
	"kernel/widget.(*Hub).Deliver", "kernel/widget.(*switched).use",
	"viz.(*Figure).snapshot.func", "viz.(*gonum).svg", "viz.(*scene).pdf", "viz.(*scene).png", "viz.(*scene).svg",
}

// crossed finds calls that run functions of cells in a stack trace, with their arguments.
var crossed = regexp.MustCompile(`\n(?:github\.com/traefik/yaegi/interp\.runCfg|trivium/kernel/eval\.runBody)\((.*)\n`)

// outermost tells whether no other function of a cell is below the one of a frame. Of a deep stack the trace has the
// innermost and the outermost calls.
func outermost(f *frame) bool {
	stack := make([]byte, 1<<17)
	calls := crossed.FindAllSubmatch(stack[:runtime.Stack(stack, false)], -1)
	if len(calls) == 0 {
		return false
	}
	args := strings.Split(strings.TrimSuffix(string(calls[len(calls)-1][1]), ")"), ", ")
	for _, a := range args[:min(2, len(args))] {
		if v, err := strconv.ParseUint(strings.TrimSuffix(a, "?"), 0, 64); err == nil && uintptr(v) == uintptr(unsafe.Pointer(f)) {
			return true
		}
	}
	return false
}

// zeros are the results of a function that has none.
func zeros(t reflect.Type) []reflect.Value {
	out := make([]reflect.Value, t.NumOut())
	for i := range out {
		out[i] = reflect.Zero(t.Out(i))
	}
	return out
}
