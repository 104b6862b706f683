// Package cli reads command lines as the kernel's programs do: options may stand before and after
// the other words.
package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// Parse sets fs's options from args and returns the words that are none. The error is
// flag.ErrHelp when help is asked for; another one says what is wrong, and that help lists the
// options.
func Parse(fs *flag.FlagSet, args []string, help string) (words []string, err error) {
	fs.SetOutput(io.Discard) // the caller shows the error
	for {
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, fmt.Errorf("%w; %q lists the options", err, help)
		}
		if fs.NArg() == 0 {
			return words, nil
		}
		words, args = append(words, fs.Arg(0)), fs.Args()[1:]
	}
}
