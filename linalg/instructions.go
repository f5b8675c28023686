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
