package train

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// A state is everything that the next step depends on besides network, data and options.
type state[T tensor.Float] struct {
	Net, Optimizer, Augment string // as they describe themselves
	Seed                    uint64
	Batch, Samples          int

	Weights, Running, Memory []T
	Result
	Done int     // steps of this epoch
	Sum  float64 // of the losses of this epoch's samples
	Seen int     // and their number
}

// magic is how a file begins; a checksum of the rest follows.
const magic = "trivium training 1\n"

// save writes the state to the checkpoint's file, whole or not at all.
func (t *trainer[T]) save(suffix string) error {
	if t.o.Checkpoint == "" {
		return nil
	}
	path := t.o.Checkpoint + suffix
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(&t.state); err != nil {
		return fmt.Errorf("train: checkpoint %s: %w", path, err)
	}
	sum := fmt.Sprintf("%08x\n", crc32.ChecksumIEEE(body.Bytes()))
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part*")
	if err != nil {
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	_, err = f.Write(append([]byte(magic+sum), body.Bytes()...))
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("train: checkpoint: %w", err)
	}
	return nil
}

// read returns the state in a file.
func read[T tensor.Float](path string) (*state[T], error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("train: checkpoint: %w", err)
	}
	body, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok || len(body) < 9 {
		return nil, fmt.Errorf("train: %s is not a checkpoint of a training: it must begin with %q", path, magic)
	}
	if sum := fmt.Sprintf("%08x\n", crc32.ChecksumIEEE(body[9:])); sum != string(body[:9]) {
		return nil, fmt.Errorf("train: checkpoint %s is damaged or cut short: its checksum is %.8s, the file says %.8s", path, sum, body[:9])
	}
	var s state[T]
	if err := gob.NewDecoder(bytes.NewReader(body[9:])).Decode(&s); err != nil {
		return nil, fmt.Errorf("train: checkpoint %s: %w", path, err)
	}
	return &s, nil
}

// resume goes back to the state in a file.
func (t *trainer[T]) resume(path string) error {
	s, err := read[T](path)
	if err != nil {
		return err
	}
	for _, c := range []struct{ what, got, want string }{
		{"network", s.Net, t.Net},
		{"optimizer", s.Optimizer, t.Optimizer},
		{"augmentation", s.Augment, t.Augment},
		{"seed", fmt.Sprint(s.Seed), fmt.Sprint(t.Seed)},
		{"batch size", fmt.Sprint(s.Batch), fmt.Sprint(t.Batch)},
		{"number of samples", fmt.Sprint(s.Samples), fmt.Sprint(t.Samples)},
		{"number of weights", fmt.Sprint(len(s.Weights), len(s.Running), len(s.Memory)), fmt.Sprint(len(t.Weights), len(t.Running), len(t.Memory))},
	} {
		if c.got != c.want {
			c.got, c.want = unlike(c.got, c.want)
			return fmt.Errorf("train: checkpoint %s is of another training: its %s is %q, this one's %q", path, c.what, c.got, c.want)
		}
	}
	copy(t.Weights, s.Weights)
	copy(t.Running, s.Running)
	s.Weights, s.Running = t.Weights, t.Running // which are the network's own
	s.Why = ""
	t.state = *s
	if s.Memory == nil {
		t.Memory = make([]T, 0)
	}
	return nil
}

// unlike returns the first line in which two texts differ, for errors that fit in one.
func unlike(a, b string) (string, string) {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i, n := 0, min(len(as), len(bs)); i < n; i++ {
		if as[i] != bs[i] {
			return as[i], bs[i]
		}
	}
	return a, b
}

// LoadWeights gives a network the weights in a checkpoint's file, such as the best ones.
func LoadWeights(net *nn.Net, path string) error {
	if err := net.Err(); err != nil {
		return err
	}
	s, err := read[float32](path)
	if err != nil {
		return err
	}
	w, r := net.Weights(), net.Running()
	if s.Net != net.String() || len(s.Weights) != len(w) || len(s.Running) != len(r) {
		theirs, ours := unlike(s.Net, net.String())
		return fmt.Errorf("train: checkpoint %s is of another network: %q, this one is %q", path, theirs, ours)
	}
	copy(w, s.Weights)
	copy(r, s.Running)
	return nil
}
