package trees

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

func TestGenerateHasTheSizesOfTheTreebank(t *testing.T) {
	const n = 8544
	b := Generate(n, 1)
	var sum, squares float64
	for _, tree := range b.Trees {
		w := float64(tree.Words())
		if w < minWords || w > mostWords || tree.Nodes() != 2*tree.Words()-1 {
			t.Fatalf("%g words, %d nodes", w, tree.Nodes())
		}
		sum, squares = sum+w, squares+w*w
	}
	mean := sum / n
	sd := math.Sqrt(squares/n - mean*mean)
	// The treebank has 163,563 words in 8,544 sentences. Cutting lengths off at 52 takes 0.1 from
	// the mean; the deviation of the mean is 0.1.
	if math.Abs(mean-163563./n) > 0.5 || math.Abs(sd-9.3) > 0.6 {
		t.Errorf("%.2f ± %.2f words", mean, sd)
	}
	roots, nodes := b.Counts()
	for c := range Classes {
		if roots[c] < n/20 {
			t.Errorf("%d sentences are %s", roots[c], Classes[c])
		}
	}
	if neutral := float64(nodes[2]) / (2*sum - n); neutral < 0.5 || neutral > 0.75 {
		t.Errorf("%.2f of the nodes are neutral", neutral)
	}
	if !reflect.DeepEqual(Generate(3, 2), Generate(3, 2)) || reflect.DeepEqual(Generate(3, 2).Trees, Generate(3, 3).Trees) {
		t.Error("the seed does not decide the trees")
	}
}

// The rule, written again over the text of the trees.
func TestGenerateFollowsItsRule(t *testing.T) {
	b := Generate(200, 4)
	for _, tree := range b.Trees {
		feel := make([]float64, tree.Nodes())
		for i, l := range tree.Left {
			if l < 0 {
				switch w := b.Words[tree.Word[i]]; strings.TrimRight(w, "0123456789") {
				case "awful":
					feel[i] = -2
				case "poor":
					feel[i] = -1
				case "fine":
					feel[i] = 1
				case "great":
					feel[i] = 2
				}
			} else {
				feel[i] = feel[l] + feel[tree.Right[i]]
				if tree.Left[l] < 0 {
					if w := b.Words[tree.Word[l]]; strings.HasPrefix(w, "not") {
						feel[i] = -0.75 * feel[tree.Right[i]]
					} else if strings.HasPrefix(w, "very") {
						feel[i] = 1.5 * feel[tree.Right[i]]
					}
				}
			}
			want := 2
			for _, limit := range []float64{0.5, 1.49999} {
				if feel[i] > limit {
					want++
				}
				if feel[i] < -limit {
					want--
				}
			}
			if tree.Label[i] != want {
				t.Fatalf("node %d of %s feels %g and has class %d", i, b.Text(tree), feel[i], tree.Label[i])
			}
		}
	}
}

func TestReadWhatTextWrites(t *testing.T) {
	b := Generate(300, 1)
	var text strings.Builder
	for _, tree := range b.Trees {
		text.WriteString(b.Text(tree) + "\n")
	}
	got, err := Read(strings.NewReader(text.String()), "a", b.Words)
	if err != nil || !reflect.DeepEqual(got.Trees, b.Trees) {
		t.Fatalf("trees differ after writing and reading: %v", err)
	}
}

func TestRead(t *testing.T) {
	b, err := Read(strings.NewReader("(3 (2 It) (4(3 works)(2 .)) )\n\n(1 it)\n"), "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Tree{Left: []int{-1, -1, -1, 1, 0}, Right: []int{-1, -1, -1, 2, 3}, Word: []int{1, 2, 3, -1, -1}, Label: []int{2, 3, 2, 4, 3}}
	if !reflect.DeepEqual(b.Trees[0], want) || b.Len() != 2 || b.Trees[0].Depth() != 2 {
		t.Errorf("%+v", b.Trees[0])
	}
	if got := fmt.Sprintln(b.Words, b.Sentence(b.Trees[0])); got != "[<unknown> It works . it] It works .\n" {
		t.Error(got)
	}
	other, err := Read(strings.NewReader("(1 (2 It) (1 fails))"), "b", b.Words)
	if err != nil || other.Sentence(other.Trees[0]) != "It <unknown>" || len(b.Words) != 5 {
		t.Errorf("%v, %v", other, err)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"\n":                                "expected a tree, found the end of the file",
		"(1 a)\n(5 a)":                      `line 2: expected a class from 0 to 4 in column 2, found "5 a)"`,
		"(12 a)":                            "a class from 0 to 4",
		"(1 a":                              `a word and ")", or two trees in column 4`,
		"(1 a b)":                           `")" after a word in column 6, found "b)"`,
		"(1 (1 a))":                         `after 1 trees, in column 9`,
		"(1 (1 a) (1 b) (1 c))":             `")" after two trees in column 16`,
		"(1 a) (1 b)":                       "the end of the line after a tree",
		"(1 (1 a) b)":                       `"(" or ")" in column 10`,
		"(1 (1 a) (1 b)":                    "found the end of the line",
		"()":                                "a class",
		"(1 )":                              `a word and ")"`,
		"a":                                 `"(" or ")" in column 1`,
		strings.Repeat("(1 ", mostNodes*10): "found the end of the line",
		strings.Repeat("(", 1<<21):          "token too long",
	} {
		_, err := Read(strings.NewReader(text), "a", nil)
		if !errors.As(err, new(*datasets.FormatError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: want an error with %q, got %v", text, want, err)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if _, _, _, err := Load(dir); !errors.As(err, new(*datasets.MissingError)) {
		t.Errorf("got %v", err)
	}
	os.Mkdir(filepath.Join(dir, "trees"), 0o755)
	for part, text := range map[string]string{"train": "(3 (2 a) (2 b))", "dev": "(3 (2 a) (2 c))", "test": "(3 c)"} {
		if err := os.WriteFile(filepath.Join(dir, "trees", part+".txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	train, dev, test, err := Load(dir)
	if err != nil || train.Len() != 1 || dev.Sentence(dev.Trees[0]) != "a <unknown>" || test.Trees[0].Word[0] != 0 {
		t.Errorf("%v %v %v %v", train, dev, test, err)
	}
}

func TestShow(t *testing.T) {
	b := Generate(20, 1)
	b.Words[1] = "<script>"
	data, _ := b.MIMEBundle()
	if h := data["text/html"].(string); strings.Contains(h, "<script>") || !strings.Contains(h, "<svg") {
		t.Errorf("%s", h)
	}
	if s := (&Bank{Name: "none"}).String(); !strings.Contains(s, "none: 0 trees") {
		t.Error(s)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("(3 (2 It) (4 (3 works) (2 .)))\n(1 it)")
	f.Add("((((")
	f.Add("(1 (1 a) (1 b) (1 c))")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := Read(strings.NewReader(text), "a", nil)
		if err != nil {
			if !errors.As(err, new(*datasets.FormatError)) {
				t.Fatalf("an error of type %T", err)
			}
			return
		}
		for _, tree := range b.Trees {
			for i, l := range tree.Left {
				if l >= i || tree.Right[i] >= i || (l < 0) != (tree.Word[i] >= 0) {
					t.Fatalf("node %d of %+v", i, tree)
				}
			}
			again, err := Read(strings.NewReader(b.Text(tree)), "a", b.Words)
			if err != nil || !reflect.DeepEqual(again.Trees[0], tree) {
				t.Fatalf("%q reads as another tree: %v", b.Text(tree), err)
			}
		}
	})
}

func Example() {
	b, _ := Read(strings.NewReader("(3 (2 It) (4 (3 works) (2 .)))"), "one tree", nil)
	t := b.Trees[0]
	for i := range t.Nodes() {
		fmt.Print(Classes[t.Label[i]], "; ")
	}
	fmt.Println(b.Sentence(t))
	// Output: neutral; positive; neutral; very positive; positive; It works .
}

func TestSlice(t *testing.T) {
	bank := Generate(5, 1)
	two := bank.Slice(3, 9)
	if two.Len() != 2 || two.Trees[0] != bank.Trees[3] || bank.Slice(4, 2).Len() != 0 {
		t.Errorf("%d and %d trees", two.Len(), bank.Slice(4, 2).Len())
	}
	var tree Tree
	w := [2]int{tree.add(-1, -1, 0, 3), tree.add(-1, -1, 1, 2)}
	tree.add(w[0], w[1], -1, 4)
	if got, want := tree.String(), "a tree of 3 nodes, 2 of them words, depth 1, class very positive"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
