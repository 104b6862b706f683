// Command trivium is a Jupyter kernel for Go.
//
//	trivium kernel -f FILE           serve the front end that wrote the connection file
//	trivium run NOTEBOOK.ipynb       run a notebook without a front end
//	trivium version                  say which version this is
//
// Jupyter starts it with the first of these; `go run ./install` tells Jupyter how. The
// program runs in two processes: the kernel process talks to the front ends, and the
// evaluator process, which the kernel starts by itself, runs the cells (see
// trivium/kernel/link for why).
package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

const usage = `usage:
  trivium kernel -f FILE        serve the front end that wrote the connection file FILE
  trivium run NOTEBOOK.ipynb    run a notebook (trivium run -help lists its options)
  trivium version               say which version this is
`

func main() {
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
}

// command does what the arguments say and returns the exit status.
func command(args []string, stdout, stderr io.Writer) int {
	name := ""
	if len(args) > 0 {
		name, args = args[0], args[1:]
	}
	switch name {
	case "kernel":
		return kernelCommand(args, stderr)
	case "run":
		return runCommand(args, stdout, stderr)
	case evaluatorName:
		return evaluatorCommand(stderr)
	case "version", "-version", "--version":
		fmt.Fprintf(stdout, "trivium %s, %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return 0
	case "help", "-h", "-help", "--help":
		io.WriteString(stdout, usage)
		return 0
	case "":
		fmt.Fprintln(stderr, "trivium: no command; Jupyter starts it with \"kernel -f FILE\", and \"trivium help\" lists the others")
		return 2
	}
	fmt.Fprintf(stderr, "trivium: there is no command %q; \"trivium help\" lists those there are\n", name)
	return 2
}

// version is the version of the module, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "devel"
}
