package sample

import (
	"math/big"
	"slices"
	"testing"
)

// plain is the other samplers in big integers, word by word, each as its definition says. It shares no function with those
// that are used.
type plain struct{ next func() uint64 }

// below is uniform on [0, n): ⌊w·n/2^64⌋, drawn again where w·n mod 2^64 is below 2^64 mod n.
func (p plain) below(n *big.Int) *big.Int {
	two64 := new(big.Int).Lsh(big.NewInt(1), 64)
	for {
		high, low := new(big.Int).QuoRem(new(big.Int).Mul(plainWord(p.next()), n), two64, new(big.Int))
		if low.Cmp(new(big.Int).Mod(two64, n)) >= 0 {
			return high
		}
	}
}

// coin is true with probability n/d. What is certain reads no word.
func (p plain) coin(n, d *big.Int) bool {
	return n.Cmp(d) >= 0 || n.Sign() > 0 && p.below(d).Cmp(n) < 0
}

func (p plain) oneIn(k int64) bool { return p.coin(big.NewInt(1), big.NewInt(k)) }

// toss is true with the probability exp(-g) of a coin of probability g: the number of tosses of coins of probability g/1, g/2
// and so on up to the first that is false is odd.
func (p plain) toss(g func() bool, first int64) bool {
	k := int64(1)
	for g() && p.oneIn(first*k) {
		k++
	}
	return k%2 == 1
}

func (p plain) exp1() bool { return p.toss(func() bool { return true }, 1) }

// exp is true with probability exp(-n/d).
func (p plain) exp(n, d *big.Int) bool {
	n = new(big.Int).Set(n)
	for ; n.Cmp(d) >= 0; n.Sub(n, d) {
		if !p.exp1() {
			return false
		}
	}
	return p.toss(func() bool { return p.coin(n, d) }, 1)
}

// geometric has probability in proportion to exp(-x·d/n) for x ≥ 0.
func (p plain) geometric(n, d *big.Int) *big.Int {
	u := p.below(n)
	for !p.exp(u, n) {
		u = p.below(n)
	}
	for p.exp1() {
		u.Add(u, n)
	}
	return u.Quo(u, d)
}

// laplace has probability in proportion to exp(-|x|·d/n).
func (p plain) laplace(n, d *big.Int) *big.Int {
	for {
		x := p.geometric(n, d)
		if p.next() < 1<<63 {
			return x
		}
		if x.Sign() != 0 {
			return x.Neg(x)
		}
	}
}

// gaussian has probability in proportion to exp(-(x·d/n)²/2): a discrete Laplace y of scale n/d, kept with probability
// exp(-(w/n)²/2), w = |y|·d - n. With |w| = q·n + r the exponent is q²/2 + q·r/n + (r/n)²/2.
func (p plain) gaussian(n, d *big.Int) *big.Int {
	for {
		y := p.laplace(n, d)
		w := new(big.Int).Mul(new(big.Int).Abs(y), d)
		q, r := new(big.Int).QuoRem(w.Abs(w.Sub(w, n)), n, new(big.Int))
		square := func() bool { // two coins, of which the second is tossed where the first is true
			first := p.coin(r, n)
			return first && p.coin(r, n)
		}
		if p.exp(new(big.Int).Mul(q, q), big.NewInt(2)) && p.exp(new(big.Int).Mul(q, r), n) && p.toss(square, 2) {
			return y
		}
	}
}

// maximum fills dst with a vector of probability in proportion to exp(-max|x|·d/n).
func (p plain) maximum(dst []int64, n, d *big.Int) {
	for {
		r, kept := new(big.Int), true
		for range len(dst) + 1 {
			r.Add(r, p.geometric(n, d))
		}
		side := new(big.Int).Add(new(big.Int).Lsh(r, 1), big.NewInt(1))
		for k := int64(1); kept && k <= int64(len(dst)); k++ {
			kept = p.coin(side, new(big.Int).Add(side, big.NewInt(2*k-1)))
		}
		if kept {
			for i := range dst {
				dst[i] = new(big.Int).Sub(p.below(side), r).Int64()
			}
			return
		}
	}
}

// digits are 512 uniform bits, as words from the highest.
func (p plain) digits() []uint64 {
	out := make([]uint64, 8)
	for i := range out {
		out[i] = p.next()
	}
	return out
}

// exponential sets x to an exponential number of mean 1 in units of 2^-512, rounded down.
func (p plain) exponential(x *big.Int) {
	for {
		f := p.digits()
		lower := func() bool { // a uniform number below f
			for _, digit := range f {
				if u := p.next(); u != digit {
					return u < digit
				}
			}
			return false
		}
		if p.toss(lower, 1) {
			joined(x, f)
			break
		}
	}
	for p.exp1() {
		x.Add(x, new(big.Int).Lsh(big.NewInt(1), 512))
	}
}

func joined(x *big.Int, digits []uint64) {
	x.SetUint64(0)
	for _, digit := range digits {
		x.Add(x.Lsh(x, 64), plainWord(digit))
	}
}

// disk sets the coordinates of a point of the unit disk, odd integers in units of 2^-512 whose signs are their lowest bits.
func (p plain) disk(point *diskPoint) {
	for {
		for _, x := range []*big.Int{&point.x, &point.y} {
			f := p.digits()
			if joined(x, f); x.Bit(0) == 1 {
				x.Neg(x)
			} else {
				x.Add(x, big.NewInt(1))
			}
		}
		square := new(big.Int).Add(new(big.Int).Mul(&point.x, &point.x), new(big.Int).Mul(&point.y, &point.y))
		if square.BitLen() <= 1024 {
			return
		}
	}
}

// poisson takes each record with probability threshold/2^64: its byte of a word that eight records share, and on a tie 56
// bits of a word of its own, are below the threshold's.
func (p plain) poisson(records int, threshold uint64) (taken []int64) {
	word := uint64(0)
	for i := range records {
		if i%8 == 0 {
			word = p.next()
		}
		number := plainWord(word >> (8 * (i % 8)) & 255)
		number.Lsh(number, 56)
		if word>>(8*(i%8))&255 == threshold>>56 {
			number.Add(number, plainWord(p.next()>>8))
		}
		if number.Cmp(plainWord(threshold)) < 0 {
			taken = append(taken, int64(i))
		}
	}
	return taken
}

// subset takes k of n indices: for each of the last k in turn one up to it, or where that was taken already, it itself.
func (p plain) subset(n, k int) (taken []int64) {
	for j := int64(n - k); j < int64(n); j++ {
		i := p.below(big.NewInt(j + 1)).Int64()
		if slices.Contains(taken, i) {
			i = j
		}
		taken = append(taken, i)
	}
	slices.Sort(taken)
	return taken
}

// each returns n draws of an integer.
func each(n int, draw func() *big.Int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = draw().Int64()
	}
	return out
}

// TestSamplersAreThePlainOnes draws from one tape by each sampler and by its plain form: the integers and the words that are
// read are the same, over many refills.
func TestSamplersAreThePlainOnes(t *testing.T) {
	scales := [][2]uint64{{1, 3}, {3, 2}, {400, 7}, {1 << 40, 3}, {1<<50 - 1, 1}}
	fill := func(n int, draw func(s *Stream, dst []int64)) func(s *Stream) []int64 {
		return func(s *Stream) []int64 {
			dst := make([]int64, n)
			draw(s, dst)
			return dst
		}
	}
	for _, scale := range scales {
		a, b := scale[0], scale[1]
		n, d := plainWord(a), plainWord(b)
		samePlain(t, "Below", fill(1, func(s *Stream, dst []int64) { dst[0] = int64(s.Below(3 * a)) }),
			func(p plain) []int64 { return []int64{p.below(plainWord(3 * a)).Int64()} })
		samePlain(t, "DiscreteLaplace", fill(5, func(s *Stream, dst []int64) { s.DiscreteLaplace(dst, a, b) }),
			func(p plain) []int64 { return each(5, func() *big.Int { return p.laplace(n, d) }) })
		samePlain(t, "DiscreteGaussian", fill(5, func(s *Stream, dst []int64) { s.DiscreteGaussian(dst, a, b) }),
			func(p plain) []int64 { return each(5, func() *big.Int { return p.gaussian(n, d) }) })
		samePlain(t, "LInfinity", fill(3, func(s *Stream, dst []int64) { s.LInfinity(dst, a, b) }),
			func(p plain) []int64 {
				dst := make([]int64, 3)
				p.maximum(dst, n, d)
				return dst
			})
		for _, dimension := range []int{3, 4} {
			if a>>MaxL2ScaleBits == 0 {
				samePlain(t, "RoundedL2", fill(dimension, func(s *Stream, dst []int64) { s.RoundedL2(dst, a, b) }),
					func(p plain) []int64 { return slowL2(p, dimension, a, b) })
			}
		}
	}
	for _, c := range [][2]uint64{{0, 1}, {1, 3}, {5, 3}, {12, 5}, {1 << 60, 1<<61 + 1}, {1, 1 << 63}} {
		samePlain(t, "BernoulliExp", fill(1, func(s *Stream, dst []int64) {
			if s.BernoulliExp(c[0], c[1]) {
				dst[0] = 1
			}
		}), func(p plain) []int64 {
			if p.exp(plainWord(c[0]), plainWord(c[1])) {
				return []int64{1}
			}
			return []int64{0}
		})
	}
	for _, threshold := range []uint64{1, 1 << 50, 1<<56 + 1<<55, 1 << 57, 1 << 63, 1<<64 - 1} {
		samePlain(t, "Poisson", func(s *Stream) []int64 { return wide(s.Poisson(nil, 203, threshold)) },
			func(p plain) []int64 { return p.poisson(203, threshold) })
	}
	for _, k := range []int{0, 1, 20, 59, 60} {
		samePlain(t, "Subset", func(s *Stream) []int64 { return wide(s.Subset(60, k)) }, func(p plain) []int64 { return p.subset(60, k) })
	}
}

// samePlain compares 40 draws through a small buffer, or some more until it was filled 10 times.
func samePlain(t *testing.T, name string, draw func(s *Stream) []int64, plainly func(p plain) []int64) {
	t.Helper()
	all, place := &tape{word: numbered}, 0
	s, p := all.stream(24), plain{func() uint64 { place++; return numbered(place - 1) }}
	for k := range 200 {
		if got, want := draw(s), plainly(p); !slices.Equal(got, want) || all.given(s) != place {
			t.Errorf("%s, draw %d: got %v after %d words, want %v after %d", name, k, got, all.given(s), want, place)
			return
		} else if k >= 40 && all.made > 240 {
			return
		}
	}
}
