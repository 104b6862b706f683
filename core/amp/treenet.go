package amp

import (
	"fmt"

	"trivium/core/nn"
)

// TreeOptions sizes the Tree-LSTM. The zero value is small and classifies every node.
type TreeOptions struct {
	Hidden   int  // 0 means 150
	Words    int  // 0 means 5000
	Dim      int  // numbers of a word; 0 means 300
	Classes  int  // 0 means 5
	RootOnly bool // a loss at the root alone, not at every node
	Fixed    bool // the words' numbers are not learned
	Replicas int  // of leaf and branch; 0 means 1

	Product nn.Product // how its layers multiply, as Graph.SetProduct has it; nil means exactly
}

// TreeLSTM returns a binary Tree-LSTM (Tai, Socher, Manning, ACL 2015) whose leaf and branch are nodes of their
// own, so that neither multiplies zeros:
//
//	word ── Embedding ── leaf ── Phi ── Cond ── inner ── Bcast ── Phi ── Columns ── Linear ── loss
//	                              │       └──── root ─────│────────┘
//	                              │                     Group of both children
//	                              └───────── branch ──────┘
//
// Each tree is as deep as it is; nothing is padded or rolled out before. It takes data with Len and
// Tree(i) (left, right, word, label []int), such as a *trees.Bank: lists with an entry for each node,
// children before parents, the root last, and -1 for what a node has not.
func TreeLSTM(o TreeOptions) *Graph {
	def := func(v *int, usual int) {
		if *v == 0 {
			*v = usual
		}
	}
	def(&o.Hidden, 150)
	def(&o.Words, 5000)
	def(&o.Dim, 300)
	def(&o.Classes, 5)
	def(&o.Replicas, 1)
	g := NewGraph("tree-LSTM")
	g.SetProduct(o.Product)
	word := g.PPT("embed", g.Input("word", 1), Embedding{Words: o.Words, Dim: o.Dim, Fixed: o.Fixed})
	leaf := g.Replicas("leaf", word, TreeLeaf{Out: o.Hidden}, o.Replicas, nil)
	node := g.Phi("node", leaf)
	ways := g.Cond("root?", node, 2, func(s State) int {
		if s.Node == s.Count-1 {
			return 1
		}
		return 0
	})
	head, up := ways[1], ways[0]
	if !o.RootOnly {
		both := g.Bcast("both", ways[0], 2)
		head, up = g.Phi("labelled", ways[1], both[0]), both[1]
	}
	children := g.Group("children", up, Gather{
		Key: func(s State) State {
			s.Node = s.Data.(*treeInstance).parent[s.Node]
			return s
		},
		Place: func(s State) int { return s.Data.(*treeInstance).side[s.Node] },
		Wide:  true, Parts: 2,
	})
	g.Join(node, g.Replicas("branch", children, TreeBranch{Out: o.Hidden}, o.Replicas, nil))
	g.Classify("loss", g.Linear("out", g.Columns("h", head, 0, o.Hidden), o.Classes, None), func(s State) []int {
		return s.Data.(*treeInstance).labels[s.Node : s.Node+1]
	})
	g.read = func(data any, _ bool) (Data, error) { return readTrees(data, o) }
	return g
}

// A treeInstance is a tree as its messages need it.
type treeInstance struct {
	parent, side []int // of each node: its parent, and whether it is the left (0) or right (1) child
	words        []int // -1 for inner nodes
	labels       []int
}

type treeData struct{ trees []*treeInstance }

func readTrees(data any, o TreeOptions) (Data, error) {
	v, ok := data.(interface {
		Len() int
		Tree(i int) (left, right, word, label []int)
	})
	if !ok {
		return nil, fmt.Errorf("amp: a tree-LSTM takes data with Len and Tree, such as a *trees.Bank; it got a %T", data)
	}
	d := &treeData{}
	for i := range v.Len() {
		left, right, word, label := v.Tree(i)
		t, err := newTree(left, right, word, label, o)
		if err != nil {
			return nil, fmt.Errorf("amp: tree %d: %w", i, err)
		}
		d.trees = append(d.trees, t)
	}
	return d, nil
}

func newTree(left, right, word, label []int, o TreeOptions) (*treeInstance, error) {
	n := len(label)
	if n == 0 || len(left) != n || len(right) != n || len(word) != n {
		return nil, fmt.Errorf("lists of %d, %d, %d and %d entries: each node has one in each", len(left), len(right), len(word), n)
	}
	t := &treeInstance{parent: make([]int, n), side: make([]int, n), words: append([]int(nil), word...), labels: label}
	for k := range t.parent {
		t.parent[k] = -1
	}
	for k := range n {
		if label[k] < 0 || label[k] >= o.Classes {
			return nil, fmt.Errorf("node %d has class %d: it must be from 0 to below %d", k, label[k], o.Classes)
		}
		if left[k] < 0 && right[k] < 0 {
			if word[k] < 0 || word[k] >= o.Words {
				return nil, fmt.Errorf("node %d has word %d: it must be from 0 to below %d; TreeOptions.Words says how many there are", k, word[k], o.Words)
			}
			continue
		}
		for side, c := range []int{left[k], right[k]} {
			if c < 0 || c >= k || t.parent[c] >= 0 {
				return nil, fmt.Errorf("node %d has child %d: children come before their parent and have one", k, c)
			}
			t.parent[c], t.side[c] = k, side
		}
		t.words[k] = -1
	}
	for k := range n - 1 {
		if t.parent[k] < 0 {
			return nil, fmt.Errorf("node %d has no parent and is not the last", k)
		}
	}
	return t, nil
}

func (d *treeData) Len() int { return len(d.trees) }

func (d *treeData) Send(i int, p *Pump) {
	t := d.trees[i]
	s := State{Sample: i, Count: len(t.parent), Data: t}
	for k, w := range t.words {
		if w >= 0 {
			s.Node = k
			p.Send("word", s, float32(w))
		}
	}
}
