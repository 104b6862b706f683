package server

import (
	"encoding/json"
	"time"
	"unicode/utf8"

	"trivium/kernel/link"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// patience is how long a front end waits for a completion before it is told that there is none.
const patience = 5 * time.Second

// query asks the evaluator a question and decodes the answer. It reports false if there was
// none in time.
func (s *Server) query(kind link.Kind, q any, into any) bool {
	id := s.sup.number()
	ch, err := s.sup.ask(kind, id, q, nil)
	if err != nil {
		return false
	}
	defer s.sup.forget(id)
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case a := <-ch:
		if a.death != nil {
			return false
		}
		if err := json.Unmarshal(a.frame.Body, into); err != nil {
			s.opt.Logf("server: answer to %v: %v", kind, err)
			return false
		}
		return true
	case <-timer.C:
		return false
	}
}

// byteOffset turns a position in code points into one in bytes; positions outside of the
// text become its end or its beginning.
func byteOffset(text string, points int) int {
	for i := range text {
		if points <= 0 {
			return i
		}
		points--
	}
	return len(text)
}

// codePoints turns a position in bytes into one in code points.
func codePoints(text string, offset int) int {
	return utf8.RuneCountInString(text[:min(max(offset, 0), len(text))])
}

func (s *Server) complete(req transport.Request) {
	var r wire.CompleteRequest
	if !s.decode(req, wire.TypeCompleteReply, &r) {
		return
	}
	reply := wire.CompleteReply{Reply: wire.OK(), CursorStart: r.CursorPos, CursorEnd: r.CursorPos, Metadata: wire.Bundle{}}
	var c link.Completion
	if s.query(link.Complete, link.Query{Source: r.Code, Offset: byteOffset(r.Code, r.CursorPos)}, &c) && len(c.Items) > 0 {
		reply.CursorStart, reply.CursorEnd = codePoints(r.Code, c.Start), codePoints(r.Code, c.End)
		var types []wire.CompletionType
		for _, it := range c.Items {
			reply.Matches = append(reply.Matches, it.Text)
			types = append(types, wire.CompletionType{
				Start: reply.CursorStart, End: reply.CursorEnd, Text: it.Text, Type: it.Kind, Signature: it.Signature,
			})
		}
		reply.Metadata["_jupyter_types_experimental"] = types
	}
	s.reply(req, wire.TypeCompleteReply, reply)
}

func (s *Server) inspect(req transport.Request) {
	var r wire.InspectRequest
	if !s.decode(req, wire.TypeInspectReply, &r) {
		return
	}
	reply := wire.InspectReply{Reply: wire.OK(), Data: wire.Bundle{}, Metadata: wire.Bundle{}}
	var found link.Inspection
	if s.query(link.Inspect, link.Query{Source: r.Code, Offset: byteOffset(r.Code, r.CursorPos), Detail: r.DetailLevel}, &found) && found.Found {
		reply.Found = true
		for mime, text := range found.Data {
			reply.Data[mime] = text
		}
	}
	s.reply(req, wire.TypeInspectReply, reply)
}

func (s *Server) isComplete(req transport.Request) {
	var r wire.IsCompleteRequest
	if !s.decode(req, wire.TypeIsCompleteReply, &r) {
		return
	}
	reply := wire.IsCompleteReply{Status: "unknown"}
	var c link.Completeness
	if s.query(link.IsComplete, link.Query{Source: r.Code}, &c) {
		reply = wire.IsCompleteReply{Status: c.Status, Indent: c.Indent}
	}
	s.reply(req, wire.TypeIsCompleteReply, reply)
}
