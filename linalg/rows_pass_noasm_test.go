//go:build !amd64 || noasm

package linalg

// passOnce is what there is without kernels.
func passOnce(set instructions, _ int) passes { return chosenPass(set) }
