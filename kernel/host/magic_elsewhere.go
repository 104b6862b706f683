package host

import (
	"errors"
	"fmt"
	"go/token"
	"runtime"
	"strings"
)

// Commands that cells written for other kernels have. Those that mean something here do it under
// the name that they have there; the others say why there is nothing to do, and the cell goes on.

func init() {
	commands = append(commands, command{"exec", "FUNC [ARG …]", "call FUNC of the cell, or of an earlier one, with these os.Args[1:]", execFunc})
}

// otherNames are names of commands in other kernels.
var otherNames = map[string]string{"list": "ls", "remove": "rm"}

const (
	noBuild   = "cells are not built by the go command"
	noAutoGet = "%get MODULE gets a module, and nothing is got unasked"
	noModule  = "cells are in no module; %get DIR adds a module that lies in a folder"
)

// needless are commands of other kernels that have nothing to do in this one.
var needless = map[string]string{
	"goflags": noBuild, "go111module": noBuild, "autoget": noAutoGet, "noautoget": noAutoGet,
	"goworkfix": noModule, "track": noModule, "untrack": noModule,
	"widgets": "controls need no preparation", "widgets_hb": "controls need no preparation",
}

// elsewhere does a command that is not one of this kernel's.
func elsewhere(name string) (known bool) {
	if name == "version" {
		fmt.Println(runtime.Version())
		return true
	}
	why, known := needless[name]
	if known {
		fmt.Printf("%%%s: nothing to do; %s\n", name, why)
	}
	return known
}

// errBuildFolder answers !*COMMAND.
var errBuildFolder = errors.New("!* runs a command in the folder where another kernel builds cells, which this one does not; " +
	"%get MODULE@VERSION gets a module, and !COMMAND runs a command in the working directory")

// execFunc calls a function without parameters behind the rest of the cell.
func execFunc(s *session, args string, rest *string) error {
	name, args, _ := strings.Cut(args, " ")
	if !token.IsIdentifier(name) {
		return fmt.Errorf("%%exec needs the name of a function, found %q", name)
	}
	if err := setArgs(s, args, rest); err != nil {
		return err
	}
	*rest += "\n" + name + "()"
	return nil
}
