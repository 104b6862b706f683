// Package babi makes and reads task 15 of bAbI, basic deduction, as graphs: "Gertrude is a
// mouse. Mice are afraid of wolves. What is Gertrude afraid of?"
//
//	stories := babi.Generate(1000, 1, babi.Options{})
//	stories.Stories[0]
//
// Nodes are names and species, an [Edge] is a fact, and the answer to a question is a node two
// steps away: what the node's species fears. [Generate] draws from the distribution of the
// public generator (J. Weston et al., "Towards AI-complete question answering" (2015)): the four
// names belong to the four species in random order, each species fears one of the others, facts and
// questions are shuffled. [Read] takes the user's own files in the form of Y. Li et al., "Gated graph
// sequence neural networks" (2016).
package babi

import (
	"fmt"
	"strings"

	"trivium/core/random"
	"trivium/datasets/internal/page"
)

// Kinds of edges.
const (
	Is    = 0 // from a name to its species
	Fears = 1 // from a species to the one it is afraid of
	Kinds = 2
)

// An Edge is a fact about two nodes.
type Edge struct{ From, Kind, To int }

// A Question asks what a node fears.
type Question struct{ Node, Answer int }

// A Story is facts, in the order in which they are told, and questions about them.
type Story struct {
	Nodes     int // numbered from 0
	Edges     []Edge
	Questions []Question
	Names     []string // of the nodes; may be nil
}

// Deduce follows Is and then Fears, and reports whether exactly one answer is reached.
func (s *Story) Deduce(node int) (answer int, ok bool) {
	n := 0
	for _, a := range s.Edges {
		if a.From != node || a.Kind != Is {
			continue
		}
		for _, b := range s.Edges {
			if b.From == a.To && b.Kind == Fears {
				answer = b.To
				n++
			}
		}
	}
	return answer, n == 1
}

// Set is stories.
type Set struct {
	Name    string
	Stories []Story
}

// Options sets what Generate draws. The zero value is task 15 itself.
type Options struct {
	// Names is how many names there are; 0 means 4. Those after the fourth belong to a species
	// drawn at random. 50 give graphs of 54 nodes, in which the same four species have to be
	// found from many more places: [Inflated].
	Names int
	// Questions is how many names are asked for, at most all of them; 0 means 4.
	Questions int
}

// Inflated are the options for graphs of 54 nodes.
func Inflated() Options { return Options{Names: 50} }

var species = [...]string{"mouse", "sheep", "wolf", "cat"}
var people = [...]string{"Gertrude", "Winona", "Jessica", "Emily"}

// Generate draws n stories. Numbers of nodes are random, so that nothing can be learned from
// them.
func Generate(n int, seed uint64, o Options) *Set {
	r := random.New(seed).Split("babi 15")
	names := o.Names
	if names < 1 {
		names = len(people)
	}
	questions := o.Questions
	if questions < 1 {
		questions = 4
	}
	s := &Set{fmt.Sprintf("bAbI 15, seed %d", seed), make([]Story, max(n, 0))}
	for i := range s.Stories {
		s.Stories[i] = draw(r, names, min(questions, names))
	}
	return s
}

func draw(r *random.Stream, names, questions int) Story {
	k := len(species)
	s := Story{Nodes: names + k, Names: make([]string, names+k)}
	node := r.Perm(s.Nodes) // the species first
	for i := range species {
		s.Names[node[i]] = species[i]
		other := (i + 1 + r.IntN(k-1)) % k
		s.Edges = append(s.Edges, Edge{node[i], Fears, node[other]})
	}
	of := r.Perm(k)
	for i := range names {
		name := fmt.Sprintf("name %d", i+1)
		if i < len(people) {
			name = people[i]
		}
		kind := r.IntN(k)
		if i < k {
			kind = of[i]
		}
		s.Names[node[k+i]] = name
		s.Edges = append(s.Edges, Edge{node[k+i], Is, node[kind]})
	}
	r.Shuffle(len(s.Edges), func(i, j int) { s.Edges[i], s.Edges[j] = s.Edges[j], s.Edges[i] })
	for _, i := range r.Perm(names)[:questions] {
		answer, _ := s.Deduce(node[k+i])
		s.Questions = append(s.Questions, Question{node[k+i], answer})
	}
	return s
}

// Len returns the number of stories.
func (s *Set) Len() int { return len(s.Stories) }

func (s *Story) name(node int) string {
	if node >= 0 && node < len(s.Names) && s.Names[node] != "" {
		return s.Names[node]
	}
	return fmt.Sprintf("node %d", node)
}

// String tells the story.
func (s *Story) String() string {
	var b strings.Builder
	for _, e := range s.Edges {
		verb := "is a"
		if e.Kind == Fears {
			verb = "fears"
		}
		fmt.Fprintf(&b, "%s %s %s. ", s.name(e.From), verb, s.name(e.To))
	}
	for _, q := range s.Questions {
		fmt.Fprintf(&b, "%s fears? %s. ", s.name(q.Node), s.name(q.Answer))
	}
	return strings.TrimSpace(b.String())
}

// String counts nodes, facts and questions.
func (s *Set) String() string {
	var nodes, edges, questions int
	for _, x := range s.Stories {
		nodes, edges, questions = nodes+x.Nodes, edges+len(x.Edges), questions+len(x.Questions)
	}
	n := float64(max(len(s.Stories), 1))
	return fmt.Sprintf("%s: %d stories, on average of %.3g nodes, %.3g facts and %.3g questions", s.Name, s.Len(), float64(nodes)/n, float64(edges)/n, float64(questions)/n)
}

// MIMEBundle tells the first stories.
func (s *Set) MIMEBundle() (data, metadata map[string]any) {
	const shown, longest = 3, 600
	text := s.String()
	t := &page.Table{Wide: true}
	t.Head(text, 1)
	for i := range s.Stories[:min(shown, len(s.Stories))] {
		story := s.Stories[i].String()
		if r := []rune(story); len(r) > longest {
			story = string(r[:longest]) + "…"
		}
		text += "\n" + story
		t.Row(page.Text(story))
	}
	return map[string]any{"text/plain": text, "text/html": t.HTML()}, map[string]any{}
}
