package sample

import "math/bits"

// maxRadiusNumerator bounds (dimension + 1)·numerator, so that a radius stays below 2^62.
const maxRadiusNumerator = 1 << 52

// maxDimensions bounds the dimension in units of the scale, so that a radius takes less than
// exp(8) < 3000 proposals on average.
const maxDimensions = 16

// LInfinity fills dst with one vector x of integers of probability proportional to
// exp(-‖x‖∞·denominator/numerator), exactly: K-norm noise of the maximum norm on the integer
// lattice. Its coordinates are not independent; the dimension d is len(dst), and an empty dst is
// left as it is. In one dimension this is the discrete Laplace distribution.
//
// Let t = numerator/denominator. It panics unless denominator ≥ 1, 1 ≤ numerator,
// (d+1)·numerator ≤ 2^52 and d ≤ 16·t. The last limit is one of time: a radius takes at most
// exp(d/(2t)) proposals on average. Magnitudes are below 2^62; a proposal ends the program with
// probability below (d+1)·2^-1477.
//
// A radius R is drawn with probability proportional to (2R+1)^d·exp(-R/t), then each coordinate
// uniformly from [-R, R]. A vector x can come from every R ≥ ‖x‖∞. So its probability is
// proportional to the sum of (2R+1)^d·exp(-R/t)/(2R+1)^d = exp(-R/t) over these R, a geometric
// series proportional to exp(-‖x‖∞/t). Hardt & Talwar, "On the Geometry of Differential Privacy",
// STOC 2010, https://arxiv.org/abs/0907.3754, do the same with convex bodies.
func (s *Stream) LInfinity(dst []int64, numerator, denominator uint64) {
	if len(dst) == 0 {
		return
	}
	checkMaximumNorm(uint64(len(dst)), numerator, denominator)
	r := s.cubeRadius(uint64(len(dst)), numerator, denominator)
	s.cube(dst, r)
	s.forget()
}

// checkMaximumNorm panics on what LInfinity does not serve.
func checkMaximumNorm(dimension, numerator, denominator uint64) {
	checkScale(numerator, denominator)
	if high, low := bits.Mul64(dimension+1, numerator); high != 0 || low > maxRadiusNumerator {
		panic("sample: the scale times the dimension is outside its range")
	}
	if high, low := bits.Mul64(dimension, denominator); high != 0 || low > maxDimensions*numerator {
		panic("sample: the scale is too small for the dimension")
	}
}

// cube fills dst with a vector uniform on the integers of the cube [-r, r]^d.
func (s *Stream) cube(dst []int64, r uint64) {
	for i := range dst {
		dst[i] = int64(s.Below(2*r+1)) - int64(r)
	}
}

// cubeRadius draws r ≥ 0 with probability proportional to (2r+1)^d·ρ^r, ρ = exp(-1/t),
// t = numerator/denominator.
//
// The sum of d+1 independent geometric numbers of ratio ρ has probability proportional to
// C(r+d, d)·ρ^r. Since C(r+d, d) = (r+1)·…·(r+d)/d!,
//
//	(2r+1)^d / C(r+d, d) = 2^d·d! · Π over k = 1…d of (2r+1)/(2r+2k),
//
// so it is kept with the probability that the product states; each factor is below 1.
//
// A proposal is kept with probability at least exp(-d/(2t)). For (2r+1)^d is the sum over k of
// B(k)·C(r+d-k, d), where B(k) is the number of signed permutations of d letters with k descents
// (Bagno, Garber & Novick, "The Worpitzky identity for the groups of signed and even-signed
// permutations", 2020, https://arxiv.org/abs/2004.03681). Summed over r with the weights
// (1-ρ)^(d+1)·ρ^r, the term of k gives B(k)·ρ^k. So the probability of keeping is the mean of ρ^k
// over all 2^d·d! signed permutations. Negating a permutation turns k into d-k, so the mean of k is
// d/2, and Jensen's inequality gives ρ^(d/2).
func (s *Stream) cubeRadius(dimension, numerator, denominator uint64) uint64 {
	for {
		r := s.geometricSum(dimension+1, numerator, denominator)
		if s.radiusKept(r, dimension) {
			return r
		}
	}
}

// geometricSum adds independent geometric numbers of ratio exp(-d/n).
func (s *Stream) geometricSum(count, n, d uint64) uint64 {
	sum := uint64(0)
	for range count {
		sum += s.geometric(n, d)
	}
	return sum
}

// radiusKept is true with the probability Π over k = 1…dimension of (2r+1)/(2r+2k).
func (s *Stream) radiusKept(r, dimension uint64) bool {
	for k := uint64(1); k <= dimension; k++ {
		if !s.coin(2*r+1, 2*r+2*k) {
			return false
		}
	}
	return true
}
