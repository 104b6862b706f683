// Install builds the Go kernel, installs it for Jupyter, and shows that it works.
//
//	go run ./install             builds, installs for the user, checks, runs the first lesson
//	go run ./install check       says what works and what is missing
//	go run ./install uninstall   removes what was installed
//
// Only Go is needed. A kernel spec is a folder with kernel.json, which tells Jupyter what to
// start, and logos; the program lies in the same folder, so that removing the folder removes
// everything. The lesson is run through the sockets of the installed kernel, as a front end
// would, and written as a notebook and as a page for any browser.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"trivium/kernel/cli"
)

const usage = `usage: go run ./install [check | uninstall] [options]

Without a command it builds the kernel, installs it, checks it and runs the first lesson.
"check" says what works and what is missing; "uninstall" removes what was installed.

  -user               for this user, in Jupyter's data folder (default)
  -prefix DIR         in DIR/share/jupyter, for example /usr/local for all users
  -sys-prefix         in the Python environment that is active (virtualenv, conda)
  -name NAME          name of the kernel spec (default trivium)
  -display-name TEXT  what front ends show (default "Go (Trivium)")
  -no-run             do not run the lesson
  -lesson FILE        run this notebook (default notebooks/01-mgrit.ipynb)
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is the program. It returns the exit status: 1 when something does not work, 2 when it was
// asked for something that there is not.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return 0
	}
	if err == nil {
		err = o.locate(ctx)
	}
	if err != nil {
		fmt.Fprintf(stderr, "install: %v\n", err)
		return 2
	}
	switch o.command {
	case "check":
		err = check(ctx, o, stdout)
	case "uninstall":
		err = uninstall(o, stdout)
	default:
		err = install(ctx, o, stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "install: %s\n", strings.TrimPrefix(err.Error(), "notebook: "))
		if ctx.Err() != nil {
			return 130
		}
		return 1
	}
	return 0
}

type options struct {
	command     string // "", "check" or "uninstall"
	user        bool
	prefix      string
	sysPrefix   bool
	name        string
	displayName string
	noRun       bool
	lesson      string

	dataDir string // Jupyter's: kernels/NAME is below it
}

// parseOptions takes options before and after the command.
func parseOptions(args []string) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("install", flag.ContinueOnError)
	fs.BoolVar(&o.user, "user", false, "")
	fs.StringVar(&o.prefix, "prefix", "", "")
	fs.BoolVar(&o.sysPrefix, "sys-prefix", false, "")
	fs.StringVar(&o.name, "name", "trivium", "")
	fs.StringVar(&o.displayName, "display-name", "Go (Trivium)", "")
	fs.BoolVar(&o.noRun, "no-run", false, "")
	fs.StringVar(&o.lesson, "lesson", "", "")
	words, err := cli.Parse(fs, args, "go run ./install -h")
	if err != nil {
		return nil, err
	}
	places := 0
	for _, chosen := range []bool{o.user, o.prefix != "", o.sysPrefix} {
		if chosen {
			places++
		}
	}
	switch {
	case len(words) > 1 || len(words) == 1 && words[0] != "check" && words[0] != "uninstall":
		return nil, fmt.Errorf("%q is no command; there are check and uninstall", strings.Join(words, " "))
	case places > 1:
		return nil, errors.New("-user, -prefix and -sys-prefix exclude each other; give one of them")
	case !validName(o.name):
		return nil, fmt.Errorf("-name %q: use letters, digits, dots, hyphens and underscores, as Jupyter does", o.name)
	case strings.TrimSpace(o.displayName) == "":
		return nil, errors.New("-display-name is empty; front ends would show nothing")
	}
	if len(words) == 1 {
		o.command = words[0]
	}
	return o, nil
}

func validName(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", r) {
			return false
		}
	}
	return s != "" && strings.Trim(s, ".") != ""
}
