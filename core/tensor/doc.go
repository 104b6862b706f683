// Package tensor multiplies matrices and does the rest of the arithmetic of neural networks at
// the speed of the processor.
//
// A [Matrix] is rows of numbers in a slice; a batch is a matrix with one sample a row, and
// images are [Images] in the order sample, channel, row, column. Start with [Mul]. Products cut
// their operands into blocks that stay in the caches, pack them in the order in which they are
// used, and multiply tiles that stay in registers (Goto and van de Geijn, ACM Trans. Math.
// Softw. 34 (2008), 12). Packing is also where [MulSampled] gathers the pairs it is asked for,
// and where convolutions find their windows, so neither copies its operands first. [MulSkipping] lists
// what is not 0 of the left factor, and multiplies no more than that.
//
// The inner loops are AVX-512 or AVX2 assembly, or plain Go where there is neither; which is
// chosen when the program starts. [Mat32] and [Mat64] are short names for what cells use most.
package tensor
