package sample

import (
	"math"
	"testing"
)

// laplaceScales are scales below, near and far above 1, with and without common factors.
var laplaceScales = [][2]uint64{{1, 3}, {2, 2}, {3, 2}, {22, 7}, {1 << 36, 65535}, {MaxScaleNumerator, 1}}

// scaleOf returns the scale and a step that cuts the law into some 40 cells.
func scaleOf(c [2]uint64) (t float64, step int64) {
	t = float64(c[0]) / float64(c[1])
	return t, max(1, int64(t/4))
}

func TestDiscreteLaplaceLaw(t *testing.T) {
	for i, c := range laplaceScales {
		scale, step := scaleOf(c)
		draws := make([]int64, 200000)
		fixed(byte(30+i)).DiscreteLaplace(draws, c[0], c[1])
		if m := misfit(draws, laplaceCDF(scale), 40*step, step); !(m < 1) {
			t.Errorf("scale %d/%d: chi-square over its limit is %.2f, want below 1", c[0], c[1], m)
		}
	}
}

// TestDiscreteLaplaceFaultsAreSeen draws with a scale 2 % too large or too small, and with the
// pair (0, negative) counted as zero: the same chi-square must convict each.
func TestDiscreteLaplaceFaultsAreSeen(t *testing.T) {
	draws := make([]int64, 600000)
	for _, c := range [][2]uint64{{3 * 51, 2 * 50}, {3 * 49, 2 * 50}} {
		fixed(40).DiscreteLaplace(draws, c[0], c[1])
		if m := misfit(draws, laplaceCDF(1.5), 40, 1); !(m > 1) {
			t.Errorf("scale %d/%d passes for 3/2: chi-square over its limit is %.2f", c[0], c[1], m)
		}
	}
	s := fixed(41)
	draws = draws[:100000]
	for i := range draws {
		draws[i] = int64(s.geometric(22, 7))
		if s.Word()>>63 == 1 {
			draws[i] = -draws[i]
		}
	}
	if m := misfit(draws, laplaceCDF(22.0/7), 40, 1); !(m > 1) {
		t.Errorf("zero counted twice passes: chi-square over its limit is %.2f", m)
	}
}

// TestDiscreteLaplaceIsIndependent holds the l1 noise to its joint law: neighbors of a vector,
// in the cells -1, 0, 1 and beyond each, are as frequent as the product says. 24 free cells in
// 25, limit as in misfit, at 10^5 pairs.
func TestDiscreteLaplaceIsIndependent(t *testing.T) {
	const pairs = 100000
	cell := func(x int64) int64 { return max(-2, min(2, x)) + 2 }
	draws := make([]int64, 2*pairs)
	fixed(42).DiscreteLaplace(draws, 3, 2)
	joint := make([]int64, pairs)
	for i := range joint {
		joint[i] = 5*cell(draws[2*i]) + cell(draws[2*i+1])
	}
	single := func(c int64) float64 {
		cdf := laplaceCDF(1.5)
		switch c {
		case 0:
			return cdf(-2)
		case 4:
			return 1 - cdf(1)
		}
		return cdf(c-2) - cdf(c-3)
	}
	law := tableCDF(24, func(x int64) float64 {
		if x < 0 {
			return 0
		}
		return single(x/5) * single(x%5)
	})
	if m := misfit(joint, law, 24, 1); !(m < 1) {
		t.Errorf("pairs: chi-square over its limit is %.2f, want below 1", m)
	}
	for i := range joint {
		joint[i] = 5*cell(draws[2*i]) + cell(draws[2*i])
	}
	if m := misfit(joint, law, 24, 1); !(m > 1) {
		t.Errorf("pairs of equal numbers pass: chi-square over its limit is %.2f", m)
	}
}

// TestDrawsBeyondTheLimitEndTheProgram scripts the words of one draw: a pair of words that makes
// a success of probability 1/e is (0, greatest), as 1/2 is true and 1/3 false. 1023 of them and a
// failure are a number; one more is the end.
func TestDrawsBeyondTheLimitEndTheProgram(t *testing.T) {
	const last = 2 * (wholeScales - 1)
	s := newStream(new([keySize]byte), last+2)
	for i := 0; i < last+2; i += 2 {
		setWord(s, i, 0)
		setWord(s, i+1, math.MaxUint64)
	}
	s.next = 0
	if !panics(func() { s.wholes() }) {
		t.Error("1024 whole units do not panic")
	}
	setWord(s, last, math.MaxUint64)
	s.next = 0
	if got := s.wholes(); got != wholeScales-1 {
		t.Errorf("got %d whole units, want %d", got, wholeScales-1)
	}
	if top := uint64(MaxScaleNumerator*wholeScales - 1); top > math.MaxInt64 {
		t.Errorf("the largest magnitude %d is past int64", top)
	}
}

func TestScalesOutsideTheRange(t *testing.T) {
	dst := make([]int64, 1)
	for name, draw := range map[string]func(s *Stream, dst []int64, numerator, denominator uint64){
		"DiscreteLaplace": (*Stream).DiscreteLaplace, "DiscreteGaussian": (*Stream).DiscreteGaussian, "LInfinity": (*Stream).LInfinity,
		"RoundedL2": func(s *Stream, dst []int64, n, d uint64) { s.RoundedL2(dst, n, d) },
	} {
		for _, c := range [][2]uint64{{0, 1}, {1, 0}, {MaxScaleNumerator + 1, 1}, {math.MaxUint64, math.MaxUint64}} {
			if !panics(func() { draw(fixed(44), dst, c[0], c[1]) }) {
				t.Errorf("%s takes the scale %d/%d, want a panic", name, c[0], c[1])
			}
		}
	}
	s := fixed(44)
	s.DiscreteLaplace(dst, 1, math.MaxUint64)
	s.DiscreteGaussian(dst, 1, math.MaxUint64)
	if dst[0] != 0 {
		t.Errorf("at scale 2^-64 got %d, want 0", dst[0])
	}
}

// TestSamplersForgetWhatTheyGave looks for bits in the buffer after each sampler.
func TestSamplersForgetWhatTheyGave(t *testing.T) {
	dst := make([]int64, 10)
	for name, draw := range map[string]func(s *Stream){
		"BernoulliExp":     func(s *Stream) { s.BernoulliExp(1, 3) },
		"DiscreteLaplace":  func(s *Stream) { s.DiscreteLaplace(dst, 7, 3) },
		"DiscreteGaussian": func(s *Stream) { s.DiscreteGaussian(dst, 7, 3) },
		"LInfinity":        func(s *Stream) { s.LInfinity(dst, 70, 3) },
		"RoundedL2":        func(s *Stream) { s.RoundedL2(dst, 7, 3) },
	} {
		s := fixed(45)
		draw(s)
		for i, b := range s.buffer[:s.next] {
			if b != 0 {
				t.Fatalf("%s: byte %d stays in the buffer after it was given out", name, i)
			}
		}
		if s.next == len(s.buffer) || s.next == 0 {
			t.Errorf("%s: %d bytes were given out, want some and not all", name, s.next)
		}
	}
}

// TestSamplersAllocateNothing: the integer samplers work in place.
func TestSamplersAllocateNothing(t *testing.T) {
	s, dst := NewStream(), make([]int64, 64)
	for name, draw := range map[string]func(){
		"BernoulliExp":     func() { s.BernoulliExp(1, 3) },
		"DiscreteLaplace":  func() { s.DiscreteLaplace(dst, 1<<40, 3) },
		"DiscreteGaussian": func() { s.DiscreteGaussian(dst, 1<<40, 3) },
		"LInfinity":        func() { s.LInfinity(dst, 1<<40, 3) },
	} {
		if n := testing.AllocsPerRun(20, draw); n != 0 {
			t.Errorf("%s allocates %v times, want 0", name, n)
		}
	}
}
