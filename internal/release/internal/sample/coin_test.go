package sample

import (
	"encoding/binary"
	"math"
	"math/big"
	"testing"
)

// enumeration runs a sampler over every sequence of random words from a set of equally likely
// ones, and adds up exact probabilities. The words stand for the middles of equal parts of
// [0, 1): when parts is a multiple of every n that the sampler asks Below for, Below(n) is
// uniform under them, as it is under all words, and draws nothing again.
type enumeration struct {
	s     *Stream
	words []uint64
	depth int // sequences of more words are not settled
	run   func(s *Stream) string
	law   map[string]*big.Rat
}

// pastDepth is the outcome of the sequences that are not settled.
const pastDepth = "not settled"

// enumerate returns the probability of each outcome of run.
func enumerate(parts int64, depth int, run func(s *Stream) string) map[string]*big.Rat {
	e := enumeration{s: fixed(20), depth: depth, run: run, law: map[string]*big.Rat{}}
	for j := range parts {
		w := big.NewInt(2*j + 1)
		w.Quo(w.Lsh(w, 63), big.NewInt(parts))
		e.words = append(e.words, w.Uint64())
	}
	e.visit(0, big.NewRat(1, 1))
	return e.law
}

// visit settles all sequences that begin with the first length words of the buffer. It runs the
// sampler on these words and tells by the number of words read whether they suffice. The words
// after them are the greatest, at which every coin but the certain ones is false.
func (e *enumeration) visit(length int, weight *big.Rat) {
	for i := length; i < length+8; i++ {
		setWord(e.s, i, e.words[len(e.words)-1])
	}
	e.s.next = 0
	outcome := e.run(e.s)
	switch {
	case e.s.next/8 <= length:
		e.count(outcome, weight)
	case length == e.depth:
		e.count(pastDepth, weight)
	default:
		part := new(big.Rat).Mul(weight, big.NewRat(1, int64(len(e.words))))
		for _, w := range e.words {
			setWord(e.s, length, w)
			e.visit(length+1, part)
		}
	}
}

// setWord makes w word i of the stream's buffer.
func setWord(s *Stream, i int, w uint64) { binary.LittleEndian.PutUint64(s.buffer[8*i:], w) }

func (e *enumeration) count(outcome string, weight *big.Rat) {
	if e.law[outcome] == nil {
		e.law[outcome] = new(big.Rat)
	}
	e.law[outcome].Add(e.law[outcome], weight)
}

func outcome(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// term returns g^k/k!.
func term(g *big.Rat, k int64) *big.Rat {
	t := big.NewRat(1, 1)
	for i := int64(1); i <= k; i++ {
		t.Mul(t, g)
		t.Mul(t, big.NewRat(1, i))
	}
	return t
}

// TestExpCoinIsItsSeries holds the rules of the form "toss until false" to the exact rational
// probabilities of their series: with K tosses of which the last is false, P(K = k) is
// g^(k-1)/(k-1)! - g^k/k!. This is no statistics: an error of any size in a coin, in the order
// of the tosses or in a parity shows. After the given number of words exactly the runs of at
// most so many tosses are settled.
func TestExpCoinIsItsSeries(t *testing.T) {
	half := fraction{1 << 63}
	for _, c := range []struct {
		name          string
		g             *big.Rat
		parts         int64
		words, tosses int
		run           func(s *Stream) bool
	}{
		{"exp(-2/3)", big.NewRat(2, 3), 6, 5, 3, func(s *Stream) bool { return s.expCoin(2, 3) }},
		{"exp(-1/6)", big.NewRat(1, 6), 6, 5, 3, func(s *Stream) bool { return s.expCoin(1, 6) }},
		{"exp(-1)", big.NewRat(1, 1), 12, 3, 4, func(s *Stream) bool { return s.inverseECoin() }},
		{"exp(-(2/3)²/2)", big.NewRat(2, 9), 12, 6, 2, func(s *Stream) bool { return s.halfSquareCoin(2, 3) }},
		{"exp(-1/2) of a fraction", big.NewRat(1, 2), 6, 5, 3, func(s *Stream) bool { return s.fractionExpCoin(&half) }},
	} {
		law := enumerate(c.parts, c.words, func(s *Stream) string { return outcome(c.run(s)) })
		want := map[string]*big.Rat{"true": new(big.Rat), "false": new(big.Rat), pastDepth: term(c.g, int64(c.tosses))}
		for k := int64(1); k <= int64(c.tosses); k++ {
			p := new(big.Rat).Sub(term(c.g, k-1), term(c.g, k))
			sum := want[outcome(k%2 == 1)]
			sum.Add(sum, p)
		}
		for name, p := range want {
			if got := law[name]; got == nil || got.Cmp(p) != 0 {
				t.Errorf("%s: %s has probability %v, want %v", c.name, name, got, p)
			}
		}
	}
}

// TestBernoulliExpCounts compares 10^5 draws with exp(-n/d) over the domain, its ends included:
// the count is within 6.2 standard errors but with probability 6e-10, or 4e-9 over all cases.
func TestBernoulliExpCounts(t *testing.T) {
	const draws = 100000
	s := fixed(21)
	for _, c := range [][2]uint64{
		{0, 1}, {0, math.MaxUint64}, {1, 1}, {5, 3}, {355, 113}, {1, math.MaxUint64},
		{math.MaxUint64 - 1, math.MaxUint64}, {math.MaxUint64, 1 << 63}, {math.MaxUint64, 1},
	} {
		hits := 0.0
		for range draws {
			if s.BernoulliExp(c[0], c[1]) {
				hits++
			}
		}
		p := math.Exp(-float64(c[0]) / float64(c[1]))
		z := (hits - draws*p) / math.Max(1e-9, math.Sqrt(draws*p*(1-p)))
		if math.Abs(z) > 6.2 {
			t.Errorf("exp(-%d/%d): %v of %d, z is %.2f, want within 6.2", c[0], c[1], hits, draws, z)
		}
	}
}

// TestHalfSquareCoinCounts does the same with exp(-(w/a)²/2).
func TestHalfSquareCoinCounts(t *testing.T) {
	const draws = 100000
	s := fixed(22)
	for _, c := range [][2]uint64{{0, 1}, {3, 1}, {5, 3}, {7, 3}, {1<<53 - 1, 1 << 53}, {3 << 52, 1 << 53}, {1<<63 - 1, 1 << 53}} {
		hits := 0.0
		for range draws {
			if s.halfSquareCoin(c[0], c[1]) {
				hits++
			}
		}
		ratio := float64(c[0]) / float64(c[1])
		p := math.Exp(-ratio * ratio / 2)
		z := (hits - draws*p) / math.Max(1e-9, math.Sqrt(draws*p*(1-p)))
		if math.Abs(z) > 6.2 {
			t.Errorf("exp(-(%d/%d)²/2): %v of %d, z is %.2f, want within 6.2", c[0], c[1], hits, draws, z)
		}
	}
}

func TestBernoulliExpRefusesNoDenominator(t *testing.T) {
	if !panics(func() { fixed(23).BernoulliExp(1, 0) }) {
		t.Error("a denominator of 0 does not panic")
	}
}

func panics(f func()) (caught bool) {
	defer func() { caught = recover() != nil }()
	f()
	return false
}
