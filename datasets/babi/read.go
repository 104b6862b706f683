package babi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"trivium/datasets"
)

const (
	mostNodes   = 4096 // of a story
	mostLines   = 1 << 16
	mostStories = 1 << 22
)

// Source says where people get the files.
var Source = datasets.Source{
	Name: "bAbI 15 as graphs", Folder: "babi15", Files: []string{"15_graphs.txt", "train/15_graphs.txt", "processed_1/train/15_graphs.txt"},
	From:    "https://github.com/yujiali/ggnn (its scripts make the folders processed_1 to processed_10)",
	Licence: "bAbI data: CC BY 3.0", Instead: "babi.Generate",
}

// Load reads the training and test stories of a fold, 1 to 10, from the given folder or where
// datasets.Locate finds it.
func Load(path string, fold int) (train, test *Set, err error) {
	dir, err := datasets.Locate(Source, path)
	if err != nil {
		return nil, nil, err
	}
	var sets [2]*Set
	for i, part := range []string{"train", "test"} {
		name := filepath.Join(dir, fmt.Sprintf("processed_%d", fold), part, "15_graphs.txt")
		f, err := os.Open(name)
		if errors.Is(err, os.ErrNotExist) && path != "" { // the folder of a fold itself
			f, err = os.Open(filepath.Join(dir, part, "15_graphs.txt"))
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil, fmt.Errorf("babi: %s has no fold %d: neither %s nor %s is there; the public folds are 1 to 10", dir, fold,
				filepath.Join(fmt.Sprintf("processed_%d", fold), part, "15_graphs.txt"), filepath.Join(part, "15_graphs.txt"))
		}
		if err != nil {
			return nil, nil, fmt.Errorf("babi: fold %d: %w", fold, err)
		}
		var types []byte
		if types, err = os.ReadFile(filepath.Join(filepath.Dir(f.Name()), "15_edge_types.txt")); err == nil {
			sets[i], err = Read(f, fmt.Sprintf("bAbI 15, fold %d, %s", fold, part), string(types))
		}
		f.Close()
		if err != nil {
			return nil, nil, err
		}
	}
	return sets[0], sets[1], nil
}

// Read reads stories with an empty line after each. A fact is "from kind to", a question
// "? 1 node answer". Nodes are numbered from 1 in the file and from 0 in the stories. The text
// of the file 15_edge_types.txt says which number is which kind, and differs between folds: in
// two of the public ten it is "has_fear=1 is=2". No text means "is=1 has_fear=2". An answer that the
// facts do not give is an error.
func Read(r io.Reader, name, types string) (*Set, error) {
	kinds, err := parseTypes(name, types)
	if err != nil {
		return nil, err
	}
	s := &Set{Name: name}
	lines := bufio.NewScanner(r)
	var story Story
	first, line := 1, 0
	wrong := func(at int, want, found string) error {
		return &datasets.FormatError{File: name, Line: at, Want: want, Found: found}
	}
	end := func() error {
		if len(story.Edges)+len(story.Questions) == 0 {
			return nil
		}
		if len(story.Questions) == 0 {
			return wrong(first, "a question after the facts of a story", "none")
		}
		for i, q := range story.Questions {
			if a, ok := story.Deduce(q.Node); !ok || a != q.Answer {
				found := fmt.Sprintf("answer %d", q.Answer+1)
				if !ok {
					return wrong(first, fmt.Sprintf("facts that answer question %d about node %d once", i+1, q.Node+1), found)
				}
				return wrong(first, fmt.Sprintf("answer %d to question %d of the story", a+1, i+1), found)
			}
		}
		if len(s.Stories) == mostStories {
			return wrong(first, fmt.Sprintf("at most %d stories", mostStories), "more")
		}
		s.Stories = append(s.Stories, story)
		story = Story{}
		return nil
	}
	for lines.Scan() {
		line++
		text := strings.TrimSpace(lines.Text())
		if text == "" {
			if err := end(); err != nil {
				return nil, err
			}
			first = line + 1
			continue
		}
		fields := strings.Fields(text)
		question := fields[0] == "?"
		want := `"from kind to"`
		if question {
			fields, want = fields[1:], `"? kind node answer"`
		}
		if len(fields) != 3 {
			return nil, wrong(line, want, strconv.Quote(cut(text)))
		}
		var v [3]int
		for i, f := range fields {
			n, err := strconv.Atoi(f)
			if err != nil || n < 1 || n > mostNodes {
				return nil, wrong(line, fmt.Sprintf("a number from 1 to %d", mostNodes), strconv.Quote(cut(f)))
			}
			v[i] = n - 1
		}
		switch {
		case question && v[0] != 0:
			return nil, wrong(line, "question kind 1, what a node fears", fields[0])
		case question:
			story.Questions = append(story.Questions, Question{v[1], v[2]})
			story.Nodes = max(story.Nodes, v[1]+1, v[2]+1)
		case v[1] >= Kinds:
			return nil, wrong(line, "fact kind 1 or 2", fields[1])
		default:
			story.Edges = append(story.Edges, Edge{v[0], kinds[v[1]], v[2]})
			story.Nodes = max(story.Nodes, v[0]+1, v[2]+1)
		}
		if len(story.Edges)+len(story.Questions) > mostLines {
			return nil, wrong(line, fmt.Sprintf("at most %d lines in a story", mostLines), "more")
		}
	}
	if err := lines.Err(); err != nil {
		return nil, wrong(line+1, "a line of text", err.Error())
	}
	if err := end(); err != nil {
		return nil, err
	}
	if len(s.Stories) == 0 {
		return nil, wrong(max(line, 1), "a story", "the end of the file")
	}
	return s, nil
}

// parseTypes returns the kind of each number less one.
func parseTypes(name, text string) (kinds [Kinds]int, err error) {
	if strings.TrimSpace(text) == "" {
		return [Kinds]int{Is, Fears}, nil
	}
	switch fields := strings.Fields(text); strings.Join(fields, " ") {
	case "is=1 has_fear=2", "has_fear=2 is=1":
		return [Kinds]int{Is, Fears}, nil
	case "is=2 has_fear=1", "has_fear=1 is=2":
		return [Kinds]int{Fears, Is}, nil
	}
	return kinds, &datasets.FormatError{File: name + ", edge types", Line: 1, Want: `"is" and "has_fear" with the numbers 1 and 2`, Found: strconv.Quote(cut(text))}
}

func cut(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
