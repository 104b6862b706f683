package eval

import (
	"context"
	"errors"
)

// A Session holds the names and values of the cells that ran. It implements [Evaluator].
type Session struct {
	opt Options
}

// New returns a session in which nothing has run.
func New(o Options) (*Session, error) {
	if o.Symbols == nil {
		return nil, errors.New("eval: no symbols: Options.Symbols says what cells can import")
	}
	return &Session{opt: o}, nil
}

func (s *Session) Run(ctx context.Context, cell Cell) Outcome         { return Outcome{} }
func (s *Session) Complete(src string, offset int) Completion         { return Completion{} }
func (s *Session) Inspect(src string, offset, detail int) (Doc, bool) { return Doc{}, false }
func (s *Session) IsComplete(src string) (status, indent string)      { return "complete", "" }

// A Var describes a variable of the session.
type Var struct {
	Name, Type, Text string
	Size             int // bytes reachable, estimated
}

// Vars lists the variables of the session, sorted by name.
func (s *Session) Vars() []Var { return nil }

var _ Evaluator = (*Session)(nil)
