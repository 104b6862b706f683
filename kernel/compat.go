package main

import (
	"reflect"
	"slices"

	"trivium/kernel/symbols"
	"trivium/kernel/unblock"
)

// elsewhere are packages of other kernels for Go: cells written for these import a package of
// ours by the path that they know.
var elsewhere = map[string]string{
	"github.com/gopherdata/gophernotes":        "trivium/kernel/nb/display",
	"github.com/janpfeifer/gonb/cache":         "trivium/kernel/nb/gonbui/cache",
	"github.com/janpfeifer/gonb/gonbui":        "trivium/kernel/nb/gonbui",
	"github.com/janpfeifer/gonb/gonbui/dom":    "trivium/kernel/nb/gonbui/dom",
	"github.com/janpfeifer/gonb/gonbui/plotly": "trivium/kernel/nb/gonbui/plotly",
}

// importable is the symbol table with the packages of elsewhere.
type importable struct{ symbols.Table }

func ours(path string) string {
	if p, ok := elsewhere[path]; ok {
		return p
	}
	return path
}

// Packages has the paths of elsewhere too, so that a mistyped one finds its hint.
func (t importable) Packages() []string {
	l := t.Table.Packages()
	for path := range elsewhere {
		l = append(l, path)
	}
	slices.Sort(l)
	return l
}

// Name hides the names of packages elsewhere: a name that is not imported means ours.
func (t importable) Name(path string) string { return t.Table.Name(path) }

// Exports is what a package has, with functions that wait for long known to unblock.
func (t importable) Exports(path string) map[string]reflect.Value {
	table := t.Table.Exports(ours(path))
	unblock.Wrap(path, table)
	return table
}

func (t importable) ExportData(path string) ([]byte, bool) { return t.Table.ExportData(ours(path)) }

func (t importable) Generic(path, name string) (any, bool) { return t.Table.Generic(ours(path), name) }

func (t importable) Doc(path, name string) (signature, text string, ok bool) {
	return t.Table.Doc(ours(path), name)
}
