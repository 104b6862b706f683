package nn

import "strings"

// Tiles returns the weights of the first layer as pictures of what its units look for, each
// height·width numbers row after row: the filters of a convolution (the mean over its input
// channels), or a dense layer's weights in the shape of the network's input (the mean over
// its channels), or in a square where the input has none. There are none if the network
// begins with another kind of layer with weights, or its number of inputs is no square.
func (n *Network[T]) Tiles() (tiles [][]float32, height, width int) {
	if n.err != nil || len(n.Params()) == 0 {
		return nil, 0, 0
	}
	n.Weights() // takes the memory for them
	var first Layer
	for _, l := range n.layers {
		switch l.(type) {
		case Dense, Conv:
			first = l
		}
		if first != nil {
			break
		}
	}
	w := n.Params()[0].Value
	if first == nil || !strings.HasPrefix(n.Params()[0].Name, first.Kind()) {
		return nil, 0, 0
	}
	switch l := first.(type) {
	case Conv:
		height, width = l.Size, l.Size
		size, channels := l.Size*l.Size, len(w)/max(l.Out*l.Size*l.Size, 1)
		for f := range l.Out {
			t := make([]float32, size)
			for c := range channels {
				for k := range t {
					t[k] += float32(w[(f*channels+c)*size+k]) / float32(channels)
				}
			}
			tiles = append(tiles, t)
		}
	case Dense:
		in := n.in
		channels, inputs := in.C, in.Size()
		height, width = in.H, in.W
		if len(w) != inputs*l.Out { // something shrinks the picture first
			return nil, 0, 0
		}
		if height*width == 1 { // a vector
			channels = 1
			for height*height < inputs {
				height++
			}
			if height*height != inputs {
				return nil, 0, 0
			}
			width = height
		}
		size := height * width
		for u := range l.Out {
			t := make([]float32, size)
			for i := range inputs {
				t[i%size] += float32(w[i*l.Out+u]) / float32(channels)
			}
			tiles = append(tiles, t)
		}
	}
	return tiles, height, width
}
