package nb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"trivium/kernel/display"
)

// A Run is background work that was started by a cell: what core/run starts, and anything
// else with these methods.
type Run interface {
	Name() string
	Done() <-chan struct{} // closed when the run has ended
	Err() error            // why it failed; nil while it goes on
}

// A Notebook is what surrounds the cells. The evaluator process gives one to [Use].
type Notebook interface {
	Runs() []Run
	StopAll()
	Progress(Run) (p Progress, ok bool)
	Doc(name string) (signature, text string, ok bool)
	Input(ctx context.Context, prompt string, password bool) (string, error)
	NextRead(prompt string, password bool)
}

// Progress is how far a run has come.
type Progress struct {
	Done, Total float64 // in Unit; Total is 0 if unknown
	Unit        string  // what is counted, "steps" or "cycles"; may be empty
	Seconds     float64 // since its start
	Left        float64 // estimated seconds to go; below 0 if unknown
	Last        string  // the newest value, as "loss 0.12"; empty if none
	State       string  // running, paused, done, converged, stopped, failed
}

var notebook Notebook = outside{}

// Use sets the notebook that the functions of this package work on. Cells need not call it.
func Use(n Notebook) { notebook = n }

// outside is the notebook of a program that is not an evaluator.
type outside struct{}

var errOutside = errors.New("nb: there is no notebook: this works in the cells of one")

func (outside) Runs() []Run                                  { return nil }
func (outside) StopAll()                                     {}
func (outside) Progress(Run) (Progress, bool)                { return Progress{}, false }
func (outside) Doc(string) (signature, text string, ok bool) { return "", "", false }
func (outside) Input(context.Context, string, bool) (string, error) {
	return "", errOutside
}
func (outside) NextRead(string, bool) {}

// ErrInterrupted is the error of a wait that was ended by the stop button.
var ErrInterrupted = errors.New("nb: the wait was interrupted; the runs go on")

// lastFrames is how long Await waits for figures to be drawn a last time.
const lastFrames = 2 * time.Second

// Await waits until all runs have ended, and shows a progress bar for each meanwhile.
// Without runs it waits for all that go on. It returns the errors of those that failed. The
// stop button ends the waiting and the cell, not the runs: they stop by their Stop
// method, or by [StopAll]. When Await returns, figures of the runs have had their last frame.
func Await(runs ...Run) error {
	if len(runs) == 0 {
		runs = going(Runs())
	}
	m := display.Current()
	if open := going(runs); len(open) > 0 {
		bars := newBars(runs)
		defer bars.close()
		if err := m.Show(bars); err != nil {
			return err
		}
		for _, r := range open {
			if m.Wait(r.Done()) != nil {
				panic(ErrInterrupted)
			}
		}
		bars.close()
		m.Settle(lastFrames)
	}
	var errs []error
	for _, r := range runs {
		if err := r.Err(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", r.Name(), err))
		}
	}
	return errors.Join(errs...)
}

// going keeps the runs that have not ended.
func going(runs []Run) []Run {
	var out []Run
	for _, r := range runs {
		select {
		case <-r.Done():
		default:
			out = append(out, r)
		}
	}
	return out
}

// Runs returns the runs that were started in this notebook, in the order of their start. As
// the last line of a cell they are shown with their progress.
func Runs() RunList { return notebook.Runs() }

// RunList shows its runs as a table.
type RunList []Run

// MIMEBundle makes the table.
func (l RunList) MIMEBundle() (data, metadata map[string]any) { return table(l), nil }

// StopAll asks all runs of this notebook to stop. It does not wait; Await does.
func StopAll() { notebook.StopAll() }

// Check ends the cell with the error unless it is nil. It is for what is not expected to
// fail, where a result and an error come back: a, err := f(); nb.Check(err).
func Check(err error) {
	if err != nil {
		panic(err)
	}
}

// Input asks the user for a line, below the cell.
func Input(prompt string) (string, error) {
	return notebook.Input(display.Current().Context(), prompt, false)
}

// NextRead sets how the user is asked when the cell next reads standard input, as fmt.Scan
// does. Without it there is no prompt, and what is typed can be seen.
func NextRead(prompt string, password bool) { notebook.NextRead(prompt, password) }

// Password asks the user for a line that is not shown as it is typed.
func Password(prompt string) (string, error) {
	return notebook.Input(display.Current().Context(), prompt, true)
}
