// Package datasets holds samples with labels, cuts them into batches, and finds data on the disk.
//
// A [Set] is rows of float32 features and a class for each row; a [Split] is one set to train
// with and one to test with. The packages below this one make them: mnist, fashion and digits
// carry their data inside the program, cifar10 and folders read the user's own copies, and
// [XOR], [Spirals] and [Blobs] are drawn from a seed. Data that are not rows (lists, babi,
// trees, molecules) have types of their own in packages of those names.
//
//	split := mnist.Load()
//	split                                       // the last line of a cell: shows samples and counts
//	small, rest := split.Train.Part(0.1, 7)     // stratified, seed 7
//	b := small.Batches(64).Shuffled(7).At(0)    // b.X is 64×784, b.Labels has 64 classes
//
// Everything that selects (Slice, Pick, Part, PerClass) gives a view: the numbers stay where
// they are and only row numbers are new. Numbers are copied for a batch whose rows do not lie
// one after the other, and by [Set.X] of such a view.
//
// Files that are absent give a [*MissingError], which says where to get them, under what
// licence, and which generator stands in; files that are not what they should be give a
// [*FormatError] with the place, what was expected and what was found.
package datasets
