package eval

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"regexp"
	"runtime"
	"strings"
)

// Packages that say where they were called from, which in a cell is within package reflect: runtime.Caller,
// log with Lshortfile or Llongfile, log/slog with AddSource. A line is that in which the statement begins.

// caller tells where the function of a cell is that is so many calls above the innermost.
func (s *Session) caller(depth int) (Frame, bool) {
	w := s.whereIs(ownStack())
	if w.made && deferring(nil) || depth < 0 || depth >= len(w.frames) { // a function that has deferred what asks is past its lines
		return Frame{}, false
	}
	return w.frames[depth], true
}

// deferring tells whether the innermost function of a cell is called as a deferred one, of those below the function that from tells of
// where it is given.
func deferring(from func(name string) bool) bool {
	var pcs [128]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs[:])])
	for functions := 0; ; {
		f, more := frames.Next()
		switch {
		case from != nil:
			if from(f.Function) {
				from = nil
			}
		case runsBody(f.Function):
			functions++
		case f.Function == "trivium/kernel/eval.(*Session).callDeferred":
			return functions == 1
		}
		if !more || functions > 1 {
			return false
		}
	}
}

// file is what stands for the name of a file.
func (f Frame) file() string { return fmt.Sprintf("Cell [%d]", f.Cell) }

// ofCells tells whether the function of a name calls for the functions of cells.
func ofCells(name string) bool {
	return strings.HasPrefix(name, "reflect.") || strings.HasPrefix(name, "trivium/kernel/eval.") || strings.HasPrefix(name, "trivium/kernel/symbols") || strings.HasPrefix(name, "github.com/traefik/yaegi/interp.") || strings.HasPrefix(name, "runtime.")
}

func (s *Session) runtimeOverrides() map[string]any {
	return map[string]any{
		"Caller": func(skip int) (pc uintptr, file string, line int, ok bool) {
			if f, ok := s.caller(skip); ok {
				return 0, f.file(), f.Line, true
			}
			return 0, "", 0, false
		},
		"FuncForPC": func(pc uintptr) *runtime.Func {
			f := runtime.FuncForPC(pc)
			if pc == 0 || f != nil && ofCells(f.Name()) {
				panic("runtime.FuncForPC of a function declared in a cell is not available")
			}
			return f
		},
	}
}

// A placedLog is the output of a logger that says where it is called: it writes the place in the cell.
type placedLog struct {
	s  *Session
	of *log.Logger
	w  io.Writer
}

// place gives a logger such an output if it needs one.
func (s *Session) place(l *log.Logger) {
	if l.Flags()&(log.Lshortfile|log.Llongfile) == 0 {
		return
	}
	w := l.Writer()
	if _, ok := w.(*placedLog); !ok {
		l.SetOutput(&placedLog{s, l, w})
	}
}

func (p *placedLog) Write(b []byte) (int, error) {
	if _, err := p.w.Write(p.rewrite(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

// placeInHeader is what a logger says of the place.
var placeInHeader = regexp.MustCompile(`^[^\n]*?:\d+: `)

// rewrite gives what is logged with the place in the cell.
func (p *placedLog) rewrite(b []byte) []byte {
	flags := p.of.Flags()
	if flags&(log.Lshortfile|log.Llongfile) == 0 {
		return b
	}
	at := 0 // as package log puts the header together
	if flags&log.Lmsgprefix == 0 {
		at += len(p.of.Prefix())
	}
	if flags&log.Ldate != 0 {
		at += len("2009/01/23 ")
	}
	switch {
	case flags&log.Lmicroseconds != 0:
		at += len("01:23:23.123123 ")
	case flags&log.Ltime != 0:
		at += len("01:23:23 ")
	}
	if at > len(b) || !loggedByCell() {
		return b
	}
	was := placeInHeader.Find(b[at:])
	if was == nil {
		return b
	}
	depth := 0
	id, _ := goroutine()
	if d, ok := p.s.logDepth.Load(id); ok {
		depth = d.(int) - 1
	}
	now := "???:0: "
	if f, ok := p.s.caller(depth); ok {
		now = fmt.Sprintf("%s:%d: ", f.file(), f.Line)
	}
	return append(append(append([]byte(nil), b[:at]...), now...), b[at+len(was):]...)
}

// loggedByCell tells whether it is not compiled code that has called package log, on whose behalf this is called.
func loggedByCell() bool {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])]) // without rewrite and Write
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "log.") && !strings.HasPrefix(f.Function, "log/slog.") {
			return ofCells(f.Function)
		}
		if !more {
			return false
		}
	}
}

// The methods of loggers that cells call otherwise.

func (s *Session) logSetFlags(l *log.Logger, flags int) { l.SetFlags(flags); s.place(l) }

func (s *Session) logSetOutput(l *log.Logger, w io.Writer) { l.SetOutput(w); s.place(l) }

func (s *Session) logWriter(l *log.Logger) io.Writer {
	w := l.Writer()
	if p, ok := w.(*placedLog); ok {
		return p.w
	}
	return w
}

func (s *Session) logOutput(l *log.Logger, depth int, text string) error {
	id, _ := goroutine()
	s.logDepth.Store(id, depth)
	defer s.logDepth.Delete(id)
	return l.Output(2, text)
}

// cellMethods are methods of compiled types that do something else in cells, by name.
var cellMethods = map[string]string{
	"(*text/template.Template).Funcs": "TextFuncs", "(*html/template.Template).Funcs": "HTMLFuncs", "(*flag.FlagSet).TextVar": "TextVar", "(*flag.FlagSet).Var": "FlagVar",
	"(*sync/atomic.Value).Store": "AtomicStore", "(*sync/atomic.Value).Swap": "AtomicSwap", "(*sync/atomic.Value).CompareAndSwap": "AtomicCompareAndSwap",
	"(*log.Logger).SetFlags": "LogSetFlags", "(*log.Logger).SetOutput": "LogSetOutput", "(*log.Logger).Writer": "LogWriter", "(*log.Logger).Output": "LogOutput",
}

// logOverrides are the functions of package log that say where they are called, or set whether to.
func (s *Session) logOverrides() map[string]any {
	return map[string]any{
		"New": func(w io.Writer, prefix string, flags int) *log.Logger {
			l := log.New(w, prefix, flags)
			s.place(l)
			return l
		},
		"SetFlags":  func(flags int) { s.logSetFlags(log.Default(), flags) },
		"SetOutput": func(w io.Writer) { s.logSetOutput(log.Default(), w) },
		"Writer":    func() io.Writer { return s.logWriter(log.Default()) },
		"Output":    func(depth int, text string) error { return s.logOutput(log.Default(), depth, text) },
	}
}

// slogOverrides make handlers that log the place in the cell.
func (s *Session) slogOverrides() map[string]any {
	return map[string]any{
		"NewTextHandler": func(w io.Writer, o *slog.HandlerOptions) *slog.TextHandler {
			return slog.NewTextHandler(w, s.sourced(o))
		},
		"NewJSONHandler": func(w io.Writer, o *slog.HandlerOptions) *slog.JSONHandler {
			return slog.NewJSONHandler(w, s.sourced(o))
		},
	}
}

func (s *Session) sourced(o *slog.HandlerOptions) *slog.HandlerOptions {
	if o == nil || !o.AddSource {
		return o
	}
	ours := *o
	ours.ReplaceAttr = func(groups []string, a slog.Attr) slog.Attr {
		if src, ok := a.Value.Any().(*slog.Source); ok && a.Key == slog.SourceKey && len(groups) == 0 && src != nil && ofCells(src.Function) {
			a = slog.Any(a.Key, s.whereLogged())
		}
		if o.ReplaceAttr != nil {
			return o.ReplaceAttr(groups, a)
		}
		return a
	}
	return &ours
}

// logSource is the Source of a record.
func (s *Session) logSource(r slog.Record) *slog.Source {
	src := r.Source()
	if src != nil && ofCells(src.Function) {
		return s.whereLogged()
	}
	return src
}

// whereLogged tells where the cell is that logs something: the handler that asks, or one on the way to it, may be the cell's own. What a
// handler asks of a record later, or on another goroutine, is not known.
func (s *Session) whereLogged() *slog.Source {
	stack := ownStack()
	at := logging.FindIndex(stack)
	if at == nil {
		return &slog.Source{}
	}
	w := s.whereIs(stack[at[0]:])
	if len(w.frames) == 0 || w.made && deferring(logs) {
		return &slog.Source{}
	}
	f := w.frames[0]
	return &slog.Source{Function: strings.TrimSuffix("main."+f.Func, "."), File: f.file(), Line: f.Line}
}

// logging finds the call of what makes the record of what is logged.
var logging = regexp.MustCompile(`(?:^|\n)log/slog\.(?:\(\*Logger\)\.log|\(\*handlerWriter\)\.Write)`)

// logs tells whether a compiled function, given by name, is that.
func logs(name string) bool { return logging.MatchString(name) }
