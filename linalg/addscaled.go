package linalg

// AddScaled adds c·x to dst: dst[j] += c·x[j] in arithmetic modulo 2^64, as Go's int64
// has it, and thus exactly when the result is in the range of int64. Every processor
// and every build gives the same bits. The lengths must agree; the call panics when
// dst has less room than x has entries, and leaves what dst has beyond them. dst must
// not overlap x. An empty x or c = 0 changes nothing.
func AddScaled(dst []int64, c int64, x []int16) {
	if c == 0 {
		return
	}
	addScaled(available, dst, c, x)
}

// AddScaled4 adds c[0]·x0 + c[1]·x1 + c[2]·x2 + c[3]·x3 to dst, under the conditions
// of AddScaled; x0 decides the length. Four rows a pass spare three loads and stores
// of dst.
func AddScaled4(dst []int64, c [4]int64, x0, x1, x2, x3 []int16) {
	addScaled4(available, dst, c, x0, x1, x2, x3)
}

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

// addScaled is AddScaled with the instructions of a set that the processor has.
func addScaled(set instructions, dst []int64, c int64, x []int16) {
	dst = dst[:len(x)]
	done := addScaledVector(set, dst, c, x)
	addScaledPortable(dst[done:], c, x[done:])
}

// addScaled4 is AddScaled4 with the instructions of a set that the processor has.
func addScaled4(set instructions, dst []int64, c [4]int64, x0, x1, x2, x3 []int16) {
	n := len(x0)
	dst, x1, x2, x3 = dst[:n], x1[:n], x2[:n], x3[:n]
	done := addScaled4Vector(set, dst, &c, x0, x1, x2, x3)
	addScaled4Portable(dst[done:], c, x0[done:], x1[done:], x2[done:], x3[done:])
}

// addScaledPortable is the definition that the other kernels are tested against. dst is
// as long as x.
func addScaledPortable(dst []int64, c int64, x []int16) {
	dst = dst[:len(x)]
	for j, v := range x {
		dst[j] += c * int64(v)
	}
}

// addScaled4Portable is addScaledPortable for four rows of one length.
func addScaled4Portable(dst []int64, c [4]int64, x0, x1, x2, x3 []int16) {
	n := len(x0)
	dst, x1, x2, x3 = dst[:n], x1[:n], x2[:n], x3[:n]
	c0, c1, c2, c3 := c[0], c[1], c[2], c[3]
	for j := range n {
		dst[j] += c0*int64(x0[j]) + c1*int64(x1[j]) + c2*int64(x2[j]) + c3*int64(x3[j])
	}
}
