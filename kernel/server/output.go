package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"trivium/kernel/transport"
	"trivium/kernel/units"
	"trivium/kernel/wire"
)

// How text is batched: a front end takes a few large messages far better than many small
// ones, and a server in between drops output beyond 1000 messages a second.
const (
	flushSize  = 64 << 10              // bytes of text in a message
	flushAfter = 50 * time.Millisecond // how long text waits for more
	holdAfter  = 500 * time.Millisecond
	burst      = 1_500_000 // bytes of text that may go out at once, beyond OutputRate
)

// mostCells is how many cells may have output still: what comes of an older one is output of
// the latest. A figure that was shown goes on changing where it is all the same, since front
// ends find it by its display id.
const mostCells = 4096

// A cell is the request that output belongs to.
type cell struct {
	id     uint64 // on the link
	n      int    // execution count
	req    transport.Request
	parent json.RawMessage // header of req
	silent bool

	shown, left int // bytes of text let through and left out; guarded by output.mu
}

// item is one thing in the output queue: text, a message, or something to call.
type item struct {
	cell  *cell
	name  string // of the stream, if text
	text  []byte
	since time.Time
	msg   *wire.Message
	then  func() // called when all before it is out
}

// output sends what cells make to the front ends, in order. A goroutine of its own sends, so
// that neither the evaluator's frames nor its text wait while the rate of text is held down.
type output struct {
	send  func(*wire.Message)
	limit int
	rate  float64

	mu     sync.Mutex
	cells  map[uint64]*cell // by link id
	begun  []uint64         // ids of cells that began, oldest first
	latest *cell            // text that nobody claims belongs to it
	items  []item
	tokens float64 // bytes that may go out now
	filled time.Time
	wake   chan struct{}
	done   chan struct{}
	closed bool
}

func newOutput(send func(*wire.Message), limit, rate int) *output {
	o := &output{
		send: send, limit: limit, rate: float64(rate), cells: map[uint64]*cell{},
		tokens: burst, filled: time.Now(), wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	go o.run()
	return o
}

// begin makes c the latest cell and calls then when the output before it is out.
func (o *output) begin(c *cell, then func()) {
	o.mu.Lock()
	o.leftOut(o.latest)
	o.cells[c.id], o.latest = c, c
	o.begun = append(o.begun, c.id)
	if len(o.begun) > mostCells {
		delete(o.cells, o.begun[0])
		o.begun = o.begun[1:]
	}
	o.push(item{cell: c, then: then})
	o.mu.Unlock()
}

// adopt gives output of the number id a parent, without making it the latest cell.
func (o *output) adopt(c *cell) {
	o.mu.Lock()
	o.cells[c.id] = c
	o.mu.Unlock()
}

// release forgets a number that was adopted.
func (o *output) release(id uint64) {
	o.mu.Lock()
	delete(o.cells, id)
	o.mu.Unlock()
}

// cell returns the cell of a link number, or the latest one.
func (o *output) cell(id uint64) *cell {
	o.mu.Lock()
	defer o.mu.Unlock()
	if c := o.cells[id]; c != nil {
		return c
	}
	return o.latest
}

// text queues printed text of the latest cell.
func (o *output) text(name string, text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c := o.latest
	if c == nil || c.silent || len(text) == 0 {
		return
	}
	if room := max(o.limit-c.shown, 0); len(text) > room {
		c.left += len(text) - room
		text = text[:room]
	}
	c.shown += len(text)
	// Two streams interleave only as far as their order can be told at all.
	for i := len(o.items) - 1; i >= 0 && o.items[i].name != "" && o.items[i].cell == c; i-- {
		if o.items[i].name == name {
			o.items[i].text = append(o.items[i].text, text...)
			o.signal()
			return
		}
	}
	if len(text) > 0 {
		o.push(item{cell: c, name: name, text: append([]byte(nil), text...), since: time.Now()})
	}
}

// message queues a message of a cell; then, if not nil, is called when it is out. Content
// must be JSON.
func (o *output) message(c *cell, msgType string, content json.RawMessage, then func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	it := item{cell: c, then: then}
	if c != nil && !c.silent {
		it.msg = &wire.Message{Header: wire.Header{MsgType: msgType, Version: wire.Version}, Parent: c.parent, Content: content}
	}
	o.push(it)
}

// finish waits until all that was queued is out, with a line about text left out.
func (o *output) finish(c *cell) {
	out := make(chan struct{})
	o.mu.Lock()
	o.leftOut(c)
	o.push(item{cell: c, then: func() { close(out) }})
	o.mu.Unlock()
	<-out
}

func (o *output) leftOut(c *cell) {
	if c == nil || c.left == 0 {
		return
	}
	o.push(item{cell: c, name: "stderr", since: time.Now(), text: fmt.Appendf(nil,
		"\n… %s of text left out: a cell shows %s (set TRIVIUM_OUTPUT_LIMIT to change that).\n", units.Bytes(c.left), units.Bytes(o.limit))})
	c.left = 0
}

// hurry gives up most of the text of an interrupted cell that still waits for its turn, so
// that the cell ends now.
func (o *output) hurry(c *cell) {
	const keep = 256 << 10
	o.mu.Lock()
	defer o.mu.Unlock()
	kept := 0
	for i := range o.items {
		it := &o.items[i]
		if it.cell != c || it.name == "" {
			continue
		}
		n := min(len(it.text), keep-kept)
		kept += n
		c.left += len(it.text) - n
		it.text = it.text[:n]
	}
	if c.left > 0 {
		c.shown = o.limit
	}
	o.tokens += float64(kept)
	o.signal()
}

// forget drops the end of pending stderr, from where crash begins: those lines are part of
// the error that tells of the crash.
func (o *output) forget(crash string) {
	first, _, _ := strings.Cut(strings.TrimLeft(crash, "\n"), "\n")
	if first == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	found := false
	kept := o.items[:0]
	for _, it := range o.items {
		if it.name == "stderr" {
			if found {
				continue
			}
			if at := strings.Index(string(it.text), first); at >= 0 {
				found = true
				if it.text = it.text[:at]; len(it.text) == 0 {
					continue
				}
			}
		}
		kept = append(kept, it)
	}
	o.items = kept
}

// close sends what is queued and ends the goroutine.
func (o *output) close() {
	o.mu.Lock()
	o.closed = true
	o.signal()
	o.mu.Unlock()
	<-o.done
}

func (o *output) push(it item) {
	o.items = append(o.items, it)
	o.signal()
}

func (o *output) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// run sends items in order until close.
func (o *output) run() {
	defer close(o.done)
	timer := time.NewTimer(time.Hour)
	for {
		it, wait := o.next()
		switch {
		case it != nil:
			if it.msg != nil {
				o.send(it.msg)
			}
			if it.then != nil {
				it.then()
			}
			continue
		case wait < 0:
			return
		case wait == 0:
			<-o.wake
			continue
		}
		timer.Reset(wait)
		select {
		case <-o.wake:
		case <-timer.C:
		}
	}
}

// next takes the first item that may go out now, text as a message. Otherwise it says how
// long to wait: 0 means for something new, and below 0 that there will be nothing.
func (o *output) next() (*item, time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.items) == 0 {
		if o.closed {
			return nil, -1
		}
		return nil, 0
	}
	it := &o.items[0]
	if it.name == "" || len(it.text) == 0 {
		first := *it
		o.drop()
		return &first, 0
	}
	last := !o.followed()
	if wait := o.waitFor(it); last && !o.closed && wait > 0 {
		return nil, wait
	}
	n := cut(it.text, flushSize, last && !o.closed)
	if n == 0 { // a rune whose end has not come yet
		it.since = time.Now()
		return nil, flushAfter
	}
	if wait := o.spend(n); wait > 0 && !o.closed {
		return nil, wait
	}
	first := item{cell: it.cell, msg: streamMessage(it.cell, it.name, it.text[:n])}
	if it.text = it.text[n:]; len(it.text) == 0 {
		o.drop()
	} else {
		it.since = time.Now()
	}
	return &first, 0
}

// followed says whether something other than text waits behind the first item.
func (o *output) followed() bool {
	for _, it := range o.items[1:] {
		if it.name == "" {
			return true
		}
	}
	return false
}

// waitFor is how long text should wait for more before it goes out.
func (o *output) waitFor(it *item) time.Duration {
	after := flushAfter
	if it.name == "stderr" && lastWords(it.text) {
		after = holdAfter
	} else if len(it.text) >= flushSize {
		return 0
	}
	return after - time.Since(it.since)
}

// spend takes n bytes from what may go out, or says how long to wait for them.
func (o *output) spend(n int) time.Duration {
	if o.rate < 0 {
		return 0
	}
	now := time.Now()
	o.tokens = min(burst, o.tokens+now.Sub(o.filled).Seconds()*o.rate)
	o.filled = now
	if o.tokens < float64(n) {
		return max(time.Duration((float64(n)-o.tokens)/o.rate*float64(time.Second)), time.Millisecond)
	}
	o.tokens -= float64(n)
	return 0
}

func (o *output) drop() {
	o.items[0] = item{}
	if o.items = o.items[1:]; len(o.items) == 0 {
		o.items = nil
	}
}

// lastWords says whether text looks like the beginning of a Go program's end.
func lastWords(text []byte) bool {
	s := string(text)
	for _, w := range []string{"panic: ", "fatal error: ", "runtime: ", "unexpected fault address", "SIG"} {
		if strings.HasPrefix(s, w) || strings.Contains(s, "\n"+w) {
			return true
		}
	}
	return false
}

// cut is the length of the longest beginning of text within most bytes that does not end
// inside a rune. With more, an unfinished rune at the very end is left for later.
func cut(text []byte, most int, more bool) int {
	n := len(text)
	if n > most {
		n = most
		more = true
	}
	if !more {
		return n
	}
	for back := 1; back <= utf8.UTFMax && back <= n; back++ {
		if b := text[n-back]; utf8.RuneStart(b) {
			if !utf8.FullRune(text[n-back : n]) {
				return n - back
			}
			break
		}
	}
	return n
}

func streamMessage(c *cell, name string, text []byte) *wire.Message {
	m, err := wire.NewMessage(wire.TypeStream, nil, wire.Stream{Name: name, Text: strings.ToValidUTF8(string(text), "\uFFFD")})
	if err != nil {
		return nil // two strings can be encoded
	}
	m.Parent = c.parent
	return m
}
