package account

import (
	"math"
	"testing"

	"github.com/ditherml/dither/privacy"
)

// TestParallelCostsItsDearestPart prices events in parallel, in a sequence and repeated, and compares with
// the dearest of the ways that are written out.
func TestParallelCostsItsDearestPart(t *testing.T) {
	for i, c := range []struct {
		event string
		ways  []string
	}{
		{"parallel(gaussian(3), gaussian(5))", []string{"gaussian(3)", "gaussian(5)"}},
		{"parallel(repeat(20, gaussian(9)), laplace(4))", []string{"repeat(20, gaussian(9))", "laplace(4)"}},
		{"parallel(repeat(50, poisson(0.05, gaussian(1))), k-norm(2))", []string{"repeat(50, poisson(0.05, gaussian(1)))", "k-norm(2)"}},
		{"sequence(gaussian(4), parallel(gaussian(3), gaussian(5)))", []string{"sequence(gaussian(4), gaussian(3))", "sequence(gaussian(4), gaussian(5))"}},
		{"repeat(2, parallel(gaussian(3), laplace(4)))", []string{"repeat(2, gaussian(3))", "sequence(gaussian(3), laplace(4))", "repeat(2, laplace(4))"}},
		{"sequence(parallel(gaussian(3), laplace(4)), parallel(gaussian(5), laplace(6)))", []string{"sequence(gaussian(3), gaussian(5))", "sequence(gaussian(3), laplace(6))", "sequence(laplace(4), gaussian(5))", "sequence(laplace(4), laplace(6))"}},
		{"partition(3, parallel(gaussian(3), gaussian(5)))", []string{"partition(3, gaussian(3))", "partition(3, gaussian(5))"}},
		{"parallel(gaussian(3))", []string{"gaussian(3)"}},
		{"sequence(repeat(0, parallel(gaussian(3), laplace(4))), repeat(3, parallel(gaussian(5))))", []string{"repeat(3, gaussian(5))"}},
		{"parallel(gaussian(3), non-private())", []string{"non-private()"}},
	} {
		for k, a := range []Accountant{lossDistributions{width: conformanceWidth}, RDP{}, concentratedDP{}, gaussianDP{}, basicComposition{}, advancedComposition{}} {
			if !thorough && (i+k)%3 != 0 {
				continue
			}
			epsilon, delta, proved := 0.0, 0.0, true
			for _, w := range c.ways {
				e, err := a.Epsilon(parsed(t, w), 1e-6, privacy.AddOrRemoveOne)
				d, err2 := a.Delta(parsed(t, w), 0.7, privacy.AddOrRemoveOne)
				epsilon, delta, proved = max(epsilon, e.Upper), max(delta, d.Upper), proved && err == nil && err2 == nil
			}
			gotE, err := a.Epsilon(parsed(t, c.event), 1e-6, privacy.AddOrRemoveOne)
			gotD, err2 := a.Delta(parsed(t, c.event), 0.7, privacy.AddOrRemoveOne)
			if (err == nil && err2 == nil) != proved {
				t.Errorf("%s by %s: got %v and %v, want a proof %v", c.event, a.Name(), err, err2, proved)
			}
			if proved && (math.Abs(gotE.Upper-epsilon) > 1e-9*epsilon || math.Abs(gotD.Upper-delta) > 1e-9*delta) && !math.IsInf(epsilon, 1) {
				t.Errorf("%s by %s: got epsilon %v and delta %v, want %v and %v", c.event, a.Name(), gotE.Upper, gotD.Upper, epsilon, delta)
			}
		}
	}
}

// TestParallelBoundsTheMixture integrates the true δ(ε) of two normal releases of which a coin
// chooses one. It does so for a known coin, and for an unknown coin and the sum alone. Both are
// below the price.
func TestParallelBoundsTheMixture(t *testing.T) {
	const z1, z2 = 1.5, 2.5
	e := parsed(t, "parallel(gaussian(1.5), gaussian(2.5))")
	density := func(x, mean, z float64) float64 {
		return math.Exp(-(x-mean)*(x-mean)/(2*z*z)) / (z * math.Sqrt(2*math.Pi))
	}
	for _, share := range []float64{0.001, 0.2, 0.5, 0.999} {
		for _, epsilon := range []float64{0, 0.3, 1} {
			known, unknown := 0.0, 0.0
			const step = 0.001
			for x := -15.0; x < 16; x += step {
				p1, q1, p2, q2 := density(x, 1, z1), density(x, 0, z1), density(x, 1, z2), density(x, 0, z2)
				grow := math.Exp(epsilon)
				known += step * (share*max(0, p1-grow*q1) + (1-share)*max(0, p2-grow*q2))
				unknown += step * max(0, share*(p1-grow*q1)+(1-share)*(p2-grow*q2))
			}
			v, err := gaussianDP{}.Delta(e, epsilon, privacy.AddOrRemoveOne)
			if err != nil || known > v.Upper+1e-9 || unknown > known+1e-9 {
				t.Errorf("share %v, epsilon %v: the mixture has delta %v (coin known) and %v, priced at %v, %v", share, epsilon, known, unknown, v, err)
			}
			if share == 0.999 && known < 0.95*v.Upper {
				t.Errorf("epsilon %v: the price %v is far above %v, which a law of the coin attains", epsilon, v.Upper, known)
			}
		}
	}
}

// TestParallelGroups prices two records that stand in different parts: never below what both cost then.
func TestParallelGroups(t *testing.T) {
	for i, c := range []struct{ event, split, same string }{
		{"parallel(gaussian(3), gaussian(5))", "sequence(gaussian(3), gaussian(5))", "gaussian(3)"},
		{"parallel(laplace(3), laplace(4))", "sequence(laplace(3), laplace(4))", "laplace(3)"},
		{"parallel(repeat(50, poisson(0.05, gaussian(1))), laplace(3))", "sequence(repeat(50, poisson(0.05, gaussian(1))), laplace(3))", "laplace(3)"},
	} {
		if !thorough && i == 2 {
			break
		}
		e := parsed(t, c.event)
		got, err := EpsilonGroup(For(e), e, 1e-6, privacy.AddOrRemoveOne, 2)
		if err != nil {
			t.Fatal(err)
		}
		if direct, failed := (lossDistributions{}).epsilonGroup(e, 1e-6, privacy.AddOrRemoveOne, 2); failed != nil || direct < got*(1-1e-3) {
			t.Errorf("%s: pld alone says %v for two records, want at least %v (%v)", c.event, direct, got, failed)
		}
		split, err := For(parsed(t, c.split)).Epsilon(parsed(t, c.split), 1e-6, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		same, err := EpsilonGroup(For(parsed(t, c.same)), parsed(t, c.same), 1e-6, privacy.AddOrRemoveOne, 2)
		if err != nil || got < split.Lower || got < same*(1-1e-6) {
			t.Errorf("%s: two records cost %v, want at least %v in two parts and %v in one (%v)", c.event, got, split.Lower, same, err)
		}
	}
}

func TestParallelIsRefusedInside(t *testing.T) {
	for _, text := range []string{"repeat-and-select(1, 5, parallel(gaussian(6), gaussian(7)))", "repeat(100, parallel(gaussian(6), gaussian(7)))"} {
		for _, a := range All() {
			if v, err := a.Epsilon(parsed(t, text), 1e-6, privacy.AddOrRemoveOne); err == nil && !math.IsInf(v.Upper, 1) {
				t.Errorf("%s by %s: got %v, want an error", text, a.Name(), v)
			}
		}
	}
}
