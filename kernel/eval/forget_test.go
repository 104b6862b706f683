package eval

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestForget(t *testing.T) {
	s := newSession(t)
	run := func(src string) Outcome { return s.Run(context.Background(), Cell{N: 1, Source: src}) }
	if o := run("x := 41\nvar data = make([]float64, 1000)\nfunc f() int { return x + 1 }\ntype T struct{ A int }"); o.Err != nil {
		t.Fatal(o.Err)
	}
	if err := s.Forget("x", "nothing"); err == nil || !strings.Contains(err.Error(), "nothing is not declared") {
		t.Errorf("an unknown name gives %v", err)
	}
	if o := run("x"); o.Err != nil || o.Values[0].Text != "41" {
		t.Errorf("after a refusal x is %v %v", o.Values, o.Err)
	}
	if err := s.Forget("x", "data", "T"); err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{"x", "data", "T{}"} {
		var c *CompileError
		if o := run(src); !errors.As(o.Err, &c) || !strings.Contains(c.Error(), "undefined") {
			t.Errorf("%s: %v", src, o.Err)
		}
	}
	if vars := s.Vars(); len(vars) != 0 {
		t.Errorf("left: %v", vars)
	}
	if o := run("f()"); o.Err != nil || o.Values[0].Text != "1" {
		t.Errorf("a function of a removed variable: %v %v", o.Values, o.Err)
	}
	if o := run("x := \"new\"\ntype T int\nT(3)"); o.Err != nil || o.Values[0].Text != "3" {
		t.Errorf("declared anew: %v %v", o.Values, o.Err)
	}
}
