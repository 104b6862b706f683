package viz

import (
	"strings"
	"testing"

	"trivium/core/run"
)

// late is an ended run whose gradients were late.
type late struct {
	*run.Run
	nodes  []string
	counts [][]int64
}

func (l late) Staleness() ([]string, [][]int64) { return l.nodes, l.counts }

func lateRun() late {
	return late{did("trees", func(*run.Trace) error { return nil }), []string{"leaf", "branch", "out"},
		[][]int64{{10, 40, 80, 60, 20, 5}, {100, 50, 20, 3}, {400, 1}}}
}

// loopNet is a network with a loop, an edge over several columns, and two workers.
type loopNet struct{ none bool }

func (l loopNet) Picture() (names, kinds []string, parameters, workers []int, bytes []int64, edges [][2]int) {
	if l.none {
		return
	}
	names = []string{"token", "embedding of tokens", "start", "state", "join", "loop", "more?", "out", "loss"}
	kinds = []string{"input", "embedding", "input", "phi", "concat", "linear", "cond", "linear", "loss"}
	parameters = []int{0, 896, 0, 0, 0, 8256, 0, 650, 0}
	workers = []int{0, 0, 1, 1, 1, 1, 1, 0, 0}
	bytes = []int64{3e3, 4e5, 1e4, 2e6, 4e6, 4e6, 2e6, 3e5, 4e4}
	return names, kinds, parameters, workers, bytes,
		[][2]int{{0, 1}, {1, 4}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 3}, {6, 7}, {7, 8}, {1, 7}}
}

func init() {
	goldens["staleness"] = func() *Figure { return Staleness(lateRun()) }
	goldens["network"] = func() *Figure { return Graph(loopNet{}) }
}

func TestNetworkFigures(t *testing.T) {
	busy := did("pipeline", func(t *run.Trace) error {
		for k := range 5 {
			t.Sample("worker 0", float64(k), 0.9)
			t.Sample("worker 1", float64(k), 0.4)
		}
		return nil
	})
	var none *late
	for name, c := range map[string]struct {
		f    *Figure
		says string
	}{
		"means":             {Staleness(lateRun()), "branch: mean 0.572, most 3 updates behind, 58 % fresh"},
		"nobody came back":  {Staleness(late{lateRun().Run, nil, nil}), "no gradient has come back"},
		"no counts":         {Staleness(late{lateRun().Run, []string{"a"}, [][]int64{nil}}), "a: mean 0"},
		"nil":               {Staleness(nil), "No run was given"},
		"nil pointer":       {Staleness(none), "No run was given"},
		"hundreds of bins":  {Staleness(late{lateRun().Run, []string{"a"}, [][]int64{make([]int64, 200)}}), "at least 63"},
		"nodes":             {Graph(loopNet{}), "loop: linear, 8.26 k parameters, worker 1, 4 MB"},
		"edges":             {Graph(loopNet{}), "9 nodes and 10 edges"},
		"no graph":          {Graph(nil), "No graph was given"},
		"empty graph":       {Graph(loopNet{none: true}), "no nodes"},
		"both workers":      {Utilisation(busy), "worker 1: 5 values"},
		"nobody's":          {Utilisation(nil), "No runs were given"},
		"a run without any": {Utilisation(lateRun().Run), "worker …"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, f := range []*Figure{c.f, c.f.Size(160, 100)} {
				if text, _ := bundle(t, f); !strings.Contains(text, c.says) {
					t.Errorf("text %q does not say %q", text, c.says)
				}
			}
		})
	}
}
