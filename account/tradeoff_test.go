package account

import (
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

func tradeOffOf(t *testing.T, delta func(epsilon float64) float64) TradeOff {
	t.Helper()
	o, err := NewTradeOff(func(epsilon float64) (float64, error) { return delta(epsilon), nil })
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// normalQuantile is the x with Φ(x) = p, by bisection.
func normalQuantile(p float64) float64 {
	low, high := -40.0, 40.0
	for range 200 {
		if mid := (low + high) / 2; special.NormalCDF(mid) < p {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// TestTradeOffOfNormalNoise compares with the exact curve of a normal release, Φ(Φ⁻¹(1-fp)-μ) (Dong,
// Roth & Su 2022, equation 6): never above it, and close below.
func TestTradeOffOfNormalNoise(t *testing.T) {
	for _, mu := range []float64{0.01, 0.2, 1, 3, 6} {
		o := tradeOffOf(t, func(epsilon float64) float64 { return gaussianDelta(mu, epsilon) })
		for _, fp := range []float64{1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.9, 0.999} {
			want := special.NormalCDF(-normalQuantile(fp) - mu)
			got := o.FalseNegatives(fp)
			if got > want || 1-got > (1-want)*1.01+1e-9 || got < want*0.98-1e-3 {
				t.Errorf("mu %v, false positives %v: false negatives %v, want a little below %v", mu, fp, got, want)
			}
			if p := o.TruePositives(fp); p != 1-got {
				t.Errorf("mu %v, false positives %v: true positives %v and false negatives %v", mu, fp, p, got)
			}
		}
		if got, want := o.Advantage(), 2*special.NormalCDF(mu/2)-1; math.Abs(got-want) > 1e-9 {
			t.Errorf("mu %v: advantage %v, want %v", mu, got, want)
		}
	}
}

// TestTradeOffOfStatements compares with the curve of one statement of (ε, δ). Its profile is the
// profile of its worst case, δ' = δ + (1-δ)(e^ε-e^ε')/(1+e^ε). Evaluation points other than ε lose
// a little.
func TestTradeOffOfStatements(t *testing.T) {
	for _, c := range []struct{ epsilon, delta float64 }{{0.5, 0}, {1, 1e-5}, {4, 1e-3}, {0.01, 0.2}} {
		top := math.Exp(c.epsilon)
		o := tradeOffOf(t, func(epsilon float64) float64 {
			return c.delta + (1-c.delta)*max(0, top-math.Exp(epsilon))/(1+top)
		})
		last := 1.0
		for _, fp := range []float64{0, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.9, 1, 2} {
			want := max(0, 1-c.delta-top*fp, (1-c.delta-fp)/top)
			got := o.FalseNegatives(fp)
			if got > want+1e-15 || got < want*(1-0.04)-1e-9 || got > last {
				t.Errorf("(%v, %v) at %v: got %v, want at most %v and at most %v", c.epsilon, c.delta, fp, got, want, last)
			}
			last = got
		}
	}
}

// TestTradeOffNeverFavorsTheDefender holds an attacker who tests a Laplace release at each threshold:
// his false negatives are never below the bound.
func TestTradeOffNeverFavorsTheDefender(t *testing.T) {
	e := mechanism.Laplace{NoiseMultiplier: 0.8}
	o, err := NewTradeOff(func(epsilon float64) (float64, error) {
		v, failed := lossDistributions{width: 1e-3}.Delta(e, epsilon, privacy.ZeroOut)
		return v.Upper, failed
	})
	if err != nil {
		t.Fatal(err)
	}
	below := func(x float64) float64 { // P(noise < x)
		if x < 0 {
			return math.Exp(x/0.8) / 2
		}
		return 1 - math.Exp(-x/0.8)/2
	}
	tight := 0.0
	for x := -8.0; x < 9; x += 0.05 {
		fp, fn := 1-below(x), below(x-1)
		if got := o.FalseNegatives(fp); got > fn {
			t.Errorf("threshold %v: false positives %v, negatives %v, bound %v", x, fp, fn, got)
		} else {
			tight = max(tight, got/fn)
		}
	}
	if tight < 0.99 {
		t.Errorf("the bound is at most %v of the attack", tight)
	}
}

func TestTradeOffEdges(t *testing.T) {
	perfect := tradeOffOf(t, func(float64) float64 { return 0 })
	open := tradeOffOf(t, func(float64) float64 { return 1 })
	for _, c := range []struct{ got, want float64 }{
		{perfect.FalseNegatives(0), 1}, {perfect.FalseNegatives(0.25), 0.75}, {perfect.FalseNegatives(1), 0}, {perfect.Advantage(), 0},
		{perfect.FalseNegatives(-1), 1}, {perfect.FalseNegatives(math.NaN()), 0}, {perfect.FalseNegatives(math.Inf(1)), 0},
		{open.FalseNegatives(0), 0}, {open.Advantage(), 1}, {TradeOff{}.FalseNegatives(0.1), 0}, {TradeOff{}.TruePositives(0.1), 1}, {TradeOff{}.Advantage(), 1},
	} {
		if math.Abs(c.got-c.want) > 3e-15 {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
	broken := errors.New("no profile")
	for at := range 3 {
		asked := 0
		_, err := NewTradeOff(func(epsilon float64) (float64, error) {
			if asked++; asked == 1+at*30 {
				return 0, broken
			}
			return math.Exp(-epsilon), nil
		})
		if !errors.Is(err, broken) {
			t.Errorf("error after %d answers: got %v", at*30, err)
		}
	}
	if _, err := NewTradeOff(func(float64) (float64, error) { return math.NaN(), nil }); err == nil {
		t.Error("a delta that is no number was taken")
	}
}
