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
	"path/filepath"
	"time"
)

// The file is text, then numbers:
//
//	trivium run 1\n            what it is, and the version of the format
//	{"Name": ..., ...}\n       a fileHeader as one line of JSON; it says what follows
//	numbers                    per series 4 float64 a point; per span 4 int64; little-endian
//	result                     gob, if the header says so
//	checksum                   4 bytes, CRC-32 (IEEE) of everything before
const (
	fileMagic   = "trivium run "
	fileVersion = 1
)

type fileHeader struct {
	Name, Kind string
	Settings   []Setting
	State      string
	Error      string `json:",omitempty"`
	Saved      time.Time
	Seconds    float64
	Done       float64
	Total      float64
	Unit       string // absent in older files
	Series     []fileSeries
	SpanNames  []string // a span's name is an index into these
	Spans      int
	Events     []Event
	Bytes      int // of the numbers
	Result     int // bytes of the result; 0 if there is none
}

type fileSeries struct {
	Name   string
	Points int
}

// ErrSnapshot is the error of a loaded run that was saved while it went on.
var ErrSnapshot = errors.New("run: saved while it went on")

// A FileError says what is wrong with a file that should hold a run.
type FileError struct {
	Path      string
	Want, Got string
}

func (e *FileError) Error() string {
	return fmt.Sprintf("run: load %s: expected %s, found %s", e.Path, e.Want, e.Got)
}

// A ResultError says that everything but the result of a run was saved or loaded.
type ResultError struct {
	Op  string // "save" or "load"
	Err error
}

func (e *ResultError) Error() string {
	return fmt.Sprintf("run: %s everything but the result: %v", e.Op, e.Err)
}

func (e *ResultError) Unwrap() error { return e.Err }

// Save writes the run to a file, whole or not at all: a file of that name stays as it was
// until the new one is complete. A run that goes on is saved as it is now.
//
// The result is written by encoding/gob, which keeps exported fields, and needs to have
// been told of the type by gob.Register unless it is a basic one. A result that gob
// cannot write gives a [*ResultError], and the rest is saved all the same.
func (r *Run) Save(path string) error {
	data, resultErr := r.encode()
	if err := writeWhole(path, data); err != nil {
		return fmt.Errorf("run: save %s: %w", r.Name(), err)
	}
	if resultErr != nil {
		return &ResultError{"save", resultErr}
	}
	return nil
}

func (r *Run) encode() (data []byte, resultErr error) {
	r.mu.Lock()
	state, runErr, result := r.state, r.err, r.result
	r.mu.Unlock()
	progress := r.Progress()
	h := fileHeader{
		Name: r.Name(), Kind: r.Kind(), Settings: r.Settings(), State: state.String(),
		Saved: time.Now().UTC().Round(time.Second), Seconds: r.trace.Now().Seconds(),
		Done: progress.Done, Total: progress.Total, Unit: progress.Unit, Events: r.trace.Events(),
	}
	if runErr != nil {
		h.Error = runErr.Error()
	}
	var numbers []byte
	for _, name := range r.trace.Series() {
		points := r.trace.Points(name)
		h.Series = append(h.Series, fileSeries{name, len(points)})
		numbers = appendPoints(numbers, points)
	}
	spans := r.trace.Spans()
	h.Spans = len(spans)
	numbers, h.SpanNames = appendSpans(numbers, spans)
	h.Bytes = len(numbers)

	var encoded bytes.Buffer
	if result != nil {
		if resultErr = encodeResult(&encoded, result); resultErr != nil {
			encoded.Reset()
		}
	}
	h.Result = encoded.Len()

	head, err := json.Marshal(h)
	if err != nil { // a NaN among the few numbers of the header
		h.Done, h.Total = 0, 0
		head, _ = json.Marshal(h)
	}
	data = fmt.Appendf(nil, "%s%d\n%s\n", fileMagic, fileVersion, head)
	data = append(data, numbers...)
	data = append(data, encoded.Bytes()...)
	return binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(data)), resultErr
}

// encodeResult guards against types that gob panics on.
func encodeResult(to *bytes.Buffer, result any) (err error) {
	defer Catch(&err)
	return gob.NewEncoder(to).Encode(&result)
}

// writeWhole writes a file beside path and renames it, so that no reader sees a part.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
