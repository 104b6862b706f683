package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"trivium/kernel/link"
	"trivium/kernel/server"
	"trivium/kernel/transport"
	"trivium/kernel/wire"
)

// kernelCommand serves front ends until one of them asks for shutdown.
func kernelCommand(args []string, stderr io.Writer) int {
	fail := func(err error) int {
		fmt.Fprintf(stderr, "trivium kernel: %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		return 2
	}
	file, err := connectionFile(args)
	if err != nil {
		return fail(err)
	}
	conn, err := transport.ReadConnection(file)
	if err != nil {
		return fail(err)
	}
	settings, err := readSettings()
	if err != nil {
		return fail(err)
	}
	settings.kernel = kernelID(file)
	logger := log.New(stderr, "trivium: ", 0)
	tr, err := transport.Listen(conn, logger.Printf)
	if err != nil {
		return fail(err)
	}
	var built atomic.Pointer[string] // by %get
	s, err := server.New(server.Options{
		Transport: tr,
		Start:     evaluatorStarter(settings, &built),
		Program:   func(path string) { built.Store(&path) },
		Version:   version(),
		Banner:    fmt.Sprintf("Trivium %s: Go in notebooks (%s). %%help lists what there is.", version(), runtime.Version()),
		HelpLinks: []wire.HelpLink{
			{Text: "The Go language", URL: "https://go.dev/ref/spec"},
			{Text: "Go packages", URL: "https://pkg.go.dev/std"},
		},
		Ports: &wire.ConnectReply{
			ShellPort: conn.ShellPort, IOPubPort: conn.IOPubPort, StdinPort: conn.StdinPort,
			ControlPort: conn.ControlPort, HBPort: conn.HBPort,
		},
		HistoryFile: settings.history,
		OutputLimit: settings.output,
		OutputRate:  settings.rate,
		MemoryLimit: settings.memory,
		Logf:        logger.Printf,
	})
	if err != nil {
		tr.Close(0)
		return fail(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx, orphaned := context.WithCancel(ctx)
	go watchParent(orphaned)
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	go func() {
		for range interrupts {
			s.Interrupt()
		}
	}()
	s.Serve(ctx)
	tr.Close(time.Second)
	return 0
}

// connectionFile takes the path from the arguments, written as Jupyter does (-f FILE) or
// simply as FILE.
func connectionFile(args []string) (string, error) {
	f := flag.NewFlagSet("trivium kernel", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	path := f.String("f", "", "connection file")
	if err := f.Parse(args); err != nil {
		return "", fmt.Errorf("%w; the command is \"trivium kernel -f FILE\"", err)
	}
	switch {
	case *path == "" && f.NArg() == 1:
		return f.Arg(0), nil
	case *path == "":
		return "", errors.New("no connection file; Jupyter gives one with \"-f FILE\", so start the kernel from Jupyter")
	case f.NArg() > 0:
		return "", fmt.Errorf("unexpected argument %q; the command is \"trivium kernel -f FILE\"", f.Arg(0))
	}
	return *path, nil
}

// settings are what can be set by environment variables, for instance in kernel.json.
type settings struct {
	memory  int64  // TRIVIUM_MEMORY_LIMIT: bytes of the evaluator; three quarters of the machine's
	output  int    // TRIVIUM_OUTPUT_LIMIT: bytes of text per cell
	rate    int    // TRIVIUM_OUTPUT_RATE: bytes of text per second after a burst; "none": no limit
	history string // TRIVIUM_HISTORY: file, "none" for memory only
	kernel  string // id of the kernel on its Jupyter server
}

// kernelID is the id by which a Jupyter server knows the kernel that it gave a connection
// file; "" if the file is not named as a server does it.
func kernelID(file string) string {
	m := serverFile.FindStringSubmatch(filepath.Base(file))
	if m == nil {
		return ""
	}
	return m[1]
}

var serverFile = regexp.MustCompile(`^kernel-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.json$`)

func readSettings() (s settings, err error) {
	s.memory = link.MachineMemory() / 4 * 3
	if v := os.Getenv("TRIVIUM_MEMORY_LIMIT"); v != "" {
		if s.memory, err = parseBytes("TRIVIUM_MEMORY_LIMIT", v); err != nil {
			return s, err
		}
	}
	if v := os.Getenv("TRIVIUM_OUTPUT_LIMIT"); v != "" {
		n, err := parseBytes("TRIVIUM_OUTPUT_LIMIT", v)
		if err != nil {
			return s, err
		}
		s.output = int(n)
	}
	switch v := os.Getenv("TRIVIUM_OUTPUT_RATE"); v {
	case "":
	case "none":
		s.rate = -1
	default:
		n, err := parseBytes("TRIVIUM_OUTPUT_RATE", v)
		if err != nil {
			return s, err
		}
		s.rate = int(n)
	}
	s.history = historyFile()
	return s, nil
}

// parseBytes reads a number of bytes such as 500MB or 8G.
func parseBytes(name, v string) (int64, error) {
	digits := strings.TrimRight(strings.ToUpper(v), "IB")
	shift := 0
	if digits != "" {
		if i := strings.IndexByte("KMGT", digits[len(digits)-1]); i >= 0 {
			shift, digits = 10*(i+1), digits[:len(digits)-1]
		}
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if err != nil || !(n >= 1) || n*float64(int64(1)<<shift) > 1<<62 {
		return 0, fmt.Errorf("%s is %q; write a number of bytes such as 500MB or 8GB", name, v)
	}
	return int64(n * float64(int64(1)<<shift)), nil
}

// historyFile is where the history of all sessions is kept; empty for nowhere.
func historyFile() string {
	switch v := os.Getenv("TRIVIUM_HISTORY"); v {
	case "":
	case "none":
		return ""
	default:
		return v
	}
	dir := os.Getenv("XDG_DATA_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		if dir = filepath.Join(home, ".local", "share"); runtime.GOOS == "darwin" {
			dir = filepath.Join(home, "Library", "Application Support")
		}
	}
	return filepath.Join(dir, "trivium", "history.jsonl")
}

// evaluatorStarter starts this program as an evaluator, or the one that %get has built.
func evaluatorStarter(s settings, built *atomic.Pointer[string]) func(link.Events) (*link.Process, error) {
	return func(events link.Events) (*link.Process, error) {
		self, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("the evaluator cannot be started: %w", err)
		}
		if p := built.Load(); p != nil {
			self = *p
		}
		env := append(os.Environ(), "GOTRACEBACK=single", fmt.Sprintf("TRIVIUM_MEMORY_LIMIT=%d", s.memory), kernelIDVariable+"="+s.kernel)
		return link.Start([]string{self, evaluatorName}, env, events)
	}
}
