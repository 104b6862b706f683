package numtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const python = "/usr/bin/python3" // Debian's, which sees numpy and torch

// WarmUp is how long a benchmark lets ours run before it counts, as its baseline does: until the
// threads that have slept are awake, each on a processor of its own.
const WarmUp = 10 * time.Millisecond

// A Python is a process with the baseline of a benchmark: it reads a line of JSON and answers
// with another, {"Seconds": …} or {"Error": …}.
type Python struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// HasPython tells what keeps Python from importing a module, nil if nothing does. With TRIVIUM_CI=1
// that ends the benchmark.
func HasPython(b testing.TB, module string) error {
	b.Helper()
	err := exec.Command(python, "-c", "import "+module).Run()
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s has no %s, nothing to compare with: %w", python, module, err)
	if os.Getenv("TRIVIUM_CI") == "1" {
		b.Fatal(err)
	}
	return err
}

// StartPython runs a program with its libraries on threads threads, until the benchmark ends.
// env is added to the environment. It skips the benchmark where the module is absent.
func StartPython(b testing.TB, module string, threads int, env []string, program ...string) *Python {
	b.Helper()
	if err := HasPython(b, module); err != nil {
		b.Skip(err)
	}
	if err := HasOpenBLAS(b); err != nil {
		b.Skip(err)
	}
	cmd := exec.Command(python, program...)
	cmd.Env = baselineEnv(threads)
	if kernel, _ := openBLAS(); kernel != "" {
		cmd.Env = append(cmd.Env, kernel)
	}
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("%s: %v", module, err)
		}
	})
	return &Python{in, bufio.NewReader(out)}
}

// baselineEnv is the environment of a baseline whose libraries run on threads threads.
func baselineEnv(threads int) (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "OPENBLAS_") && !strings.HasPrefix(v, "OMP_") {
			env = append(env, v)
		}
	}
	n := strconv.Itoa(threads)
	env = append(env, "OPENBLAS_NUM_THREADS="+n, "OMP_NUM_THREADS="+n)
	// Torch takes new memory for each result. Without these two the C library gives large pieces
	// back to the system at once and takes them anew, which can cost more than the arithmetic.
	env = append(env, "MALLOC_MMAP_THRESHOLD_=33554432", "MALLOC_TRIM_THRESHOLD_=17179869184")
	// Two thread pools on the same processors slow each other down: with OpenMP's OpenBLAS,
	// torch and OpenBLAS share one.
	if dirs, _ := filepath.Glob("/usr/lib/*/openblas-openmp"); len(dirs) == 1 {
		env = append(env, "LD_LIBRARY_PATH="+dirs[0])
	}
	return env
}

// Tell sends what needs no answer.
func (p *Python) Tell(b testing.TB, v any) {
	b.Helper()
	line, err := json.Marshal(v)
	if err == nil {
		_, err = p.in.Write(append(line, '\n'))
	}
	if err != nil {
		b.Fatal(err)
	}
}

// Ask returns the seconds that the program answers with.
func (p *Python) Ask(b testing.TB, question any) float64 {
	b.Helper()
	p.Tell(b, question)
	var answer struct {
		Seconds float64
		Error   string
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil && err != io.EOF {
		b.Fatal(err)
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Error != "" {
		b.Fatalf("the baseline answered %q: %s %v", line, answer.Error, err)
	}
	return answer.Seconds
}

// Median is the middle of some numbers, the larger one of two.
func Median(x []float64) float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x[len(x)/2]
}
