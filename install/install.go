package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"trivium/kernel/notebook"
)

// install does everything and says what it did.
func install(ctx context.Context, o *options, w io.Writer) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	if s, err := o.readSpec(); err == nil && !o.ours(s) {
		return fmt.Errorf("%s holds another kernel (%s); choose another -name or remove it", o.specDir(), s.DisplayName)
	}
	began := time.Now()
	fmt.Fprint(w, "building the kernel ... ")
	if err := o.build(ctx); err != nil {
		fmt.Fprintln(w)
		return err
	}
	fmt.Fprintf(w, "%.1f s\n", time.Since(began).Seconds())
	if err := o.writeSource(root); err != nil {
		return err
	}
	if err := o.writeSpec(); err != nil {
		return err
	}
	fmt.Fprintf(w, "installed %q: %s\n", o.displayName, o.specDir())

	v, err := o.verify(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "started it: %s\n", v)
	if !o.noRun {
		if err := o.runLesson(ctx, root, w); err != nil {
			return err
		}
	}
	o.howToOpen(ctx, root, w)
	return nil
}

// verified is what the installed kernel said.
type verified struct {
	implementation, protocol string
	ready                    time.Duration
}

func (v verified) String() string {
	return fmt.Sprintf("%s, protocol %s, answered after %d ms; 1+1 = 2", v.implementation, v.protocol, v.ready.Milliseconds())
}

// verify starts the kernel as kernel.json says and runs a cell.
func (o *options) verify(ctx context.Context) (v verified, err error) {
	s, err := o.readSpec()
	if err != nil {
		return v, err
	}
	k, err := notebook.Start(ctx, notebook.Launch{Argv: s.Argv})
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, k.Shutdown(0)) }()
	v = verified{strings.TrimSpace(k.Info.Implementation + " " + k.Info.ImplementationVersion), k.Info.ProtocolVersion, k.Ready}
	if k.Info.LanguageInfo.Name != "go" {
		return v, fmt.Errorf("%s answers as a kernel for %q, want go", s.Argv[0], k.Info.LanguageInfo.Name)
	}
	nb := notebook.New(notebook.NewCell(notebook.Code, "1+1"))
	r := k.Runner()
	r.Timeout = time.Minute
	if err := r.Run(ctx, nb); err != nil {
		return v, err
	}
	for _, out := range nb.Cells[0].Outputs {
		var text string
		if json.Unmarshal(out.Data["text/plain"], &text) == nil && text == "2" {
			return v, nil
		}
	}
	return v, fmt.Errorf("the kernel gave %d outputs for 1+1 and none of them is 2", len(nb.Cells[0].Outputs))
}

// runLesson runs the lesson with the installed kernel and writes what came out, also when a cell failed.
func (o *options) runLesson(ctx context.Context, root string, w io.Writer) error {
	name := o.lesson
	if name == "" {
		name = filepath.Join(root, "notebooks", "01-mgrit.ipynb")
	}
	nb, err := notebook.ReadFile(name)
	if err == nil {
		err = nb.CheckLanguage("go")
	}
	if err != nil {
		return err
	}
	s, err := o.readSpec()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nrunning %s\n", name)
	k, err := notebook.Start(ctx, notebook.Launch{Argv: s.Argv, Dir: filepath.Dir(name)})
	if err != nil {
		return err
	}
	r := k.Runner()
	r.Timeout, r.Log = 10*time.Minute, w
	runErr := errors.Join(r.Run(ctx, nb), k.Shutdown(0))

	base := filepath.Join(o.resultDir(), strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))
	err = os.MkdirAll(o.resultDir(), 0o755)
	if err == nil {
		err = errors.Join(nb.WriteFile(base+".ipynb"), nb.WriteHTMLFile(base+".html", notebook.Page{Dir: filepath.Dir(name)}))
	}
	if err == nil {
		fmt.Fprintf(w, "\nthe lesson with its plots, for any browser: %s\nthe executed notebook:                      %s\n", base+".html", base+".ipynb")
	}
	var failed *notebook.CellError
	if errors.As(runErr, &failed) {
		runErr = fmt.Errorf("%w\n%s", runErr, notebook.PlainText(strings.Join(failed.Traceback, "\n")))
	}
	return errors.Join(runErr, err)
}

// howToOpen says what to type next, for the front ends that are there.
func (o *options) howToOpen(ctx context.Context, root string, w io.Writer) {
	notebooks := filepath.Join(root, "notebooks")
	jupyter, _ := exec.LookPath("jupyter") // absent: ""
	fmt.Fprintln(w)
	if err := o.onPath(jupyterPath(ctx, jupyter)); err != nil {
		fmt.Fprintf(w, "note: %v\n", err)
	}
	var found bool
	for _, front := range []struct{ program, command string }{{"jupyter-lab", "jupyter lab"}, {"jupyter-notebook", "jupyter notebook"}} {
		if _, err := exec.LookPath(front.program); err == nil && !found {
			found = true
			fmt.Fprintf(w, "open the lessons:  %s %s   and choose the kernel %q\n", front.command, quoted(notebooks), o.displayName)
		}
	}
	if !found {
		fmt.Fprintf(w, "Jupyter was not found. To open the lessons, get one of\n"+
			"  JupyterLab     pip install jupyterlab, then: jupyter lab %s\n"+
			"  Notebook       on Debian and Ubuntu: sudo apt install jupyter-notebook, then: jupyter notebook %[1]s\n"+
			"  VS Code        with its Jupyter extension: open a lesson and choose the kernel %q\n", quoted(notebooks), o.displayName)
	}
	fmt.Fprintf(w, "without a browser: %s run NOTEBOOK.ipynb -html PAGE.html\n", quoted(o.program()))
}

// quoted is a path as it can be pasted into a shell.
func quoted(path string) string {
	if !strings.ContainsAny(path, " \t'\"$&()*;<>?[]`{|}~#!") {
		return path
	}
	if runtime.GOOS == "windows" {
		return `"` + path + `"`
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
