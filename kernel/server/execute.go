package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"time"

	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// run is the cell that runs.
type run struct {
	*cell
	result      json.RawMessage // content of its execute_result; guarded by supervisor.mu
	interrupted time.Time       // when it was first interrupted; guarded by supervisor.mu
}

// execute runs one cell, from busy to idle.
func (s *Server) execute(req transport.Request) {
	var e wire.ExecuteRequest
	if err := req.Decode(&e); err != nil {
		s.during(req, func(req transport.Request) {
			s.reply(req, wire.TypeExecuteReply, wire.ExecuteReply{Reply: wire.Fail("BadRequest", err.Error())})
		})
		return
	}
	stored := e.StoreHistory && !e.Silent && strings.TrimSpace(e.Code) != ""
	if stored {
		s.count++
		s.counted.Store(int64(s.count))
	}
	c := &cell{id: s.sup.number(), n: s.count, req: req, parent: rawHeader(req), silent: e.Silent}
	r := &run{cell: c}
	s.sup.mu.Lock()
	s.sup.running = r
	s.sup.mu.Unlock()

	s.out.begin(c, func() {
		s.publish(c.parent, wire.TypeStatus, wire.Status{ExecutionState: "busy"})
		if !c.silent {
			s.publish(c.parent, wire.TypeExecuteInput, wire.ExecuteInput{Code: e.Code, ExecutionCount: c.n})
		}
	})
	outcome := s.runCell(r, &e)
	s.input.drop()

	reply := wire.ExecuteReply{Reply: wire.OK(), ExecutionCount: c.n}
	if f := outcome.Failure; f != nil {
		reply.Reply = wire.Fail(f.Name, f.Value, f.Traceback...)
		if content, err := json.Marshal(reply.Error); err == nil {
			s.out.message(c, wire.TypeError, content, nil)
		}
	}
	reply.UserExpressions = map[string]any{}
	for name, v := range outcome.Expressions {
		reply.UserExpressions[name] = v
	}
	for _, p := range outcome.Payload {
		var m map[string]any
		if json.Unmarshal(p, &m) == nil {
			reply.Payload = append(reply.Payload, m)
		}
	}
	s.out.finish(c)
	s.sup.mu.Lock()
	s.sup.running = nil
	result := r.result
	s.sup.mu.Unlock()
	if stored {
		s.history.add(c.n, e.Code, plainText(result))
	}
	if f := outcome.Failure; f != nil && (e.StopOnError || f.Interrupted) {
		defer s.failed()()
	}
	s.reply(req, wire.TypeExecuteReply, reply)
	s.publish(c.parent, wire.TypeStatus, wire.Status{ExecutionState: "idle"})
	c.req = transport.Request{} // output that comes later needs the header only
}

// runCell hands a cell to the evaluator and waits for its end, or the evaluator's.
func (s *Server) runCell(r *run, e *wire.ExecuteRequest) link.Outcome {
	head := link.RunCell{N: r.n, Source: e.Code, Silent: e.Silent, AllowStdin: e.AllowStdin, Expressions: e.UserExpressions}
	ch, err := s.sup.ask(link.Run, r.id, head, nil)
	if err != nil {
		return link.Outcome{Failure: s.noEvaluator(err)}
	}
	a := <-ch
	if a.death != nil {
		return link.Outcome{Failure: s.lost(r, *a.death)}
	}
	var o link.Outcome
	if err := a.frame.Decode(&o); err != nil {
		return link.Outcome{Failure: &link.Failure{Name: "InternalError", Value: err.Error(), Traceback: []string{err.Error()}}}
	}
	if o.Reset {
		if o.Program != "" && s.opt.Program != nil {
			s.opt.Program(o.Program)
		}
		s.sup.reset(resetReason)
	}
	return o
}

// noEvaluator is the failure of a cell that cannot be run at all. The next cell tries again.
func (s *Server) noEvaluator(err error) *link.Failure {
	var size *link.SizeError
	if !errors.As(err, &size) {
		s.sup.mu.Lock()
		if s.sup.proc == nil {
			s.sup.early = 0
			s.sup.startLocked()
		}
		s.sup.mu.Unlock()
	}
	return &link.Failure{Name: "NoEvaluator", Value: err.Error(), Traceback: []string{err.Error()}}
}

// lastCount is the number of the latest stored cell.
func (s *Server) lastCount() int { return int(s.counted.Load()) }

// plainText is the text/plain of an execute_result, for the history. What holds a picture
// is left out: looking for a few words in it would take longer than running the cell.
func plainText(content json.RawMessage) string {
	if len(content) == 0 || len(content) > 64<<10 {
		return ""
	}
	var r struct {
		Data map[string]json.RawMessage `json:"data"`
	}
	var text string
	if json.Unmarshal(content, &r) == nil {
		json.Unmarshal(r.Data["text/plain"], &text)
	}
	return text
}

// deathText says in one line how an evaluator ended.
func deathText(d link.Death) string {
	crash := strings.TrimSpace(d.Crash)
	first, rest, _ := strings.Cut(crash, "\n")
	switch {
	case d.Reason != "":
		return d.Reason
	case strings.HasPrefix(first, "runtime: goroutine stack exceeds"):
		return "stack overflow: a function calls itself without end"
	case strings.HasPrefix(first, "runtime: ") && strings.Contains(rest, "fatal error: "):
		_, fatal, _ := strings.Cut(rest, "fatal error: ")
		fatal, _, _ = strings.Cut(fatal, "\n")
		return "fatal error: " + fatal
	case first != "":
		return first
	case d.Err != nil:
		return d.Err.Error()
	case d.Signal != 0:
		return fmt.Sprintf("ended by the signal %v", d.Signal)
	}
	return fmt.Sprintf("exit status %d", d.Code)
}
