package eval

import (
	"os"
	"strings"
	"testing"
)

type section struct {
	name  string
	cells []string
}

// sections reads a file of cell sequences: "## name" begins one, "---" ends a cell.
func sections(t testing.TB, file string) (list []section) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range strings.Split("\n"+string(b), "\n## ")[1:] {
		name, body, _ := strings.Cut(s, "\n")
		sec := section{name: name}
		for _, c := range strings.Split("\n"+body, "\n---\n") {
			if strings.TrimSpace(c) != "" {
				sec.cells = append(sec.cells, strings.Trim(c, "\n"))
			}
		}
		list = append(list, sec)
	}
	return list
}
