package notebooks

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"trivium/kernel/notebook"
)

// A document is Markdown that people read: a file, or the text cells of a lesson.
type document struct {
	name string // from the project's root
	dir  string // that relative links start from
	text []byte
}

const root = ".."

func documents(t *testing.T) []document {
	t.Helper()
	var docs []document
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && strings.HasPrefix(e.Name(), ".") && path != root, e.IsDir() && e.Name() == "testdata":
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			b, err := os.ReadFile(path)
			docs = append(docs, document{strings.TrimPrefix(path, root+"/"), filepath.Dir(path), b})
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range lessons(t) {
		nb, err := notebook.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, c := range nb.Cells {
			if c.Kind == notebook.Markdown {
				fmt.Fprintf(&b, "%s\n\n", c.Source)
			}
		}
		docs = append(docs, document{"notebooks/" + file, ".", []byte(b.String())})
	}
	return docs
}

func parse(d document) ast.Node {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(d.text))
}

// walk calls f with each node of a document.
func walk(d document, f func(n ast.Node)) {
	_ = ast.Walk(parse(d), func(n ast.Node, entering bool) (ast.WalkStatus, error) { // f ends no walk
		if entering {
			f(n)
		}
		return ast.WalkContinue, nil
	})
}

// plain is what a heading reads as.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // nothing in it fails
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// anchor is the name by which code-hosting pages link to a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

func anchors(d document) (names []string) {
	walk(d, func(n ast.Node) {
		if h, ok := n.(*ast.Heading); ok {
			names = append(names, anchor(plain(h, d.text)))
		}
	})
	return names
}

// TestLinksLeadSomewhere resolves relative links and anchors, and reads absolute ones.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, d := range documents(t) {
		walk(d, func(n ast.Node) {
			var target string
			switch n := n.(type) {
			case *ast.Link:
				target = string(n.Destination)
			case *ast.Image:
				target = string(n.Destination)
				if len(plain(n, d.text)) < 10 {
					t.Errorf("%s: the picture %s says too little to those who cannot see it", d.name, target)
				}
			case *ast.AutoLink:
				target = string(n.URL(d.text))
			default:
				return
			}
			links++
			if err := leads(d, target); err != nil {
				t.Errorf("%s: link %q: %v", d.name, target, err)
			}
		})
	}
	if links == 0 {
		t.Errorf("no link found: the walk misses them")
	}
}

func leads(d document, target string) error {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	if u.Scheme != "" {
		if u.Scheme != "https" || !strings.Contains(u.Host, ".") {
			return fmt.Errorf("want https and a full host name")
		}
		return nil
	}
	if u.Path != "" {
		path := filepath.Join(d.dir, filepath.FromSlash(u.Path))
		if _, err := os.Stat(path); err != nil {
			return err
		}
		if u.Fragment == "" {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		d = document{name: path, text: b}
	}
	if names := anchors(d); !slices.Contains(names, u.Fragment) {
		return fmt.Errorf("%s has no heading with that anchor, only %q", d.name, names)
	}
	return nil
}

// blocks gives the code blocks of a language.
func blocks(d document, language string) (found []string) {
	walk(d, func(n ast.Node) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || string(block.Language(d.text)) != language {
			return
		}
		var b strings.Builder
		for i := range block.Lines().Len() {
			segment := block.Lines().At(i)
			b.Write(segment.Value(d.text))
		}
		found = append(found, b.String())
	})
	return found
}

// TestReadmeCellsRun runs the Go blocks of the README as the cells of one notebook.
func TestReadmeCellsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a kernel: left out with -short")
	}
	source, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	nb := notebook.New()
	for _, code := range blocks(document{text: source}, "go") {
		nb.Cells = append(nb.Cells, notebook.NewCell(notebook.Code, code))
	}
	if len(nb.Cells) == 0 {
		t.Fatal("no Go block found in README.md")
	}
	nb.Cells = append(nb.Cells, notebook.NewCell(notebook.Code, "nb.StopAll()"))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	k, err := notebook.Start(ctx, notebook.Launch{Argv: []string{build(t), "kernel", "-f", "{connection_file}"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := k.Shutdown(5 * time.Second); err != nil {
			t.Error(err)
		}
	}()
	if err := k.Runner().Run(ctx, nb); err != nil {
		t.Fatal(err)
	}
}

var placeholder = regexp.MustCompile(`\b[A-Z]{2,}[A-Z.a-z]*\b`)

// TestCommandsAreThere reads each line of each sh block: our own commands must take the
// options given, and name files that exist.
func TestCommandsAreThere(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs: left out with -short")
	}
	installer := filepath.Join(t.TempDir(), "install")
	if out, err := exec.Command("go", "build", "-o", installer, "trivium/install").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := 0
	for _, d := range documents(t) {
		for _, block := range blocks(d, "sh") {
			for line := range strings.Lines(block) {
				line, _, _ = strings.Cut(line, " # ")
				if line = strings.TrimSpace(line); line == "" {
					continue
				}
				lines++
				if err := command(t, installer, strings.Fields(line)); err != nil {
					t.Errorf("%s: %q: %v", d.name, line, err)
				}
			}
		}
	}
	if lines == 0 {
		t.Error("no command found")
	}
}

// command checks one line, and runs it where that changes nothing.
func command(t *testing.T, installer string, words []string) error {
	for _, w := range words {
		if strings.ContainsRune(w, '/') && !strings.HasPrefix(w, "https:") && !placeholder.MatchString(w) &&
			!filepath.IsAbs(w) && !strings.HasPrefix(w, "~") && !strings.HasSuffix(w, "...") && !strings.ContainsAny(w, ":=$") {
			if _, err := os.Stat(filepath.Join(root, w)); err != nil {
				return err
			}
		}
	}
	switch {
	case len(words) > 2 && words[0] == "go" && words[1] == "run" && words[2] == "./install":
		// with -h at the end every option before it is read and nothing is done
		out, err := exec.CommandContext(t.Context(), installer, append(words[3:], "-h")...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%v\n%s", err, out)
		}
		return nil
	case len(words) > 2 && words[0] == "go" && words[1] == "doc":
		cmd := exec.CommandContext(t.Context(), "go", words[1:]...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v\n%s", err, out)
		}
		return nil
	}
	known := []string{
		"go run ./kernel", "go test", "go generate", "git clone", "cd", "jupyter notebook", "jupyter lab", "jupyter console", "docker build", "docker run",
		"pip install", "apt-get install", "trivium run", "wsl", "brew install", ".ci/run", "TRIVIUM_REPRODUCE=1 go test", "TRIVIUM_GO_TESTS=all go test",
	}
	all := strings.Join(words, " ")
	for _, k := range known {
		if all == k || strings.HasPrefix(all, k+" ") {
			return nil
		}
	}
	return fmt.Errorf("nobody has tried this command: add it to the ones known here when you have")
}
