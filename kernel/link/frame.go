package link

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Kind says what a frame is, and so which struct its head holds.
type Kind byte

// Frames from the kernel to the evaluator.
const (
	Run        Kind = iota + 1 // head RunCell: run a cell; answered by Done
	Complete                   // head Query; answered by Reply
	Inspect                    // head Query; answered by Reply
	IsComplete                 // head Query; answered by Reply
	Vars                       // no head; answered by Reply
	Interrupt                  // no head: end the running cell
	Comm                       // head CommData, body its data: a comm message of the front end
	InputReply                 // head Input: what the user typed
	Ack                        // no head: the Output frame with the number in the head was published
	Shutdown                   // no head: stop all runs, then exit
)

// Frames from the evaluator to the kernel.
const (
	Ready        Kind = iota + 64 // head Hello: cells can be run
	Output                        // head Shown, body the content of the message
	InputRequest                  // head Prompt: the running cell waits for input
	Done                          // head Outcome: the cell has ended
	Reply                         // body: the answer to Complete, Inspect, IsComplete or Vars
	CommMsg                       // head CommData, body its data: a comm message for the front end
	Log                           // head LogLine: for the kernel's log, not for the notebook
	Stuck                         // head StuckIn: an interrupted cell sits in compiled code
	GoPanic                       // head Panicked: a goroutine panicked and was caught
	Group                         // head ProcessGroup: a command of the shell runs, or has ended
)

var kindNames = map[Kind]string{
	Run: "run", Complete: "complete", Inspect: "inspect", IsComplete: "is_complete", Vars: "vars",
	Interrupt: "interrupt", Comm: "comm", InputReply: "input_reply", Ack: "ack", Shutdown: "shutdown",
	Ready: "ready", Output: "output", InputRequest: "input_request", Done: "done", Reply: "reply",
	CommMsg: "comm_msg", Log: "log", Stuck: "stuck", GoPanic: "go_panic", Group: "group",
}

func (k Kind) String() string {
	if s, ok := kindNames[k]; ok {
		return s
	}
	return fmt.Sprintf("kind %d", byte(k))
}

// Sizes that a frame may have. A front end refuses far smaller messages than MaxBody.
const (
	MaxHead = 32 << 20  // bytes of JSON: holds the source of a cell
	MaxBody = 256 << 20 // bytes of raw content: holds a picture
)

// fixed is what precedes head and body: kind, number, and the two lengths.
const fixed = 1 + 8 + 4 + 4

// A Frame is one message between the two processes.
type Frame struct {
	Kind Kind
	ID   uint64          // the cell or request it belongs to; 0 for none
	Head json.RawMessage // the struct that Kind names, as JSON; may be empty
	Body []byte          // raw bytes; may be empty
}

// Decode reads the head into the struct that belongs to the frame's kind.
func (f *Frame) Decode(into any) error {
	if err := json.Unmarshal(f.Head, into); err != nil {
		return fmt.Errorf("link: head of a %v frame: %w", f.Kind, err)
	}
	return nil
}

// A SizeError is a frame that is larger than the link carries.
type SizeError struct {
	Kind       Kind
	Head, Body int
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("link: a %v frame of %d and %d bytes, where %d and %d are the most", e.Kind, e.Head, e.Body, MaxHead, MaxBody)
}

// ErrFrame is what reading bytes gives that are not a frame.
var ErrFrame = errors.New("link: not a frame")

// appendFixed appends the part of fixed length.
func (f *Frame) appendFixed(b []byte) ([]byte, error) {
	if len(f.Head) > MaxHead || len(f.Body) > MaxBody {
		return b, &SizeError{f.Kind, len(f.Head), len(f.Body)}
	}
	b = append(b, byte(f.Kind))
	b = binary.BigEndian.AppendUint64(b, f.ID)
	b = binary.BigEndian.AppendUint32(b, uint32(len(f.Head)))
	return binary.BigEndian.AppendUint32(b, uint32(len(f.Body))), nil
}

// readFrame reads one frame. io.EOF means that the other end closed the pipe between frames.
func readFrame(r io.Reader) (Frame, error) {
	var h [fixed]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return Frame{}, err
	}
	f := Frame{Kind: Kind(h[0]), ID: binary.BigEndian.Uint64(h[1:])}
	head, body := binary.BigEndian.Uint32(h[9:]), binary.BigEndian.Uint32(h[13:])
	if _, known := kindNames[f.Kind]; !known {
		return Frame{}, fmt.Errorf("%w: unknown %v", ErrFrame, f.Kind)
	}
	if head > MaxHead || body > MaxBody {
		return Frame{}, fmt.Errorf("%w: %w", ErrFrame, &SizeError{f.Kind, int(head), int(body)})
	}
	var err error
	if f.Head, err = readN(r, int(head)); err != nil {
		return Frame{}, err
	}
	f.Body, err = readN(r, int(body))
	return f, err
}

// readN reads n bytes, and does not allocate much more than what really arrives: lengths
// come from the other side.
func readN(r io.Reader, n int) ([]byte, error) {
	const step = 1 << 20
	if n == 0 {
		return nil, nil
	}
	buf := make([]byte, min(n, step))
	for done := 0; ; {
		m, err := io.ReadFull(r, buf[done:])
		if done += m; err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if done == n {
			return buf, nil
		}
		buf = append(buf, make([]byte, min(n-done, max(step, done)))...)
	}
}
