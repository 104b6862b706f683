package mgrit

import "testing"

// Where the curvature grows fourfold within one step of the march, as on a wide network's
// first training steps, a march that believes what it sees where a step begins leaps off the path into a
// region so flat that any step seems stable, and takes twice the cycles to come back.
func TestMarchDoesNotLeap(t *testing.T) {
	if testing.Short() {
		t.Skip("long: left out with -short")
	}
	p := XOR(XOROptions{Hidden: 64, Rate: 0.01})
	p.Loss = nil
	res := mustSolve(t, p, Options{Steps: 2048, MaxCycles: 20})
	for _, r := range res.Sharpness {
		if r.At >= 128 && r.Sharpness < 0.02 { // it is 0.045 to 0.048 on all of the serial path after step 120
			t.Errorf("sharpness %.2g at step %d", r.Sharpness, r.At)
		}
	}
	if !res.Converged || res.Cycles > 14 {
		t.Errorf("converged %v in %d cycles, want at most 14", res.Converged, res.Cycles)
	}
}
