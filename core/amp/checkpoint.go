package amp

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// saved is a checkpoint.
type saved struct {
	Format  string
	Graph   string // what it is of
	Seed    uint64
	Epoch   int
	Trained int
	Nodes   map[string]savedNode
}

type savedNode struct {
	Weights, Memory, Gradients []float32
	Touched                    []int32
	Version, Pending           int
}

// format is 2 since a GRU keeps its parameters in another order: those of 1 would be taken for others.
const format = "trivium amp 2"

var (
	errNoGraph = errors.New("amp: there is no graph")
	errNoTest  = errors.New("amp: Options.Target needs Validate, or data to test with")
	joined     = func(a, b error) error { return errors.Join(a, b) }
)

func errLeft(left []string) error {
	if len(left) > 5 {
		left = append(left[:5:5], fmt.Sprintf("and %d more", len(left)-5))
	}
	return fmt.Errorf("amp: all instances have ended, and this is left in nodes: %s", strings.Join(left, "; "))
}

// save writes parameters and what the optimisers remember. A training that was stopped in the middle
// of an epoch goes on from the beginning of that epoch, with the parameters it had.
func (e *engine) save() error {
	s := saved{Format: format, Graph: e.g.signature(), Seed: e.o.Seed, Epoch: e.epoch, Trained: e.ctl.trained, Nodes: map[string]savedNode{}}
	for _, n := range e.nodes {
		if p := n.params(); p != nil {
			s.Nodes[n.Name] = savedNode{p.weights, p.memory, p.grads, p.touched, p.version, p.pending}
		}
	}
	return writeWhole(e.o.Checkpoint, &s)
}

// writeWhole writes a file whole or not at all.
func writeWhole(path string, v any) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".amp-*")
	if err != nil {
		return fmt.Errorf("amp: checkpoint: %w", err)
	}
	defer os.Remove(f.Name())
	err = gob.NewEncoder(f).Encode(v)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("amp: checkpoint %s: %w", path, err)
	}
	return nil
}

// signature tells graphs apart whose parameters cannot be exchanged.
func (g *Graph) signature() string {
	var b strings.Builder
	for _, n := range g.nodes {
		if c := n.Count(); c > 0 {
			fmt.Fprintf(&b, "%s %s %d;", n.Name, n.Kind, c)
		}
	}
	return b.String()
}

func readSaved(path string, g *Graph) (*saved, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("amp: %w", err)
	}
	defer f.Close()
	var s saved
	if err := gob.NewDecoder(f).Decode(&s); err != nil {
		return nil, fmt.Errorf("amp: %s is no checkpoint of this package, or is damaged: %w", path, err)
	}
	if s.Format != format {
		return nil, fmt.Errorf("amp: %s is a checkpoint of the form %q, and this version reads %q alone: train again", path, s.Format, format)
	}
	if s.Graph != g.signature() {
		return nil, fmt.Errorf("amp: %s is of another graph: it has nodes %q, %s has %q", path, s.Graph, g.Name, g.signature())
	}
	return &s, nil
}

func (e *engine) resume(path string) error {
	s, err := readSaved(path, e.g)
	if err != nil {
		return err
	}
	for _, n := range e.nodes {
		p := n.params()
		if p == nil {
			continue
		}
		v := s.Nodes[n.Name]
		if len(v.Weights) != len(p.weights) || len(v.Memory) != len(p.memory) {
			return fmt.Errorf("amp: %s: node %s has %d numbers of parameters and %d of its optimiser, wanted are %d and %d: was it another optimiser?",
				path, n.Name, len(v.Weights), len(v.Memory), len(p.weights), len(p.memory))
		}
		copy(p.weights, v.Weights)
		copy(p.memory, v.Memory)
		copy(p.grads, v.Gradients)
		p.version, p.pending = v.Version, v.Pending
		for _, r := range v.Touched {
			p.isOn[r] = true
			p.touched = append(p.touched, r)
		}
	}
	e.epoch, e.ctl.trained = s.Epoch, s.Epoch*e.ctl.data[1].Len()
	return nil
}

// LoadWeights gives a graph the parameters in a checkpoint's file.
func (g *Graph) LoadWeights(path string) error {
	s, err := readSaved(path, g)
	if err != nil {
		return err
	}
	if err := g.take(); err != nil {
		return err
	}
	defer g.give()
	for _, n := range g.nodes {
		if w := n.Weights(); w != nil {
			copy(w, s.Nodes[n.Name].Weights)
		}
	}
	return nil
}
