package crs

import (
	"math"
	"testing"

	"trivium/core/nn"
)

// A record of many steps keeps shares and counts, however they are joined.
func TestRecordJoins(t *testing.T) {
	r := &Record{}
	l := r.layer(nn.Info{Name: "dense1"})
	const steps, pairs = 5000, 1000
	for step := range uint64(steps) {
		var index []int32
		for i := range int32(pairs) {
			if i < 250 || i >= 900 && step >= steps/2 {
				index = append(index, i)
			}
		}
		l.note(step, "forward", pairs, false, index)
	}
	l.note(0, "weight gradient", 64, true, nil)
	at, share := r.Share("dense1 forward")
	if len(at) > mostColumns || len(at) < mostColumns/2 || at[0] < 0 || at[len(at)-1] >= steps {
		t.Fatalf("%d columns from %v to %v", len(at), at[0], at[len(at)-1])
	}
	for i, s := range share {
		want := 0.25
		if at[i] > steps/2+50 {
			want = 0.35
		}
		if math.Abs(at[i]-steps/2) > 50 && math.Abs(s-want) > 1e-9 {
			t.Errorf("share at step %v is %v, want %v", at[i], s, want)
		}
	}
	often, n, first, last := r.Drawn("dense1 forward")
	if n != pairs || first != 0 || last < steps-1 || len(often) != mostRows {
		t.Fatalf("%d rows of %d pairs, steps %v to %v", len(often), n, first, last)
	}
	for i, row := range often {
		pair := (float64(i) + 0.5) / mostRows * pairs
		for _, c := range []struct {
			col  int
			want float64
		}{{0, step01(pair < 250)}, {len(row) - 1, step01(pair < 250 || pair >= 900)}} {
			if math.Abs(pair-250) > 6 && math.Abs(pair-900) > 6 && row[c.col] != c.want {
				t.Errorf("pair %v was drawn in %v of column %d, want %v", pair, row[c.col], c.col, c.want)
			}
		}
	}
	if often, _, _, _ := r.Drawn("dense1 weight gradient"); len(often) != 64 || often[3][0] != 1 {
		t.Errorf("an exact product was drawn %v", often)
	}
	if often, _, _, _ := r.Drawn("none"); often != nil {
		t.Error("a product that is not there")
	}
}

func step01(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
