// Package train trains a network the usual way, one step after the other. It is the reference
// that training in parallel, by sampled products or on all steps at once is compared with.
//
//	r := train.Start(ctx, net, split, train.Options{Epochs: 3, Optimizer: optim.Adam{}})
//
// returns at once. The run's trace grows a sample of "loss" each step, and of "accuracy" and
// "test loss" after each epoch, all with the number of the step, seconds, and the flops of the
// products so far. [Run.Wait] waits for the end; programs call [Train], which does both.
//
// The order of samples, dropout and sampled products follow from Options.Seed, and results
// do not depend on the number of workers: a training can be repeated bit by bit. It can also
// be saved and resumed so: see Options.Checkpoint and Options.Resume.
package train
