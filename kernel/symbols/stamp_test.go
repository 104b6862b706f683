package symbols_test

import (
	"encoding/json"
	"os"
	"testing"

	"trivium/kernel/symbols/internal/stamp"
)

// TestNotStale compares the stamp that the generator wrote with that of the source tree.
func TestNotStale(t *testing.T) {
	now, err := stamp.Of("../..")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(stamp.Name)
	if err != nil {
		t.Fatalf("%v: run go generate ./kernel/symbols", err)
	}
	var was stamp.Stamp
	if err := json.Unmarshal(b, &was); err != nil {
		t.Fatalf("%s: %v: run go generate ./kernel/symbols", stamp.Name, err)
	}
	why := was.Changed(now)
	for _, w := range why {
		t.Error(w)
	}
	if len(why) > 0 {
		t.Error("the tables are stale: run go generate ./kernel/symbols")
	}
	if p := was.Patch(now); p != "" {
		t.Skip(p)
	}
}
