// Package crs multiplies matrices from a sample of their column-row pairs, and trains networks
// that way.
//
// A product is a sum over its inner dimension: a·b = Σ (column i of a)·(row i of b). Most of the
// sum is often in few of the pairs, so a part of them, chosen well, gives nearly the same
// matrix for a part of the work. How a pair is chosen is a [Sampler]:
//
//	crs.TopK{Keep: 0.5}              // the half with the largest norms, as they are: biased
//	crs.Bernoulli{Keep: 0.5}         // each by its own coin, scaled: unbiased
//	crs.WithReplacement{Keep: 0.5}   // drawn by norm, scaled: unbiased, with the simplest theory
//
// A sampler can stand wherever a network's product is asked for:
//
//	train.Start(ctx, net, data, train.Options{Product: crs.TopK{Keep: 0.5}})
//
// [Product] says more: which of the products of a layer, which layers, since when. [Schedule]
// changes it over epochs, [Budget] chooses the share by itself. [MatMul] multiplies two
// matrices, [Study] compares the error of samplers with theory, [Cost] counts what a network
// would save, and [Nodes] trains on several nodes that exchange only what was sampled.
//
// What to expect of it: a step does about the share of the work that is kept, but takes a network less
// far, so that more steps, or a higher rate, come to the same loss. Top-k soon keeps the same pairs in
// every step (a [Record] shows it): a hidden layer then trains about as many units as are kept, and
// the others are in the way of tests, which are exact. Where the rate and the epochs let an exact
// training settle, a sampled one settles near it; where they do not, it lags behind.
//
// Where a convolution leaves out inputs, the gradient to them is 0, and the layers before it in a chain do not
// multiply by that: a network of convolutions does less than the share that is kept, at no loss.
//
// Gradients of weights can be sampled over the batch as well (WeightGrad of a [Product]): a forward product of
// nearly a half, with these gradients from a quarter of the samples, is the work of a third of everything, and
// costs a small convolutional network less.
//
// Batch norms keep running averages of what they see in training, and tests are exact: after sampled
// forward products the averages would be those of other numbers. So a training with a product finds them anew before
// each test, by a few exact passes (train.Settle). Weights that no product has used for long are still as they were
// drawn, and in the way of tests; weight decay takes them away.
//
// Where many numbers are 0, as after a ReLU or in pictures on empty paper, nn.SkipZeros leaves out what is times 0
// and loses nothing: compare with that, too, before you sample.
//
// Sampling a matrix product by norms: Drineas, Kannan, Mahoney, SIAM J. Comput. 36 (2006), 132.
// Inside the training of networks: Adelman, Levy, Hakimi, Silberstein, Faster Neural Network
// Training with Approximate Tensor Operations, NeurIPS 2021.
package crs
