package run

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"time"
)

// Load reads a run that [Run.Save] wrote. It has ended; its number is new. A run that was
// saved while it went on is a stopped one with the error [ErrSnapshot]. A file that is
// cut short, damaged or of another kind gives a [*FileError]. A result of a type that
// this program has not registered with gob gives a [*ResultError] together with the run.
func Load(path string) (*Run, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("run: load: %w", err)
	}
	r, err := decode(data)
	var bad *FileError
	if errors.As(err, &bad) {
		bad.Path = path
	}
	return r, err
}

func decode(data []byte) (*Run, error) {
	h, body, err := splitFile(data)
	if err != nil {
		return nil, err
	}
	r := newRun(Options{Name: h.Name, Kind: h.Kind, Settings: h.Settings, Total: h.Total, Unit: h.Unit})
	r.cancel = func(error) {}
	r.fill(h, body)
	r.trace.clock.state.Store(&clockState{before: time.Duration(h.Seconds * float64(time.Second))})

	var result any
	var resultErr error
	if h.Result > 0 {
		if result, resultErr = decodeResult(body[h.Bytes:]); resultErr != nil {
			resultErr = &ResultError{"load", resultErr}
		}
	}
	state, runErr := stateOf(h)
	r.end(state, result, runErr)
	return r, resultErr
}

// splitFile checks the file from front to back, so that the error names the first thing
// that is wrong, and returns its header and what follows it.
func splitFile(data []byte) (h fileHeader, body []byte, err error) {
	fail := func(want, got string, args ...any) (fileHeader, []byte, error) {
		return fileHeader{}, nil, &FileError{Want: want, Got: fmt.Sprintf(got, args...)}
	}
	line, rest, found := bytes.Cut(data, []byte("\n"))
	version, isRun := bytes.CutPrefix(line, []byte(fileMagic))
	if !found || !isRun {
		return fail(fmt.Sprintf("a file that begins with %q", fileMagic), "%.20q", data[:min(len(data), 20)])
	}
	if v, err := strconv.Atoi(string(version)); err != nil || v != fileVersion {
		return fail(fmt.Sprintf("version %d of the format", fileVersion), "version %.10q: a newer Trivium may have written it", version)
	}
	line, rest, found = bytes.Cut(rest, []byte("\n"))
	if !found {
		return fail("a line of JSON that describes the run", "the end of the file after %d bytes", len(data))
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return fail("a line of JSON that describes the run", "%v", err)
	}
	wanted, ok := h.bodyLen()
	if !ok {
		return fail("counts that agree with each other", "%d bytes of numbers for the series and spans listed", h.Bytes)
	}
	if len(rest) != wanted {
		return fail(fmt.Sprintf("%d bytes after the description", wanted), "%d: the file is cut short or something was added", len(rest))
	}
	at := len(data) - 4
	if want, got := binary.LittleEndian.Uint32(data[at:]), crc32.ChecksumIEEE(data[:at]); want != got {
		return fail(fmt.Sprintf("the checksum %08x", want), "%08x: the file is damaged", got)
	}
	return h, rest[:len(rest)-4], nil
}

// bodyLen returns how many bytes follow the header, and whether its counts make sense.
func (h *fileHeader) bodyLen() (int, bool) {
	const limit = 1 << 40 // far more than fits into memory; keeps the sums from overflowing
	numbers := 0
	for _, s := range h.Series {
		if s.Points < 0 || s.Points > limit || numbers > limit {
			return 0, false
		}
		numbers += s.Points * pointBytes
	}
	if h.Spans < 0 || h.Spans > limit || h.Result < 0 || h.Result > limit {
		return 0, false
	}
	numbers += h.Spans * spanBytes
	return numbers + h.Result + 4, numbers == h.Bytes
}

func (r *Run) fill(h fileHeader, body []byte) {
	t := r.trace
	for _, s := range h.Series {
		series := t.addSeries(s.Name)
		for range s.Points {
			var p Point
			p, body = cutPoint(body)
			series.append(p)
		}
	}
	for range h.Spans {
		var s Span
		s, body = cutSpan(body, h.SpanNames)
		t.spans.append(s)
	}
	for _, e := range h.Events {
		t.events.append(e)
	}
	t.progress.done, t.progress.total = h.Done, h.Total
}

func stateOf(h fileHeader) (State, error) {
	err := errors.New(h.Error)
	switch h.State {
	case StateDone.String():
		return StateDone, nil
	case StateStopped.String():
		return StateStopped, err
	case StateFailed.String():
		return StateFailed, err
	}
	return StateStopped, ErrSnapshot
}

func decodeResult(data []byte) (result any, err error) {
	defer Catch(&err)
	err = gob.NewDecoder(bytes.NewReader(data)).Decode(&result)
	return result, err
}
