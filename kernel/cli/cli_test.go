package cli

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
)

func ExampleParse() {
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	out := fs.String("o", "", "")
	words, err := Parse(fs, []string{"lesson.ipynb", "-o", "done.ipynb", "more"}, "run -h")
	fmt.Println(words, *out, err)
	// Output: [lesson.ipynb more] done.ipynb <nil>
}

func TestWrongOption(t *testing.T) {
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	if _, err := Parse(fs, []string{"a", "-nosuch"}, "run -h"); err == nil || !strings.Contains(err.Error(), "-nosuch") || !strings.Contains(err.Error(), `"run -h" lists the options`) {
		t.Errorf("the error is %v, want what is wrong and where help is", err)
	}
	if _, err := Parse(fs, []string{"a", "-h"}, "run -h"); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h gives %v, want flag.ErrHelp", err)
	}
}
