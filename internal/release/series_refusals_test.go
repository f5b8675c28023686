package release

import (
	"github.com/ditherml/dither/mechanism"
	"math"
	"math/big"
	"testing"
)

func TestSeriesRefusals(t *testing.T) {
	c := SeriesOptions{Coefficients: []int64{4, 2}, MaxRecords: 10}
	banded, tree := mechanism.BandedMatrix{NoiseMultiplier: 1, Bands: 2, Steps: 6, Probability: 1}, mechanism.TreeAggregation{NoiseMultiplier: 1, Steps: 6}
	with := func(coefficients ...int64) SeriesOptions {
		return SeriesOptions{Coefficients: coefficients, MaxRecords: 10}
	}
	for name, open := range map[string]func() (*Series, error){
		"no payer":               func() (*Series, error) { return OpenSeries(nil, banded, 5, c) },
		"empty purse":            func() (*Series, error) { return OpenSeries(&purse{}, banded, 5, c) },
		"tree of an empty purse": func() (*Series, error) { return OpenSeries(&purse{}, tree, 5, with()) },
		"too many records":       func() (*Series, error) { return OpenSeries(free{}, banded, 11, c) },
		"negative records":       func() (*Series, error) { return OpenSeries(free{}, banded, -1, c) },
		"no max records": func() (*Series, error) {
			return OpenSeries(free{}, banded, 0, SeriesOptions{Coefficients: c.Coefficients})
		},
		"no steps": func() (*Series, error) {
			return OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: 1, Bands: 2, Steps: 0, Probability: 1}, 5, c)
		},
		"no noise": func() (*Series, error) {
			return OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: 0, Bands: 2, Steps: 6, Probability: 1}, 5, c)
		},
		"infinite noise": func() (*Series, error) {
			return OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: math.MaxFloat64, Bands: 2, Steps: 6, Probability: 1}, 5, c)
		},
		"too much noise": func() (*Series, error) {
			return OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: 1e20, Bands: 2, Steps: 6, Probability: 1}, 5, c)
		},
		"probability": func() (*Series, error) {
			return OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: 1, Bands: 2, Steps: 6, Probability: 1e-30}, 5, c)
		},
		"no coefficients":        func() (*Series, error) { return OpenSeries(free{}, banded, 5, with()) },
		"more than bands":        func() (*Series, error) { return OpenSeries(free{}, banded, 5, with(4, 3, 2)) },
		"rising":                 func() (*Series, error) { return OpenSeries(free{}, banded, 5, with(4, 5)) },
		"negative":               func() (*Series, error) { return OpenSeries(free{}, banded, 5, with(4, -1)) },
		"zero":                   func() (*Series, error) { return OpenSeries(free{}, banded, 5, with(0, 0)) },
		"too large":              func() (*Series, error) { return OpenSeries(free{}, banded, 5, with(1<<20, 1)) },
		"overflowing":            func() (*Series, error) { return OpenSeries(free{}, banded, 5, with(math.MaxInt64, math.MaxInt64)) },
		"coefficients of a tree": func() (*Series, error) { return OpenSeries(free{}, tree, 5, with(1)) },
		"tree of no steps": func() (*Series, error) {
			return OpenSeries(free{}, mechanism.TreeAggregation{NoiseMultiplier: 1, Steps: 0}, 5, with())
		},
	} {
		if s, err := open(); err == nil || s != nil {
			t.Errorf("%s: got %v, %v, want an error and nothing", name, s, err)
		}
	}
}

// TestSeriesReleasesItsStepsAlone holds that nothing but the sum over the sample of the step, of the kind of the
// first, is released, and once; and that nobody else releases what was drawn or made for a series.
func TestSeriesReleasesItsStepsAlone(t *testing.T) {
	open := func() *Series {
		s, err := OpenSeries(free{}, mechanism.BandedMatrix{NoiseMultiplier: 1, Bands: 2, Steps: 6, Probability: 0.5}, 8, SeriesOptions{Coefficients: []int64{4, 2}, MaxRecords: 10})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	draw := func(s *Series) Sample {
		sample, err := s.Draw()
		if err != nil {
			t.Fatal(err)
		}
		return sample
	}
	ones := func(int) []float64 { return []float64{1, 1} }
	s, other := open(), open()
	o := kindOfVectors(s, 2, 10)
	full, err := Draw(Full(), 8)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(name string, b Bounded) {
		t.Helper()
		if n, failed := s.Release(b); failed == nil || n != nil {
			t.Errorf("%s: released %v, want an error", name, n)
		}
	}
	refused("before a draw", sumOf(t, full, o, ones))
	first := draw(s)
	if _, err = s.Draw(); err == nil {
		t.Error("a second sample was drawn before the first was released")
	}
	private := o
	private.Noise = mechanism.Gaussian{NoiseMultiplier: 1}
	refused("nothing", Bounded{})
	refused("of a full sample", sumOf(t, full, o, ones))
	refused("of another series", sumOf(t, draw(other), kindOfVectors(other, 2, 10), ones))
	refused("of its noise, another's sample", sumOf(t, Sample{other.rotation.last}, o, ones))
	refused("of another noise", sumOf(t, first, private, ones))
	b := sumOf(t, first, o, ones)
	if _, err = s.Release(b, b); err == nil {
		t.Error("two sums were released for one")
	}
	if _, err = s.Release(b); err != nil {
		t.Fatal(err)
	}
	refused("twice", b)
	refused("another sum of the step", sumOf(t, first, o, ones))
	second := draw(s)
	refused("of the step before", sumOf(t, first, o, ones))
	for name, change := range map[string]func(*VectorOptions){
		"more numbers": func(o *VectorOptions) { o.Dim = 3 },
		"more records": func(o *VectorOptions) { o.MaxRecords = 1 << 30 },
	} {
		changed := o
		change(&changed)
		refused(name, sumOf(t, second, changed, func(int) []float64 { return make([]float64, changed.Dim) }))
	}
	p := &purse{left: 9}
	for name, b := range map[string]Bounded{
		"its sample, own noise": sumOf(t, second, private, ones),
		"its noise, its sample": sumOf(t, second, o, ones),
		"its noise, all":        sumOf(t, full, o, ones),
	} {
		if _, err = Release(p, b.state.grid.noise, b); err == nil || len(p.paid) != 0 {
			t.Errorf("%s: was released by others, paid %v", name, p.paid)
		}
	}
	if _, err = s.Release(sumOf(t, second, o, ones)); err != nil {
		t.Errorf("after refusals: %v", err)
	}
}

// TestSeriesGridKeepsItsPromises computes in exact numbers that S ≥ multiplier·‖c‖·Δ, for sums of all kinds of
// declared numbers, and that no row overflows.
func TestSeriesGridKeepsItsPromises(t *testing.T) {
	fitted := 0
	for _, z := range []float64{0.01, 0.3, 1, 1.7, 25, 1e4} {
		for _, maxRecords := range []int{1, 1000, 1 << 24, 1 << 34} {
			for name, c := range seriesCases(z, maxRecords) {
				s, err := OpenSeries(free{}, c.open, 0, c.options)
				if err != nil {
					continue
				}
				for _, maxBound := range []int64{0, 1 << productBoundBits} {
					g, failed := fitNoise(s.Noise(0), fit{maxRecords: maxRecords, maxBound: maxBound, norm: L2(), dim: 5})
					if failed != nil {
						t.Errorf("%s, multiplier %v: %v", name, z, failed)
						continue
					}
					fitted++
					square, weight := big.NewInt(0), int64(0)
					for _, v := range c.options.Coefficients {
						square.Add(square, big.NewInt(v*v))
						weight += v
					}
					if name == "tree" {
						square, weight = big.NewInt(1), 1
					}
					// (z·Δ)²·Σc² ≤ S²
					delta := new(big.Rat).SetInt64(g.bound)
					delta.Mul(delta, new(big.Rat).SetFloat64(z))
					delta.Mul(delta, delta)
					delta.Mul(delta, new(big.Rat).SetInt(square))
					if charged := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 2*g.bits)); delta.Cmp(charged) > 0 {
						t.Errorf("%s, multiplier %v: noise of 2^%d is below that of bound %d", name, z, g.bits, g.bound)
					}
					most := new(big.Int).Mul(big.NewInt(g.bound), big.NewInt(weight))
					most.Mul(most, big.NewInt(int64(maxRecords)))
					if most.Add(most, new(big.Int).Lsh(big.NewInt(16), g.bits)).BitLen() > 62 || g.maxRecords != maxRecords {
						t.Errorf("%s, multiplier %v, %d records: a row can be %v", name, z, maxRecords, most)
					}
				}
			}
		}
	}
	if fitted < 150 {
		t.Errorf("%d series were opened, want most", fitted)
	}
	s, err := OpenSeries(free{}, mechanism.TreeAggregation{NoiseMultiplier: 1, Steps: 2}, 0, SeriesOptions{MaxRecords: 5})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = NewVectorSum(mustDraw(t, s), VectorOptions{Noise: s.Noise(0), Norm: L1(), Dim: 2, Bound: 1, MaxRecords: 5}); err == nil {
		t.Error("a sum in another norm was made for a series")
	}
}

func mustDraw(t *testing.T, s *Series) Sample {
	t.Helper()
	sample, err := s.Draw()
	if err != nil {
		t.Fatal(err)
	}
	return sample
}
