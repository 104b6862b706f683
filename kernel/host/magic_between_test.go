package host

import (
	"fmt"
	"strings"
	"testing"
)

func TestLinesBetween(t *testing.T) {
	for source, want := range map[string]string{ // number:text of the special lines
		"import \"fmt\"\n%%\nfmt.Println(1)":               "2:%%",
		"type T struct{}\n\n  %main --who=\"a b\n\nx := 1": `3:%main --who="a b`,
		"%%\n%args a\nx":                                      "1:%% 2:%args a",
		"func f() {\n%env A=b\n}":                             "2:%env A=b",
		"x := `\n%% not this one\n`\ny := 5 %\n3":             "",
		"x := (7\n% 2)":                                       "",
		"// 50\n/*\n% in a comment\n*/\nx := f(\n1)\n%ls":     "7:%ls",
		"a := \"%d\"\nfmt.Printf(a, 5%2)":                     "",
		"x %= 3\n%who":                                        "2:%who",
		"s := []int{\n1,\n}\n%% it's 'quoted\nfmt.Println(s)": "4:%% it's 'quoted",
	} {
		lines, rest := between(source)
		var got []string
		for _, l := range lines {
			got = append(got, fmt.Sprintf("%d:%s", l.at, l.text))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: special lines %q, want %q", source, s, want)
		}
		if len(rest) != len(source) || strings.Count(rest, "\n") != strings.Count(source, "\n") {
			t.Errorf("%q became %q: positions have moved", source, rest)
		}
		for _, l := range lines {
			if at := strings.Split(rest, "\n")[l.at-1]; strings.TrimSpace(at) != "" {
				t.Errorf("%q: line %d is still %q", source, l.at, at)
			}
		}
	}
}

func TestWholePrograms(t *testing.T) {
	const hello = "// A program.\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(1)\n}\n"
	for source, want := range map[string]string{
		hello:                           hello + "\nmain()",
		hello + "\nmain()":              hello + "\nmain()", // by %main
		"func main() {}":                "func main() {}",
		"package main\nfunc other() {}": "package main\nfunc other() {}",
		"":                              "",
		"package := 1":                  "package := 1",
	} {
		if got := program(source); got != want {
			t.Errorf("program(%q) = %q, want %q", source, got, want)
		}
	}
}

func TestQuestion(t *testing.T) {
	for source, want := range map[string]string{
		"strings.Repeat?": "strings.Repeat 0", " x ?? \n": "x 1", "?fmt.Println": "fmt.Println 0", "größe?": "größe 0",
		"x": "", "?": "", "x ? y": "", "1?": "", "f()?": "", "x?\ny": "", "x???": "",
	} {
		name, detail, ok := question(source)
		if got := fmt.Sprint(name, " ", detail); ok != (want != "") || ok && got != want {
			t.Errorf("question(%q) is %s, %v; want %s", source, got, ok, want)
		}
	}
}
