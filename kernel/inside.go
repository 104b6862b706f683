package main

import (
	"context"
	"fmt"
	"strings"

	"trivium/core/mgrit"
	"trivium/core/run"
	"trivium/kernel/host"
	"trivium/kernel/nb"
	"trivium/kernel/symbols"
)

// inside is the notebook as cells see it: the runs of a group, the documentation of the
// symbol table, the user's keyboard.
type inside struct {
	*host.Host
	group *run.Group
}

func notebookOf(h *host.Host, g *run.Group) nb.Notebook { return inside{h, g} }

// Runs lists the runs of the session.
func (n inside) Runs() []nb.Run {
	var out []nb.Run
	for _, r := range n.group.Runs() {
		out = append(out, r)
	}
	return out
}

// StopAll stops them.
func (n inside) StopAll() { n.group.StopAll(nil) }

// Progress tells how far a run of the engine is. Methods' own run types embed *run.Run, so
// they are known by their methods.
func (n inside) Progress(r nb.Run) (nb.Progress, bool) {
	engine, ok := r.(interface {
		Progress() run.Progress
		State() run.State
	})
	if !ok {
		return nb.Progress{}, false
	}
	p := engine.Progress()
	out := nb.Progress{Done: p.Done, Total: p.Total, Unit: p.Unit, Seconds: p.Seconds, Left: p.Left, State: strings.ToLower(fmt.Sprint(engine.State()))}
	if out.State == "done" && converged(r) {
		out.State = "converged"
	}
	if p.Series != "" {
		out.Last = fmt.Sprintf("%s %.3g", p.Series, p.Last.Value)
	}
	return out, true
}

// converged reports whether a run of an iteration has ended because it has converged. The
// group knows it as a plain run, the cell that started it as one of its own kind.
func converged(r nb.Run) bool {
	var res *mgrit.Result
	switch r := r.(type) {
	case *mgrit.Run:
		res = r.Result()
	case *run.Run:
		res, _ = r.Result().(*mgrit.Result)
	}
	return res != nil && res.Converged
}

// Doc finds documentation by a name as Go writes it, with or without the path of its package.
func (n inside) Doc(name string) (signature, text string, ok bool) {
	for _, path := range symbols.All.Packages() {
		if name == path || name == symbols.All.Name(path) {
			return symbols.All.Doc(path, "")
		}
	}
	for _, path := range symbols.All.Packages() {
		for _, prefix := range []string{path, symbols.All.Name(path)} {
			if member, found := strings.CutPrefix(name, prefix+"."); found {
				if signature, text, ok := symbols.All.Doc(path, member); ok {
					return signature, text, true
				}
			}
		}
	}
	return "", "", false
}

// Input asks the user.
func (n inside) Input(ctx context.Context, prompt string, password bool) (string, error) {
	return n.Host.Input(ctx, prompt, password)
}
