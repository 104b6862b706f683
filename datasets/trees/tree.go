// Package trees makes and reads sentences as binary trees with a class at every node, as in the
// Stanford Sentiment Treebank.
//
//	bank := trees.Generate(1000, 1)
//	bank.Slice(0, 3)                          // draws three trees
//	bank.Text(bank.Trees[0])
//	train, dev, test, err := trees.Load("")   // the user's own copy of the treebank
//
// A [Tree] is lists with an entry for each node, both children before their parent and the root
// last, so that a loop from 0 on meets every node after what it depends on. The treebank itself
// (R. Socher et al., "Recursive deep models for semantic compositionality over a sentiment
// treebank" (2013)) has no licence that lets the project carry it. [Generate] makes trees of its sizes
// whose classes follow from the words by rules, so that a network can learn them; nothing measured
// on them is an accuracy on the treebank.
package trees

import (
	"fmt"
	"strings"

	"trivium/datasets/internal/page"
)

// Classes are those of the treebank, 0 to 4.
var Classes = []string{"very negative", "negative", "neutral", "positive", "very positive"}

// A Tree has an entry in each list for each node; children come before their parent and the
// root is last.
type Tree struct {
	Left, Right []int // numbers of the children, -1 for words
	Word        []int // number of the word, -1 for inner nodes
	Label       []int // 0 to 4
}

// Nodes returns the number of nodes, Words of leaves, Root the number of the root.
func (t *Tree) Nodes() int { return len(t.Label) }

// Words returns the number of words.
func (t *Tree) Words() int { return (len(t.Label) + 1) / 2 }

// Root returns the number of the root.
func (t *Tree) Root() int { return len(t.Label) - 1 }

// Depth returns the number of steps from the root to the deepest word.
func (t *Tree) Depth() int {
	d := make([]int, t.Nodes())
	for i, l := range t.Left {
		if l >= 0 {
			d[i] = 1 + max(d[l], d[t.Right[i]])
		}
	}
	if len(d) == 0 {
		return 0
	}
	return d[t.Root()]
}

// String gives the sizes of a tree and its class. Its words are known to the bank: see Text.
func (t *Tree) String() string {
	if t.Nodes() == 0 {
		return "a tree without nodes"
	}
	class := fmt.Sprint(t.Label[t.Root()])
	if l := t.Label[t.Root()]; l >= 0 && l < len(Classes) {
		class = Classes[l]
	}
	return fmt.Sprintf("a tree of %d nodes, %d of them words, depth %d, class %s", t.Nodes(), t.Words(), t.Depth(), class)
}

func (t *Tree) add(left, right, word, label int) int {
	t.Left, t.Right = append(t.Left, left), append(t.Right, right)
	t.Word, t.Label = append(t.Word, word), append(t.Label, label)
	return len(t.Label) - 1
}

// A Bank is trees and the words that their numbers mean.
type Bank struct {
	Name  string
	Trees []*Tree
	Words []string // word 0 stands for all that were not met in training
}

// Unknown is the word in the place of those that are not in the list.
const Unknown = "<unknown>"

// Len returns the number of trees.
func (b *Bank) Len() int { return len(b.Trees) }

// Slice returns trees i to before j, which it shares. Numbers that reach outside are cut off.
func (b *Bank) Slice(i, j int) *Bank {
	i = min(max(i, 0), b.Len())
	j = min(max(j, i), b.Len())
	v := *b
	v.Trees = b.Trees[i:j:j]
	return &v
}

// Sentence writes the words of a tree, whose leaves are in the order of the sentence.
func (b *Bank) Sentence(t *Tree) string {
	var words []string
	for _, w := range t.Word {
		if w >= 0 {
			words = append(words, b.word(w))
		}
	}
	return strings.Join(words, " ")
}

func (b *Bank) word(w int) string {
	if w < 0 || w >= len(b.Words) {
		return Unknown
	}
	return b.Words[w]
}

// Text writes a tree in the brackets of the treebank, which Read reads.
func (b *Bank) Text(t *Tree) string {
	if t.Nodes() == 0 {
		return ""
	}
	text := make([]string, t.Nodes()) // of each node
	for i := range text {
		if l := t.Left[i]; l >= 0 {
			text[i] = fmt.Sprintf("(%d %s %s)", t.Label[i], text[l], text[t.Right[i]])
			text[l], text[t.Right[i]] = "", ""
		} else {
			text[i] = fmt.Sprintf("(%d %s)", t.Label[i], b.word(t.Word[i]))
		}
	}
	return text[t.Root()]
}

// Counts returns the number of roots and of nodes of each class.
func (b *Bank) Counts() (roots, nodes []int) {
	roots, nodes = make([]int, len(Classes)), make([]int, len(Classes))
	for _, t := range b.Trees {
		if t.Nodes() == 0 {
			continue
		}
		roots[t.Label[t.Root()]]++
		for _, l := range t.Label {
			nodes[l]++
		}
	}
	return roots, nodes
}

// String gives sizes and counts of classes.
func (b *Bank) String() string {
	var words, depth, longest int
	for _, t := range b.Trees {
		words, depth, longest = words+t.Words(), depth+t.Depth(), max(longest, t.Words())
	}
	n := float64(max(b.Len(), 1))
	roots, _ := b.Counts()
	return fmt.Sprintf("%s: %d trees of %.1f words (at most %d) and depth %.1f on average, %d different words; sentences by class: very negative %d, negative %d, neutral %d, positive %d, very positive %d",
		b.Name, b.Len(), float64(words)/n, longest, float64(depth)/n, max(len(b.Words)-1, 0), roots[0], roots[1], roots[2], roots[3], roots[4])
}

// colors of the classes, blue to orange.
var colors = [...]string{"#0072b2", "#56b4e9", "#999999", "#e69f00", "#d55e00"}

// MIMEBundle counts the classes and draws the first trees, coloured by class.
func (b *Bank) MIMEBundle() (data, metadata map[string]any) {
	const shown, longest = 3, 2000
	text, h := b.String(), &strings.Builder{}
	_, nodes := b.Counts()
	roots, _ := b.Counts()
	t := &page.Table{}
	t.Head(fmt.Sprintf("%s: %d trees", b.Name, b.Len()), 3)
	t.Columns("class", "sentences", "nodes")
	for c, name := range Classes {
		t.Row(fmt.Sprintf(`<span style="color:%s">●</span> %s`, colors[c], name), fmt.Sprint(roots[c]), fmt.Sprint(nodes[c]))
	}
	h.WriteString(t.HTML())
	for _, tree := range b.Trees[:min(shown, b.Len())] {
		if line := b.Text(tree); len(line) < longest {
			text += "\n" + line
		} else {
			text += fmt.Sprintf("\na tree of %d words", tree.Words())
		}
		h.WriteString(b.svg(tree))
	}
	return map[string]any{"text/plain": text, "text/html": h.String()}, map[string]any{}
}

// svg draws a tree with its words in a line.
func (b *Bank) svg(t *Tree) string {
	const dx, dy, most = 56, 22, 25
	if t.Nodes() == 0 || t.Words() > most {
		return fmt.Sprintf("<p>a tree of %d words: %s</p>", t.Words(), page.Text(fmt.Sprintf("%.400s", b.Sentence(t))))
	}
	x, y := make([]float64, t.Nodes()), make([]float64, t.Nodes())
	bottom := float64(t.Depth()*dy + 10)
	leaf := 0
	for i, l := range t.Left {
		if l < 0 {
			x[i], y[i] = float64(leaf*dx+dx/2), bottom
			leaf++
		} else {
			r := t.Right[i]
			x[i], y[i] = (x[l]+x[r])/2, min(y[l], y[r])-dy
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, `<svg viewBox="0 0 %d %.0f" style="display:block;width:100%%;max-width:%dpx"><title>%s</title>`, t.Words()*dx, bottom+22, t.Words()*dx, page.Text(b.Text(t)))
	for i, l := range t.Left {
		if l >= 0 {
			for _, c := range []int{l, t.Right[i]} {
				fmt.Fprintf(&s, `<line x1="%.0f" y1="%.0f" x2="%.0f" y2="%.0f" stroke="#888"/>`, x[i], y[i], x[c], y[c])
			}
		}
	}
	for i, l := range t.Label {
		fmt.Fprintf(&s, `<circle cx="%.0f" cy="%.0f" r="4" fill="%s"/>`, x[i], y[i], colors[l])
		if t.Word[i] >= 0 {
			fmt.Fprintf(&s, `<text x="%.0f" y="%.0f" text-anchor="middle" font-size="11" fill="currentColor">%s</text>`, x[i], y[i]+16, page.Text(b.word(t.Word[i])))
		}
	}
	s.WriteString("</svg>")
	return s.String()
}
