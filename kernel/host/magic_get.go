package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"trivium/kernel/eval"
)

// Third-party modules.

func init() {
	commands = append(commands, command{"get", "[MODULE@VERSION …]", "add third-party modules to what cells can import: builds an evaluator with them and starts it; without one, list them", getModules})
}

// getModules builds an evaluator that has the modules besides those that this one has.
func getModules(s *session, args string, rest *string) error {
	have := s.h.opt.Modules
	if args == "" {
		if len(have) == 0 {
			os.Stdout.WriteString("no third-party modules; %get MODULE@VERSION adds one\n")
		}
		for _, m := range have {
			fmt.Println(m)
		}
		return nil
	}
	if s.h.opt.Get == nil {
		return errors.New("%get is not available in this kernel")
	}
	all, news := addModules(have, strings.Fields(args))
	if len(news) == 0 {
		fmt.Println(strings.Join(strings.Fields(args), ", ") + ": there already")
		return nil
	}
	if strings.TrimSpace(*rest) != "" {
		return errors.New("%get starts a fresh evaluator, so nothing can follow it in its cell")
	}
	began := time.Now()
	program, err := s.h.opt.Get(s.r.wait, all, os.Stdout)
	if errors.Is(err, ErrInterrupted) || s.r.wait.Err() != nil {
		return eval.ErrInterrupted
	}
	if err != nil {
		return err
	}
	lost := "nothing was lost"
	n := 0
	for _, d := range s.h.declared.list {
		n += len(d.names)
	}
	if n > 0 {
		lost = fmt.Sprintf("what cells have declared (%d names) is gone: run them again", n)
	}
	fmt.Printf("%s can be imported, after %.1f s. A fresh evaluator starts; %s.\n", strings.Join(news, ", "), time.Since(began).Seconds(), lost)
	s.outcome.Reset, s.outcome.Program = true, program
	return nil
}

// addModules gives the set with those that are wanted in the place of other versions of them, and
// which of them are not in it yet. One in a local folder is always new, as its files may be.
func addModules(have, want []string) (all, news []string) {
	all = slices.Clone(have)
	for _, m := range want {
		if slices.Contains(all, m) && !strings.Contains(m, "=") {
			continue
		}
		all = slices.DeleteFunc(all, func(x string) bool { return modulePath(x) == modulePath(m) })
		all, news = append(all, m), append(news, m)
	}
	return all, news
}

func modulePath(m string) string {
	if i := strings.IndexAny(m, "@="); i >= 0 {
		return m[:i]
	}
	return m
}

// Builder builds an evaluator with modules and gives the program's path.
type Builder func(ctx context.Context, modules []string, log *os.File) (program string, err error)
