package run

import (
	"context"
	"encoding/gob"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

type weights struct {
	W    []float64
	Loss float64
}

func init() { gob.Register(weights{}) }

func recorded(t *testing.T, result any, err error) *Run {
	t.Helper()
	r := Start(context.Background(), Options{Name: "descent", Kind: "train", Settings: []Setting{{"rate", "0.1"}}, Total: 3, Unit: "epochs"},
		func(ctx context.Context, tr *Trace) (any, error) {
			tr.Work(10)
			tr.Sample("loss", 0, 1.5)
			tr.Sample("loss", 1, math.NaN())
			tr.Sample("accuracy", 1, math.Inf(1))
			tr.Span(-1, "forward", time.Millisecond, 2)
			tr.Span(3, "backward", tr.Now(), -1)
			tr.Event("note", "with a\nnewline")
			tr.Progress(2, 3)
			return result, err
		})
	<-r.Done()
	return r
}

// same compares by bits, so that NaN equals NaN.
func same(a, b []Point) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		pa, pb := appendPoints(nil, a[i:i+1]), appendPoints(nil, b[i:i+1])
		if string(pa) != string(pb) {
			return false
		}
	}
	return true
}

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "descent.run")
	r := recorded(t, weights{[]float64{1, math.NaN()}, math.Inf(-1)}, errors.New("loss is NaN"))
	for range 2 { // the second time over the first
		if err := r.Save(path); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Trace().Series(), []string{"loss", "accuracy"}) {
		t.Errorf("series %v", got.Trace().Series())
	}
	for _, s := range r.Trace().Series() {
		if !same(got.Trace().Points(s), r.Trace().Points(s)) {
			t.Errorf("%s: %v, want %v", s, got.Trace().Points(s), r.Trace().Points(s))
		}
	}
	if !reflect.DeepEqual(got.Trace().Spans(), r.Trace().Spans()) || !reflect.DeepEqual(got.Trace().Events(), r.Trace().Events()) {
		t.Errorf("spans %v, events %v", got.Trace().Spans(), got.Trace().Events())
	}
	if got.Name() != "descent" || got.Kind() != "train" || !reflect.DeepEqual(got.Settings(), r.Settings()) {
		t.Errorf("%q, %q, %v", got.Name(), got.Kind(), got.Settings())
	}
	if got.State() != StateFailed || got.Err().Error() != "loss is NaN" || got.ID() == r.ID() {
		t.Errorf("%v with %v, number %d", got.State(), got.Err(), got.ID())
	}
	if w, ok := got.Result().(weights); !ok || w.W[0] != 1 || !math.IsNaN(w.W[1]) || !math.IsInf(w.Loss, -1) {
		t.Errorf("result %#v", got.Result())
	}
	a, b := r.Progress(), got.Progress()
	if a.Done != b.Done || a.Total != b.Total || a.Unit != b.Unit || math.Abs(a.Seconds-b.Seconds) > 1e-6 || b.Left != 0 {
		t.Errorf("progress %+v, want %+v", b, a)
	}
	select {
	case <-got.Done():
	default:
		t.Error("a loaded run goes on")
	}
	got.Stop()
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}

func TestSaveOfARunThatGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.run")
	sampled := make(chan struct{})
	r := Start(context.Background(), Options{}, func(ctx context.Context, tr *Trace) (any, error) {
		tr.Sample("s", 0, 1)
		close(sampled)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	<-sampled
	if err := r.Save(path); err != nil {
		t.Fatal(err)
	}
	r.Stop()
	<-r.Done()
	got, err := Load(path)
	if err != nil || got.State() != StateStopped || got.Err() != ErrSnapshot || got.Trace().Len("s") != 1 {
		t.Errorf("%v; %v", err, got)
	}
}

func TestResultsThatCannotBeSaved(t *testing.T) {
	type secret struct{ F func() }
	for name, result := range map[string]any{"unregistered": struct{ A int }{1}, "function": func() {}, "nothing exported": secret{}} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "r.run")
			err := recorded(t, result, nil).Save(path)
			var re *ResultError
			if !errors.As(err, &re) {
				t.Fatalf("Save: %v", err)
			}
			got, err := Load(path)
			if err != nil || got.Trace().Len("loss") != 2 || got.Result() != nil {
				t.Errorf("the rest: %v, %v", got, err)
			}
		})
	}
}

// TestLoadOfDamagedFiles cuts a good file at every length and changes every byte: each
// must give a FileError, never a panic and never a run.
func TestLoadOfDamagedFiles(t *testing.T) {
	good, _ := recorded(t, 7, nil).encode()
	if _, err := decode(good); err != nil {
		t.Fatal(err)
	}
	for n := range good {
		damaged := append([]byte(nil), good...)
		damaged[n] ^= 0x41
		for _, data := range [][]byte{good[:n], damaged} {
			var bad *FileError
			if r, err := decode(data); !errors.As(err, &bad) || r != nil || bad.Want == "" || bad.Got == "" {
				t.Fatalf("byte %d of %d: %v, %v", n, len(good), r, err)
			}
		}
	}
	if _, err := decode(append(good, 0)); err == nil {
		t.Error("a byte too many was not noticed")
	}
}

func TestLoadSaysWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	good, _ := recorded(t, nil, nil).encode()
	for name, c := range map[string]struct {
		data string
		says string
	}{
		"another kind": {"PK\x03\x04 zip", `begins with "trivium run "`},
		"empty":        {"", `begins with "trivium run "`},
		"newer":        {"trivium run 2\n{}\n", "version 1"},
		"cut short":    {string(good[:len(good)-9]), "cut short"},
		"huge counts":  {"trivium run 1\n{\"Series\":[{\"Name\":\"s\",\"Points\":9000000000000000}]}\n", "counts"},
		"negative":     {"trivium run 1\n{\"Spans\":-1}\n", "counts"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.data), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Load(path)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Load(filepath.Join(dir, "absent")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
	if err := recorded(t, nil, nil).Save(filepath.Join(dir, "absent", "r.run")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such directory: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	r := Failed(Options{}, errors.New("no"))
	r.trace.Sample("s", 1, 2)
	r.trace.Span(1, "w", 0, 0)
	good, _ := r.encode()
	f.Add(good)
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := decode(data); (r == nil) == (err == nil) {
			var re *ResultError
			if !errors.As(err, &re) {
				t.Errorf("run %v, error %v", r, err)
			}
		}
	})
}
