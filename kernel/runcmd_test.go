package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRunWritesNotebookAndPage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out, page := filepath.Join(dir, "in.ipynb"), filepath.Join(dir, "out.ipynb"), filepath.Join(dir, "out.html")
	writeNotebook(t, in, "fmt.Println(\"hello\")", startCell, plotCell)
	stdout, stderr, status := trivium(t, "run", "-o", out, in, "-html", page) // options on both sides
	if status != 0 || stderr != "" {
		t.Fatalf("status %d\n%s%s", status, stdout, stderr)
	}
	for _, want := range []string{"A test", "[1/3] fmt.Println", "waiting for the last frame of 1 live figure", "all cells ran in", out, page} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	cells := readNotebook(t, out)
	if got := streamed(cells[1]); got != "hello\n" {
		t.Errorf("printed %q", got)
	}
	svg := shown(t, cells[3], "image/svg+xml")
	html, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(html, []byte("<title>A test</title>")) || !bytes.Contains(html, []byte(svg)) {
		t.Errorf("the page (%v) lacks the title or the plot", err)
	}
}

func TestRunReportsAFailure(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.ipynb"), filepath.Join(dir, "out.ipynb")
	writeNotebook(t, in, "fmt.Println(\"first\")", "a := 1\nfmt.Println(a + nothing)", "fmt.Println(\"third\")")
	stdout, stderr, status := trivium(t, "run", in, "-o", out)
	if status != 1 || !strings.Contains(stderr, "code cell 2 failed") || !strings.Contains(stderr, "Cell [2], line 2") {
		t.Errorf("status %d, want 1 and the place\n%s%s", status, stdout, stderr)
	}
	cells := readNotebook(t, out)
	if streamed(cells[1]) != "first\n" || len(cells[2].Outputs) != 1 || len(cells[3].Outputs) != 0 {
		t.Errorf("outputs of the cells: %d %d %d, want those until the failure", len(cells[1].Outputs), len(cells[2].Outputs), len(cells[3].Outputs))
	}
	stdout, _, status = trivium(t, "run", in, "-allow-errors", "-o", out)
	if status != 0 || streamed(readNotebook(t, out)[3]) != "third\n" || !strings.Contains(stdout, ", 1 with an error") {
		t.Errorf("-allow-errors: status %d, third cell %q\n%s", status, streamed(readNotebook(t, out)[3]), stdout)
	}
}

func TestRunTimeoutStopsTheCell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.ipynb"), filepath.Join(dir, "out.ipynb")
	writeNotebook(t, in, "fmt.Println(\"before\")\nfor {\n}")
	_, stderr, status := trivium(t, "run", in, "-o", out, "-timeout", "2s")
	if status != 1 || !strings.Contains(stderr, "did not end within 2s") {
		t.Errorf("status %d: %s", status, stderr)
	}
	if got := streamed(readNotebook(t, out)[1]); got != "before\n" {
		t.Errorf("written output %q", got)
	}
}

// Ctrl-C stops the cell and saves what there is.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.ipynb"), filepath.Join(dir, "out.ipynb")
	writeNotebook(t, in, "fmt.Println(\"before\")", "for {\n}")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "run", in, "-o", out)
	cmd.Env = append(os.Environ(), asTrivium+"=1", "TRIVIUM_HISTORY=none", "GOCOVERDIR="+dir)
	log := &watched{want: "[2/2]", seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = log, log, 5*time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-log.seen:
	case <-time.After(20 * time.Second):
		t.Error("the second cell did not begin")
	}
	time.Sleep(100 * time.Millisecond) // so that the kernel has it
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // the status is what counts
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("exit status %d, want 130\n%s", got, log.b.String())
	}
	cells := readNotebook(t, out)
	if streamed(cells[1]) != "before\n" || len(cells[2].Outputs) != 1 {
		t.Errorf("saved: %q and %d outputs of the stopped cell, want 1 that says so", streamed(cells[1]), len(cells[2].Outputs))
	}
}

// A cell that is stuck in compiled code does not keep Ctrl-C waiting until the kernel is given up.
func TestRunInterruptsAStuckCell(t *testing.T) {
	t.Parallel()
	in := filepath.Join(t.TempDir(), "in.ipynb")
	writeNotebook(t, in, `two := big.NewInt(2)
odd := new(big.Int).Add(new(big.Int).Lsh(two, 4096), big.NewInt(1))
new(big.Int).Exp(two, new(big.Int).Lsh(two, 1<<25), odd) // minutes in one compiled function`, "1")
	began := time.Now()
	_, stderr, status := trivium(t, "run", in, "-timeout", "500ms")
	if took := time.Since(began); status != 1 || took > interruptLimit || !strings.Contains(stderr, "was stopped") || strings.Contains(stderr, "did not react") {
		t.Errorf("status %d after %v: %s", status, took, stderr)
	}
}

// interruptLimit is less than the time after which a kernel that does not react is given up.
const interruptLimit = 9 * time.Second

// watched is written by one goroutine and tells when a text has come.
type watched struct {
	b    bytes.Buffer
	want string
	seen chan struct{}
	done bool
}

func (w *watched) Write(p []byte) (int, error) {
	w.b.Write(p)
	if !w.done && strings.Contains(w.b.String(), w.want) {
		w.done = true
		close(w.seen)
	}
	return len(p), nil
}

func TestRunRefuses(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	good := file("good.ipynb", `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[]}`)
	one := file("one.ipynb", `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[{"cell_type":"code","source":"1"}]}`)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no notebook":     {nil, "no notebook is named"},
		"two notebooks":   {[]string{"a.ipynb", "b.ipynb"}, "one notebook at a time"},
		"unknown option":  {[]string{good, "-frobnicate"}, "-frobnicate"},
		"bad timeout":     {[]string{good, "-timeout", "soon"}, "timeout"},
		"negative":        {[]string{good, "-timeout", "-1s"}, "negative"},
		"absent":          {[]string{filepath.Join(dir, "none.ipynb")}, "none.ipynb"},
		"not JSON":        {[]string{file("j.ipynb", "{\n oops")}, "line 2"},
		"no cells":        {[]string{good}, "no cells"},
		"nbformat 3":      {[]string{file("3.ipynb", `{"nbformat":3}`)}, "nbformat 3"},
		"other language":  {[]string{file("py.ipynb", `{"nbformat":4,"cells":[],"metadata":{"kernelspec":{"language":"python"}}}`)}, "python"},
		"a folder":        {[]string{dir}, "directory"},
		"empty file":      {[]string{file("e.ipynb", "")}, "empty"},
		"option at front": {[]string{"-o"}, "-o"},
		"no such folder":  {[]string{one, "-o", filepath.Join(dir, "none", "o.ipynb")}, "cannot write"},
		"into a folder":   {[]string{one, "-html", dir}, "it is a folder"},
		"page over it":    {[]string{one, "-html", one}, "would replace the notebook"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			status := runCommand(c.args, &out, &errs)
			text := errs.String()
			if status != 2 || !strings.HasPrefix(text, "trivium run: ") || strings.Count(text, "\n") != 1 || !strings.Contains(text, c.want) {
				t.Errorf("status %d, want 2 and one line with %q, got\n%s", status, c.want, text)
			}
		})
	}
}
