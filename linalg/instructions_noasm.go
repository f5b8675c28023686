//go:build !amd64 || noasm

package linalg

// available is the set of instructions that kernels use.
const available = portable
