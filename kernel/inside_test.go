package main

import (
	"strings"
	"testing"
)

// TestBarsOfEndedRuns waits for an iteration that converges long before its limit.
func TestBarsOfEndedRuns(t *testing.T) {
	k := startKernel(t)
	c := k.run(`m := mgrit.Start(ctx, mgrit.XOR(mgrit.XOROptions{Rate: 0.1}), mgrit.Options{Steps: 1280, Coarsen: 4, MaxCycles: 50})
nb.Await(m)
nb.Show(nb.Runs())`, nil)
	if c.Status != "ok" || len(c.shown) == 0 {
		t.Fatalf("%s\n%s", c.Status, c.trace)
	}
	text, _ := c.shown[len(c.shown)-1]["text/plain"].(string)
	if !strings.Contains(text, "[####################] 100% converged at ") || !strings.Contains(text, " of at most 50") {
		t.Errorf("the bar says %q", text)
	}
}
