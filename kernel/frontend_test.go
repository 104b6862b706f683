package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trivium/kernel/notebook"
)

// The tests of this file and of frontend_notebook_test.go run the kernel under the front ends of
// Jupyter. What a front end is told to start is this test program, which then behaves as trivium.

const asTrivium = "TRIVIUM_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asTrivium) == "1" {
		os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
	}
	code := m.Run()
	cleanUp()
	os.Exit(code)
}

// cleanUp removes what several tests share.
var cleanUp = func() {}

// Jupyter's own Python; another one on the PATH may not have it.
const python = "/usr/bin/python3"

// jupyterEnv installs the kernel spec into a folder of its own and returns the environment in
// which Jupyter finds it and leaves nothing anywhere else.
func jupyterEnv(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	spec, err := json.Marshal(map[string]any{
		"argv": []string{self, "kernel", "-f", "{connection_file}"}, "display_name": "Go (Trivium)",
		"language": "go", "interrupt_mode": "message", "env": map[string]string{asTrivium: "1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "share", "kernels", "trivium")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "kernel.json"), spec, 0o600); err != nil {
		t.Fatal(err)
	}
	return append(os.Environ(),
		"JUPYTER_PATH="+filepath.Join(dir, "share"), "JUPYTER_DATA_DIR="+filepath.Join(dir, "data"),
		"JUPYTER_CONFIG_DIR="+filepath.Join(dir, "config"), "JUPYTER_RUNTIME_DIR="+filepath.Join(dir, "run"),
		"IPYTHONDIR="+filepath.Join(dir, "ipython"), "HOME="+dir, "TRIVIUM_HISTORY=none",
		"PYDEVD_DISABLE_FILE_VALIDATION=1", "GOCOVERDIR="+dir)
}

// needPython skips a test whose tool is absent; in CI every tool has to be there.
func needPython(t *testing.T, module string) {
	t.Helper()
	if out, err := exec.Command(python, "-c", "import "+module).CombinedOutput(); err != nil {
		missing(t, "%s has no module %s: %v %s", python, module, err, out)
	}
}

func missing(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("TRIVIUM_CI") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// jupyter runs a command of Jupyter to its end.
func jupyter(t *testing.T, env []string, stdin string, module string, args ...string) (out string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), python, append([]string{"-m", module}, args...)...)
	cmd.Env, cmd.Stdin, cmd.WaitDelay = env, strings.NewReader(stdin), 5*time.Second
	b, err := cmd.CombinedOutput()
	return string(b), err
}

// liveCells start work in the background whose plot grows for about two seconds, while the
// next cells run.
const (
	startCell = `import "time"

work := run.Start(ctx, run.Options{Name: "work", Total: 20}, func(ctx context.Context, t *run.Trace) (any, error) {
	for i := 0; i < 20; i++ {
		if err := run.Gate(ctx); err != nil {
			return nil, err
		}
		t.Sample("loss", float64(i), 1/float64(i+1))
		t.Progress(float64(i+1), 20)
		time.Sleep(100 * time.Millisecond)
	}
	return nil, nil
})`
	plotCell = `viz.Curves("loss", work)`
	waitCell = `nb.Await(work)
fmt.Println("state:", work.State())`
)

func writeNotebook(t *testing.T, name string, cells ...string) {
	t.Helper()
	nb := notebook.New(notebook.NewCell(notebook.Markdown, "# A *test*"))
	for _, c := range cells {
		nb.Cells = append(nb.Cells, notebook.NewCell(notebook.Code, c))
	}
	if err := nb.WriteFile(name); err != nil {
		t.Fatal(err)
	}
}

func readNotebook(t *testing.T, name string) []*notebook.Cell {
	t.Helper()
	nb, err := notebook.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return nb.Cells
}

// streamed is what a cell printed to stdout.
func streamed(c *notebook.Cell) string {
	var b strings.Builder
	for _, out := range c.Outputs {
		if out.Kind == notebook.Stream && out.Name == "stdout" {
			b.WriteString(out.Text)
		}
	}
	return b.String()
}

func shown(t *testing.T, c *notebook.Cell, mime string) string {
	t.Helper()
	for _, out := range c.Outputs {
		if text := out.Form(mime); text != "" {
			return text
		}
	}
	t.Errorf("cell %q showed nothing of type %s", c.Source, mime)
	return ""
}

func TestNbconvertExecutes(t *testing.T) {
	needPython(t, "nbconvert")
	t.Parallel()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.ipynb"), filepath.Join(dir, "out.ipynb")
	writeNotebook(t, in, "fmt.Println(\"a\")\nx := 20", "x + 1", startCell, plotCell, waitCell)
	if said, err := jupyter(t, jupyterEnv(t), "", "nbconvert", "--to", "notebook", "--execute", in, "--output", out); err != nil {
		t.Fatalf("nbconvert: %v\n%s", err, said)
	}
	cells := readNotebook(t, out)
	if got := streamed(cells[1]); got != "a\n" {
		t.Errorf("printed %q, want a", got)
	}
	if got := shown(t, cells[2], "text/plain"); got != "21" {
		t.Errorf("x + 1 is shown as %q", got)
	}
	if svg := shown(t, cells[4], "image/svg+xml"); !strings.Contains(svg, "</svg>") {
		t.Errorf("the plot is %q", svg)
	}
	if got := streamed(cells[5]); !strings.Contains(got, "state: ") {
		t.Errorf("after the run: %q", got)
	}
	page := filepath.Join(dir, "out.html")
	if said, err := jupyter(t, jupyterEnv(t), "", "nbconvert", "--to", "html", out, "--output", page); err != nil {
		t.Fatalf("nbconvert to html: %v\n%s", err, said)
	}
	// nbconvert 6.5.3 takes all shapes out of an SVG; an element with a PNG and the SVG comes through,
	// with its size and its words.
	if html, err := os.ReadFile(page); err != nil || !strings.Contains(string(html), `<img src="data:image/png;base64,`) ||
		!strings.Contains(string(html), `width="640" height="400" alt="Loss of work over step`) || !strings.Contains(string(html), "100%") {
		t.Errorf("the page lacks the plot or the bar: %v", err)
	}
}

func TestNbconvertReportsTheCell(t *testing.T) {
	needPython(t, "nbconvert")
	t.Parallel()
	in := filepath.Join(t.TempDir(), "in.ipynb")
	writeNotebook(t, in, "1", "y := 2\nfmt.Println(undefinedName, y)", "fmt.Println(\"not reached\")")
	said, err := jupyter(t, jupyterEnv(t), "", "nbconvert", "--to", "notebook", "--execute", in, "--output", "out.ipynb")
	if err == nil || !strings.Contains(notebook.PlainText(said), "Cell [2], line 2") || strings.Contains(said, "not reached") {
		t.Errorf("error %v, want one that names Cell [2], line 2:\n%s", err, said)
	}
}

func TestConsole(t *testing.T) {
	needPython(t, "jupyter_console")
	t.Parallel()
	cells := []string{
		`fmt.Println("hi", 6*7)`, `x := 20`, `x + 1`,
		`viz.Lines("squares", nil, []float64{0, 1, 4, 9})`,
		`r := run.Start(ctx, run.Options{Name: "quick", Total: 3}, func(ctx context.Context, t *run.Trace) (any, error) { t.Sample("loss", 0, 2); t.Sample("loss", 1, 0.5); t.Progress(3, 3); return nil, nil })`,
		`nb.Await(r)`, `nb.Runs()`, `r`,
	}
	said, err := jupyter(t, jupyterEnv(t), strings.Join(cells, "\n")+"\n", "jupyter_console", "--simple-prompt", "--kernel", "trivium")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, want := range []string{
		"hi 42", "Out[3]: 21", "Squares", "squares: 4 values, 0 → 9", // a figure in words
		"quick [####################] 100% finished after 3 steps", // a bar in letters
		"Loss of quick over step", "quick: 2 values, 2 → 0.5",      // a run
		"Shutting down kernel",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in\n%s", want, said)
		}
	}
	if strings.Contains(said, "<svg") || strings.Contains(said, "<div") {
		t.Errorf("the console shows source text of pictures:\n%s", said)
	}
}

// trivium runs this program as a user would.
func trivium(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asTrivium+"=1", "TRIVIUM_HISTORY=none", "GOCOVERDIR="+t.TempDir())
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, 5*time.Second
	err = cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
