// Package kernel holds the kernels of training. They are products of narrow, packed and sparse rows
// with parameters, exact sums of rows and outer products, matrix products, and functions of
// vectors. Each has a portable twin. On amd64 each also has assembly for the levels that
// Instructions names. The level is chosen when the program starts. The package knows nothing of
// privacy. It states which results have the same bits wherever a row is.
package kernel

//go:generate go -C internal/asm run . ../..
