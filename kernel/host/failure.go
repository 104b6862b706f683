package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"trivium/kernel/eval"
	"trivium/kernel/link"
	"trivium/kernel/nb"
)

// ANSI colours of tracebacks. Front ends give them the hues of their theme.
const (
	red    = "\x1b[1;31m"
	green  = "\x1b[32m"
	bold   = "\x1b[1m"
	plain  = "\x1b[0m"
	yellow = "\x1b[33m"
)

// failure puts an error of a cell into the words of an error message.
func failure(err error, c link.RunCell, interrupted bool) *link.Failure {
	var (
		compile  *eval.CompileError
		panicked *eval.PanicError
		exit     *eval.ExitError
		value    *eval.ValueError
		bug      *eval.InternalError
	)
	if errors.As(err, &panicked) {
		if e, ok := panicked.Value.(error); ok && errors.Is(e, nb.ErrInterrupted) {
			interrupted, err = true, eval.ErrInterrupted
		}
	}
	switch {
	case interrupted && (errors.Is(err, eval.ErrInterrupted) || errors.Is(err, context.Canceled)), errors.Is(err, eval.ErrInterrupted):
		return &link.Failure{
			Name: "Interrupted", Value: fmt.Sprintf("Cell [%d] was interrupted", c.N), Interrupted: true,
			Traceback: []string{red + "Interrupted" + plain + fmt.Sprintf(": Cell [%d]", c.N)},
		}
	case errors.As(err, &compile):
		return compileFailure(compile)
	case errors.As(err, &panicked):
		return panicFailure(panicked, c)
	case errors.As(err, &exit):
		text := fmt.Sprintf("exit status %d", exit.Code)
		return &link.Failure{Name: "Exit", Value: text, Traceback: []string{
			red + text + plain + ": the cell ended itself by os.Exit or log.Fatal; all variables are kept",
		}}
	case errors.As(err, &value):
		return &link.Failure{Name: "error", Value: value.Error(), Traceback: []string{
			red + "error" + plain + ": " + value.Error(),
			fmt.Sprintf("Cell [%d]: its last value is this error", c.N),
		}}
	case errors.As(err, &bug):
		return internal(bug.Text)
	}
	return &link.Failure{Name: "Error", Value: err.Error(), Traceback: []string{err.Error()}}
}

func internal(text string) *link.Failure {
	text = "internal error of the kernel: " + text
	return &link.Failure{Name: "InternalError", Value: text, Traceback: []string{red + "InternalError" + plain + ": " + text}}
}

// compileFailure shows what is wrong where.
func compileFailure(e *eval.CompileError) *link.Failure {
	f := &link.Failure{Name: "CompileError"}
	const most = 10 // as the Go compiler does
	for i, d := range e.Diagnostics {
		if i == most {
			f.Traceback = append(f.Traceback, fmt.Sprintf("… and %d more", len(e.Diagnostics)-most))
			break
		}
		if hint := importHint(d); hint != "" {
			d.Hint = hint
		}
		f.Traceback = append(f.Traceback, diagnostic(d, red)...)
	}
	if len(e.Diagnostics) > 0 {
		d := e.Diagnostics[0]
		f.Value = fmt.Sprintf("Cell [%d], line %d: %s", d.Cell, d.Line, d.Text)
	}
	return f
}

// diagnostic shows a message with its line of source, a caret, and a hint.
func diagnostic(d eval.Diagnostic, colour string) []string {
	lines := []string{fmt.Sprintf("%sCell [%d], line %d%s: %s", green, d.Cell, d.Line, plain, colour+d.Text+plain)}
	if d.Source != "" {
		lines = append(lines, "    "+d.Source, "    "+caret(d.Source, d.Col))
	}
	if d.Hint != "" {
		lines = append(lines, "    "+bold+d.Hint+plain)
	}
	return lines
}

// caret points at a column, in bytes from 1, of a line that may hold tabs.
func caret(line string, col int) string {
	var b strings.Builder
	for i, r := range line {
		if i >= col-1 {
			break
		}
		if r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String() + "^"
}

// panicFailure shows a panic with the lines of cells that led to it.
func panicFailure(e *eval.PanicError, c link.RunCell) *link.Failure {
	f := &link.Failure{Name: "panic", Value: e.Text, Traceback: []string{red + "panic" + plain + ": " + e.Text}}
	if at := e.Cell; len(e.Trace) == 0 && at > 0 {
		f.Traceback = append(f.Traceback, fmt.Sprintf("%sCell [%d]%s", green, at, plain))
	}
	source := strings.Split(c.Source, "\n")
	for i, at := range e.Trace {
		f.Traceback = append(f.Traceback, green+at.String()+plain)
		if i == 0 {
			f.Value += fmt.Sprintf(" (%s)", at)
		}
		if at.Cell == c.N && at.Line >= 1 && at.Line <= len(source) {
			f.Traceback = append(f.Traceback, "    "+source[at.Line-1])
		}
	}
	return f
}

// warn prints warnings to stderr, before the cell's values are shown.
func (s *session) warn(ds []eval.Diagnostic, c link.RunCell) {
	if c.Silent {
		return
	}
	for _, d := range ds {
		fmt.Fprintln(os.Stderr, strings.Join(diagnostic(d, yellow), "\n"))
	}
}
