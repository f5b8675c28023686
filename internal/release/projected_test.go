package release

import (
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

func newTestProjectedSum(t *testing.T, s Sample, j mechanism.JLClipping, dim int) *ProjectedSum {
	t.Helper()
	sum, err := NewProjectedSum(s, ProjectedOptions{Noise: j, Projections: j.Projections, Cap: j.Cap, Dim: dim, Bound: 2.5, MaxRecords: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestProjectedVectorsKeepTheirBound holds what is added for a vector g to min(1, C/M)·g, M from the directions in
// compensated sums, and to the cap; and wild vectors to the cap, in big integers.
func TestProjectedVectorsKeepTheirBound(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	capped := 0
	for trial := range 3000 {
		whole, _ := Draw(Full(), 1)
		j := mechanism.JLClipping{NoiseMultiplier: 1.7, Projections: 1 + r.IntN(4), Cap: 0.5 + 3*r.Float64(), Probability: 1}
		s := newTestProjectedSum(t, whole, j, 6)
		v := make([]float64, 6)
		for k := range v {
			if v[k] = math.Exp(2*r.NormFloat64()) * r.NormFloat64(); trial%3 == 0 {
				v[k] = wildFloat(r)
			}
		}
		if err := s.AddAt([]int{0}, v); err != nil {
			t.Fatal(err)
		}
		delta := float64(s.grid.bound)
		if got := bigSquare(s.total); got.Cmp(bigSquare([]int64{s.limit})) > 0 {
			t.Fatalf("a vector adds squared norm %v, want at most the square of %d", got, s.limit)
		}
		if trial%3 == 0 {
			continue
		}
		square := 0.0
		for k := range j.Projections {
			p := 0.0
			for i, z := range s.directions.all[k*6 : (k+1)*6] {
				p = math.FMA(z, v[i], p)
			}
			square += p * p / float64(j.Projections)
		}
		got := math.Sqrt(norm2(s.total))
		want := kernel.Norm(v) * min(1, 2.5/math.Sqrt(square)) * delta / 2.5
		if got > want*(1+1e-12) {
			t.Fatalf("a vector adds norm %v, want at most %v", got, want)
		}
		if want = min(want, j.Cap*delta); want == j.Cap*delta {
			capped++
		}
		if got < want*(1-1e-6)-3 {
			t.Fatalf("a vector adds norm %v, want nearly %v", got, want)
		}
	}
	if capped < 50 || capped > 1900 {
		t.Errorf("%d of 2000 vectors are cut by the cap, want some", capped)
	}
}

func norm2(q []int64) float64 {
	sum := 0.0
	for _, v := range q {
		sum += float64(v) * float64(v)
	}
	return sum
}

// TestProjectedLengthsHaveTheirLaw: r over the squared length in bounds is of the chi-square law with r degrees, of mean
// r and variance 2r. The mean of n = 1500 is off by more than 6·√(2r/n) with probability below 1e-6 (the upper
// tail of the chi-square law with D = r·n degrees beyond D + 2√(D·x) + 2x is exp(-x) at most: Laurent & Massart,
// "Adaptive estimation of a quadratic functional", Annals of Statistics 2000, lemma 1; here x = 15.6), and the share
// below the median, 2·log 2, is off by as much as here with probability 1e-7 (Hoeffding).
func TestProjectedLengthsHaveTheirLaw(t *testing.T) {
	const n, r = 1500, 2
	v := []float64{3e5, -4e5, 12e5}
	sum, below := 0.0, 0.0
	for range n {
		whole, _ := Draw(Full(), 1)
		s := newTestProjectedSum(t, whole, mechanism.JLClipping{NoiseMultiplier: 1, Projections: r, Cap: 1000, Probability: 1}, len(v))
		if err := s.AddAt([]int{0}, v); err != nil {
			t.Fatal(err)
		}
		x := r * float64(s.grid.bound) * float64(s.grid.bound) / norm2(s.total)
		if sum += x; x < 2*math.Ln2 {
			below++
		}
	}
	if off := math.Abs(sum/n - r); off > 6*math.Sqrt(2*r/float64(n)) {
		t.Errorf("the mean of r/s² is %v, want %d", sum/n, r)
	}
	if off := math.Abs(below/n - 0.5); off > math.Sqrt(math.Log(2/1e-7)/2/n) {
		t.Errorf("the share below the median is %v, want a half", below/n)
	}
}

func TestProjectedSumsArePaidOnce(t *testing.T) {
	poisson, _ := Poisson(0.25)
	for _, sampling := range []Sampling{Full(), poisson} {
		s, err := Draw(sampling, 10)
		if err != nil {
			t.Fatal(err)
		}
		j := mechanism.JLClipping{NoiseMultiplier: 4, Projections: 5, Cap: 2, Probability: 1}
		one := newTestProjectedSum(t, s, j, 3)
		other, p := one.Empty(), &payer{}
		sealed := one.Seal()
		if _, err = Release(p, j, sealed); err != nil {
			t.Fatal(err)
		}
		want := "jl-clipping(4, 5, 2, 1)"
		if sampling == poisson {
			want = "jl-clipping(4, 5, 2, 0.25)"
		}
		if got := strings.Join(p.events, " "); got != want {
			t.Errorf("the release pays for %s, want %s", got, want)
		}
		if _, err = Release(p, j, sealed); err == nil {
			t.Error("directions are used twice")
		}
		if _, err = Release(p, j, other.Seal()); err == nil {
			t.Error("directions are used by two sums")
		}
	}
	fixed, err := FixedSize(10, 3)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := Draw(fixed, 10)
	j := mechanism.JLClipping{NoiseMultiplier: 4, Projections: 5, Cap: 2, Probability: 1}
	if _, err = Release(&payer{}, j, newTestProjectedSum(t, s, j, 3).Seal()); err == nil {
		t.Error("batches of fixed size are released with projections, which nothing proves")
	}
}

func TestProjectedSumsRefuse(t *testing.T) {
	s, _ := Draw(Full(), 2)
	j := mechanism.JLClipping{NoiseMultiplier: 4, Projections: 5, Cap: 2, Probability: 1}
	if _, err := NewVectorSum(s, VectorOptions{Noise: j, Norm: L2(), Dim: 2, Bound: 1, MaxRecords: 10}); err == nil {
		t.Error("a sum that clips otherwise takes the noise")
	}
	good := ProjectedOptions{Noise: j, Projections: 5, Cap: 2, Dim: 2, Bound: 1, MaxRecords: 10}
	for name, change := range map[string]func(o *ProjectedOptions){
		"other projections": func(o *ProjectedOptions) { o.Projections = 6 },
		"another cap":       func(o *ProjectedOptions) { o.Cap = 3 },
		"another noise":     func(o *ProjectedOptions) { o.Noise = mechanism.Gaussian{NoiseMultiplier: 4} },
		"a sampled event": func(o *ProjectedOptions) {
			o.Noise = mechanism.JLClipping{NoiseMultiplier: 4, Projections: 5, Cap: 2, Probability: 0.5}
		},
		"no numbers":     func(o *ProjectedOptions) { o.Dim = 0 },
		"no bound":       func(o *ProjectedOptions) { o.Bound = math.Inf(1) },
		"few records":    func(o *ProjectedOptions) { o.MaxRecords = 1 },
		"many records":   func(o *ProjectedOptions) { o.MaxRecords = maxMaxRecords },
		"an endless cap": func(o *ProjectedOptions) { o.Noise, o.Cap = mechanism.NonPrivate{}, math.Inf(1) },
	} {
		o := good
		change(&o)
		if _, err := NewProjectedSum(s, o); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	one, err := NewProjectedSum(s, good)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := NewProjectedSum(s, good)
	if one.Merge(other) == nil {
		t.Error("sums of different directions are merged")
	}
	if one.AddAt([]int{0}, []float64{1}) == nil || one.AddAt([]int{2}, []float64{1, 2}) == nil {
		t.Error("a short vector or a record outside is added")
	}
	part := one.Empty()
	for _, v := range [][]float64{{math.NaN(), 1}, {math.Inf(1), 1}, {1e300, 1e300}} {
		part = part.Empty()
		if err = part.AddAt([]int{1}, v); err != nil || v[1] == 1 && norm2(part.total) != 0 {
			t.Errorf("%v adds %v (%v), want nothing", v, part.total, err)
		}
	}
	if err = part.Empty().AddAt([]int{1}, []float64{3, 4}); err != nil {
		t.Fatal(err)
	}
	if err = one.Merge(part); err != nil || one.Merge(part) != nil {
		t.Errorf("parts are merged wrongly: %v", err)
	}
}

// TestDirectionsAreFresh draws more directions than one call of the sampler does, by one processor: no number is that of the
// part before, which has 40 bits after the point (false alarms below 1e-6).
func TestDirectionsAreFresh(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const numbers = 2*noisePart + 9
	all := newDirections(numbers).all
	for i := noisePart; i < numbers; i++ {
		if all[i] == all[i-noisePart] {
			t.Fatalf("numbers %d and %d of %d are both %v", i-noisePart, i, numbers, all[i])
		}
	}
}

// TestLimitIsRoundedDown compares the longest vector on the grid with Cap·Δ, as an exact fraction.
func TestLimitIsRoundedDown(t *testing.T) {
	r, rounded := rand.New(rand.NewPCG(5, 2)), 0
	for range 2000 {
		o := ProjectedOptions{Projections: 1, Cap: math.Ldexp(1+r.Float64(), r.IntN(11)-1), Dim: 1}
		g := grid{bound: int64(math.Ldexp(1+r.Float64(), 40))}
		limit := o.limit(g.bound)
		product := new(big.Rat).Mul(new(big.Rat).SetFloat64(o.Cap), new(big.Rat).SetInt64(g.bound))
		if exact := new(big.Rat).SetInt64(int64(o.Cap * float64(g.bound))); exact.Cmp(product) > 0 {
			rounded++
		}
		off, _ := new(big.Rat).Sub(product, new(big.Rat).SetInt64(limit)).Float64()
		if off < 0 || off > 1+0x1p-49*float64(limit) {
			t.Fatalf("cap %v, bound %d: the limit is %d, want the product rounded down", o.Cap, g.bound, limit)
		}
	}
	if rounded < 10 {
		t.Errorf("%d products are rounded up in float64, want more", rounded)
	}
}
