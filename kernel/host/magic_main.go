package host

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Commands that run cells written as programs and as tests, as in GoNB.

func init() {
	commands = append(commands,
		command{"args", "[ARG …]", "set os.Args[1:] for this cell and the next ones", setArgs},
		command{"main", "[ARG …]", "run func main of the cell, or of an earlier one, with these os.Args[1:]", runMain},
		command{"%", "[ARG …]", "%main", runMain},
		command{"test", "[-v] [-run RE] [-bench RE]", "run func Test… and Benchmark… of the cell, or else of the session", runTests},
	)
}

func setArgs(_ *session, args string, _ *string) error {
	words, err := words(args)
	if err != nil {
		return err
	}
	os.Args = append([]string{"main"}, words...)
	return nil
}

// words splits a line at blanks; what stands in quotes stays together.
func words(line string) (out []string, err error) {
	var word strings.Builder
	var quote rune
	within := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, within = r, true
		case r == ' ' || r == '\t':
			if within {
				out = append(out, word.String())
			}
			word.Reset()
			within = false
		default:
			word.WriteRune(r)
			within = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c is not closed", quote)
	}
	if within {
		out = append(out, word.String())
	}
	return out, nil
}

// runMain calls main behind the rest of the cell, if there is one. A cell of statements needs
// none: it runs anyway.
func runMain(s *session, args string, rest *string) error {
	if err := setArgs(s, args, rest); err != nil {
		return err
	}
	has := false
	for _, f := range functions(*rest) {
		has = has || f.Recv == nil && f.Name.Name == "main"
	}
	if strings.TrimSpace(*rest) == "" {
		for _, d := range s.h.declared.list {
			has = has || d.kind == "func" && len(d.names) == 1 && d.names[0] == "main"
		}
		if !has {
			return errors.New("there is no func main to run; declare one in the cell")
		}
	}
	if has {
		*rest += "\nmain()"
	}
	return nil
}

// program calls main behind a whole program that was pasted into a cell: one with a package clause.
func program(source string) string {
	list := chunks(source)
	if len(list) == 0 || strings.HasSuffix(source, "\nmain()") { // which %main has written
		return source
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", list[0], parser.PackageClauseOnly)
	if err != nil || f.Name == nil {
		return source
	}
	for _, f := range functions(source) {
		if f.Recv == nil && f.Name.Name == "main" && f.Body != nil {
			return source + "\nmain()"
		}
	}
	return source
}

// functions are the functions that a piece of a cell declares.
func functions(source string) (out []*ast.FuncDecl) {
	for _, chunk := range chunks(source) {
		f, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+chunk, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				out = append(out, fn)
			}
		}
	}
	return out
}

// tested are the functions that %test runs.
type tested struct{ tests, benchmarks []string }

// add takes those functions that have the name and the parameter of a test.
func (t *tested) add(list []*ast.FuncDecl) {
	for _, f := range list {
		if f.Recv != nil || f.Type.Params.NumFields() != 1 {
			continue
		}
		param := pointerTo(f.Type.Params.List[0].Type)
		name := f.Name.Name
		switch {
		case strings.HasPrefix(name, "Test") && param == "testing.T":
			t.tests = append(t.tests, name)
		case strings.HasPrefix(name, "Benchmark") && param == "testing.B":
			t.benchmarks = append(t.benchmarks, name)
		}
	}
}

// pointerTo is "p.T" for *p.T.
func pointerTo(e ast.Expr) string {
	star, ok := e.(*ast.StarExpr)
	if !ok {
		return ""
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if p, ok := sel.X.(*ast.Ident); ok {
		return p.Name + "." + sel.Sel.Name
	}
	return ""
}

// runTests puts calls of the tests behind the rest of the cell.
func runTests(s *session, args string, rest *string) error {
	o, err := testOptions(args)
	if err != nil {
		return err
	}
	var all tested
	all.add(functions(*rest))
	if strings.TrimSpace(*rest) == "" {
		for _, d := range s.h.declared.list {
			all.add(functions(d.source))
		}
	}
	all.tests, all.benchmarks = matching(all.tests, o.run), matching(all.benchmarks, o.bench)
	if len(all.tests)+len(all.benchmarks) == 0 {
		return errors.New("there is nothing to run: no func Test…(t *testing.T) or Benchmark…(b *testing.B) with such a name")
	}
	restore, err := prepareTesting(o.verbose)
	if err != nil {
		return err
	}
	s.after = append(s.after, restore)
	*rest += "\n" + all.program()
	return nil
}

type testFlags struct {
	verbose    bool
	run, bench *regexp.Regexp
}

// testOptions reads the flags of go test that make sense here.
func testOptions(args string) (o testFlags, err error) {
	list, err := words(args)
	if err != nil {
		return o, err
	}
	for i := range list {
		list[i] = strings.Replace(list[i], "-test.", "-", 1)
	}
	fs := flag.NewFlagSet("%test", flag.ContinueOnError)
	fs.SetOutput(new(strings.Builder))
	fs.BoolVar(&o.verbose, "v", false, "")
	run, bench := fs.String("run", "", ""), fs.String("bench", "", "")
	if err := fs.Parse(list); err != nil {
		return o, fmt.Errorf("%w; there are -v, -run RE and -bench RE", err)
	}
	if o.run, err = regexp.Compile(*run); err != nil {
		return o, fmt.Errorf("-run: %w", err)
	}
	if *bench == "." {
		*bench = ""
	}
	o.bench, err = regexp.Compile(*bench)
	return o, err
}

func matching(names []string, re *regexp.Regexp) (out []string) {
	for _, n := range names {
		if re.MatchString(n) {
			out = append(out, n)
		}
	}
	return out
}

// prepareTesting gives package testing the flags that its functions look at, in place of those
// of the cells until restore is called.
func prepareTesting(verbose bool) (restore func(), err error) {
	cells := flag.CommandLine
	restore = func() { flag.CommandLine = cells }
	testingOnce.Do(func() {
		if cells.Lookup("test.v") == nil { // else this program is a test itself
			flag.CommandLine = flag.NewFlagSet("%test", flag.ContinueOnError)
			testing.Init()
		}
		testingFlags = flag.CommandLine
		_ = testingFlags.Parse(nil) // without arguments nothing can be wrong
		listProcessors()
	})
	flag.CommandLine = testingFlags
	if err := testingFlags.Set("test.v", strconv.FormatBool(verbose)); err != nil {
		restore()
		return nil, err
	}
	return restore, nil
}

// listProcessors makes testing.RunTests run something: it runs each test for every number of
// processors in a list that only M.Run makes. An M without tests makes the list and then
// panics for want of what go test generates, before it has done anything else.
func listProcessors() {
	defer func() { _ = recover() }()
	new(testing.M).Run()
}

var (
	testingOnce  sync.Once
	testingFlags *flag.FlagSet
)

// program is Go that runs the tests, each on a goroutine of the cell, where it can be
// interrupted and a panic ends nothing else. Its value is an error if one failed.
func (t *tested) program() string {
	var b strings.Builder
	b.WriteString("func() error {\n\tvar tests []testing.InternalTest\n\tran, bad := 0, 0\n")
	for _, name := range t.tests {
		fmt.Fprintf(&b, `	tests = append(tests, testing.InternalTest{Name: %q, F: func(t *testing.T) {
		ran++
		done := make(chan bool)
		go func() {
			defer close(done)
			defer func() {
				if v := recover(); v != nil {
					bad++
					fmt.Printf("--- FAIL: %%s: panic: %%v\n", %q, v)
				}
			}()
			%s(t)
		}()
		<-done
	}})
`, name, name, name)
	}
	b.WriteString("\tok := true\n\tif len(tests) > 0 {\n\t\tok = testing.RunTests(func(pattern, name string) (bool, error) { return true, nil }, tests)\n\t}\n" +
		"\tif ran < len(tests) {\n\t\treturn errors.New(\"this version of Go ran no test\")\n\t}\n")
	for _, name := range t.benchmarks {
		fmt.Fprintf(&b, `	{
		r := testing.Benchmark(func(b *testing.B) {
			done := make(chan bool)
			go func() {
				defer close(done)
				%s(b)
			}()
			<-done
		})
		fmt.Printf("%%-24s %%v %%v\n", %q, r.String(), r.MemString())
	}
`, name, name)
	}
	b.WriteString("\tif !ok || bad > 0 {\n\t\tfmt.Println(\"FAIL\")\n\t\treturn errors.New(\"a test failed\")\n\t}\n\tfmt.Println(\"PASS\")\n\treturn nil\n}()")
	return b.String()
}
