package host

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"trivium/kernel/eval"
)

// Commands about the names of the session, and how cells read what is typed.

func init() {
	commands = append(commands,
		command{"ls", "", "list what cells have declared", listNames},
		command{"rm", "NAME …", "remove names that cells have declared", removeNames},
		command{"save", "FILE", "write the session's declarations to a Go file; values are not saved", saveNames},
		command{"load", "FILE", "run a Go file as a cell, such as one that %save wrote", loadNames},
		command{"with_inputs", "", "nothing here: any cell can read standard input", func(*session, string, *string) error { return nil }},
		command{"with_password", "", "hide what is typed when the cell first reads standard input", func(s *session, _ string, _ *string) error {
			s.h.NextRead("", true)
			return nil
		}},
	)
}

func listNames(s *session, _ string, _ *string) error {
	var b strings.Builder
	known := map[string]bool{}
	for _, d := range s.h.declared.list {
		fmt.Fprintf(&b, "%-6s %s\n", d.kind, strings.Join(d.names, ", "))
		for _, n := range d.names {
			known[n] = true
		}
	}
	for _, v := range variables(s.ev) {
		if !known[v.Name] {
			fmt.Fprintf(&b, "%-6s %s %s\n", "var", v.Name, v.Type)
		}
	}
	fmt.Print(b.String())
	return nil
}

func removeNames(s *session, args string, _ *string) error {
	names := strings.Fields(args)
	if len(names) == 0 {
		return errors.New("%rm needs names; %ls lists them")
	}
	ev, ok := s.ev.(interface{ Forget(names ...string) error })
	if !ok {
		return errors.New("this evaluator cannot remove names; %reset removes all")
	}
	if err := ev.Forget(names...); err != nil {
		return fmt.Errorf("%w; %%ls lists the names", err)
	}
	for _, n := range names {
		s.h.declared.remove(n)
	}
	return nil
}

func saveNames(s *session, args string, _ *string) error {
	if args == "" {
		return errors.New("%save needs the name of a file")
	}
	text, err := s.h.declared.file()
	if err != nil {
		return err
	}
	if err := os.WriteFile(args, []byte(text), 0o666); err != nil {
		return err
	}
	fmt.Printf("saved %d declarations to %s\n", len(s.h.declared.list), args)
	return nil
}

func loadNames(s *session, args string, _ *string) error {
	if args == "" {
		return errors.New("%load needs the name of a Go file")
	}
	b, err := os.ReadFile(args)
	if err != nil {
		return err
	}
	o := s.ev.Run(s.ctx, eval.Cell{N: s.n, Source: string(b)})
	if errors.Is(o.Err, eval.ErrInterrupted) {
		return o.Err
	}
	if o.Err != nil {
		return fmt.Errorf("%s: %w", args, o.Err)
	}
	s.h.declared.add(string(b))
	return nil
}
