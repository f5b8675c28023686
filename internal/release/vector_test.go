package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func testNorms(t testing.TB) []Norm {
	t.Helper()
	return []Norm{L1(), L2(), LInfinity()}
}

// exactWithin compares the norm with the bound in big rational arithmetic.
func exactWithin(n Norm, q []int64, bound int64) bool {
	sum, limit := new(big.Rat), new(big.Rat).SetInt64(bound)
	for _, v := range q {
		x := new(big.Rat).SetInt64(max(v, -v))
		switch n.kind {
		case normL1:
			sum.Add(sum, x)
		case normL2:
			sum.Add(sum, x.Mul(x, x))
		case normLInfinity:
			if x.Cmp(sum) > 0 {
				sum = x
			}
		}
	}
	if n.kind == normL2 {
		limit.Mul(limit, limit)
	}
	return sum.Cmp(limit) <= 0
}

// TestVectorsNeverExceedTheBound holds the bound in every norm against rational arithmetic, on wild
// vectors, and that most finite ones get through at nearly their full length.
func TestVectorsNeverExceedTheBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	sample, _ := Draw(Full(), 1)
	for _, norm := range testNorms(t) {
		s, err := NewVectorSum(sample, VectorOptions{Noise: mechanism.KNorm{NoiseMultiplier: 3.3}, Norm: norm, Dim: 3, Bound: 2.5, MaxRecords: 10})
		if err != nil {
			t.Fatal(err)
		}
		q := make([]int64, 3)
		for range trials(10000, 30000) {
			v := []float64{wildFloat(r), wildFloat(r), wildFloat(r)}
			s.roundWithin(q, v)
			if !exactWithin(norm, q, s.grid.bound) {
				t.Fatalf("%v: integers %v of %v pass the bound %d", norm, q, v, s.grid.bound)
			}
			w := []float64{r.NormFloat64() * 3, r.NormFloat64() * 3, r.NormFloat64() * 3}
			s.roundWithin(q, w)
			got := []float64{float64(q[0]), float64(q[1]), float64(q[2])}
			length, want := norm.float(got)*s.bound/float64(s.grid.bound), min(s.bound, norm.float(w))
			if math.Abs(length-want) > 1e-5*want+4/float64(s.grid.bound) {
				t.Fatalf("%v: %v has norm %v, want %v", norm, w, length, want)
			}
		}
	}
}

// TestSealedSumsStay adds through copies of sums after the sums are sealed: what is sealed does not change.
func TestSealedSumsStay(t *testing.T) {
	sample, err := Draw(Full(), 2)
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewVectorSum(sample, VectorOptions{Noise: mechanism.KNorm{NoiseMultiplier: 3.3}, Norm: L1(), Dim: 3, Bound: 2.5, MaxRecords: 10})
	if err != nil {
		t.Fatal(err)
	}
	vector := *s
	before := s.Seal()
	want := slices.Clone(before.state.values)
	if err = vector.Add(1, []float64{1, 1, 0.5}); err != nil || !slices.Equal(before.state.values, want) {
		t.Errorf("vectors: sealed %v became %v (%v)", want, before.state.values, err)
	}
	l, err := NewLosses(sample, LossesOptions{Candidates: 2, MaxRecords: 10})
	if err != nil {
		t.Fatal(err)
	}
	losses := *l
	scores := l.Seal()
	want = slices.Clone(scores.state.loss)
	if err = losses.Add(1, []float64{1, 0.5}); err != nil || !slices.Equal(scores.state.loss, want) {
		t.Errorf("losses: sealed %v became %v (%v)", want, scores.state.loss, err)
	}
}

// TestWithinAtItsEdge moves one unit across the bound of each norm.
func TestWithinAtItsEdge(t *testing.T) {
	big := int64(1) << maxBoundBits
	for _, c := range []struct {
		norm   Norm
		q      []int64
		bound  int64
		within bool
	}{
		{L1(), []int64{3, -4}, 7, true}, {L1(), []int64{3, -5}, 7, false},
		{L1(), []int64{maxCoefficient, maxCoefficient, -maxCoefficient}, big, false},
		{L2(), []int64{3, -4}, 5, true}, {L2(), []int64{4, -4}, 5, false},
		{LInfinity(), []int64{7, -7}, 7, true}, {LInfinity(), []int64{7, -8}, 7, false},
	} {
		if got := c.norm.within(c.q, c.bound); got != c.within {
			t.Errorf("%v: %v within %d is %v, want %v", c.norm, c.q, c.bound, got, c.within)
		}
	}
}

func TestVectorRefusals(t *testing.T) {
	sample, _ := Draw(Full(), 4)
	good := VectorOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 2}, Norm: L2(), Dim: 3, Bound: 1, MaxRecords: 4}
	for name, change := range map[string]func(*VectorOptions){
		"no noise":                   func(o *VectorOptions) { o.Noise = nil },
		"no norm":                    func(o *VectorOptions) { o.Norm = Norm{} },
		"normal noise in l1":         func(o *VectorOptions) { o.Norm = L1() },
		"discrete noise of vectors":  func(o *VectorOptions) { o.Noise = mechanism.DiscreteLaplace{Scale: 2, Sensitivity: 1} },
		"discrete noise, bad event":  func(o *VectorOptions) { o.Noise, o.Dim = mechanism.DiscreteLaplace{Scale: 2, Sensitivity: 0}, 1 },
		"no dim":                     func(o *VectorOptions) { o.Dim = 0 },
		"infinite bound":             func(o *VectorOptions) { o.Bound = math.Inf(1) },
		"more records than declared": func(o *VectorOptions) { o.MaxRecords = 3 },
		"overflow": func(o *VectorOptions) {
			o.Noise, o.Dim, o.MaxRecords = mechanism.DiscreteGaussian{StandardDeviation: 3, Sensitivity: 1 << 50}, 1, 1<<13
		},
	} {
		o := good
		change(&o)
		if _, err := NewVectorSum(sample, o); err == nil {
			t.Errorf("%s: got a sum, want an error", name)
		}
	}
	s, err := NewVectorSum(sample, good)
	if err != nil {
		t.Fatal(err)
	}
	if err = s.Add(0, make([]float64, 6)); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"a record twice":  s.Add(1, make([]float64, 3)),
		"wrong length":    s.Add(2, make([]float64, 4)),
		"outside":         s.Add(3, make([]float64, 6)),
		"records, length": s.AddAt([]int{2, 3}, make([]float64, 3)),
	} {
		if err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// TestVectorSumMerges holds that parts give the same integers, and poisoned vectors nothing.
func TestVectorSumMerges(t *testing.T) {
	sample, _ := Draw(Full(), 3)
	whole, err := NewVectorSum(sample, VectorOptions{Noise: mechanism.KNorm{NoiseMultiplier: 2}, Norm: L1(), Dim: 2, Bound: 1, MaxRecords: 4})
	if err != nil {
		t.Fatal(err)
	}
	part := whole.Empty()
	v := []float64{0.25, -0.5, math.NaN(), 0.1, 3, 1}
	if err = whole.Add(0, v[:4]); err != nil {
		t.Fatal(err)
	}
	if err = part.AddAt([]int{2}, v[4:]); err != nil {
		t.Fatal(err)
	}
	if err = whole.Merge(part); err != nil {
		t.Fatal(err)
	}
	if err = whole.Merge(part); err != nil || part.total[0] != 0 {
		t.Errorf("an emptied part: %v, %v", part.total, err)
	}
	state := whole.Seal().state
	for j, want := range []float64{0.25 + 0.75, -0.5 + 0.25} {
		if got := float64(state.values[j]) * state.unit; math.Abs(got-want) > 1e-6 {
			t.Errorf("number %d: got %v, want %v", j, got, want)
		}
	}
	if err = whole.Add(0, nil); err == nil {
		t.Error("a sealed sum was added to")
	}
}

// TestEveryNoiseIsReleased releases a sum with each noise and holds the price and the scale: the mean
// magnitude of 4000 draws around 100 lies within 25 % of its expectation (false alarms below 1e-9).
func TestEveryNoiseIsReleased(t *testing.T) {
	const n = 4000
	sample, _ := Draw(Full(), 1)
	for _, c := range []struct {
		noise mechanism.Noise
		norm  Norm
		mean  float64 // of |noise|, in bounds
	}{
		{mechanism.Gaussian{NoiseMultiplier: 3}, L2(), 3 * math.Sqrt(2/math.Pi)}, {mechanism.KNorm{NoiseMultiplier: 3}, L1(), 3}, {mechanism.KNorm{NoiseMultiplier: 3}, LInfinity(), 3}, {mechanism.KNorm{NoiseMultiplier: 3}, L2(), 3},
		{mechanism.DiscreteLaplace{Scale: 3 * (1 << 16), Sensitivity: 1 << 16}, L1(), 3}, {mechanism.DiscreteGaussian{StandardDeviation: 3 * (1 << 10), Sensitivity: 1 << 10}, L2(), 3 * math.Sqrt(2/math.Pi)},
	} {
		s, err := NewVectorSum(sample, VectorOptions{Noise: c.noise, Norm: c.norm, Dim: 1, Bound: 0.5, MaxRecords: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err = s.Add(0, []float64{0.5}); err != nil {
			t.Fatal(err)
		}
		b, p, total := s.Seal(), &purse{left: n}, 0.0
		for range n {
			noisy, failed := Release(p, c.noise, b)
			if failed != nil {
				t.Fatal(failed)
			}
			total += math.Abs(noisy.Values()[0]-0.5) / 0.5
		}
		if mean := total / n; math.Abs(mean/c.mean-1) > 0.25 {
			t.Errorf("%v in %v: mean magnitude %v, want %v", c.noise, c.norm, mean, c.mean)
		}
		if p.paid[0] != c.noise.String() {
			t.Errorf("%v: paid %s", c.noise, p.paid[0])
		}
	}
}

func TestSaturatingAdd(t *testing.T) {
	for _, c := range [][3]int64{{1, 2, 3}, {math.MaxInt64, 1, math.MaxInt64}, {math.MinInt64, -1, math.MinInt64}, {math.MinInt64, math.MaxInt64, -1}, {1 << 62, 1 << 62, math.MaxInt64}, {math.MinInt64 / 2, math.MinInt64 / 2, math.MinInt64}} {
		if got := saturatingAdd(c[0], c[1]); got != c[2] {
			t.Errorf("%d + %d: got %d, want %d", c[0], c[1], got, c[2])
		}
	}
}

func TestRoundScale(t *testing.T) {
	for v, want := range map[float64]float64{3: 3, 0.1: 6554.0 / 65536, 1e-9: 1.0 / 65536, 1 << 20: 1 << 20} {
		if got, err := RoundScale(v); err != nil || got != want {
			t.Errorf("%v: got %v, %v, want %v", v, got, err, want)
		}
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1), 1<<20 + 1} {
		if got, err := RoundScale(v); err == nil {
			t.Errorf("%v: got %v, want an error", v, got)
		}
	}
	sample, _ := Draw(Full(), 1)
	for _, n := range []mechanism.Noise{mechanism.DiscreteLaplace{Scale: 0.1, Sensitivity: 1}, mechanism.DiscreteGaussian{StandardDeviation: 1<<20 + 1, Sensitivity: 1}} {
		if _, err := NewVectorSum(sample, VectorOptions{Noise: n, Norm: L1(), Dim: 1, Bound: 1, MaxRecords: 1}); err == nil {
			t.Errorf("%v: a scale off the grid was taken", n)
		}
	}
}
