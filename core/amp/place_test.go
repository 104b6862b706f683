package amp

import (
	"context"
	"slices"
	"testing"
)

// TestBridges: the nodes that other workers wait for are those next to others' nodes. Control around replicas, which is on
// every worker, leads from a node in one place to all, and from a replica back to its own worker alone.
func TestBridges(t *testing.T) {
	for name, c := range map[string]struct {
		g     *Graph
		place map[string]int
		want  [2][]string
	}{
		"in a row":   {MLP(MLPOptions{In: 2, Hidden: []int{2, 2, 2}, Out: 2}), map[string]int{"layer 1": 0, "layer 2": 0, "layer 3": 1, "layer 4": 1}, [2][]string{{"layer 2"}, {"layer 3"}}},
		"replicas":   {Lists(ListOptions{Hidden: 4, Replicas: 2}), map[string]int{"embed": 0, "out": 0, "loop/0": 0, "loop/1": 1}, [2][]string{{"embed", "out"}, {"loop/1"}}},
		"one worker": {Lists(ListOptions{Hidden: 4}), map[string]int{"embed": 0, "out": 0, "loop": 0}, [2][]string{}},
	} {
		e := newEngine(c.g, Options{Workers: 2, Affinity: c.place}.filled(), true)
		e.place(func(*node) float64 { return 1 })
		for k, w := range e.w {
			var got []string
			for _, n := range w.bridges {
				got = append(got, n.Name)
			}
			if !slices.Equal(got, c.want[k]) {
				t.Errorf("%s: bridges of worker %d are %v, want %v", name, k, got, c.want[k])
			}
		}
	}
}

// TestLoopsStayTogether: what directs messages around a loop is where the loop's layer is.
func TestLoopsStayTogether(t *testing.T) {
	g := Lists(ListOptions{Hidden: 4})
	e := newEngine(g, Options{Workers: 2}.filled(), true)
	e.place(func(n *node) float64 { return map[string]float64{"loop": 10, "embed": 3, "out": 2}[n.Name] })
	at := map[string]int{}
	for _, n := range e.nodes {
		at[n.Name] = n.worker
	}
	for _, name := range []string{"state", "join", "step", "more?", "start"} {
		if at[name] != at["loop"] {
			t.Errorf("%s is on worker %d, the loop on %d: %v", name, at[name], at["loop"], at)
		}
	}
	if at["embed"] == at["loop"] || at["out"] == at["loop"] || at["loss"] != at["out"] || at["token"] != at["embed"] {
		t.Errorf("work is not even, or a node far from its only neighbour: %v", at)
	}
}

// TestWhoWaitsIsServedFirst: of a bridge and a node with more messages, the bridge goes first while another worker has
// nothing to do, and a large message of a bridge at all times.
func TestWhoWaitsIsServedFirst(t *testing.T) {
	g := MLP(MLPOptions{In: 2, Hidden: []int{2, 2}, Out: 2})
	e := newEngine(g, Options{Workers: 2, Affinity: map[string]int{"layer 1": 0, "layer 2": 0, "layer 3": 1}}.filled(), true)
	e.place(func(*node) float64 { return 1 })
	at := map[string]*node{}
	for _, n := range e.nodes {
		at[n.Name] = n
	}
	put := func(name string, rows int) { at[name].fwd.push(&message{x: payload{rows: rows}}) }
	look := func(what, want string) {
		t.Helper()
		if n, back := e.w[0].next(); n != at[want] || back {
			t.Errorf("%s: %v is next, want %s", what, n, want)
		}
	}
	put("layer 1", 1)
	put("layer 1", 1)
	put("layer 2", 1)
	look("nobody waits", "layer 1")
	e.idle.Add(1)
	look("a worker waits", "layer 2")
	e.idle.Add(-1)
	at["layer 2"].fwd = fifo{}
	put("layer 2", large)
	look("a large message", "layer 2")
	if _, err := Train(context.Background(), Lists(ListOptions{Hidden: 4}), sequenceOf(20, 3), Options{Workers: 3}); err != nil {
		t.Error(err) // more workers than nodes: one of them never has anything to do
	}
}
