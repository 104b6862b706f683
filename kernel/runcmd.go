package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"trivium/kernel/cli"
	"trivium/kernel/notebook"
)

const runUsage = `usage: trivium run NOTEBOOK.ipynb [-o OUT.ipynb] [-html OUT.html] [-timeout D] [-allow-errors] [-small]

Runs the code cells of a notebook with a kernel of its own and shows a line for each.

  -o FILE         write the executed notebook (may be the notebook itself)
  -html FILE      write one self-contained page with texts, code, outputs and pictures
  -timeout D      longest time for a cell, such as 90s or 5m (default: no limit)
  -small          leave out of FILE the PNG of a picture that is there as SVG
  -allow-errors   go on after a cell that failed, and exit with status 0

Exit status: 0 all cells ran; 1 a cell failed, or the kernel; 2 nothing was run;
130 stopped by Ctrl-C, 143 by SIGTERM. Outputs are written in all cases but 2.
`

type runOptions struct {
	notebook, out, html string
	timeout             time.Duration
	allowErrors, small  bool
}

// runCommand is "trivium run": it executes a notebook through a kernel process and sockets, as
// a front end does.
func runCommand(args []string, stdout, stderr io.Writer) int {
	o, err := parseRun(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, runUsage)
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "trivium run: %v\n", err)
		return 2
	}
	nb, err := loadNotebook(o.notebook)
	if err != nil {
		fmt.Fprintf(stderr, "trivium run: %s\n", strings.TrimPrefix(err.Error(), "notebook: "))
		return 2
	}
	if err := checkTargets(o); err != nil {
		fmt.Fprintf(stderr, "trivium run: %v\n", err)
		return 2
	}

	// The first Ctrl-C stops the cell; once that is under way a second one ends this program.
	ctx, stop, status := signalled()
	defer stop()

	began := time.Now()
	runErr := runNotebook(ctx, o, nb, stdout)
	saveErr := saveNotebook(o, nb, stdout)
	for _, err := range []error{runErr, saveErr} {
		if err != nil {
			fmt.Fprint(stderr, runErrorText(err))
		}
	}
	switch {
	case ctx.Err() != nil && runErr != nil:
		return status()
	case runErr != nil || saveErr != nil:
		return 1
	}
	if n := failures(nb); n > 0 {
		fmt.Fprintf(stdout, "all cells ran in %.1f s, %d with an error that was allowed\n", time.Since(began).Seconds(), n)
		return 0
	}
	fmt.Fprintf(stdout, "all cells ran in %.1f s\n", time.Since(began).Seconds())
	return 0
}

// failures counts the cells that show an error.
func failures(nb *notebook.Notebook) (n int) {
	for _, c := range nb.Cells {
		if slices.ContainsFunc(c.Outputs, func(o *notebook.Output) bool { return o.Kind == notebook.Error }) {
			n++
		}
	}
	return n
}

// parseRun takes options before and after the notebook.
func parseRun(args []string) (o runOptions, err error) {
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	fs.StringVar(&o.out, "o", "", "")
	fs.StringVar(&o.html, "html", "", "")
	fs.DurationVar(&o.timeout, "timeout", 0, "")
	fs.BoolVar(&o.allowErrors, "allow-errors", false, "")
	fs.BoolVar(&o.small, "small", false, "")
	names, err := cli.Parse(fs, args, "trivium run -h")
	if err != nil {
		return o, err
	}
	switch {
	case len(names) == 0:
		return o, errors.New("no notebook is named; usage: trivium run NOTEBOOK.ipynb [-o OUT.ipynb] [-html OUT.html]")
	case len(names) > 1:
		return o, fmt.Errorf("one notebook at a time, found %s", strings.Join(names, ", "))
	case o.timeout < 0:
		return o, fmt.Errorf("-timeout %v is negative; give a time such as 90s, or leave it out for no limit", o.timeout)
	}
	o.notebook = names[0]
	return o, nil
}

// signalled is a context that ends with the first signal to stop, and the exit status that
// tells of it: 128 and the number of the signal, as shells have it. The next signal ends the
// program by itself.
func signalled() (ctx context.Context, stop func(), status func() int) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	var number atomic.Int64
	number.Store(int64(syscall.SIGINT))
	go func() {
		select {
		case s := <-signals:
			if n, ok := s.(syscall.Signal); ok {
				number.Store(int64(n))
			}
			signal.Stop(signals)
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel() }, func() int { return 128 + int(number.Load()) }
}

func loadNotebook(name string) (*notebook.Notebook, error) {
	nb, err := notebook.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if err := nb.CheckLanguage("go"); err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "notebook: "))
	}
	if len(nb.Cells) == 0 {
		return nil, fmt.Errorf("%s: it has no cells, so there is nothing to run", name)
	}
	return nb, nil
}

// checkTargets finds out before a run of hours whether its outputs can be written.
func checkTargets(o runOptions) error {
	if o.html != "" && (sameFile(o.html, o.notebook) || o.html == o.out) {
		return fmt.Errorf("-html %s would replace the notebook; give the page a name of its own", o.html)
	}
	for _, name := range []string{o.out, o.html} {
		if name == "" {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return fmt.Errorf("cannot write %s: it is a folder; give the name of a file", name)
		} else if err == nil && !info.Mode().IsRegular() {
			continue // /dev/stdout
		}
		probe, err := os.CreateTemp(filepath.Dir(name), ".trivium-*")
		if err != nil {
			return fmt.Errorf("cannot write %s: %w", name, errors.Unwrap(err))
		}
		probe.Close()
		os.Remove(probe.Name())
	}
	return nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func runNotebook(ctx context.Context, o runOptions, nb *notebook.Notebook, log io.Writer) (err error) {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot find this program to start a kernel: %w", err)
	}
	k, err := notebook.Start(ctx, notebook.Launch{
		Argv: []string{self, "kernel", "-f", "{connection_file}"},
		Dir:  filepath.Dir(o.notebook), // as in Jupyter, so that relative names in cells mean the same
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, k.Shutdown(0)) }()
	r := k.Runner()
	r.Timeout, r.AllowErrors, r.Log = o.timeout, o.allowErrors, log
	return r.Run(ctx, nb)
}

func saveNotebook(o runOptions, nb *notebook.Notebook, log io.Writer) error {
	var errs []error
	if o.small {
		nb.DropTwins()
	}
	if o.out != "" {
		err := nb.WriteFile(o.out)
		if errs = append(errs, err); err == nil {
			fmt.Fprintf(log, "notebook: %s\n", o.out)
		}
	}
	if o.html != "" {
		err := nb.WriteHTMLFile(o.html, notebook.Page{Dir: filepath.Dir(o.notebook)})
		if errs = append(errs, err); err == nil {
			fmt.Fprintf(log, "page:     %s\n", o.html)
		}
	}
	return errors.Join(errs...)
}

// runErrorText is the error; where a cell failed, with the trace that a front end would show.
func runErrorText(err error) string {
	var failed *notebook.CellError
	if errors.As(err, &failed) && len(failed.Traceback) > 0 {
		return fmt.Sprintf("trivium run: code cell %d failed\n%s\n", failed.Cell, notebook.PlainText(strings.Join(failed.Traceback, "\n")))
	}
	return "trivium run: " + strings.TrimPrefix(err.Error(), "notebook: ") + "\n"
}
