package host

import (
	"context"
	"errors"
	"io"
	"sync"

	"trivium/kernel/link"
)

// Stdin is the standard input of the process, fed with what the user types.
type Stdin interface {
	// Begin prepares for a cell. While a cell reads, ask asks the user for a line; it reports
	// false when there is none to come. Where the front end cannot be asked, reading gives EOF.
	Begin(allowed bool, ask func() (line string, ok bool))
	// End ends what Begin began.
	End()
}

// answers is the question that waits for the user.
type answers struct {
	asking sync.Mutex // one question at a time

	mu     sync.Mutex
	wait   chan link.Input
	closed bool
}

func (a *answers) expect() chan link.Input {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wait = make(chan link.Input, 1)
	if a.closed {
		a.wait <- link.Input{EOF: true}
	}
	return a.wait
}

func (a *answers) arrived(f *link.Frame) {
	var in link.Input
	if err := f.Decode(&in); err != nil {
		in.EOF = true
	}
	a.give(in)
}

func (a *answers) give(in link.Input) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.wait != nil {
		a.wait <- in
		a.wait = nil
	}
}

// drop ends the question without an answer.
func (a *answers) drop() { a.give(link.Input{EOF: true}) }

func (a *answers) close() {
	a.drop()
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
}

// ask asks the user for a line, on behalf of a cell.
func (h *Host) ask(r *running, p link.Prompt) (line string, ok bool) {
	h.answer.asking.Lock()
	defer h.answer.asking.Unlock()
	if !r.stdin || r.interrupt.Load() {
		return "", false
	}
	ch := h.answer.expect()
	if err := h.conn.Send(link.InputRequest, r.id, p, nil); err != nil {
		return "", false
	}
	select {
	case in := <-ch:
		return in.Value, !in.EOF
	case <-r.ended:
		return "", false
	case <-r.wait.Done():
		return "", false
	}
}

// NextRead sets how the user is asked when the running cell next reads standard input.
func (h *Host) NextRead(prompt string, password bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.running != nil {
		h.running.next.Store(&link.Prompt{Prompt: prompt, Password: password})
	}
}

// ErrNoInput is the error of a question that cannot be asked.
var ErrNoInput = errors.New("host: this front end cannot be asked for input")

// Input asks the user of the running cell. It returns io.EOF when the user ends the input.
func (h *Host) Input(ctx context.Context, prompt string, password bool) (string, error) {
	h.mu.Lock()
	r := h.running
	h.mu.Unlock()
	if r == nil || !r.stdin {
		return "", ErrNoInput
	}
	line, ok := h.ask(r, link.Prompt{Prompt: prompt, Password: password})
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	if !ok {
		return "", io.EOF
	}
	return line, nil
}
