package sample

import (
	"math"
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
	return newStream(&key, bufferWords)
}

func TestStreamRegress(t *testing.T) {
	s := fixed(0)
	if got, want := s.Word(), uint64(0x825b8f87373ba1c6); got != want {
		t.Errorf("first word of the fixed key: got %#x, want %#x", got, want)
	}
	a, b := NewStream(), NewStream()
	if a.Word() == b.Word() {
		t.Error("two fresh streams begin with the same word")
	}
}

func TestStreamForgetsWhatItGave(t *testing.T) {
	s := fixed(1)
	s.RoundedGaussian(make([]int64, 100), 40)
	for i, b := range s.buffer[:s.next] {
		if b != 0 {
			t.Fatalf("byte %d stays in the buffer after it was given out", i)
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

func BenchmarkRoundedGaussian(b *testing.B) {
	s := NewStream()
	dst := make([]int64, 4096)
	b.ReportAllocs()
	for b.Loop() {
		s.RoundedGaussian(dst, 45)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/sample")
}
