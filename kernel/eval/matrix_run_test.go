package eval

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// How the pieces of the matrix are run, see matrix_test.go.

var matrixErrorAt = regexp.MustCompile(`(?m)^\./m(\d+)\.go:(\d+):`)

// compiledMatrix runs the programs of types with the Go compiler, all in one build, and gives what each piece
// printed. Pieces at which the compiler fails are dropped.
func compiledMatrix(t testing.TB, list []*matrixProgram) map[string]string {
	dir := t.TempDir()
	write := func(name, src string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module cases\n\ngo 1.26\n")
	for {
		main := "package main\nfunc main() {\n"
		var lines [][]int // on which the pieces of each program begin
		for i, m := range list {
			var b strings.Builder
			b.WriteString("package main\n" + matrixImports + matrixUses + m.decls + "\n")
			var at []int
			n := strings.Count(b.String(), "\n") + 1
			for _, p := range m.pieces {
				at = append(at, n)
				b.WriteString(m.funcs[p.id] + "\n")
				n += strings.Count(m.funcs[p.id], "\n") + 1
			}
			lines = append(lines, at)
			fmt.Fprintf(&b, "func all%s() {\n", m.suffix)
			main += "all" + m.suffix + "()\n"
			for _, p := range m.pieces {
				b.WriteString(p.called(m.suffix))
			}
			write(fmt.Sprintf("m%d.go", i), b.String()+"}\n")
		}
		write("main.go", main+"}\n")
		build := exec.Command("go", "build", "-gcflags=-l -N -e", "-ldflags=-s -w", "-o", filepath.Join(dir, "bin"), ".")
		build.Dir = dir
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := build.CombinedOutput()
		if err == nil {
			break
		}
		errors := matrixErrorAt.FindAllSubmatch(out, -1)
		if len(errors) == 0 {
			t.Fatalf("go build: %v\n%.3000s", err, out)
		}
		for _, e := range errors {
			i, _ := strconv.Atoi(string(e[1]))
			line, _ := strconv.Atoi(string(e[2]))
			k, found := slices.BinarySearch(lines[i], line)
			if !found {
				k--
			}
			t.Logf("the compiler fails: %.200s\n%s", out, list[i].pieces[k].body)
			list[i].pieces = slices.Delete(list[i].pieces, k, k+1)
			break
		}
	}
	run := exec.Command(filepath.Join(dir, "bin"))
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%.2000s\n%s", err, stderr.String(), out[max(0, len(out)-500):])
	}
	return matrixOutputs(string(out))
}

var matrixAddresses = regexp.MustCompile(`0x[0-9a-f]{6,}`)

// matrixOutputs cuts what pieces printed apart.
func matrixOutputs(out string) map[string]string {
	m := map[string]string{}
	for _, s := range strings.Split(out, "\x01")[1:] {
		id, text, _ := strings.Cut(s, "\n")
		m[id] = strings.TrimSpace(matrixAddresses.ReplaceAllString(text, "0x"))
	}
	return m
}

// evaluatedMatrix runs the program of a type in cells, and gives what each piece printed, or why it was refused.
func evaluatedMatrix(t testing.TB, s *Session, m *matrixProgram, number *int) (outputs, refused map[string]string) {
	refused = map[string]string{}
	cell := func(src string) error {
		*number++
		return run(t, s, *number, src).Err
	}
	out := capture(t, func() {
		if err := cell(m.decls); err != nil {
			t.Fatalf("%s: %v", m.t.name, err)
		}
		var batch []matrixPiece
		var declare func(list []matrixPiece)
		declare = func(list []matrixPiece) {
			var decls, calls strings.Builder
			for _, p := range list {
				decls.WriteString(m.funcs[p.id] + "\n")
				calls.WriteString(p.called(m.suffix))
			}
			err := cell(decls.String())
			if err != nil && len(list) == 1 {
				refused[list[0].id] = err.Error()
				return
			}
			if err != nil {
				declare(list[:len(list)/2])
				declare(list[len(list)/2:])
				return
			}
			if err := cell(calls.String()); err != nil {
				fmt.Println("the cell of the calls:", err)
			}
		}
		for _, p := range m.pieces {
			if p.mode != inCell {
				if batch = append(batch, p); len(batch) == 40 {
					declare(batch)
					batch = nil
				}
			}
		}
		if len(batch) > 0 {
			declare(batch)
		}
		for _, p := range m.pieces {
			if p.mode != inCell {
				continue
			}
			switch err := cell(fmt.Sprintf("fmt.Print(\"\\x01%s\\n\")\nreset%s()\n%s", p.id, m.suffix, p.body)).(type) {
			case nil:
			case *PanicError:
				fmt.Println("panicked:", err.Text)
			case *CompileError:
				refused[p.id] = err.Error()
			default:
				refused[p.id] = err.Error()
			}
		}
	})
	return matrixOutputs(out), refused
}

// compareMatrix compares the pieces of types both ways.
func compareMatrix(t *testing.T, list []*matrixProgram) (right, refused, wrong int) {
	want := compiledMatrix(t, list)
	s := newSession(t)
	number := 0
	why := map[string]int{}
	for _, m := range list {
		got, no := evaluatedMatrix(t, s, m, &number)
		for _, p := range m.pieces {
			text, isRefused := no[p.id]
			switch {
			case isRefused:
				refused++
				first, _, _ := strings.Cut(text, "\n")
				if why[first]++; why[first] == 1 || strings.Contains(text, "internal") {
					t.Logf("%s: refused: %s\n%s", m.t.name, first, p.body)
				}
			case got[p.id] == want[p.id]:
				right++
			default:
				wrong++
				body := p.body
				if _, after, ok := strings.Cut(body, "showa, ms\n"); ok {
					body = after
				}
				if i := strings.LastIndexByte(strings.TrimSpace(body), '\n'); p.mode == inGeneric && i > 0 {
					body = body[i+1:]
				}
				t.Errorf("%s: %s: %s\n%s", m.t.name, p.id, strings.TrimSpace(body), firstDiff(got[p.id], want[p.id]))
				if dir := os.Getenv("TRIVIUM_KEEP"); dir != "" {
					text := fmt.Sprintf("## %s %s\n%s\n---\n%s\n---\n%s\n", m.t.name, p.id, m.decls, m.funcs[p.id], p.id)
					os.WriteFile(filepath.Join(dir, "matrix-"+p.id+".txt"), []byte(text), 0o644)
				}
			}
		}
	}
	for _, text := range slices.Sorted(maps.Keys(why)) {
		t.Logf("refused %d times: %s", why[text], text)
	}
	return
}
