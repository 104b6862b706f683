package eval

import (
	"bytes"
	"context"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The Go distribution's own tests that are run as programs (test/*.go beginning with "// run"),
// each as a cell followed by main(). They take a few minutes, so they run where
// TRIVIUM_GO_TESTS is set: to "all", or to names such as "switch.go,ken/range.go".

// conformDirs are the directories of $GOROOT/test whose programs are taken.
var conformDirs = []string{".", "ken", "chan", "interface", "typeparam"}

// conformExcluded matches programs about what a cell has not got, or about the toolchain.
var conformExcluded = []struct {
	has *regexp.Regexp
	why string
}{
	{regexp.MustCompile(`(?m)^\s*(import )?(_ )?"unsafe"|"C"`), "unsafe and cgo"},
	{regexp.MustCompile(`"os/exec"|"go/build"|"cmd/`), "starts the toolchain"},
	{regexp.MustCompile(`(?m)^//go:(noescape|linkname|norace|build (!|cgo|linux|amd64|goexperiment))`), "directives of the compiler"},
	{regexp.MustCompile(`runtime\.(MemStats|ReadMemStats|MemProfile|Callers?|FuncForPC|CallersFrames|Stack|Breakpoint)\b`), "allocation counts and stack traces"},
	{regexp.MustCompile(`Simple torture test for|Test stack splitting code`), "recursion until the stack takes gigabytes: a message ends it"},
	{regexp.MustCompile(`Test division of variables|Test integer (division|modulus) by constants`), "the compiler's arithmetic on 10 million numbers"},
	{regexp.MustCompile(`during aggressive garbage collection`), "the collector's own regressions"},
}

// conformLimit is how long a program may take: TRIVIUM_GO_LIMIT, such as "1m", or three
// minutes, which copy.go needs: nothing else takes ten seconds.
func conformLimit() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("TRIVIUM_GO_LIMIT")); err == nil {
		return d
	}
	return 3 * time.Minute
}

func conformFiles(t *testing.T) []string {
	root := filepath.Join(build.Default.GOROOT, "test")
	if _, err := os.Stat(root); err != nil {
		t.Skipf("the Go distribution's tests are not here: %v", err)
	}
	want := os.Getenv("TRIVIUM_GO_TESTS")
	var files []string
	for _, dir := range conformDirs {
		list, _ := filepath.Glob(filepath.Join(root, dir, "*.go"))
		for _, f := range list {
			name, _ := filepath.Rel(root, f)
			if want != "all" {
				if strings.Contains(","+want+",", ","+name+",") {
					files = append(files, f)
				}
				continue
			}
			src, err := os.ReadFile(f)
			if err != nil || !bytes.HasPrefix(src, []byte("// run\n")) {
				continue
			}
			excluded := false
			for _, x := range conformExcluded {
				excluded = excluded || x.has.Match(src)
			}
			if !excluded {
				files = append(files, f)
			}
		}
	}
	return files
}

func TestGoDistribution(t *testing.T) {
	if os.Getenv("TRIVIUM_GO_TESTS") == "" {
		t.Skip("TRIVIUM_GO_TESTS is not set")
	}
	if file := os.Getenv("TRIVIUM_GO_FILE"); file != "" {
		fmt.Print("\nresult: " + conform(t, file) + "\n")
		return
	}
	right, refused, wrong := 0, 0, 0
	for _, f := range conformFiles(t) {
		// in a process of its own, which it may end
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second+conformLimit())
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestGoDistribution$")
		cmd.Env = append(os.Environ(), "TRIVIUM_GO_FILE="+f)
		out, err := cmd.CombinedOutput()
		cancel()
		_, result, ok := strings.Cut(string(out), "\nresult: ")
		result, _, _ = strings.Cut(result, "\n")
		name := f[strings.LastIndex(f, "/test/")+6:]
		switch {
		case !ok:
			wrong++
			t.Errorf("%s: ended: %v", name, err)
		case result == "right":
			right++
		case strings.HasPrefix(result, "refused"):
			refused++
			t.Logf("%s: %s", name, result)
		default:
			wrong++
			t.Errorf("%s: %s", name, result)
		}
	}
	t.Logf("right %d, refused %d, wrong %d", right, refused, wrong)
}

// conform runs a program of the Go distribution in two cells and says what became of it.
func conform(t *testing.T, file string) string {
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t)
	os.Args = os.Args[:1]
	var failed error
	started := false
	got := capture(t, func() {
		was := os.Stderr
		os.Stderr = os.Stdout // println is compared too
		defer func() { os.Stderr = was }()
		ctx, cancel := context.WithTimeout(context.Background(), conformLimit())
		defer cancel()
		if failed = s.Run(ctx, Cell{1, string(src)}).Err; failed == nil {
			started = true
			failed = s.Run(ctx, Cell{2, "main();"}).Err
		}
	})
	want, err := os.ReadFile(strings.TrimSuffix(file, ".go") + ".out")
	want = localNumber.ReplaceAll(want, nil)
	line := func(format string, args ...any) string {
		text := []rune(strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " / "))
		return string(text[:min(len(text), 400)])
	}
	exit, exited := failed.(*ExitError)
	switch _, compile := failed.(*CompileError); {
	case exited && exit.Code == 0, failed == nil && err == nil && strings.TrimSpace(string(want)) == got:
		return "right"
	case compile && !started:
		return line("refused: %v", failed)
	case failed != nil:
		return line("error: %v", failed)
	case err == nil:
		return line("wrong output: %s", firstDiff(got, strings.TrimSpace(string(want))))
	case strings.Contains(got, "BUG") || strings.Contains(got, "fail"):
		return line("wrong output: %s", got)
	}
	return "right"
}

// localNumber is what the compiler appends to the names of local types that are type arguments: it counts those of the program.
var localNumber = regexp.MustCompile(`·[0-9]+`)
