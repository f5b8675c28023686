package release

import (
	"crypto/rand"
	"encoding/binary"
	"math/bits"
)

// Sums are checked modulo the prime p = 2^61 - 1 against a secret: a vector r of numbers that are
// uniform below p. It is drawn when rows are made, or for a sum without rows, and is unknown to
// whatever computes a sum. No other process has the same secret. Two different vectors
// of integers of magnitude below p/2 have equal products with r with probability 1/p (Freivalds,
// "Probabilistic machines can use less running time", IFIP 1977).

const (
	primeBits = 61
	prime     = 1<<primeBits - 1
	// secretLow is how many bits of a number of the secret are its low part.
	secretLow = 31
	// mixTerms products of a number of 16 bits and a part of a number of the secret have a sum that
	// fits 64 bits.
	mixTerms = 1 << 16
)

// uniform returns n numbers that are uniform below the prime.
func uniform(n int) []uint64 {
	text, out := make([]byte, 8*n), make([]uint64, n)
	rand.Read(text)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(text[8*i:]) & prime
		for out[i] == prime {
			out[i] = uniform(1)[0]
		}
	}
	return out
}

// residue returns v modulo the prime.
func residue(v uint64) uint64 {
	v = v&prime + v>>primeBits
	if v >= prime {
		v -= prime
	}
	return v
}

// residue128 returns a number of two words, in two's complement, modulo the prime. It uses that 2^64
// is 8 modulo the prime.
func residue128(high, low uint64) uint64 {
	return residue(times2(signedResidue(int64(high)), 3) + residue(low))
}

// times2 returns v·2^n modulo the prime, for v below the prime and n below 61. It rotates
// the 61 bits of v.
func times2(v uint64, n uint) uint64 {
	return residue(v<<n&prime | v>>(primeBits-n))
}

// signedResidue returns v modulo the prime. For a negative v, uint64(v) is v + 2^64, and so 8 is
// subtracted.
func signedResidue(v int64) uint64 { return residue(residue(uint64(v)) + prime - uint64(v>>63)&8) }

// addProduct adds a·b to a number of two words, in two's complement. The sum must stay below 2^127
// in magnitude. For a negative a, uint64(a) is a + 2^64, and so b is subtracted from the high word.
func addProduct(high, low uint64, a int64, b uint64) (uint64, uint64) {
	h, l := bits.Mul64(uint64(a), b)
	low, carry := bits.Add64(low, l, 0)
	high, _ = bits.Add64(high, h-uint64(a>>63)&b, carry)
	return high, low
}

// timesResidue returns a·b modulo the prime, for b below the prime.
func timesResidue(a int64, b uint64) uint64 { return residue128(addProduct(0, 0, a, b)) }

// mixWhole returns the squared norm of at most 2^32 integers of at most 16 bits, and their product
// with the secret modulo the prime.
func mixWhole[T int16 | uint8](x []T, r []uint64) (square int64, mix uint64) {
	for r = r[:len(x)]; len(x) > 0; {
		n := min(len(x), mixTerms)
		var high, low int64
		some := r[:n]
		for j, v := range x[:n] {
			w := int64(v)
			square += w * w
			high += w * int64(some[j]>>secretLow)
			low += w * int64(some[j]&(1<<secretLow-1))
		}
		mix = residue(mix + times2(signedResidue(high), secretLow) + signedResidue(low))
		x, r = x[n:], r[n:]
	}
	return square, mix
}

// mixLong returns Σ v_j·r_j modulo the prime, for numbers of magnitude below 2^60.
func mixLong[T int64 | int32](v []T, r []uint64) (mix uint64) {
	r = r[:len(v)]
	for len(v) > 0 {
		n := min(len(v), 64) // products below 2^121
		var high, low uint64
		some := r[:n]
		for j, w := range v[:n] {
			high, low = addProduct(high, low, int64(w), some[j])
		}
		mix = residue(mix + residue128(high, low))
		v, r = v[n:], r[n:]
	}
	return mix
}
