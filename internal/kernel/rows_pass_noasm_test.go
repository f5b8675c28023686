//go:build !amd64 || noasm

package kernel

// passOnce is what there is without kernels.
func passOnce(set instructions, _ int) passes { return chosenPass(set) }
