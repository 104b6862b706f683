package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"trivium/kernel/display"
	"trivium/kernel/eval"
	"trivium/kernel/link"
	"trivium/kernel/nb"
	"trivium/kernel/units"
)

// Special lines stand at the top of a cell, before its Go, and those of the kernel between its Go as
// well. A line that begins with % is a command of the kernel; one that begins with ! or $ is a
// command of the shell.

// command is a command of the kernel. It gets the rest of its line, and may replace what is
// left of the cell.
type command struct {
	name, args, help string
	do               func(s *session, args string, rest *string) error
}

// commands are filled in by init functions: %help lists them. The name of a command whose
// line begins with %% begins with %.
var commands []command

func init() {
	commands = append(commands, []command{
		{"cd", "[DIR]", "change the working directory; without DIR, to the home directory", changeDir},
		{"env", "[NAME=VALUE]", "set an environment variable; without one, list all", environment},
		{"help", "[NAME]", "show this page, or what nb.Help says of a package or a name in it", help},
		{"reset", "", "forget all variables and declarations: start a fresh evaluator", reset},
		{"time", "[GO]", "run GO, or the rest of the cell, and say how long it took", timed},
		{"who", "", "list the variables with their types, sizes in memory and values", who},
	}...)
}

// sorted are the commands by name.
var sorted = sync.OnceValue(func() []command {
	slices.SortFunc(commands, func(a, b command) int { return strings.Compare(a.name, b.name) })
	return commands
})

// isMagic reports whether a cell begins with a special line.
func isMagic(source string) bool {
	t := strings.TrimLeft(source, " \t\r\n")
	return t != "" && strings.ContainsRune("%!$", rune(t[0]))
}

// magic does the special lines of a cell. It returns its Go, with empty lines in their place, and
// false if one failed.
func (s *session) magic(c link.RunCell) (source string, ok bool) {
	fail := func(err error, at line) (string, bool) {
		if errors.Is(err, eval.ErrInterrupted) {
			s.outcome.Failure = failure(err, c, true)
			return "", false
		}
		s.outcome.Failure = &link.Failure{
			Name: "CommandError", Value: err.Error(),
			Traceback: []string{fmt.Sprintf("%sCell [%d], line %d%s: %s", green, c.N, at.at, plain, at.text), red + err.Error() + plain},
		}
		return "", false
	}
	if name, detail, asks := question(c.Source); asks {
		if err := s.explain(name, detail); err != nil {
			return fail(err, line{1, strings.TrimSpace(c.Source)})
		}
		return "", true
	}
	var done strings.Builder
	rest := c.Source
	for at := 1; rest != ""; at++ {
		first, after, more := strings.Cut(rest, "\n")
		text := strings.TrimSpace(first)
		if text != "" && !isMagic(text) {
			break
		}
		rest = after
		if more {
			done.WriteByte('\n')
		}
		if text == "" {
			continue
		}
		if err := s.special(text, &rest); err != nil {
			return fail(err, line{at, text})
		}
	}
	rest, at, err := s.betweenLines(rest)
	if err != nil {
		at.at += strings.Count(done.String(), "\n")
		return fail(err, at)
	}
	if strings.TrimSpace(rest) == "" {
		return "", true
	}
	return done.String() + rest, true
}

func (s *session) special(line string, rest *string) error {
	if strings.HasPrefix(line, "!*") {
		return errBuildFolder
	}
	if line[0] != '%' {
		return s.shell(strings.TrimSpace(line[1:]))
	}
	name, args, _ := strings.Cut(line[1:], " ")
	if ours, ok := otherNames[name]; ok {
		name = ours
	}
	var names []string
	for _, c := range sorted() {
		if c.name == name {
			return c.do(s, strings.TrimSpace(args), rest)
		}
		names = append(names, "%"+c.name)
	}
	if elsewhere(name) {
		return nil
	}
	return fmt.Errorf("there is no %%%s; there are %s, and !COMMAND for the shell", name, strings.Join(names, ", "))
}

// completeMagic completes the name of a command.
func completeMagic(q link.Query) (link.Completion, bool) {
	before := q.Source[:min(max(q.Offset, 0), len(q.Source))]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	if !strings.HasPrefix(line, "%") || strings.ContainsAny(line, " \t") {
		return link.Completion{}, false
	}
	out := link.Completion{Start: q.Offset - len(line), End: q.Offset}
	for _, c := range sorted() {
		if strings.HasPrefix("%"+c.name, line) {
			out.Items = append(out.Items, link.CompletionItem{Text: "%" + c.name, Kind: "keyword", Signature: c.args})
		}
	}
	return out, true
}

// inspectMagic tells what the command does that the cursor is in.
func inspectMagic(q link.Query) (link.Inspection, bool) {
	offset := min(max(q.Offset, 0), len(q.Source))
	line, _, _ := strings.Cut(q.Source[strings.LastIndexByte(q.Source[:offset], '\n')+1:], "\n")
	name, isMagic := strings.CutPrefix(line, "%")
	if !isMagic {
		return link.Inspection{}, false
	}
	name, _, _ = strings.Cut(name, " ")
	for _, c := range commands {
		if c.name == name {
			text := "%" + strings.TrimSpace(c.name+" "+c.args) + "\n\n" + c.help
			return link.Inspection{Found: true, Data: map[string]string{display.Text: text}}, true
		}
	}
	return link.Inspection{}, false
}

func help(s *session, name string, _ *string) error {
	if name = strings.TrimSpace(name); name != "" {
		text := string(nb.Help(name))
		return s.page(map[string]any{display.Text: text, display.Markdown: text})
	}
	var b strings.Builder
	b.WriteString("Cells are Go: declarations, imports and statements mixed. Values stay from cell to cell,\n" +
		"the last expression is shown, and packages that are not imported are found by name.\n\n" +
		"nb.Show(v, …) shows values, nb.Await(run, …) waits for runs, nb.Help(\"strings.Builder\") tells about a name;\n" +
		"Shift-Tab does so in a notebook. The stop button ends the cell, not the runs it started.\n\n" +
		"Special lines, at the top of a cell; those that begin with a single % may stand below Go as well:\n\n")
	for _, c := range sorted() {
		fmt.Fprintf(&b, "  %-24s %s\n", "%"+strings.TrimSpace(c.name+" "+c.args), c.help)
	}
	fmt.Fprintf(&b, "  %-24s %s\n", "!COMMAND", "run a command of the shell; $COMMAND does the same")
	fmt.Fprintf(&b, "  %-24s %s\n", "NAME?", "show what NAME is; NAME?? shows its source too")
	return s.page(map[string]any{display.Text: b.String()})
}

// page shows something in the front end's pager.
func (s *session) page(data map[string]any) error {
	page, err := json.Marshal(map[string]any{"source": "page", "start": 0, "data": data})
	if err != nil {
		return err
	}
	s.outcome.Payload = append(s.outcome.Payload, page)
	return nil
}

func who(s *session, _ string, _ *string) error {
	vars := variables(s.ev)
	if len(vars) == 0 {
		return s.h.display.ShowBundle(display.Bundle{Data: map[string]any{display.Text: "no variables"}}, "")
	}
	var text, page strings.Builder
	page.WriteString("<table><thead><tr><th>name</th><th>type</th><th>size</th><th>value</th></tr></thead><tbody>")
	for _, v := range vars {
		fmt.Fprintf(&text, "%-16s %-20s %10s  %s\n", v.Name, v.Type, units.Bytes(v.Size), v.Value)
		fmt.Fprintf(&page, "<tr><td>%s</td><td><code>%s</code></td><td style=\"text-align:right\">%s</td><td>%s</td></tr>",
			html.EscapeString(v.Name), html.EscapeString(v.Type), units.Bytes(v.Size), html.EscapeString(v.Value))
	}
	page.WriteString("</tbody></table>")
	return s.h.display.ShowBundle(display.Bundle{Data: map[string]any{
		display.Text: strings.TrimSuffix(text.String(), "\n"), display.HTML: page.String(),
	}}, "")
}

func reset(s *session, _ string, rest *string) error {
	if strings.TrimSpace(*rest) != "" {
		return fmt.Errorf("%%reset ends everything, so nothing can follow it in its cell")
	}
	s.outcome.Reset = true
	return nil
}

// timed measures the rest of the cell.
func timed(s *session, args string, rest *string) error {
	if args != "" {
		*rest = args + "\n" + *rest
	}
	start := time.Now()
	s.after = append(s.after, func() { fmt.Printf("took %v\n", round(time.Since(start))) })
	return nil
}

// round keeps three figures.
func round(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

func changeDir(_ *session, args string, _ *string) error {
	if args == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		args = home
	}
	if err := os.Chdir(args); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err == nil {
		fmt.Println(dir)
	}
	return err
}

func environment(_ *session, args string, _ *string) error {
	if args == "" {
		env := os.Environ()
		slices.Sort(env)
		fmt.Println(strings.Join(env, "\n"))
		return nil
	}
	name, value, ok := strings.Cut(args, "=")
	if !ok {
		name, value, ok = strings.Cut(args, " ")
	}
	if !ok {
		fmt.Printf("%s=%s\n", name, os.Getenv(name))
		return nil
	}
	return os.Setenv(strings.TrimSpace(name), strings.TrimSpace(value))
}
