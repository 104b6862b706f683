package nn

import (
	"fmt"
	"strings"

	"trivium/core/tensor"
)

// Info is the size of one layer.
type Info struct {
	Name            string
	Kind            string // "conv", "dense"; empty for layers without products
	Params          int    // learned
	MACs            int64  // multiplications with additions for one sample, forward
	Inputs, Outputs int    // numbers, or channels of a convolution
	Size            int    // of a convolution's filters
}

// infoOf describes one unit.
func infoOf[T tensor.Float](name string, u Unit[T]) Info {
	var i Info
	if c, ok := u.(interface{ info() Info }); ok {
		i = c.info()
		i.Kind = "dense"
		if i.Size > 0 {
			i.Kind = "conv"
		}
	}
	i.Name = name
	for _, p := range u.Params() {
		if !p.Running {
			i.Params += p.Len
		}
	}
	return i
}

// Layers returns the size of each layer that has weights. It takes no memory for them.
func (n *Network[T]) Layers() []Info {
	var list []Info
	if n.err != nil {
		return nil
	}
	n.eachLeaf(func(name string, u Unit[T]) {
		if i := infoOf(name, u); i.Params > 0 {
			list = append(list, i)
		}
	})
	return list
}

// Count returns the number of learned parameters.
func (n *Network[T]) Count() int {
	learned, _ := n.lengths()
	return learned
}

// MACs returns the number of multiplications with additions of all products and convolutions
// for one sample, forward. A training step takes about three times as many for each sample.
func (n *Network[T]) MACs() int64 {
	var sum int64
	for _, i := range n.Layers() {
		sum += i.MACs
	}
	return sum
}

// String lists the layers with their sizes.
func (n *Network[T]) String() string {
	if n.err != nil {
		return n.err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v to %v, %d parameters, %d multiplications a sample\n", n.Name, n.in, n.out, n.Count(), n.MACs())
	for _, i := range n.Layers() {
		fmt.Fprintf(&b, "  %-24s %10d %14d\n", i.Name, i.Params, i.MACs)
	}
	return b.String()
}
