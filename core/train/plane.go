package train

import (
	"context"
	"fmt"
	"math"

	"trivium/core/nn"
	"trivium/core/random"
	"trivium/core/run"
	"trivium/core/tensor"
)

// A Plane is the loss of a network along two directions in the space of its weights, with
// the path of a training on it. viz.Landscape draws it.
type Plane struct {
	X, Y         []float64   // places along the two directions, in lengths of unit vectors
	Loss         [][]float64 // Loss[i][j] is that at X[j], Y[i]
	PathX, PathY []float64
	Share        [2]float64 // of the path's variance that is along each direction; 0 for random ones
}

// Grid returns the places and the losses.
func (p *Plane) Grid() (x, y []float64, value [][]float64) { return p.X, p.Y, p.Loss }

// Path returns the path of the training, projected onto the plane.
func (p *Plane) Path() (x, y []float64) { return p.PathX, p.PathY }

// Directions says what the axes are.
func (p *Plane) Directions() (x, y string) {
	if p.Share[0] == 0 {
		return "a random direction", "another"
	}
	return fmt.Sprintf("first principal direction of the path (%.0f %% of its variance)", 100*p.Share[0]),
		fmt.Sprintf("the second (%.0f %%)", 100*p.Share[1])
}

// PlaneOptions sets what LossPlane computes. The zero value is a good first try.
type PlaneOptions struct {
	Points  int     // along each direction; 0 means 25
	Samples int     // of the training data that the loss is the mean of; 0 means 512
	Loss    nn.Loss // as in Options
	Margin  float64 // around the path, as a part of its extent; 0 means 0.25
	Radius  float64 // without a path: how far to go from the weights, as a part of their norm; 0 means 1
	Seed    uint64  // of random directions
	Workers int     // that share each product; 0 means one for each core
}

// LossPlane computes the loss of a network over a plane through its last weights on the
// path, or its present weights without one. With a path of three points or more the
// directions are the two along which it varies most: the principal components of
// θ_i − θ_last (Li et al., Visualizing the Loss Landscape of Neural Nets, NeurIPS 2018,
// section 7). Otherwise they are random, each part scaled to the norm of the parameter it
// changes, as there in section 4, where it is done filter by filter.
//
// It takes Points² forward passes over Samples samples, on a copy of the network; running
// averages of batch norms stay those of the network. Where the numbers are too large the
// loss is NaN or infinite.
func LossPlane(ctx context.Context, net *nn.Net, data Data, path [][]float32, o PlaneOptions) (*Plane, error) {
	if err := net.Err(); err != nil {
		return nil, err
	}
	ctx, done := run.Waits(ctx)
	defer done()
	if o.Points == 0 {
		o.Points = 25
	}
	if o.Points < 2 {
		return nil, fmt.Errorf("train: a plane of %d points along each direction; 2 are the least", o.Points)
	}
	if o.Samples == 0 {
		o.Samples = 512
	}
	if o.Margin == 0 {
		o.Margin = 0.25
	}
	if o.Radius == 0 {
		o.Radius = 1
	}
	x, labels := data.TrainData()
	n := min(max(o.Samples, 1), x.Rows)
	if n == 0 {
		return nil, fmt.Errorf("train: no samples to compute a loss of")
	}
	x, labels = x.Slice(0, n, 0, x.Cols), labels[:min(n, len(labels))]
	size := len(net.Weights())
	for i, w := range path {
		if len(w) != size {
			return nil, fmt.Errorf("train: point %d of the path has %d weights, the network %d", i, len(w), size)
		}
	}
	copied := net.Clone()
	pool := tensor.NewPool(o.Workers)
	defer pool.Close()
	copied.Pass().Pool = pool
	center := net.Weights()
	if len(path) > 0 {
		center = path[len(path)-1]
	}
	p := &Plane{}
	var dirs [2][]float64
	if len(path) >= 3 {
		dirs, p.Share = principal(path)
	}
	if dirs[1] == nil {
		dirs, p.Share = randomDirections(net, o.Seed), [2]float64{}
	}
	var lo, hi [2]float64
	for _, w := range path {
		a, b := project(w, center, dirs[0]), project(w, center, dirs[1])
		p.PathX, p.PathY = append(p.PathX, a), append(p.PathY, b)
		lo, hi = [2]float64{min(lo[0], a), min(lo[1], b)}, [2]float64{max(hi[0], a), max(hi[1], b)}
	}
	for d := range 2 {
		m := o.Margin * (hi[d] - lo[d])
		if m == 0 { // no path
			m = o.Radius * norm(center) / math.Sqrt2
		}
		lo[d], hi[d] = lo[d]-m, hi[d]+m
	}
	for i := range o.Points {
		t := float64(i) / float64(o.Points-1)
		p.X, p.Y = append(p.X, lo[0]+(hi[0]-lo[0])*t), append(p.Y, lo[1]+(hi[1]-lo[1])*t)
	}
	w := copied.Weights()
	for _, b := range p.Y {
		row := make([]float64, o.Points)
		for j, a := range p.X {
			if err := run.Gate(ctx); err != nil {
				return nil, err
			}
			for k := range w {
				w[k] = float32(float64(center[k]) + a*dirs[0][k] + b*dirs[1][k])
			}
			v, _, err := Evaluate(copied, x, labels, o.Loss)
			if err != nil {
				return nil, err
			}
			row[j] = v
		}
		p.Loss = append(p.Loss, row)
	}
	return p, nil
}

func norm(w []float32) float64 {
	sum := 0.0
	for _, v := range w {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum)
}

// project is the coordinate of w along a unit vector, from center.
func project(w, center []float32, dir []float64) float64 {
	sum := 0.0
	for k, d := range dir {
		sum += (float64(w[k]) - float64(center[k])) * d
	}
	return sum
}

// principal returns the two orthonormal directions along which the points of a path vary
// most around its last one, and their shares of the variance; nil where the points lie on
// a line. It works on the products of all pairs of points, as there are fewer of them than weights.
func principal(path [][]float32) (dirs [2][]float64, share [2]float64) {
	n, last := len(path)-1, path[len(path)-1]
	gram := make([][]float64, n)
	total := 0.0
	for i := range gram {
		gram[i] = make([]float64, n)
		for j := range i + 1 {
			sum := 0.0
			for k, c := range last {
				sum += (float64(path[i][k]) - float64(c)) * (float64(path[j][k]) - float64(c))
			}
			gram[i][j], gram[j][i] = sum, sum
		}
		total += gram[i][i]
	}
	for d := range dirs {
		value, v := dominant(gram)
		if !(value > 1e-9*total) {
			return [2][]float64{}, share
		}
		dir := make([]float64, len(last))
		for i, c := range v {
			for k := range dir {
				dir[k] += c * (float64(path[i][k]) - float64(last[k])) / math.Sqrt(value)
			}
		}
		dirs[d], share[d] = dir, value/total
		for i := range gram { // what is left without this direction
			for j := range gram {
				gram[i][j] -= value * v[i] * v[j]
			}
		}
	}
	return dirs, share
}

// dominant finds the largest eigenvalue of a symmetric positive matrix and its unit vector
// by the power method.
func dominant(a [][]float64) (value float64, v []float64) {
	v = make([]float64, len(a))
	r := random.New(1)
	for i := range v {
		v[i] = r.Normal()
	}
	for range 1000 {
		next := make([]float64, len(v))
		sum := 0.0
		for i := range a {
			for j, c := range v {
				next[i] += a[i][j] * c
			}
			sum += next[i] * next[i]
		}
		size := math.Sqrt(sum)
		if !(size > 0) {
			return 0, v
		}
		change := 0.0
		for i := range next {
			next[i] /= size
			change = max(change, math.Abs(next[i]-v[i]))
		}
		value, v = size, next
		if change < 1e-10 {
			break
		}
	}
	return value, v
}

// randomDirections draws two directions in which each parameter has its own norm, made
// unit vectors.
func randomDirections(net *nn.Net, seed uint64) (dirs [2][]float64) {
	root := random.New(seed).Split("directions")
	for d := range dirs {
		r := root.SplitN(d)
		for _, p := range net.Params() {
			if p.Running {
				continue
			}
			part := make([]float64, p.Len)
			sum := 0.0
			for i := range part {
				part[i] = r.Normal()
				sum += part[i] * part[i]
			}
			scale := 0.0
			if sum > 0 {
				scale = norm(p.Value) / math.Sqrt(sum)
			}
			for i := range part {
				part[i] *= scale
			}
			dirs[d] = append(dirs[d], part...)
		}
		size := 0.0
		for _, v := range dirs[d] {
			size += v * v
		}
		for i := range dirs[d] {
			dirs[d][i] /= math.Max(math.Sqrt(size), 1e-300)
		}
	}
	return dirs
}
