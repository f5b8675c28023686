package erm

import (
	"math"
	"math/rand/v2"
	"testing"
)

// coverage counts how often intervals of 95 % hold the coefficients that records were drawn with, over
// records and noise drawn afresh.
func coverage(t *testing.T, trials int, noise float64, equal bool) (share float64, wide float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(11, uint64(trials)))
	covered, all, errors := 0, 0, 0.0
	for range trials {
		p := newLinearProblem(r, 1500, 4, 0.15)
		f, err := p.moments(t, r, noise, 0.7, equal).Infer(0)
		if err != nil {
			t.Fatal(err)
		}
		for j, want := range p.truth {
			a := make([]float64, len(p.truth))
			a[j] = 1
			e := f.Contrast(a, 0, 0.95)
			if e.Lower <= want && want <= e.Upper {
				covered++
			}
			errors += e.NoiseError / e.StandardError
			all++
		}
	}
	return float64(covered) / float64(all), errors / float64(all)
}

// coverageCases are noises, from none to what is almost refused.
var coverageCases = []struct {
	name  string
	noise float64
	equal bool
}{{"without noise", 1e-9, false}, {"noise beside the sample", 0.5, false}, {"noise alone", 4, false}, {"almost as much noise as is taken", 6.5, false}, {"equal noise", 4, true}}

// TestIntervalsCover holds intervals to their level. Of 4·trials intervals, correlated within a trial, the
// share that covers has a deviation of at most √(0.95·0.05/trials); 5 of them are allowed beyond 0.95 ± 0.02,
// for a false alarm below 1e-6.
func TestIntervalsCover(t *testing.T) {
	const trials = 150
	slack := 0.02 + 5*math.Sqrt(0.95*0.05/trials)
	for _, c := range coverageCases {
		got, share := coverage(t, trials, c.noise, c.equal)
		if math.Abs(got-0.95) > slack {
			t.Errorf("%s: %.3f of the intervals cover, want 0.95 ± %.3f", c.name, got, slack)
		}
		t.Logf("%s: %.3f cover, noise is %.2f of the error", c.name, got, share)
	}
}

func TestIntervalsAreRefusedInNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p := newLinearProblem(r, 200, 4, 0.1)
	if _, err := p.moments(t, r, 20, 1, false).Infer(0); err == nil {
		t.Error("noise as large as the data: got intervals")
	}
	if _, err := p.moments(t, r, 0.1, 1, false).Infer(0); err != nil {
		t.Errorf("little noise: %v", err)
	}
	p.intercept = 0
	if _, err := p.moments(t, r, 0.1, 1, false).Infer(0); err == nil {
		t.Error("no constant coordinate: got intervals without a number of records")
	}
}
