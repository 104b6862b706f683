package eval

import "context"

// Call runs f, compiled code that calls functions of cells, as a cell runs: it can be
// interrupted by ctx, and a panic in it is an error with the trace. n is the cell by which
// messages call it. Like Run it must not be called while a cell runs.
func (s *Session) Call(ctx context.Context, n int, f func()) error {
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	s.mu.Lock()
	s.runs++
	s.mu.Unlock()
	at := &traced{}
	failed := s.execute(ctx, n, func() {
		defer func() {
			if v := recover(); v != nil {
				s.tracer.note()
				v = s.goValue(v)
				at = s.tracer.take()
				panic(v)
			}
		}()
		f()
	})
	return s.outcomeOf(failed, n, at)
}
