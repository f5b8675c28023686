package sample

import (
	"crypto/rand"
	"math"
	"math/big"
	"testing"
)

// fixed returns a stream under a fixed key: statistical tests here are
// deterministic, so they never raise a false alarm; their thresholds are those
// that fresh keys would cross with probability below 1e-9.
func fixed(n byte) *Stream {
	var key [keySize]byte
	for i := range key {
		key[i] = byte(i) ^ n
	}
	return newStream(&key)
}

func TestStreamRegress(t *testing.T) {
	s := fixed(0)
	if got, want := s.Word(), uint64(0xd09f492ab60090f2); got != want {
		t.Errorf("first word of the fixed key: got %#x, want %#x", got, want)
	}
	a, b := NewStream(), NewStream()
	if a.Word() == b.Word() {
		t.Error("two fresh streams begin with the same word")
	}
}

func TestStreamForgetsWhatItGave(t *testing.T) {
	s := fixed(1)
	s.Word()
	for i := range 8 {
		if s.buffer[i] != 0 {
			t.Fatal("a word stays in the buffer after it was given out")
		}
	}
}

func TestBelowIsUniform(t *testing.T) {
	const n, draws = 7, 700000
	s := fixed(2)
	var count [n]float64
	for range draws {
		count[s.Below(n)]++
	}
	chi := 0.0
	for _, c := range count {
		d := c - draws/n
		chi += d * d / (draws / n)
	}
	if chi > 52 { // 6 degrees of freedom: exceeded with probability 2e-9
		t.Errorf("chi-square is %.1f, want below 52", chi)
	}
}

func draws(t *testing.T, key byte, n int, gridBits uint) []float64 {
	t.Helper()
	out := make([]int64, n)
	fixed(key).RoundedGaussian(out, gridBits)
	x := make([]float64, n)
	for i, v := range out {
		x[i] = math.Ldexp(float64(v), -int(gridBits))
	}
	return x
}

// moments returns z-scores of mean, variance and fourth moment of x against the
// standard normal.
func moments(x []float64) (mean, variance, fourth float64) {
	var m1, m2, m4 float64
	for _, v := range x {
		m1 += v
		m2 += v * v
		m4 += v * v * v * v
	}
	n := float64(len(x))
	return m1 / math.Sqrt(n), (m2/n - 1) * math.Sqrt(n/2), (m4/n - 3) * math.Sqrt(n/96)
}

func TestGaussianMoments(t *testing.T) {
	x := draws(t, 3, 1000000, 40)
	mean, variance, fourth := moments(x)
	for name, z := range map[string]float64{"mean": mean, "variance": variance, "fourth moment": fourth} {
		if math.Abs(z) > 6 { // probability 2e-9
			t.Errorf("%s: z is %.2f, want within 6", name, z)
		}
	}
	for i := range x {
		x[i] *= 1.01
	}
	if _, variance, _ = moments(x); math.Abs(variance) < 6 {
		t.Errorf("a standard deviation 1%% too large passes: z is %.2f", variance)
	}
}

// kolmogorov returns √n·sup|F_n - Φ|.
func kolmogorov(x []float64) float64 {
	const cells = 1 << 14
	var count [cells + 1]float64
	cut := func(i int) float64 { return -8 + 16*float64(i)/cells }
	for _, v := range x {
		i := int(math.Ceil((v + 8) / 16 * cells))
		count[max(0, min(cells, i))]++
	}
	n, sum, worst := float64(len(x)), 0.0, 0.0
	for i := range count {
		sum += count[i]
		worst = max(worst, math.Abs(sum/n-0.5*math.Erfc(-cut(i)/math.Sqrt2)))
	}
	return worst * math.Sqrt(n)
}

func TestGaussianDistribution(t *testing.T) {
	x := draws(t, 4, 1000000, 45)
	if d := kolmogorov(x); d > 3.3 { // probability 2·exp(-2·3.3²) = 7e-10
		t.Errorf("Kolmogorov distance is %.2f, want below 3.3", d)
	}
	for i := range x {
		x[i] = math.Max(-4, math.Min(4, x[i]+0.005))
	}
	if d := kolmogorov(x); d < 1.5 {
		t.Errorf("a shifted distribution has Kolmogorov distance %.2f, want above 1.5", d)
	}
}

func TestGaussianLowBits(t *testing.T) {
	out := make([]int64, 1<<20)
	fixed(5).RoundedGaussian(out, 50)
	var count [256]float64
	for _, v := range out {
		count[v&255]++
	}
	chi := 0.0
	for _, c := range count {
		d := c - float64(len(out))/256
		chi += d * d / (float64(len(out)) / 256)
	}
	if chi > 405 { // 255 degrees of freedom: exceeded with probability below 1e-8
		t.Errorf("chi-square of the low byte is %.1f, want below 405", chi)
	}
}

func TestGaussianNeighborsDiffer(t *testing.T) {
	x := draws(t, 6, 1000000, 30)
	lag := 0.0
	for i := 1; i < len(x); i++ {
		lag += x[i] * x[i-1]
	}
	if z := lag / math.Sqrt(float64(len(x))); math.Abs(z) > 6 {
		t.Errorf("lag-one correlation: z is %.2f, want within 6", z)
	}
}

// TestBernoulliPrimitives compares the three Bernoulli primitives with their
// probabilities, each at 10^6 draws.
func TestBernoulliPrimitives(t *testing.T) {
	const n = 1000000
	s := fixed(7)
	half := uint64(1) << (fineBits - 1)
	cases := []struct {
		name string
		p    float64
		draw func() bool
	}{
		{"exp(-1)", math.Exp(-1), s.bernoulliExpMinusOne},
		{"exp(-1/2)", math.Exp(-0.5), func() bool { return s.bernoulliExp(half) }},
		{"exp(0)", 1, func() bool { return s.bernoulliExp(0) }},
		{"exp(-(3/2)^2/2)", math.Exp(-1.125), func() bool { return s.bernoulliExpHalfSquare(3 * half) }},
		{"exp(-(1/2)^2/2)", math.Exp(-0.125), func() bool { return s.bernoulliExpHalfSquare(half) }},
		{"exp(-2)", math.Exp(-2), func() bool { return s.bernoulliExpHalfSquare(4 * half) }},
	}
	for _, c := range cases {
		hits := 0.0
		for range n {
			if c.draw() {
				hits++
			}
		}
		sd := math.Sqrt(n*c.p*(1-c.p)) + 1e-9
		if z := (hits - n*c.p) / sd; math.Abs(z) > 6 {
			t.Errorf("%s: %v of %d, z is %.2f, want within 6", c.name, hits, n, z)
		}
	}
}

// bigGaussian is the textbook sampler of Canonne, Kamath & Steinke (algorithms
// 1–3) in rational arithmetic, for any integer standard deviation: the oracle.
func bigGaussian(sigma int64) int64 {
	t := sigma + 1
	for {
		y := bigLaplace(t)
		magnitude := new(big.Rat).SetInt64(abs(y))
		magnitude.Sub(magnitude, big.NewRat(sigma*sigma, t))
		magnitude.Mul(magnitude, magnitude)
		magnitude.Mul(magnitude, big.NewRat(1, 2*sigma*sigma))
		if bigBernoulliExp(magnitude) {
			return y
		}
	}
}

func bigLaplace(t int64) int64 {
	for {
		u, _ := rand.Int(rand.Reader, big.NewInt(t))
		if !bigBernoulliExp(new(big.Rat).SetFrac(u, big.NewInt(t))) {
			continue
		}
		x := u.Int64()
		for bigBernoulliExp(big.NewRat(1, 1)) {
			x += t
		}
		sign, _ := rand.Int(rand.Reader, big.NewInt(2))
		if sign.Sign() == 0 {
			return x
		}
		if x != 0 {
			return -x
		}
	}
}

func bigBernoulliExp(gamma *big.Rat) bool {
	one := big.NewRat(1, 1)
	for gamma.Cmp(one) > 0 {
		if !bigBernoulliExp(one) {
			return false
		}
		gamma = new(big.Rat).Sub(gamma, one)
	}
	k := int64(1)
	for bigBernoulli(new(big.Rat).Mul(gamma, big.NewRat(1, k))) {
		k++
	}
	return k%2 == 1
}

func bigBernoulli(p *big.Rat) bool {
	u, _ := rand.Int(rand.Reader, p.Denom())
	return u.Cmp(p.Num()) < 0
}

func abs(x int64) int64 {
	if x < 0 {
		return -x
	}
	return x
}

// TestOracleAgrees compares the word sampler at σ = 2^10 with the rational oracle
// at σ = 1024 by a two-sample chi-square over 16 cells. Fresh randomness; 15
// degrees of freedom exceed 75 with probability 6e-10.
func TestOracleAgrees(t *testing.T) {
	const n = 20000
	cell := func(v int64) int { return max(0, min(15, int(8+math.Floor(float64(v)/300)))) }
	var a, b [16]float64
	out := make([]int64, n)
	NewStream().RoundedGaussian(out, 10)
	for _, v := range out {
		a[cell(v)]++
		b[cell(bigGaussian(1024))]++
	}
	chi := 0.0
	for i := range a {
		if sum := a[i] + b[i]; sum > 0 {
			d := a[i] - b[i]
			chi += d * d / sum
		}
	}
	if chi > 75 {
		t.Errorf("two-sample chi-square is %.1f, want below 75", chi)
	}
}

func BenchmarkRoundedGaussian(b *testing.B) {
	s := NewStream()
	dst := make([]int64, 4096)
	b.ReportAllocs()
	for b.Loop() {
		s.RoundedGaussian(dst, 45)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/sample")
}
