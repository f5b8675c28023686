package linalg

// instructions names a set of processor instructions that kernels are written for.
// Each set holds the sets before it.
type instructions uint8

const (
	portable instructions = iota // what the Go compiler uses on any processor
	avx2                         // amd64: AVX2
	avx512                       // amd64: AVX-512 F and DQ
)

func (s instructions) String() string {
	return [...]string{"portable", "AVX2", "AVX-512"}[s]
}

// Instructions names the best set of processor instructions that the kernels of this package use
// here: "portable", "AVX2" or "AVX-512". It depends on processor and build, and changes no result
// that is exact.
func Instructions() string { return available.String() }
