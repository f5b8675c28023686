package account

import (
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func target(t testing.TB, epsilon, delta float64) privacy.Guarantee {
	t.Helper()
	g, err := privacy.NewGuarantee(epsilon, delta, privacy.AddOrRemoveOne, privacy.Unit{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestCalibrateSampled compares calibrated noise with values from a high-precision contour
// integration and a bracketing solver. The proven cost is at most the target and near it.
func TestCalibrateSampled(t *testing.T) {
	skipShort(t)
	for i, c := range []struct {
		q              float64
		steps          int
		epsilon, delta float64
		sigma          float64
	}{
		{0.01, 1000, 1, 1e-5, 1.4146194065286766}, {0.01, 10000, 2, 1e-5, 2.1273754347140064}, {256.0 / 60000, 3525, 2, 1e-5, 0.8391324786104192},
		{0.001, 10000, 1, 1e-6, 0.7876177579857963}, {0.5, 10, 5, 1e-6, 1.848218947879654}, {0.05, 500, 0.1, 1e-6, 40.672198302206915},
		{0.01, 1000, 8, 1e-5, 0.5862598506770207},
	} {
		if !thorough && i != 0 {
			continue
		}
		plan := func(z float64) mechanism.Event { return repeated(c.steps, sampled(c.q, z)) }
		z, err := Calibrate(lossDistributions{}, target(t, c.epsilon, c.delta), plan)
		if err != nil || z < c.sigma*(1-1e-7) || z > c.sigma*(1+1e-3) {
			t.Errorf("%+v: got %v (%v)", c, z, err)
			continue
		}
		v, err := lossDistributions{}.Epsilon(plan(z), c.delta, privacy.AddOrRemoveOne)
		if err != nil || !(v.Upper <= c.epsilon) || v.Upper < c.epsilon*(1-1e-3) {
			t.Errorf("%+v: cost %v (%v)", c, v, err)
		}
	}
}

// TestCalibrateOneRelease wants the whole budget used if the bounds of a release are exact. One
// case has a pair that dominates without being attained, so no other estimate is near.
func TestCalibrateOneRelease(t *testing.T) {
	for name, plan := range map[string]func(z float64) mechanism.Event{
		"objective perturbation": func(z float64) mechanism.Event {
			return mechanism.ObjectivePerturbation{NoiseMultiplier: z, Smoothness: 0.02}
		},
		"exponential mechanism": func(z float64) mechanism.Event { return mechanism.Exponential{Epsilon: 1 / z} },
		"sampled release":       func(z float64) mechanism.Event { return sampled(0.05, z) },
	} {
		z, err := Calibrate(lossDistributions{}, target(t, 1, 1e-6), plan)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		v, err := lossDistributions{}.Epsilon(plan(z), 1e-6, privacy.AddOrRemoveOne)
		if err != nil || !(v.Upper <= 1) || v.Upper < 1-1e-6 {
			t.Errorf("%s: cost %v (%v), want 1 from below", name, v, err)
		}
	}
}

func TestCalibrateLargestProbability(t *testing.T) {
	plan := func(q float64) mechanism.Event { return repeated(1000, sampled(q, 1.4146194065286766)) }
	q, err := CalibrateLargest(lossDistributions{}, target(t, 1, 1e-5), 1e-6, 0.9, plan)
	if err != nil || q > 0.01 || q < 0.01*(1-1e-3) {
		t.Errorf("got %v, %v, want just below 0.01", q, err)
	}
	if q, err = CalibrateLargest(lossDistributions{}, target(t, 50, 1e-5), 1e-6, 0.02, plan); err != nil || q != 0.02 {
		t.Errorf("a generous target: got %v, %v, want the end 0.02", q, err)
	}
	if _, err = CalibrateLargest(lossDistributions{}, target(t, 1e-6, 1e-12), 0.1, 0.5, plan); !errors.Is(err, ErrUnreachable) {
		t.Errorf("a target out of reach: %v", err)
	}
	for _, ends := range [][2]float64{{0, 1}, {1, 0.5}, {1, math.Inf(1)}, {math.NaN(), 1}} {
		if _, err = CalibrateLargest(lossDistributions{}, target(t, 1, 1e-5), ends[0], ends[1], plan); err == nil {
			t.Errorf("ends %v: taken", ends)
		}
	}
}

func TestCalibrateCount(t *testing.T) {
	skipShort(t)
	plan := func(count int) mechanism.Event { return repeated(count, sampled(0.01, 1)) }
	n, err := CalibrateCount(lossDistributions{}, target(t, 1.8283, 1e-5), 1<<20, plan)
	if err != nil || n < 998 || n > 1000 {
		t.Errorf("got %d, %v, want 1000 or barely less", n, err)
	}
	if n, err = CalibrateCount(gaussianDP{}, target(t, 1, 1e-5), 7, func(count int) mechanism.Event { return repeated(count, gaussian(1000)) }); err != nil || n != 7 {
		t.Errorf("limit: got %d, %v, want 7", n, err)
	}
	if _, err = CalibrateCount(lossDistributions{}, target(t, 0.01, 1e-12), 1<<20, plan); !errors.Is(err, ErrUnreachable) {
		t.Errorf("no count: %v", err)
	}
	if _, err = CalibrateCount(lossDistributions{}, target(t, 1, 1e-5), 0, plan); err == nil {
		t.Error("limit 0 was taken")
	}
}

func BenchmarkCalibrate(b *testing.B) {
	g := target(b, 2, 1e-5)
	for b.Loop() {
		if _, err := Calibrate(lossDistributions{}, g, func(z float64) mechanism.Event { return repeated(3525, sampled(256.0/60000, z)) }); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPLD(b *testing.B) {
	for name, e := range map[string]mechanism.Event{
		"q=.01,z=1,T=1e4":   repeated(10000, sampled(0.01, 1)),
		"q=.001,z=1,T=1e6":  repeated(1000000, sampled(0.001, 1)),
		"wor,100/1e4,T=1e3": repeated(1000, mechanism.WithoutReplacement{Records: 10000, Batch: 100, Event: gaussian(2)}),
	} {
		n := privacy.AddOrRemoveOne
		if mechanism.CheckNeighboring(e, n) != nil {
			n = privacy.ReplaceOne
		}
		b.Run("certified/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (lossDistributions{}).Epsilon(e, 1e-5, n); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("estimate/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := (lossDistributions{}).estimateEpsilon(e, 1e-5, n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTerms composes a thousand different sampled Gaussian releases.
func BenchmarkTerms(b *testing.B) {
	e := mechanism.Sequence{}
	for k := range 1000 {
		e = append(e, sampled(0.001+1e-5*float64(k), 1+0.001*float64(k)))
	}
	for b.Loop() {
		if _, err := (lossDistributions{}).Epsilon(e, 1e-6, privacy.AddOrRemoveOne); err != nil {
			b.Fatal(err)
		}
	}
}

// TestCalibrateBesideChoices calibrates noise beside releases whose pairs are not attained: what is proved is
// near the target, whichever of pld and rdp proves it.
func TestCalibrateBesideChoices(t *testing.T) {
	for _, beside := range []mechanism.Sequence{
		{mechanism.Repeat{Event: mechanism.Exponential{Epsilon: 0.03}, Count: 6}},
		{mechanism.Repeat{Event: mechanism.Exponential{Epsilon: 0.03}, Count: 6}, mechanism.AssumedDP{Delta: 5e-7, Neighboring: privacy.AddOrRemoveOne}},
		{mechanism.Exponential{Epsilon: 0.9}},
	} {
		plan := func(z float64) mechanism.Event {
			return mechanism.Sequence{beside, mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: z}, Count: 60}}
		}
		z, err := Calibrate(lossDistributions{}, target(t, 1, 1e-5), plan)
		if err != nil {
			t.Fatal(err)
		}
		v, err := lossDistributions{}.Epsilon(plan(z), 1e-5, privacy.AddOrRemoveOne)
		if err != nil || !(v.Upper <= 1) || v.Upper < 0.998 {
			t.Errorf("%v: noise %v costs %v (%v), want 1 and hardly less", beside, z, v, err)
		}
	}
}
