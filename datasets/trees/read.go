package trees

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"trivium/datasets"
)

const (
	mostNodes = 1 << 14 // of a tree
	mostLine  = 1 << 20 // bytes
	mostTrees = 1 << 22
)

// Source says where people get the treebank.
var Source = datasets.Source{
	Name: "the Stanford Sentiment Treebank", Folder: "sst", Files: []string{"train.txt", "trees/train.txt"},
	From:    "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip",
	Licence: "no licence that allows passing it on", Instead: "trees.Generate",
}

// Load reads train.txt, dev.txt and test.txt from the given folder or where datasets.Locate
// finds them. All three share the words of the training sentences; others become word 0.
func Load(path string) (train, dev, test *Bank, err error) {
	dir, err := datasets.Locate(Source, path)
	if err != nil {
		return nil, nil, nil, err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "train.txt")); err != nil {
		dir = filepath.Join(dir, "trees")
	}
	var banks [3]*Bank
	var words []string
	for i, part := range []string{"train", "dev", "test"} {
		f, err := os.Open(filepath.Join(dir, part+".txt"))
		if err != nil {
			return nil, nil, nil, fmt.Errorf("trees: %w", err)
		}
		banks[i], err = Read(f, part+".txt", words)
		f.Close()
		if err != nil {
			return nil, nil, nil, err
		}
		words = banks[0].Words
	}
	return banks[0], banks[1], banks[2], nil
}

// Read reads a tree a line, such as "(3 (2 It) (4 (3 works) (2 .)))": a class, and a word or
// two trees. With words nil, those that are met are numbered as they come, after Unknown.
func Read(r io.Reader, name string, words []string) (*Bank, error) {
	b := &Bank{Name: name, Words: words}
	collect := words == nil
	if collect {
		b.Words = []string{Unknown}
	}
	number := make(map[string]int, len(b.Words))
	for i, w := range b.Words {
		number[w] = i
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostLine)
	line := 0
	for lines.Scan() {
		line++
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			continue
		}
		if len(b.Trees) == mostTrees {
			return nil, &datasets.FormatError{File: name, Line: line, Want: fmt.Sprintf("at most %d trees", mostTrees), Found: "more"}
		}
		p := &parser{name: name, line: line, rest: text, whole: text, word: func(w string) int {
			n, ok := number[w]
			if !ok && collect {
				n = len(b.Words)
				number[w] = n
				b.Words = append(b.Words, w)
			}
			return n // 0 for those not in the list
		}}
		t, err := p.tree()
		if err != nil {
			return nil, err
		}
		b.Trees = append(b.Trees, t)
	}
	if err := lines.Err(); err != nil {
		return nil, &datasets.FormatError{File: name, Line: line + 1, Want: "a line of text", Found: err.Error()}
	}
	if len(b.Trees) == 0 {
		return nil, &datasets.FormatError{File: name, Line: max(line, 1), Want: "a tree", Found: "the end of the file"}
	}
	return b, nil
}

// parser reads a tree with a stack of its own: a file must not be able to exhaust that of the process.
type parser struct {
	name        string
	line        int
	whole, rest string
	word        func(string) int
}

func (p *parser) wrong(want string) error {
	found := "the end of the line"
	if p.rest != "" {
		found = strconv.Quote(p.rest[:min(len(p.rest), 20)])
	}
	return &datasets.FormatError{File: p.name, Line: p.line, Want: fmt.Sprintf("%s in column %d", want, len(p.whole)-len(p.rest)+1), Found: found}
}

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " \t") }

// An open bracket has its class and the children met so far.
type open struct {
	label    int
	children []int
}

func (p *parser) tree() (*Tree, error) {
	t := &Tree{}
	var stack []open
	for {
		p.skip()
		switch {
		case strings.HasPrefix(p.rest, "("):
			if n := len(stack); n > 0 && len(stack[n-1].children) == 2 {
				return nil, p.wrong(`")" after two trees`)
			}
			p.rest = p.rest[1:]
			p.skip()
			if p.rest == "" || p.rest[0] < '0' || p.rest[0] > '4' || len(p.rest) > 1 && p.rest[1] != ' ' && p.rest[1] != '(' {
				return nil, p.wrong("a class from 0 to 4")
			}
			stack = append(stack, open{label: int(p.rest[0] - '0')})
			p.rest = p.rest[1:]
			p.skip()
			if p.rest == "" || p.rest[0] == '(' {
				continue
			}
			end := strings.IndexAny(p.rest, "() \t")
			if end < 1 {
				return nil, p.wrong(`a word and ")", or two trees`)
			}
			w := p.rest[:end]
			p.rest = p.rest[end:]
			p.skip()
			if !strings.HasPrefix(p.rest, ")") {
				return nil, p.wrong(`")" after a word`)
			}
			if err := p.close(t, &stack, p.word(w)); err != nil {
				return nil, err
			}
		case strings.HasPrefix(p.rest, ")") && len(stack) > 0:
			if n := len(stack[len(stack)-1].children); n != 2 {
				return nil, p.wrong(fmt.Sprintf(`two trees or a word before ")", after %d trees,`, n))
			}
			if err := p.close(t, &stack, -1); err != nil {
				return nil, err
			}
		default:
			return nil, p.wrong(`"(" or ")"`)
		}
		if len(stack) == 0 {
			p.skip()
			if p.rest != "" {
				return nil, p.wrong("the end of the line after a tree")
			}
			return t, nil
		}
	}
}

// close ends the innermost bracket, whose ")" comes next.
func (p *parser) close(t *Tree, stack *[]open, word int) error {
	if t.Nodes() == mostNodes {
		return p.wrong(fmt.Sprintf("at most %d nodes", mostNodes))
	}
	p.rest = p.rest[1:]
	last := len(*stack) - 1
	o := (*stack)[last]
	*stack = (*stack)[:last]
	left, right := -1, -1
	if word < 0 {
		left, right = o.children[0], o.children[1]
	}
	node := t.add(left, right, word, o.label)
	if last > 0 {
		up := &(*stack)[last-1]
		up.children = append(up.children, node)
	}
	return nil
}
