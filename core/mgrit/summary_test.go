package mgrit

import (
	"context"
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	p := XOR(XOROptions{})
	if got, want := p.String(), "XOR: 16 numbers"; got != want {
		t.Errorf("problem reads %q, want %q", got, want)
	}
	res, err := Solve(context.Background(), p, Options{Steps: 64, Coarse: Growing{By: 2, Cap: 4}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"converged after", "vector of 16 numbers", "potential speed-up"} {
		if !strings.Contains(res.String(), want) {
			t.Errorf("result reads %q, without %q", res, want)
		}
	}
	res, err = Solve(context.Background(), p, Options{Steps: 64, Coarse: Same{}, MaxCycles: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := res.String(); !strings.HasPrefix(got, "not converged after 1 cycle:") || strings.Contains(got, "potential") {
		t.Errorf("a result that is not one reads %q", got)
	}
	if got := (*Result)(nil).String(); !strings.HasPrefix(got, "no result") {
		t.Errorf("nil reads %q", got)
	}
}
