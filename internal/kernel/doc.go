// Package kernel holds the kernels of training: products of narrow, packed and sparse rows with
// parameters, exact sums of rows and of their outer products, matrix products, and functions of
// vectors. Each has a portable twin and, on amd64, assembly for the levels that Instructions names.
// The level is chosen when the program starts. It knows nothing of privacy, but says which results
// have the same bits wherever a row stands.
package kernel

//go:generate go -C internal/asm run . ../..
