package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCommands runs the special lines of cells one after the other in one session.
func TestCommands(t *testing.T) {
	k := startKernel(t)
	dir := t.TempDir()
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ code, want string }{ // what the output contains; "error: …" for errors
		{"%cd " + dir, filepath.Base(dir)},
		{"%%writefile a.txt\none\ntwo\n", "wrote 8 bytes to a.txt"},
		{"%%writefile -a a.txt\nthree", "wrote 5 bytes"},
		{"!cat a.txt", "one\ntwo\nthree"},
		{"$ wc -l a.txt", "2 a.txt"},
		{"%%writefile", "error: needs the name of a file"},
		{"%%bash\nx=4\necho $((x+1)) ${BASH_VERSION:+bash}", "5 bash"},
		{"%%sh\nexit 3", "error: exit status 3"},
		{"%%script sort -r\na\nc\nb", "c\nb\na"},
		{"%capture out.txt\nfmt.Println(\"hidden\")", ""},
		{"%capture -a out.txt\nos.Stdout.WriteString(\"more\\n\")", ""},
		{"fmt.Println(\"seen\")\n", "seen"},
		{"!cat out.txt", "hidden\nmore"},
		{"type T struct{ A int }\nfunc (t T) Twice() int { return 2 * t.A }\nconst c = 3\nv := T{c}", ""},
		{"%ls", "T.Twice"},
		{"%ls", "v T"},
		{"%save decls.go", "saved 3 declarations"},
		{"%rm v T c", ""},
		{"T{4}.Twice()", "error: undefined: T"},
		{"%rm nothing", "error: nothing is not declared"},
		{"%load decls.go\nT{c}.Twice()", "6"},
		{"%load missing.go", "error: missing.go"},
		{"%env TRIVIUM_X=a b", ""},
		{"os.Getenv(\"TRIVIUM_X\")", "a b"},
		{"%env TRIVIUM_X", "TRIVIUM_X=a b"},
		{"%env", "TRIVIUM_X=a b"},
		{"%timeit 1 + 2", "per call"},
		{"%timeit\nx := 0\nfor i := 0; i < 10; i++ { x += i }\n_ = x", "per call"},
		{"%time\nx := 2\nx", "took "},
		{"%with_inputs\n1", "1"},
		{"%args a 'b c'\nlen(os.Args[1:])", "2"},
		{"%main x\nfunc main() { fmt.Println(\"main of\", os.Args[1:]) }", "main of [x]"},
		{"%main", "main of []"},
		{"%%\nfmt.Println(\"a body\")", "a body"},
		{"var who = \"nobody\"\n%%\nwho = \"GoNB\"\nfmt.Println(\"hello\", who)", "hello GoNB"},
		{"func main() { fmt.Println(\"main at\", os.Args[1:]) }\n%main y z", "main at [y z]"},
		{"func tell() { fmt.Println(\"told\", os.Args[1:]) }\n%exec tell me", "told [me]"},
		{"%exec 3", "error: needs the name of a function"},
		{"1 + 1\n%%bash\ntrue", "error: %%bash must be the first line"},
		{"x := 1\n%nosuch", "error: there is no %nosuch"},
		{"package main\n\nfunc main() { fmt.Println(\"a program\") }", "a program"},
		{"%list", "func"},
		{"%goflags -cover\nfmt.Println(\"goes on\")", "goes on"},
		{"%version", "go1."},
		{"!*go mod tidy", "error: %get MODULE@VERSION"},
		{"%args 'x", "error: the quote ' is not closed"},
		{"%test\nfunc TestSum(t *testing.T) { if 1+1 != 2 { t.Error(\"no\") } }", "PASS"},
		{"%test\nfunc TestWrong(t *testing.T) { t.Fatal(\"wrong\") }", "error: a test failed"},
		{"%test\nfunc TestPanics(t *testing.T) { var m map[string]int; m[\"a\"] = 1 }", "error: a test failed"},
		{"%test -v -run Sum", "--- PASS: TestSum"},
		{"%test -run Nothing", "error: there is nothing to run"},
		{"%test -bench .\nfunc BenchmarkAdd(b *testing.B) { for i := 0; i < b.N && i < 10; i++ { } }", "ns/op"},
		{"os.Stdout.Close()", ""},
		{"fmt.Println(\"printed again\")", "printed again"},
		{"func() { f := os.NewFile(1, \"x\"); f.Close() }()", ""},
		{"fmt.Println(\"and again\")", "and again"},
		{"big := make([]byte, 3<<20)\n_ = big", ""},
		{"%who", "3.0 MB"},
		{"%nosuch", "error: %%writefile"},
		{"%nosuch", "error: %timeit"},
		{"%cd", home},
	} {
		got := k.run(c.code, nil)
		want, fails := strings.CutPrefix(c.want, "error: ")
		text := got.out
		if got.Error != nil {
			text = got.EValue
		}
		if (got.Status == "error") != fails || !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("%s: %s %q, want %q\n%s", c.code, got.Status, text, c.want, got.trace)
		}
	}
}

// TestQuestions asks what names are as users of IPython do.
func TestQuestions(t *testing.T) {
	k := startKernel(t)
	k.run("\ufeffheight := 3 // pasted with a byte order mark", nil)
	for code, want := range map[string]string{"height?": "var height int", "?strings.Fields": "func Fields(", "strings.Fields??": "func Fields("} {
		c := k.run(code, nil)
		page := ""
		for _, p := range c.Payload {
			page += fmt.Sprint(p["data"])
		}
		if c.Status != "ok" || !strings.Contains(page, want) {
			t.Errorf("%s shows %q\n%s", code, page, c.trace)
		}
	}
	if c := k.run("nobody?", nil); c.Status != "error" || !strings.Contains(c.EValue, "nobody") {
		t.Errorf("an unknown name: %s %s", c.Status, c.trace)
	}
}

// TestHelpListsCommands compares the page of %help with what completion offers.
func TestHelpListsCommands(t *testing.T) {
	k := startKernel(t)
	c := k.run("%help", nil)
	var page string
	for _, p := range c.Payload {
		if data, ok := p["data"].(map[string]any); ok {
			page, _ = data["text/plain"].(string)
		}
	}
	for _, name := range []string{"%%bash", "%%script", "%%writefile", "%capture", "%cd", "%env", "%help", "%load", "%ls", "%reset", "%rm", "%save", "%time", "%timeit", "%who", "%with_inputs"} {
		if !strings.Contains(page, "\n  "+name+" ") {
			t.Errorf("%s is not in\n%s", name, page)
		}
	}

	// Of a name it says what nb.Help does.
	for _, p := range k.run("%help strings.Fields", nil).Payload {
		data, _ := p["data"].(map[string]any)
		page, _ = data["text/markdown"].(string)
	}
	if !strings.Contains(page, "func Fields(s string) []string") || !strings.Contains(page, "white space") {
		t.Errorf("%%help strings.Fields shows %q", page)
	}
}
