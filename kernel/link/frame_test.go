package link

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// written gives the bytes of frames as Conn sends them.
func written(t testing.TB, frames ...Frame) []byte {
	t.Helper()
	var b bytes.Buffer
	c := NewConn(io.NopCloser(strings.NewReader("")), nopCloser{&b})
	for _, f := range frames {
		if err := c.Write(&f); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestFramesCross(t *testing.T) {
	sent := []Frame{
		{Kind: Ready},
		{Kind: Run, ID: 1<<64 - 1, Head: json.RawMessage(`{"n":3}`)},
		{Kind: Output, ID: 7, Head: json.RawMessage(`{"type":"display_data"}`), Body: bytes.Repeat([]byte{0, 255, 10}, 100_000)},
		{Kind: Done, ID: 7},
	}
	r := bytes.NewReader(written(t, sent...))
	for i, want := range sent {
		got, err := readFrame(r)
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		if got.Kind != want.Kind || got.ID != want.ID || !bytes.Equal(got.Head, want.Head) || !bytes.Equal(got.Body, want.Body) {
			t.Errorf("frame %d: kind, number, head or body changed", i)
		}
	}
	if _, err := readFrame(r); err != io.EOF {
		t.Errorf("after the last frame: %v, want io.EOF", err)
	}
}

// The layout is fixed by hand here, so that two builds of the program understand each other.
func TestLayout(t *testing.T) {
	got := written(t, Frame{Kind: Ack, ID: 0x0102, Head: json.RawMessage("{}"), Body: []byte("x")})
	want := append([]byte{byte(Ack), 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 2, 0, 0, 0, 1}, "{}x"...)
	if !bytes.Equal(got, want) {
		t.Errorf("got % x, want % x", got, want)
	}
}

func TestWhatIsNoFrame(t *testing.T) {
	whole := written(t, Frame{Kind: Run, ID: 1, Head: json.RawMessage(`{"n":1}`), Body: []byte("body")})
	for n := 1; n < len(whole); n++ {
		if _, err := readFrame(bytes.NewReader(whole[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("cut after %d of %d bytes: %v, want io.ErrUnexpectedEOF", n, len(whole), err)
		}
	}
	unknown := append([]byte{200}, whole[1:]...)
	if _, err := readFrame(bytes.NewReader(unknown)); !errors.Is(err, ErrFrame) {
		t.Errorf("unknown kind: %v, want ErrFrame", err)
	}
	long := append([]byte(nil), whole...)
	binary.BigEndian.PutUint32(long[13:], MaxBody+1)
	var size *SizeError
	if _, err := readFrame(bytes.NewReader(long)); !errors.Is(err, ErrFrame) || !errors.As(err, &size) || size.Body != MaxBody+1 {
		t.Errorf("body too long: %v, want ErrFrame with the size", err)
	}
	c := NewConn(io.NopCloser(strings.NewReader("")), nopCloser{io.Discard})
	if err := c.Write(&Frame{Kind: Output, Body: make([]byte, MaxBody+1)}); !errors.As(err, &size) {
		t.Errorf("sending a body too long: %v, want a SizeError", err)
	}
}

// A length that is announced and does not come must not cost its memory.
func TestAnnouncedLengthIsNotAllocated(t *testing.T) {
	b := written(t, Frame{Kind: Output})
	binary.BigEndian.PutUint32(b[13:], MaxBody)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := readFrame(bytes.NewReader(b)); err == nil {
		t.Fatal("a frame without its body was accepted")
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("allocated %d bytes for a body of which none came", used)
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add(written(f, Frame{Kind: Run, ID: 5, Head: json.RawMessage(`{"n":1,"source":"1+1"}`)}))
	f.Add(written(f, Frame{Kind: Output, ID: 1 << 40, Head: json.RawMessage(`{}`), Body: []byte("\x00\xff")}, Frame{Kind: Done}))
	f.Add([]byte{byte(Ready)})
	f.Fuzz(func(t *testing.T, b []byte) {
		r := bytes.NewReader(b)
		for {
			before := len(b) - r.Len()
			got, err := readFrame(r)
			if err != nil {
				return
			}
			// What was accepted, written again, is what was read.
			if again := written(t, got); !bytes.Equal(again, b[before:len(b)-r.Len()]) {
				t.Fatalf("read % x, which is written as % x", b[before:len(b)-r.Len()], again)
			}
		}
	})
}
