package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// outputsOf writes the outputs of a cell in one line each.
func outputsOf(c *Cell) (lines []string) {
	for _, o := range c.Outputs {
		switch o.Kind {
		case Stream:
			lines = append(lines, fmt.Sprintf("%s %q", o.Name, o.Text))
		case Error:
			lines = append(lines, fmt.Sprintf("error %s: %s", o.EName, o.EValue))
		default:
			lines = append(lines, fmt.Sprintf("%s %s", o.Kind, o.Form("text/plain")))
		}
	}
	return lines
}

func codes(sources ...string) *Notebook {
	nb := New(NewCell(Markdown, "# Title"))
	for _, s := range sources {
		nb.Cells = append(nb.Cells, NewCell(Code, s))
	}
	return nb
}

func TestRunGathersOutputs(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		want  [][]string
	}{
		"pieces of a stream are joined": {
			[]string{"out a\nout b\nerr c\nout d\nshow - p\nout e"},
			[][]string{{`stdout "a\nb\n"`, `stderr "c\n"`, `stdout "d\n"`, "display_data p", `stdout "e\n"`}},
		},
		"result": {[]string{"result 1", "result 2"}, [][]string{{"execute_result 1"}, {"execute_result 2"}}},
		"clear":  {[]string{"out a\nclear\nout b"}, [][]string{{`stdout "b\n"`}}},
		"clear waits for the next output": {
			[]string{"out a\nclear wait\nout b", "out c\nclear wait"},
			[][]string{{`stdout "b\n"`}, {`stdout "c\n"`}},
		},
		"an update reaches every place, also of earlier cells": {
			[]string{"show f 1\nout x", "show f 2\nshow g 9", "update f 3\nupdate unknown 0"},
			[][]string{{"display_data 3", `stdout "x\n"`}, {"display_data 3", "display_data 9"}, nil},
		},
		"updates that come after the cell and after the last": {
			[]string{"show f live 1\nafter 10 update f live 2\nafter 30 update f live 3\nafter 120 update f last 4", "out b"},
			[][]string{{"display_data 4"}, {`stdout "b\n"`}},
		},
		"figures without a mark have time to settle": {
			[]string{"show f 1\nafter 8 update f 2"}, [][]string{{"display_data 2"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			k, nb := newScripted(t), codes(c.cells...)
			nb.Cells[1].Outputs = []*Output{{Kind: Stream, Name: "stdout", Text: "of an older run"}}
			if err := k.runner().Run(t.Context(), nb); err != nil {
				t.Fatal(err)
			}
			for i, want := range c.want {
				cell := nb.Cells[i+1]
				if d := cmp.Diff(want, outputsOf(cell)); d != "" {
					t.Errorf("cell %d: %s", i+1, d)
				}
				if cell.Count != i+1 {
					t.Errorf("cell %d has execution count %d", i+1, cell.Count)
				}
			}
		})
	}
}

func TestLateTextGoesToItsCell(t *testing.T) {
	k, nb := newScripted(t), codes("out a\nafter 5 out late", "show f live x\nafter 60 update f last y")
	if err := k.runner().Run(t.Context(), nb); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{`stdout "a\nlate\n"`}, outputsOf(nb.Cells[1])); d != "" {
		t.Error(d)
	}
}

func TestRunStopsAtAFailure(t *testing.T) {
	k, nb := newScripted(t), codes("out a\nfail boom", "out b")
	nb.Cells[2].Count, nb.Cells[2].Outputs = 7, []*Output{{Kind: Stream, Name: "stdout", Text: "old"}}
	err := k.runner().Run(t.Context(), nb)
	var failed *CellError
	if !errors.As(err, &failed) || failed.Cell != 1 || failed.Value != "boom" || len(failed.Traceback) != 1 {
		t.Fatalf("error %v, want a CellError of cell 1", err)
	}
	if d := cmp.Diff([]string{`stdout "a\n"`, "error Err: boom"}, outputsOf(nb.Cells[1])); d != "" {
		t.Error(d)
	}
	if len(k.codes) != 1 || nb.Cells[2].Count != 0 || nb.Cells[2].Outputs != nil {
		t.Errorf("executed %d cells; the second has count %d and outputs %v of an older run", len(k.codes), nb.Cells[2].Count, nb.Cells[2].Outputs)
	}
}

func TestRunTags(t *testing.T) {
	const file = `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[
		{"cell_type":"code","id":"a","metadata":{"tags":["raises-exception"]},"source":"fail meant","outputs":[],"execution_count":null},
		{"cell_type":"code","id":"b","metadata":{"tags":["skip-execution"]},"source":"fail never","execution_count":5,
			"outputs":[{"output_type":"stream","name":"stdout","text":"kept"}]},
		{"cell_type":"code","id":"c","metadata":{},"source":" ","outputs":[],"execution_count":null},
		{"cell_type":"code","id":"d","metadata":{},"source":"out d","outputs":[],"execution_count":null}]}`
	nb, err := Read(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	k := newScripted(t)
	if err := k.runner().Run(t.Context(), nb); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"fail meant", "out d"}, k.codes); d != "" {
		t.Error("executed: " + d)
	}
	if d := cmp.Diff([]string{`stdout "kept"`}, outputsOf(nb.Cells[1])); d != "" || nb.Cells[1].Count != 5 {
		t.Errorf("skipped cell: count %d %s", nb.Cells[1].Count, d)
	}
	if d := cmp.Diff([]string{"error Err: meant"}, outputsOf(nb.Cells[0])); d != "" {
		t.Error(d)
	}
}

func TestRunAllowErrors(t *testing.T) {
	k, nb := newScripted(t), codes("fail a", "out b")
	r := k.runner()
	r.AllowErrors = true
	if err := r.Run(t.Context(), nb); err != nil || len(k.codes) != 2 {
		t.Fatalf("error %v, executed %d of 2 cells", err, len(k.codes))
	}
}

func TestRunTimeout(t *testing.T) {
	k, nb := newScripted(t), codes("out a\nhang", "out b")
	r := k.runner()
	r.Timeout = 30 * time.Millisecond
	err := r.Run(t.Context(), nb)
	var late *TimeoutError
	if !errors.As(err, &late) || !late.Stopped || late.Cell != 1 {
		t.Fatalf("error %v, want a TimeoutError of cell 1 that was stopped", err)
	}
	if d := cmp.Diff([]string{`stdout "a\n"`, "error Err: interrupted"}, outputsOf(nb.Cells[1])); d != "" {
		t.Error(d)
	}
}

func TestRunIsInterrupted(t *testing.T) {
	k, nb := newScripted(t), codes("out a\nhang", "out b")
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("Ctrl-C")
	time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	if err := k.runner().Run(ctx, nb); !errors.Is(err, cause) {
		t.Fatalf("error %v, want %v", err, cause)
	}
	if d := cmp.Diff([]string{`stdout "a\n"`, "error Err: interrupted"}, outputsOf(nb.Cells[1])); d != "" {
		t.Error(d)
	}
	if len(k.codes) != 1 {
		t.Error("went on after it was stopped")
	}
}

func TestRunNoticesADeadKernel(t *testing.T) {
	k, nb := newScripted(t), codes("out a\nafter 10 die\nhang", "out b")
	r := k.runner()
	r.Why = func() string { return "exit status 2" }
	err := r.Run(t.Context(), nb)
	var dead *DeadError
	if !errors.As(err, &dead) || dead.Cell != 1 || !strings.Contains(err.Error(), "exit status 2") {
		t.Fatalf("error %v, want a DeadError of cell 1 with the reason", err)
	}
	if d := cmp.Diff([]string{`stdout "a\n"`}, outputsOf(nb.Cells[1])); d != "" {
		t.Error(d)
	}
}

func TestLiveFiguresAreGivenUpAtTheLimit(t *testing.T) {
	k, nb := newScripted(t), codes("show f live 1")
	r := k.runner()
	r.LiveTimeout = 30 * time.Millisecond
	var log bytes.Buffer
	r.Log = &log
	if err := r.Run(t.Context(), nb); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "still growing (1)") {
		t.Errorf("log says nothing of the figure:\n%s", &log)
	}
}

func TestProgress(t *testing.T) {
	k, nb := newScripted(t), codes("out a", "\n// a comment first\nfail x")
	var log bytes.Buffer
	r := k.runner()
	r.Log = &log
	if err := r.Run(t.Context(), nb); err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(log.String(), "\n")
	for i, want := range []string{"Title", "  [1/2] out a ", "  [2/2] a comment first "} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d is %q, want it to begin with %q", i, lines[i], want)
		}
	}
	if !strings.HasSuffix(lines[1], " s") || !strings.HasSuffix(lines[2], " s  error") {
		t.Errorf("no times in\n%s", &log)
	}
}

// TestProgressOfRuns: bars of a cell that takes long are told below it, but not too often.
func TestProgressOfRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		nb := codes("nb.Await(r)", "next")
		p := newProgress(&log, nb)
		g := newGatherer()
		c := nb.Cells[1]
		s := g.add("1", c)
		p.begin(1, c)
		yes := true
		for i := range 30 { // a frame each second
			content := shownContent{Data: map[string]json.RawMessage{
				"text/html":  json.RawMessage(`"<div role=\"progressbar\">"`),
				"text/plain": json.RawMessage(fmt.Sprintf(`"a at %d\nb at %d"`, i, i)),
			}}
			content.Transient.DisplayID, content.Transient.Live = "id", &yes
			if i == 0 {
				g.show(s, DisplayData, content)
			} else {
				g.update(content)
			}
			p.bars(g.bars)
			time.Sleep(time.Second)
		}
		p.end(nil)
		p.begin(2, nb.Cells[2])
		p.bars("") // of another cell
		p.end(nil)
		want := []string{"  [1/2] nb.Await(r)", "      a at 2", "      b at 2", "      a at 12", "      b at 12", "      a at 22", "      b at 22", "        ended", "  [2/2] next", ""}
		lines := strings.Split(log.String(), "\n")
		for i := range max(len(lines), len(want)) {
			if i >= len(lines) || i >= len(want) || !strings.HasPrefix(lines[i], want[i]) {
				t.Fatalf("line %d of\n%s\nwant it to begin with one of %q", i, &log, want)
			}
		}
	})
}

// A cell that prints in many pieces must not cost the square of what it printed.
func TestManyPieces(t *testing.T) {
	k := newScripted(t)
	nb := codes(strings.Repeat("out 0123456789\n", 5000))
	if err := k.runner().Run(t.Context(), nb); err != nil {
		t.Fatal(err)
	}
	if got := nb.Cells[1].Outputs; len(got) != 1 || len(got[0].Text) != 5000*11 {
		t.Errorf("%d outputs", len(got))
	}
}
