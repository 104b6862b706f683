package host

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Commands that write files and feed programs with the rest of a cell.

func init() {
	commands = append(commands,
		command{"%writefile", "[-a] FILE", "write the rest of the cell to FILE; with -a, append it", writeFile},
		command{"%bash", "", "run the rest of the cell with bash", func(s *session, _ string, rest *string) error { return s.script("bash", rest) }},
		command{"%sh", "", "run the rest of the cell with sh", func(s *session, _ string, rest *string) error { return s.script("sh", rest) }},
		command{"%script", "COMMAND", "give the rest of the cell to COMMAND as its input", func(s *session, args string, rest *string) error { return s.script(args, rest) }},
		command{"capture", "[-a] FILE", "write what the cell prints to FILE instead; with -a, append it", capture},
	)
}

// target reads the arguments of a command that writes a file.
func target(name, args string) (file string, flags int, err error) {
	flags = os.O_TRUNC
	if rest, ok := strings.CutPrefix(args, "-a "); ok {
		args, flags = strings.TrimSpace(rest), os.O_APPEND
	}
	if args == "" || args == "-a" {
		return "", 0, fmt.Errorf("%s needs the name of a file", name)
	}
	return args, flags | os.O_CREATE | os.O_WRONLY, nil
}

func writeFile(_ *session, args string, rest *string) error {
	file, flags, err := target("%%writefile", args)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, flags, 0o666)
	if err != nil {
		return err
	}
	n, err := f.WriteString(*rest)
	*rest = ""
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	fmt.Printf("wrote %d bytes to %s\n", n, file)
	return nil
}

// script runs a command that reads the rest of the cell.
func (s *session) script(line string, rest *string) error {
	if line == "" {
		return errors.New("%%script needs a command that reads the rest of the cell")
	}
	input := *rest
	*rest = ""
	return s.command(line, strings.NewReader(input))
}

func capture(s *session, args string, _ *string) error {
	file, flags, err := target("%capture", args)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, flags, 0o666)
	if err != nil {
		return err
	}
	restore, err := redirectStdout(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	s.after = append(s.after, func() {
		restore()
		if err := f.Close(); err != nil {
			fmt.Fprintf(os.Stderr, "%%capture: %v\n", err)
		}
	})
	return nil
}
