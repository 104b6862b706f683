package main

import (
	"reflect"
	"testing"

	"trivium/kernel/symbols"
)

// TestEngineCallsStand tells when a function has changed its type, or a package its path, so that an interrupt
// would not reach it any more.
func TestEngineCallsStand(t *testing.T) {
	for path, names := range map[string][]string{
		"trivium/core/train": {"Train", "Train64"}, "trivium/core/amp": {"Train"}, "trivium/core/mgrit": {"Solve", "Tune"},
	} {
		table, wrapped := symbols.All.Exports(path), engineCalls(path)
		for _, name := range names {
			f, ok := wrapped[name]
			if !ok || table[name].Type() != reflect.TypeOf(f) {
				t.Errorf("%s.%s is %v, and what stands for it %T", path, name, table[name].Type(), f)
			}
		}
	}
}
