package server

import (
	"fmt"
	"sync"
	"time"

	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// entry is one cell of the history.
type entry struct {
	Session int    `json:"s"`
	Line    int    `json:"n,omitempty"` // 0: the entry only tells that the session exists
	Input   string `json:"in,omitempty"`
	Output  string `json:"out,omitempty"`
}

// history remembers the cells of this session and, if there is a file, of earlier ones.
type history struct {
	logf     func(string, ...any)
	file     *historyFile  // nil: in memory only
	numbered chan struct{} // closed when session is known

	mu      sync.Mutex
	session int
	old     []entry // of earlier sessions, read when first needed
	read    bool
	entries []entry // of this session

	added  chan struct{} // holds a token while there are entries to be written
	closed chan struct{}
	done   chan struct{}
}

// gather is how long an entry waits for others before the file is written: not while the front
// end waits for the reply to its cell, and once for the many short cells of "Run all".
const gather = 200 * time.Millisecond

// openHistory returns at once: the file is looked at in the background.
func openHistory(path string, logf func(string, ...any)) *history {
	h := &history{logf: logf, session: 1, numbered: make(chan struct{}), added: make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{})}
	go h.write(path)
	return h
}

// write takes a session number and then writes entries as they come. A file that cannot be
// written is given up, with a line in the log: history is not worth an error in a cell.
func (h *history) write(path string) {
	defer close(h.done)
	if path != "" {
		f := &historyFile{path: path}
		session, err := f.newSession()
		if err != nil {
			h.logf("server: history is kept in memory only: %v", err)
		} else {
			h.mu.Lock()
			h.session, h.file = session, f
			h.mu.Unlock()
		}
	}
	close(h.numbered)
	for written, last := 0, false; !last; {
		select {
		case <-h.added:
			select {
			case <-time.After(gather):
			case <-h.closed:
			}
		case <-h.closed:
			last = true
		}
		h.mu.Lock()
		entries, file := h.entries[written:], h.file
		written = len(h.entries)
		h.mu.Unlock()
		if file == nil || len(entries) == 0 {
			continue
		}
		if err := file.append(entries, h.session); err != nil {
			h.logf("server: history is no longer written: %v", err)
			return
		}
	}
}

func (h *history) add(line int, input, output string) {
	h.mu.Lock()
	h.entries = append(h.entries, entry{Line: line, Input: input, Output: output})
	h.mu.Unlock()
	select {
	case h.added <- struct{}{}:
	default:
	}
}

// close waits until all entries are written.
func (h *history) close() {
	close(h.closed)
	<-h.done
}

// all returns the cells of all sessions, oldest first, and the number of this session.
func (h *history) all() ([]entry, int) {
	<-h.numbered
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.file != nil && !h.read {
		h.read = true
		var err error
		if h.old, err = h.file.read(); err != nil {
			h.logf("server: history: %v", err)
		}
	}
	var out []entry
	for _, e := range h.old {
		if e.Line > 0 && e.Session != h.session {
			out = append(out, e)
		}
	}
	for _, e := range h.entries {
		e.Session = h.session
		out = append(out, e)
	}
	return out, h.session
}

// find returns the entries that a request asks for.
func (h *history) find(r *wire.HistoryRequest) []entry {
	all, current := h.all()
	switch r.HistAccessType {
	case "range":
		session := r.Session
		if session <= 0 {
			session += current
		}
		return filter(all, func(e entry) bool {
			return e.Session == session && e.Line >= r.Start && (r.Stop <= 0 || e.Line < r.Stop)
		})
	case "search":
		pattern := r.Pattern
		if pattern == "" {
			pattern = "*"
		}
		all = filter(all, func(e entry) bool { return glob(pattern, e.Input) })
		if r.Unique {
			all = unique(all)
		}
	}
	if r.N > 0 && len(all) > r.N {
		all = all[len(all)-r.N:]
	}
	return all
}

func filter(entries []entry, keep func(entry) bool) []entry {
	var out []entry
	for _, e := range entries {
		if keep(e) {
			out = append(out, e)
		}
	}
	return out
}

// unique keeps of equal inputs the latest.
func unique(entries []entry) []entry {
	last := map[string]int{}
	for i, e := range entries {
		last[e.Input] = i
	}
	var out []entry
	for i, e := range entries {
		if last[e.Input] == i {
			out = append(out, e)
		}
	}
	return out
}

// glob reports whether pattern matches all of text: * stands for any characters, ? for one.
func glob(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	star, resume := -1, 0 // where to go on after the latest star
	i := 0
	for j := 0; j < len(t); {
		switch {
		case i < len(p) && p[i] == '*':
			star, resume = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0: // let the star take one more
			resume++
			i, j = star+1, resume
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

func (s *Server) serveHistory(req transport.Request) {
	var r wire.HistoryRequest
	if !s.decode(req, wire.TypeHistoryReply, &r) {
		return
	}
	switch r.HistAccessType {
	case "", "tail", "range", "search":
	default:
		s.reply(req, wire.TypeHistoryReply, wire.HistoryReply{
			Reply:   wire.Fail("BadRequest", fmt.Sprintf("there is no history of type %q; there are tail, range and search", r.HistAccessType)),
			History: []wire.HistoryEntry{},
		})
		return
	}
	reply := wire.HistoryReply{Reply: wire.OK(), History: []wire.HistoryEntry{}}
	for _, e := range s.history.find(&r) {
		reply.History = append(reply.History, wire.HistoryEntry{
			Session: e.Session, Line: e.Line, Input: e.Input, Output: e.Output, Pair: r.Output,
		})
	}
	s.reply(req, wire.TypeHistoryReply, reply)
}
