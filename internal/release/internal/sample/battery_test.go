//go:build long

package sample

import (
	"math"
	"testing"
)

// The battery draws 10^8 numbers under fresh keys and holds them to the normal law. Each figure
// is a z-score or a chi-square whose limit the true sampler crosses with a probability below
// 1e-9 (the tails: exact binomial, by the normal limit of 6.2 standard errors or a count at
// which the Poisson law has 1e-9). Every figure also has a perturbed twin that must cross it.

const (
	batteryDraws = 100000000
	batteryBits  = 44
	batteryLimit = 6.2
)

// figures are what the battery measures, in one pass.
type figures struct {
	n                    float64
	m1, m2, m3, m4       float64
	lag1, lag2           float64
	beyond               [4]float64 // beyond 3, 4, 5, 6
	positive             float64
	low                  [1 << 16]float64
	cells                [4096]float64 // of width 1/256 from -8 on
	previous, beforeThat float64
	perturb              func(int64) int64
}

func (f *figures) add(v int64) {
	if f.perturb != nil {
		v = f.perturb(v)
	}
	x := math.Ldexp(float64(v), -batteryBits)
	f.n++
	f.m1, f.m2, f.m3, f.m4 = f.m1+x, f.m2+x*x, f.m3+x*x*x, f.m4+x*x*x*x
	f.lag1, f.lag2 = f.lag1+x*f.previous, f.lag2+x*f.beforeThat
	f.beforeThat, f.previous = f.previous, x
	for k := range f.beyond {
		if math.Abs(x) > float64(3+k) {
			f.beyond[k]++
		}
	}
	if v > 0 {
		f.positive++
	}
	f.low[v&0xffff]++
	f.cells[max(0, min(len(f.cells)-1, int(math.Floor((x+8)*256))))]++
}

// scores turns the figures into z-scores by name.
func (f *figures) scores() map[string]float64 {
	root := math.Sqrt(f.n)
	z := map[string]float64{
		"mean": f.m1 / root, "variance": (f.m2/f.n - 1) * root / math.Sqrt2, "skew": f.m3 / f.n * root / math.Sqrt(15),
		"fourth moment": (f.m4/f.n - 3) * root / math.Sqrt(96), "lag one": f.lag1 / root, "lag two": f.lag2 / root,
		"sign": (2*f.positive/f.n - 1) * root,
	}
	for k, got := range f.beyond {
		p := math.Erfc(float64(3+k) / math.Sqrt2)
		// The square root brings Poisson counts near a normal law even when they are small.
		z[[]string{"beyond 3", "beyond 4", "beyond 5", "beyond 6"}[k]] = 2 * (math.Sqrt(got+0.375) - math.Sqrt(f.n*p+0.375))
	}
	chi := 0.0
	for _, c := range f.low {
		d := c - f.n/float64(len(f.low))
		chi += d * d / (f.n / float64(len(f.low)))
	}
	z["low 16 bits"] = normalOfChi(chi, float64(len(f.low)-1))
	chi, kept := 0.0, -1.0
	for i, c := range f.cells {
		low := float64(i)/256 - 8
		want := f.n * (math.Erfc(-(low+1.0/256)/math.Sqrt2) - math.Erfc(-low/math.Sqrt2)) / 2
		if want >= 20 {
			kept++
			chi += (c - want) * (c - want) / want
		}
	}
	z["distribution"] = normalOfChi(chi, kept)
	return z
}

// normalOfChi is the Wilson-Hilferty transformation of a chi-square to a normal score.
func normalOfChi(chi, freedom float64) float64 {
	c := 2 / (9 * freedom)
	return (math.Cbrt(chi/freedom) - (1 - c)) / math.Sqrt(c)
}

func measure(n int, perturb func(int64) int64) map[string]float64 {
	f, s, dst := &figures{perturb: perturb}, NewStream(), make([]int64, 1<<14)
	for done := 0; done < n; done += len(dst) {
		s.RoundedGaussian(dst, batteryBits)
		for _, v := range dst {
			f.add(v)
		}
	}
	return f.scores()
}

func TestBattery(t *testing.T) {
	for name, z := range measure(batteryDraws, nil) {
		t.Logf("%s: z is %.2f", name, z)
		if math.Abs(z) > batteryLimit {
			t.Errorf("%s: z is %.2f, want within %v", name, z, batteryLimit)
		}
	}
}

// TestBatteryConvicts feeds perturbed numbers: each figure must cross its limit for its own fault.
func TestBatteryConvicts(t *testing.T) {
	last := int64(0)
	const unit = 1 << batteryBits
	abs := func(v int64) int64 { return max(v, -v) }
	for name, c := range map[string]struct {
		perturb func(int64) int64
		figures []string
	}{
		"shifted by 0.002": {func(v int64) int64 { return v + unit/500 }, []string{"mean", "sign"}},
		"wider by 0.3 %":   {func(v int64) int64 { return v + v/333 }, []string{"variance", "fourth moment", "distribution"}},
		"skewed":           {func(v int64) int64 { return v + v/200*(v/(1<<24))/(1<<20) }, []string{"skew"}},
		"cut at 4.5":       {func(v int64) int64 { return max(-4*unit-unit/2, min(4*unit+unit/2, v)) }, []string{"beyond 5"}},
		"cut at 2.9":       {func(v int64) int64 { return max(-29*unit/10, min(29*unit/10, v)) }, []string{"beyond 3", "beyond 4"}},
		"heavy beyond 4": {func(v int64) int64 {
			if abs(v) > 4*unit {
				return 2 * v
			}
			return v
		}, []string{"beyond 6"}},
		"even numbers":       {func(v int64) int64 { return v &^ 1 }, []string{"low 16 bits"}},
		"remembers the last": {func(v int64) int64 { v, last = v+last/200, v; return v }, []string{"lag one"}},
		"holes around zero": {func(v int64) int64 {
			if abs(v) < unit/64 {
				return 2 * v
			}
			return v
		}, []string{"distribution"}},
	} {
		got := measure(50000000, c.perturb)
		for _, figure := range c.figures {
			if math.Abs(got[figure]) < batteryLimit {
				t.Errorf("%s: %s is %.2f and does not convict", name, figure, got[figure])
			}
		}
	}
	before, beforeThat := int64(0), int64(0)
	got := measure(50000000, func(v int64) int64 {
		out := v + beforeThat/200
		beforeThat, before = before, v
		return out
	})
	if math.Abs(got["lag two"]) < batteryLimit {
		t.Errorf("remembers the one before the last: lag two is %.2f and does not convict", got["lag two"])
	}
}
