// Package eval runs the cells of a notebook.
//
// A cell is Go: declarations, imports and statements mixed, with a last expression that is
// shown. It gives what the Go compiler would give, at once, and keeps its values for the next
// cell. Where that cannot be had, the cell is refused before anything of it has run; it never
// gives a silently wrong result.
//
// Behind it works yaegi, an interpreter that knows less Go than the compiler does and is
// wrong about some of what it knows. So a cell is first checked by go/types against compiled
// export data and then rewritten, one construct after another, into the part of Go that yaegi
// gets right. The files are in the order in which a cell meets them: split.go, parse.go,
// imports.go, scope.go, check.go, lint.go, then the lower_*.go files, emit.go, session.go.
//
// Start with [New] and [Session.Run].
package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"trivium/kernel/symbols/box"
)

// An Evaluator is what a kernel needs of a language: everything else of this package is
// behind it. Positions are byte offsets into the source of the cell.
type Evaluator interface {
	// Run runs one cell and returns when it has ended. Cancelling ctx interrupts the cell.
	// It must not be called while another Run goes on.
	Run(ctx context.Context, cell Cell) Outcome
	// Complete, Inspect and IsComplete may be called while a cell runs.
	Complete(src string, offset int) Completion
	Inspect(src string, offset, detail int) (Doc, bool)
	IsComplete(src string) (status, indent string)
}

// A Cell is a piece of source with the number that messages call it by.
type Cell struct {
	N      int
	Source string
}

// An Outcome is what came of a cell.
type Outcome struct {
	Values   []Value      // of the last expression; empty when there is nothing to show
	Warnings []Diagnostic // unused variables and imports, and the like
	Err      error        // *CompileError, *PanicError, *ExitError, *ValueError, *InternalError or ErrInterrupted
}

// A Value is one result of the last expression.
type Value struct {
	V    any    // the value; a value of a type declared in a cell comes wrapped
	Type string // its static type as Go writes it, packages by name
	Text string // readable, cut at a sensible length
}

// A Diagnostic is a message about a place in a cell. Line and Col count from 1, Col in bytes.
type Diagnostic struct {
	Cell, Line, Col int
	Text            string // what is wrong, as the compiler says it
	Source          string // the line of source
	Hint            string // what may help; often empty
}

// String gives the message with the source line and a caret below it.
func (d Diagnostic) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Cell [%d], line %d: %s", d.Cell, d.Line, d.Text)
	if d.Source != "" {
		fmt.Fprintf(&b, "\n    %s\n    %s^", d.Source, caretPad(d.Source, d.Col))
	}
	if d.Hint != "" {
		fmt.Fprintf(&b, "\n    %s", d.Hint)
	}
	return b.String()
}

// caretPad is white space as wide as what stands before column col, tabs kept.
func caretPad(line string, col int) string {
	var b strings.Builder
	for i, r := range line {
		if i >= col-1 {
			break
		}
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// A CompileError says why a cell was refused. Nothing of the cell has happened.
type CompileError struct{ Diagnostics []Diagnostic }

func (e *CompileError) Error() string {
	var l []string
	for _, d := range e.Diagnostics {
		l = append(l, d.String())
	}
	return strings.Join(l, "\n")
}

// A Frame is one line of a trace.
type Frame struct {
	Func       string // as the cell names it; "" at the top level of a cell
	Cell, Line int    // Line 0: not known
}

func (f Frame) String() string {
	s := fmt.Sprintf("Cell [%d]", f.Cell)
	if f.Line > 0 {
		s += fmt.Sprintf(", line %d", f.Line)
	}
	if f.Func != "" {
		s += " in " + f.Func
	}
	return s
}

// A PanicError is a panic that no cell recovered. What the cell did before it, stays done.
type PanicError struct {
	Value any     // what was given to panic
	Text  string  // as Go prints it: "runtime error: index out of range [5] with length 3"
	Trace []Frame // innermost first
	Cell  int     // the cell whose code panicked
	Go    bool    // in a goroutine
}

func (e *PanicError) Error() string {
	var b strings.Builder
	if e.Go {
		b.WriteString("panic in a goroutine: ")
	} else {
		b.WriteString("panic: ")
	}
	b.WriteString(e.Text)
	for _, f := range e.Trace {
		b.WriteString("\n    ")
		b.WriteString(f.String())
	}
	return b.String()
}

// An ExitError is a call of os.Exit or log.Fatal: the cell ends, the session stays.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit status %d", e.Code) }

// A ValueError is a last expression whose value is an error that is not nil.
type ValueError struct{ Value error }

func (e *ValueError) Error() string { return e.Value.Error() }
func (e *ValueError) Unwrap() error { return e.Value }

// An InternalError is a failure of the interpreter or of this package. The session goes on.
type InternalError struct{ Text string }

func (e *InternalError) Error() string { return "internal error of the interpreter: " + e.Text }

// ErrInterrupted is the error of a cell that was interrupted.
var ErrInterrupted = errors.New("interrupted")

// A Completion lists what can stand in the place of source[Start:End].
type Completion struct {
	Start, End int
	Items      []Item
}

// An Item is one possible completion.
type Item struct {
	Text string // what to insert
	Kind string // "function", "method", "field", "variable", "constant", "type", "package", "keyword"
	Type string // type or signature
	Doc  string // first line of the documentation
}

// A Doc is what is known about a name.
type Doc struct {
	Name      string // qualified as in Go source: "strings.Builder.Grow"
	Signature string // its declaration on one line
	Text      string // documentation
	Source    string // where a name of the session was declared, with detail 1
}

// Symbols is what cells can import.
type Symbols interface {
	// Packages are the import paths, sorted.
	Packages() []string
	// Name is the package name of an import path.
	Name(path string) string
	// Exports is the interpreter's table of a package, nil if the package is not known.
	Exports(path string) map[string]reflect.Value
	// ExportData is the indexed export data of a package and what it mentions.
	ExportData(path string) ([]byte, bool)
	// Wrapper makes of a value of a cell's type one that implements a compiled interface.
	Wrapper(key string) (func(box.Obj) any, bool)
	// Generic gives an adapter of a compiled generic function.
	Generic(path, name string) (fn any, ok bool)
	// GenericType gives the type that stands for all instances of a compiled generic type.
	GenericType(path, name string) (reflect.Type, bool)
	// Doc documents a package (name ""), a symbol or a method ("T.M").
	Doc(path, name string) (signature, text string, ok bool)
}

// A Predeclared variable is there before the first cell runs.
type Predeclared struct {
	Name  string
	Type  string // as a cell would write it: "context.Context"
	Value any
}

// Options sets what a session works with.
type Options struct {
	Symbols     Symbols       // required
	Stdin       io.Reader     // read by fmt.Scan and by os.Stdin given to a reader; nil means os.Stdin
	Predeclared []Predeclared // such as ctx
	StuckAfter  time.Duration // after which an interrupted cell is reported as stuck; 0 means 2 s

	// GoPanic hears of a panic in a goroutine that a cell started, or in a cell's function that compiled code called on one
	// of its own while no cell ran. It is called on that goroutine.
	GoPanic func(*PanicError)
	// Stuck hears, once per cell, which compiled function an interrupted cell waits in.
	Stuck func(function string)
}
