package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// suite is jupyter_kernel_test's class, filled in for Go. Every attribute that switches a
// test on is set, so that none is skipped.
const suite = `
import unittest
import jupyter_kernel_test

class Trivium(jupyter_kernel_test.KernelTests):
    kernel_name = "trivium"
    language_name = "go"
    file_extension = ".go"
    code_hello_world = 'import "fmt"\nfmt.Println("hello, world")'
    code_stderr = 'import ("fmt"; "os")\nfmt.Fprintln(os.Stderr, "err")'
    completion_samples = [
        {"text": "fmt.Fscanl", "matches": {"Fscanln"}},
        {"text": "strings.ToUp", "matches": {"ToUpper", "ToUpperSpecial"}},
        {"text": "%hel", "matches": {"%help"}},
    ]
    complete_code_samples = ["1", "a := 1", 'import "fmt"', "func f() int { return 1 }", "%help"]
    incomplete_code_samples = ["func f() {", "fmt.Println(", "x := ` + "`" + `abc"]
    invalid_code_samples = ["func ) (", "x := := 3"]
    code_page_something = "%help"
    code_generate_error = 'panic("boom")'
    code_execute_result = [{"code": "1+2+3", "result": "6"}, {"code": '"a"+"b"', "result": "ab"}]
    code_display_data = [
        {"code": 'nb.ShowHTML("<b>x</b>")', "mime": "text/html"},
        {"code": 'nb.ShowMarkdown("# x")', "mime": "text/markdown"},
        {"code": 'import "image"\nnb.Show(image.NewGray(image.Rect(0, 0, 9, 9)))', "mime": "image/png"},
    ]
    code_history_pattern = "1?2*"
    supported_history_operations = ("tail", "range", "search")
    code_inspect_sample = "fmt.Println"
    code_clear_output = "nb.Clear(false)"

unittest.main(verbosity=2)
`

// TestConformance runs Jupyter's own test suite of kernels, all of it.
func TestConformance(t *testing.T) {
	needPython(t, "jupyter_kernel_test")
	file := filepath.Join(t.TempDir(), "suite.py")
	if err := os.WriteFile(file, []byte(suite), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, file)
	cmd.Env = jupyterEnv(t)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text := string(out)
	if !strings.Contains(text, "Ran 12 tests") || strings.Contains(text, "skipped") || !strings.HasSuffix(strings.TrimSpace(text), "OK") {
		t.Errorf("want 12 tests, all OK and none skipped:\n%s", text)
	}
}
