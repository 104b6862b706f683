// Package nn is neural networks: layers with explicit forward and backward passes over whole
// batches, losses, first weights, and the networks of the papers.
//
// A [Net] is made of layers that say what they are:
//
//	net := nn.New(nn.Shape{1, 28, 28},
//		nn.Conv{Out: 32, Size: 5, Pad: 2}, nn.ReLU{}, nn.MaxPool{Size: 2},
//		nn.Dense{Out: 10})
//
// or comes from a builder: [MLP], [MNISTCNN], [WRN], [ResNet]. A step of training is
//
//	net.Pass().Train = true
//	y, err := net.Forward(x)                          // x: one sample a row
//	loss, err := nn.LossOf(nn.CrossEntropy, dy, y, labels, none)
//	err = net.Backward(dy)                            // sets net.Gradients()
//
// after which an optimiser changes net.Weights(), one vector with the weights of all layers.
// Package train does this for a whole data set.
//
// Nothing is recorded and differentiated: each layer's Backward is written out, keeps its own
// memory and allocates nothing once that has grown. The same net runs in float32 ([Net]) and in
// float64 ([Net64], from [Network.Float64]). How layers multiply can be replaced by a
// [Product], which is how column-row sampling comes in, and [SkipZeros], which leaves out what is times
// 0; [Network.Layers], [Network.Count] and [Network.MACs] count without taking memory for weights.
package nn
