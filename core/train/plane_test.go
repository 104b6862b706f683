package train

import (
	"context"
	"math"
	"strings"
	"testing"

	"trivium/core/nn"
	"trivium/core/tensor"
)

// TestPlaneOfAQuadratic: the mean squared error of a linear layer is a quadratic function of
// its weights, so its third differences along any direction vanish, and the loss at the
// path's last point is that of the network.
func TestPlaneOfAQuadratic(t *testing.T) {
	d := clouds(60, 0)
	net := nn.MLP(8, 3)
	path := &Path{Net: net}
	if _, err := Train(t.Context(), net, d, Options{Epochs: 6, Batch: 20, Loss: nn.MSE, Rate: 0.2, OnStep: path.Step}); err != nil {
		t.Fatal(err)
	}
	if len(path.Weights) != 18 {
		t.Fatalf("%d points on the path of 18 steps", len(path.Weights))
	}
	for name, points := range map[string][][]float32{"principal": path.Weights, "random": nil, "two points": path.Weights[16:]} {
		p, err := LossPlane(t.Context(), net, d, points, PlaneOptions{Points: 7, Loss: nn.MSE})
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range p.Loss {
			for j := 0; j+3 < len(row); j++ {
				third := row[j+3] - 3*row[j+2] + 3*row[j+1] - row[j]
				if size := math.Abs(row[j+3]) + math.Abs(row[j]); math.Abs(third) > 1e-4*(1+size) { // float32 passes
					t.Errorf("%s: third difference %g of %v", name, third, row)
				}
			}
		}
		if n := len(p.PathX); n != len(points) || n > 0 && (p.PathX[n-1] != 0 || p.PathY[n-1] != 0) {
			t.Errorf("%s: the path has %d points and does not end at the origin", name, n)
		}
		want := name == "principal"
		if x, _ := p.Directions(); strings.Contains(x, "principal") != want || want && (p.Share[0] < p.Share[1] || p.Share[0]+p.Share[1] > 1.0001) {
			t.Errorf("%s: directions %s, shares %v", name, x, p.Share)
		}
	}
}

// TestPrincipal: points that lie in a plane are kept whole by their two directions.
func TestPrincipal(t *testing.T) {
	u, v := []float64{0.6, 0.8, 0, 0}, []float64{0, 0, 1, 0}
	var path [][]float32
	var want [][2]float64
	for i := range 9 {
		a, b := float64(8-i), math.Sin(float64(i))-math.Sin(8)
		w := make([]float32, 4)
		for k := range w {
			w[k] = float32(3 + a*u[k] + b*v[k])
		}
		path, want = append(path, w), append(want, [2]float64{a, b})
	}
	dirs, share := principal(path)
	if math.Abs(share[0]+share[1]-1) > 1e-6 || math.Abs(dotOf(dirs[0], dirs[1])) > 1e-6 || math.Abs(dotOf(dirs[0], dirs[0])-1) > 1e-6 {
		t.Errorf("shares %v, directions %v", share, dirs)
	}
	for i, w := range path {
		x, y := project(w, path[8], dirs[0]), project(w, path[8], dirs[1])
		if got, is := x*x+y*y, want[i][0]*want[i][0]+want[i][1]*want[i][1]; math.Abs(got-is) > 1e-4 {
			t.Errorf("point %d is %v from the end, want %v", i, got, is)
		}
	}
	line := [][]float32{{0, 0}, {1, 2}, {2, 4}, {3, 6}}
	if dirs, _ := principal(line); dirs[1] != nil {
		t.Error("a line has two directions")
	}
}

func dotOf(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func TestLongPath(t *testing.T) {
	p := &Path{Net: nn.MLP(2, 2)}
	for k := range 2000 {
		p.Net.Weights()[0] = float32(k)
		p.Step(StepInfo{})
	}
	if len(p.Weights) > longestPath || len(p.Weights) < longestPath/2 || p.Every != 8 {
		t.Errorf("%d points, one of %d", len(p.Weights), p.Every)
	}
	for i, w := range p.Weights {
		if w[0] != float32(i*p.Every) {
			t.Fatalf("point %d is of step %v, want %d", i, w[0], i*p.Every)
		}
	}
}

func TestPlaneRefuses(t *testing.T) {
	d, net := clouds(5, 0), nn.MLP(8, 3)
	for says, f := range map[string]func() (*Plane, error){
		"1 points along": func() (*Plane, error) { return LossPlane(t.Context(), net, d, nil, PlaneOptions{Points: 1}) },
		"no samples":     func() (*Plane, error) { return LossPlane(t.Context(), net, &Samples{}, nil, PlaneOptions{}) },
		"has 2 weights":  func() (*Plane, error) { return LossPlane(t.Context(), net, d, [][]float32{{1, 2}}, PlaneOptions{}) },
		"canceled": func() (*Plane, error) {
			ctx, stop := context.WithCancel(t.Context())
			stop()
			return LossPlane(ctx, net, d, nil, PlaneOptions{})
		},
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

// TestPredict: the share of right predictions is the accuracy that Evaluate counts.
func TestPredict(t *testing.T) {
	d := clouds(90, 300)
	net := nn.MLP(8, 3)
	if _, err := Train(t.Context(), net, d, Options{Epochs: 3, Rate: 0.1}); err != nil {
		t.Fatal(err)
	}
	got, err := Predict(net, d.TestX)
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, c := range got {
		if c == d.TestLabels[i] {
			right++
		}
	}
	if _, acc, _ := Evaluate(net, d.TestX, d.TestLabels, nn.CrossEntropy); len(got) != 300 || acc != float64(right)/300 {
		t.Errorf("%d of %d predictions are right, accuracy %v", right, len(got), acc)
	}
	net.Weights()[0] = float32(math.NaN())
	if got, _ := Predict(net, d.TestX); got[0] != -1 {
		t.Errorf("of a NaN: class %d", got[0])
	}
	if _, err := Predict(net, tensor.New[float32](2, 7)); err == nil {
		t.Error("samples of another size were taken")
	}
}

// TestGradientNorms: those of all layers make up the norm of the whole gradient.
func TestGradientNorms(t *testing.T) {
	d := clouds(40, 0)
	net := nn.MLP(8, 5, 3)
	var whole []float64
	r := Start(t.Context(), net, d, Options{Batch: 10, Steps: 4, GradientNorms: 2, OnStep: func(StepInfo) {
		sum := 0.0
		for _, g := range net.Gradients() {
			sum += float64(g) * float64(g)
		}
		whole = append(whole, math.Sqrt(sum))
	}})
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := r.Trace().Series(); s[0] != "loss" { // what tables and progress bars tell first
		t.Errorf("series %v", s)
	}
	a, b := r.Trace().Points("gradient/dense1"), r.Trace().Points("gradient/dense2")
	if len(a) != 2 || len(b) != 2 || a[0].Step != 1 || a[1].Step != 3 {
		t.Fatalf("series %v, points %v %v", r.Trace().Series(), a, b)
	}
	for i := range a {
		if got, want := math.Hypot(a[i].Value, b[i].Value), whole[2*i]; math.Abs(got-want) > 1e-5*want {
			t.Errorf("step %v: %v and %v make %v, the gradient's norm is %v", a[i].Step, a[i].Value, b[i].Value, got, want)
		}
	}
}
