package get

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"trivium/kernel/notebook"
)

// tiny is a module that needs no download.
func tiny(t *testing.T) string {
	dir, err := filepath.Abs(filepath.Join("testdata", "tiny"))
	if err != nil {
		t.Fatal(err)
	}
	return "example.org/tiny=" + dir
}

// TestBuild builds a program with a module and runs a notebook with it whose cells use it: a function,
// an interface that a cell's type implements, the documentation, functions that look into values by reflection; and that asks for it again.
func TestBuild(t *testing.T) {
	if testing.Short() || os.Getenv("TRIVIUM_CI") == "" && os.Getenv("TRIVIUM_GET") == "" {
		t.Skip("builds the kernel, for half a minute: set TRIVIUM_GET=1")
	}
	var log bytes.Buffer
	program, err := Builder{Cache: t.TempDir(), Log: &log}.Build(t.Context(), []string{tiny(t)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "building the evaluator") {
		t.Errorf("it said %q", &log)
	}
	k, err := notebook.Start(t.Context(), notebook.Launch{Argv: []string{program, "kernel", "-f", "{connection_file}"}})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Shutdown(0)
	nb := notebook.New(
		notebook.NewCell(notebook.Code, "%get"),
		notebook.NewCell(notebook.Code, "type Sq struct{ a float64 }\nfunc (s Sq) Area() float64 { return s.a * s.a }\nfmt.Println(tiny.Double(21), tiny.Total(Sq{2}, Sq{3}))"),
		notebook.NewCell(notebook.Code, "import \"example.org/tiny/shape\"\nvar s shape.Shape = Sq{4}\ns.Area()"),
		notebook.NewCell(notebook.Code, "nb.Help(\"tiny.Double\")"),
		notebook.NewCell(notebook.Code, "type Deg float64\nfunc (d Deg) String() string { return fmt.Sprint(float64(d), \"°\") }\ntype In struct { D Deg `tiny:\"d\"`; any any; Next *In }\nfmt.Println(tiny.Describe(In{1, Deg(2), &In{any: []any{Deg(3)}}}))"),
		notebook.NewCell(notebook.Code, "in := In{any: Deg(4)}\ntiny.Set(&in, \"D\", Deg(5))\ntiny.Set(&in, \"Next\", &In{D: 6})\nfmt.Println(in.D, in.Next.D, in.any == any(Deg(4)), tiny.Describe(&in))"),
	)
	if err := k.Runner().Run(t.Context(), nb); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"example.org/tiny=", "42 13", "16", "twice a number",
		"main.In{D(d)=main.Deg 1° any()=->main.Deg 2 Next()=->main.In{D(d)=main.Deg 0° any()=->[]interface {} [3] Next()=->nil}}",
		"5° 6° true ->main.In{D(d)=main.Deg 5° any()=->main.Deg 4 Next()=->main.In{D(d)=main.Deg 6° any()=->nil Next()=->nil}}",
	} {
		var got strings.Builder
		for _, o := range nb.Cells[i].Outputs {
			got.WriteString(string(o.Text))
			for _, d := range o.Data {
				got.Write(d)
			}
		}
		if !strings.Contains(got.String(), want) {
			t.Errorf("cell %d shows %q, want %q", i+1, &got, want)
		}
	}
}

// TestRefused sees that what is no module is not given to the go command, and that what that says of a
// module that is not there is in the error.
func TestRefused(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	b := Builder{Cache: t.TempDir()}
	for _, m := range []string{"", "uuid", "-mod=mod", "@v1.0.0", "a b", "github.com/x/y,z"} {
		if _, err := b.Build(t.Context(), []string{m}); err == nil || !strings.Contains(err.Error(), "is not a module") {
			t.Errorf("%q: %v", m, err)
		}
	}
	_, err := b.Build(t.Context(), []string{"example.org/absent=" + t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "example.org/absent") {
		t.Errorf("a folder without a module: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := b.Build(t.Context(), []string{"example.org/a@v1.0.0"}); !errors.Is(err, ErrNoToolchain) {
		t.Errorf("without a toolchain: %v", err)
	}
}

func TestCancelled(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (Builder{Cache: t.TempDir()}).Build(ctx, []string{tiny(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestFindSource(t *testing.T) {
	dir, err := FindSource()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "kernel", "get", "source.go")); err != nil {
		t.Error(err)
	}
	t.Setenv(SourceVariable, filepath.Join(t.TempDir(), "nowhere"))
	if again, err := FindSource(); err != nil || again != dir {
		t.Errorf("%s, %v; want %s", again, err, dir)
	}
}
