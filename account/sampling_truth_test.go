package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// mixture is a law Σ weight·N(mean, 1).
type mixture map[float64]float64

func (m mixture) density(x float64) float64 {
	sum := 0.0
	for mean, weight := range m {
		sum += weight * math.Exp(-(x-mean)*(x-mean)/2)
	}
	return sum / math.Sqrt(2*math.Pi)
}

// gridStep is the step of a fine grid from -16 to 16.
const gridStep = 1e-3

// grid returns the density on it.
func (m mixture) grid() []float64 {
	var out []float64
	for x := -16.0; x < 16; x += gridStep {
		out = append(out, m.density(x))
	}
	return out
}

// stick integrates max(0, p - e^ε·q) over densities on the grid.
func stick(p, q []float64, epsilon float64) float64 {
	sum, grow := 0.0, math.Exp(epsilon)
	for i := range p {
		sum += max(0, p[i]-grow*q[i])
	}
	return sum * gridStep
}

// TestSamplersOfTwoRecords writes out the output distributions of samplers over two records, for
// several values of the second record. The proven δ is at least their hockey-stick divergence in
// both directions.
func TestSamplersOfTwoRecords(t *testing.T) {
	const q = 0.3
	truncated := mechanism.TruncatedPoisson{Probability: q, Records: 2, MaxBatch: 1, Event: gaussian(1)}
	fewer := truncated // than may be
	fewer.Records = 40
	replaced := mechanism.WithReplacement{Records: 2, Batch: 2, Event: gaussian(1)}
	add := func(m mixture, mean, weight float64) { m[mean] += weight }
	type question struct {
		e       string
		epsilon float64
	}
	priced := map[question]float64{} // is the same whatever the other record is
	price := func(e mechanism.Event, n privacy.Neighboring, epsilon float64) float64 {
		q := question{e.String(), epsilon}
		if _, known := priced[q]; !known {
			v, err := lossDistributions{}.Delta(e, epsilon, n)
			if err != nil {
				t.Fatal(err)
			}
			priced[q] = v.Upper
		}
		return priced[q]
	}
	for _, y := range []float64{-1, -0.5, 0, 1} {
		with, without := mixture{}, mixture{}
		add(with, 0, (1-q)*(1-q))
		add(with, 1, q*(1-q)+q*q/2)
		add(with, y, q*(1-q)+q*q/2)
		add(without, 0, 1-q)
		add(without, y, q)
		one, other := mixture{}, mixture{}
		for k, weight := range []float64{0.25, 0.5, 0.25} {
			add(one, float64(k)+float64(2-k)*y, weight)
			add(other, -float64(k)+float64(2-k)*y, weight)
		}
		in, out, first, second := with.grid(), without.grid(), one.grid(), other.grid()
		for _, epsilon := range []float64{0, 0.2, 0.7, 1.5} {
			for name, c := range map[string]struct {
				e    mechanism.Event
				n    privacy.Neighboring
				p, q []float64
			}{
				"truncated, removed": {truncated, privacy.AddOrRemoveOne, in, out},
				"truncated, added":   {truncated, privacy.AddOrRemoveOne, out, in},
				"fewer, removed":     {fewer, privacy.AddOrRemoveOne, in, out},
				"fewer, added":       {fewer, privacy.AddOrRemoveOne, out, in},
				"with replacement":   {replaced, privacy.ReplaceOne, first, second},
				"and the other way":  {replaced, privacy.ReplaceOne, second, first},
			} {
				got := price(c.e, c.n, epsilon)
				if truth := stick(c.p, c.q, epsilon); got < truth-1e-6 {
					t.Errorf("%s, other record %v, ε %v: proven %v, true %v", name, y, epsilon, got, truth)
				}
			}
		}
	}
}

// TestTruncatedPoissonHoldsForFewerRecords holds that the price does not fall as Records rises, up to where every
// sample is truncated: what is executed on fewer records, of which the number is private, is covered.
func TestTruncatedPoissonHoldsForFewerRecords(t *testing.T) {
	for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne} {
		last := 0.0
		for _, records := range []int{10, 11, 15, 20, 30, 100, 3000} {
			e := mechanism.TruncatedPoisson{Probability: 0.5, Records: records, MaxBatch: 10, Event: gaussian(3)}
			v, err := lossDistributions{}.Delta(e, 0.3, n)
			if err != nil || v.Upper < last*(1-1e-9) {
				t.Errorf("%v, %d records: got %v, %v, want at least %v", n, records, v, err, last)
			}
			last = v.Upper
		}
		if plain, err := (lossDistributions{}).Delta(sampled(0.5, 3), 0.3, n); err != nil || last < 1.5*plain.Upper {
			t.Errorf("%v: %v, %v of the untruncated sample, %v, want more", n, last, err, plain)
		}
	}
}

// TestBandsOfTwoSteps writes out the law of two rows of the matrix with columns (1, 1), (0, 1) and noise of standard
// deviation 1, so that the multiplier is 1/√2: the record is in the group of either step with probability 1/2, and in
// its sample with probability q. The hockey-stick divergences of that law from the one without the record, in both
// directions, and from that of a record which pulls the other way, are at most the proven δ.
func TestBandsOfTwoSteps(t *testing.T) {
	const q, step = 0.4, 0.05
	density := func(g, x, y float64) float64 {
		normal := func(a, b float64) float64 { return math.Exp(-((x-a)*(x-a)+(y-b)*(y-b))/2) / (2 * math.Pi) }
		return (1-q)*normal(0, 0) + q/2*normal(g, g) + q/2*normal(0, g)
	}
	e := mechanism.BandedMatrix{NoiseMultiplier: math.Sqrt(0.5), Bands: 2, Steps: 2, Probability: q}
	for _, c := range []struct {
		n    privacy.Neighboring
		p, q float64
	}{{privacy.AddOrRemoveOne, 1, 0}, {privacy.AddOrRemoveOne, 0, 1}, {privacy.ZeroOut, 1, 0}, {privacy.ReplaceOne, 1, -1}} {
		for _, epsilon := range []float64{0, 0.3, 1} {
			truth := 0.0
			for x := -9.0; x < 9; x += step {
				for y := -9.0; y < 9; y += step {
					truth += max(0, density(c.p, x, y)-math.Exp(epsilon)*density(c.q, x, y)) * step * step
				}
			}
			v, err := lossDistributions{}.Delta(e, epsilon, c.n)
			if err != nil || v.Upper < truth-1e-6 || c.p == 1 && v.Upper > 3*truth {
				t.Errorf("%v, from %v to %v, ε %v: proven %v (%v), true %v", c.n, c.p, c.q, epsilon, v, err, truth)
			}
		}
	}
}
