package babi

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"trivium/datasets"
)

func TestGenerate(t *testing.T) {
	const n = 4000
	s := Generate(n, 1, Options{})
	feared := map[[2]string]int{}
	owner := map[[2]string]int{}
	for _, x := range s.Stories {
		if x.Nodes != 8 || len(x.Edges) != 8 || len(x.Questions) != 4 {
			t.Fatalf("%+v", x)
		}
		for _, e := range x.Edges {
			pair := [2]string{x.Names[e.From], x.Names[e.To]}
			if e.Kind == Fears {
				feared[pair]++
			} else {
				owner[pair]++
			}
		}
		asked := map[int]bool{}
		for _, q := range x.Questions {
			if a, ok := x.Deduce(q.Node); !ok || a != q.Answer || asked[q.Node] {
				t.Fatalf("%v", &x)
			}
			asked[q.Node] = true
		}
	}
	// Each species fears each of three others, and each name is of each species, equally often:
	// within five deviations.
	check := func(counts map[[2]string]int, pairs int, p float64) {
		if len(counts) != pairs {
			t.Errorf("%d pairs, want %d", len(counts), pairs)
		}
		for pair, c := range counts {
			if pair[0] == pair[1] || math.Abs(float64(c)-n*p) > 5*math.Sqrt(n*p*(1-p)) {
				t.Errorf("%v came %d times", pair, c)
			}
		}
	}
	check(feared, 12, 1./3)
	check(owner, 16, 1./4)
}

func TestInflated(t *testing.T) {
	for _, x := range Generate(50, 1, Inflated()).Stories {
		if x.Nodes != 54 || len(x.Edges) != 54 || len(x.Questions) != 4 {
			t.Fatalf("%d nodes, %d edges, %d questions", x.Nodes, len(x.Edges), len(x.Questions))
		}
		for _, q := range x.Questions {
			if a, ok := x.Deduce(q.Node); !ok || a != q.Answer {
				t.Fatalf("%v", &x)
			}
		}
	}
	if x := Generate(1, 1, Options{Names: 2, Questions: 9}).Stories[0]; len(x.Questions) != 2 {
		t.Errorf("%d questions about 2 names", len(x.Questions))
	}
}

const good = "1 1 2\n3 1 4\n4 2 2\n2 2 4\n? 1 1 4\n? 1 3 2\n\n"

func TestRead(t *testing.T) {
	s, err := Read(strings.NewReader(good+good), "a", "")
	if err != nil || s.Len() != 2 {
		t.Fatal(s, err)
	}
	want := Story{4, []Edge{{0, Is, 1}, {2, Is, 3}, {3, Fears, 1}, {1, Fears, 3}}, []Question{{0, 3}, {2, 1}}, nil}
	if !reflect.DeepEqual(s.Stories[1], want) {
		t.Errorf("got %+v, want %+v", s.Stories[1], want)
	}
}

func TestReadOtherTypes(t *testing.T) {
	usual, _ := Read(strings.NewReader(good), "a", "is=1\nhas_fear=2\n")
	swapped := strings.NewReplacer(" 1 ", " 2 ", " 2 ", " 1 ").Replace("1 1 2\n3 1 4\n4 2 2\n2 2 4\n") + "? 1 1 4\n? 1 3 2\n"
	s, err := Read(strings.NewReader(swapped), "a", "has_fear=1\nis=2\n")
	if err != nil || !reflect.DeepEqual(s, usual) {
		t.Errorf("%v, %v; want %v", s, err, usual)
	}
	if _, err := Read(strings.NewReader(good), "a", "is=1"); err == nil || !strings.Contains(err.Error(), "has_fear") {
		t.Errorf("one type gives %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "line 1: expected a story, found the end",
		good + "1 1\n":                  `line 8: expected "from kind to", found "1 1"`,
		"1 1 x\n":                       `line 1: expected a number from 1 to 4096, found "x"`,
		"1 1 5000\n":                    `found "5000"`,
		"0 1 2\n":                       `found "0"`,
		"1 3 2\n":                       "line 1: expected fact kind 1 or 2, found 3",
		"? 2 1 2\n":                     "expected question kind 1",
		"1 1 2\n2 2 3\n":                "line 1: expected a question",
		good + "1 1 2\n2 2 3\n? 1 1 2":  "line 8: expected answer 3 to question 1 of the story, found answer 2",
		"1 1 2\n? 1 1 2\n":              "facts that answer question 1 about node 1 once",
		strings.Repeat("1", 70000) + "": "too long",
	} {
		_, err := Read(strings.NewReader(text), "a", "")
		if !errors.As(err, new(*datasets.FormatError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}

// Read deduces every answer, so that reading the public folds checks the rule itself.
func TestPublicFolds(t *testing.T) {
	dir := os.Getenv("TRIVIUM_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "data")
	}
	dir = filepath.Join(dir, "babi15")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the public folds are not here: put them into $TRIVIUM_DATA/babi15")
	}
	for fold := 1; fold <= 10; fold++ {
		train, test, err := Load(dir, fold)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Set{train, test} {
			if s.Len() != 1000 {
				t.Errorf("%s has %d stories", s.Name, s.Len())
			}
			for _, x := range s.Stories {
				if len(x.Edges) != 8 || len(x.Questions) != 4 {
					t.Fatalf("%s: %v", s.Name, &x)
				}
			}
		}
	}
	if _, _, err := Load(dir, 11); err == nil || !strings.Contains(err.Error(), "has no fold 11") {
		t.Errorf("fold 11 gives %v", err)
	}
}

func TestMissing(t *testing.T) {
	if _, _, err := Load(t.TempDir(), 1); !errors.As(err, new(*datasets.MissingError)) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(good)
	f.Add("? 1 1 1")
	f.Add("1 1 1\n1 2 1\n? 1 1 1")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Read(strings.NewReader(text), "a", "")
		if err != nil {
			if !errors.As(err, new(*datasets.FormatError)) {
				t.Fatalf("an error of type %T", err)
			}
			return
		}
		s.MIMEBundle()
	})
}

func Example() {
	s := Generate(1, 8, Options{Questions: 1})
	q := s.Stories[0].Questions[0]
	answer, ok := s.Stories[0].Deduce(q.Node)
	fmt.Println(s)
	fmt.Println(answer == q.Answer, ok)
	// Output:
	// bAbI 15, seed 8: 1 stories, on average of 8 nodes, 8 facts and 1 questions
	// true true
}
