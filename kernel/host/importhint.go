package host

import (
	"regexp"
	"strings"

	"trivium/kernel/eval"
)

// unknownImport matches what the evaluator says of a package that it does not have.
var unknownImport = regexp.MustCompile(`^package (\S+) is not available in this kernel$`)

// notHere are packages that cells written for other kernels import, and what to do without them.
var notHere = map[string]string{
	"github.com/janpfeifer/gonb/gonbui/widgets":  "nb.Interact makes sliders, choices and buttons that call a function: nb.Help(\"nb.Interact\")",
	"github.com/janpfeifer/gonb/gonbui/comms":    "scripts of a page cannot talk to cells here; nb.Interact makes controls that call a function: nb.Help(\"nb.Interact\")",
	"github.com/janpfeifer/gonb/gonbui/protocol": "it is how GoNB talks to the programs that it makes of cells; package gonbui shows things, and MIME types are strings",
	"github.com/janpfeifer/gonb/gonbui/wasm":     "cells are not compiled to WebAssembly here; nb.Interact and nb.Play make figures that the reader can move",
	"github.com/janpfeifer/gonb/common":          "it belongs to the inside of GoNB",
}

// importHint says what to do about an import that the kernel does not have; "" if there is
// nothing to say.
func importHint(d eval.Diagnostic) string {
	m := unknownImport.FindStringSubmatch(d.Text)
	if m == nil {
		return ""
	}
	if hint := notHere[m[1]]; hint != "" {
		return hint
	}
	host, _, more := strings.Cut(m[1], "/")
	if d.Hint != "" || !more || !strings.Contains(host, ".") {
		return ""
	}
	return "%get MODULE@VERSION adds the module that has it, where the go command and the network are there"
}
