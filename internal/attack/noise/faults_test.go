package noise

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/release"
)

// alarm is the false-alarm probability of a whole audit.
const alarm = 1e-6

// TestFaultsOfNoiseAreFound plants faults into true noise, one at a time, and wants each found by
// the test that is for it. The same numbers without a fault pass. The fault that reuses words is as
// rare as one place in some 20,000.
func TestFaultsOfNoiseAreFound(t *testing.T) {
	k := kinds()[0]
	ctx := context.Background()
	numbers, gridBits, err := k.read(ctx, 60000)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	sigma := math.Ldexp(1, int(gridBits))
	each := func(do func(i int, v int64) int64) func([]int64) {
		return func(n []int64) {
			for i, v := range n {
				n[i] = do(i, v)
			}
		}
	}
	faults := []struct {
		name, found string
		plant       func(n []int64)
	}{
		{"scale 3 % low", "scale", each(func(_ int, v int64) int64 { return int64(0.97 * float64(v)) })},
		{"uniform numbers of the same variance", "distribution", each(func(int, int64) int64 { return int64((2*r.Float64() - 1) * math.Sqrt(3) * sigma) })},
		{"Laplace numbers of the same variance", "distribution", each(func(_ int, v int64) int64 {
			return int64(math.Copysign(r.ExpFloat64()*sigma/math.Sqrt2, float64(v)))
		})},
		{"a tail that is cut at 2 deviations", "distribution", each(func(_ int, v int64) int64 {
			return int64(max(-2*sigma, min(2*sigma, float64(v))))
		})},
		{"a tail that is cut at 3 deviations", "tails", each(func(_ int, v int64) int64 {
			return int64(max(-3*sigma, min(3*sigma, float64(v))))
		})},
		{"numbers with 31 random bits", "low 8 bits", each(func(_ int, v int64) int64 { return v &^ (1<<22 - 1) })},
		{"a sign that follows one 3000 numbers before", "correlation at any lag", func(n []int64) {
			for i := 3000; i < len(n); i++ {
				if i%8 == 0 && (n[i] < 0) != (n[i-3000] < 0) {
					n[i] = -n[i]
				}
			}
		}},
		{"a magnitude that follows its neighbor's", "correlation at any lag", func(n []int64) {
			for i := 1; i < len(n); i += 4 {
				n[i] = int64(math.Copysign(float64(max(n[i-1], -n[i-1]))+float64(r.IntN(1<<40)), float64(n[i])))
			}
		}},
		{"lowest bits that follow one another", "correlation at any lag", func(n []int64) {
			for i := 100; i < len(n); i += 8 {
				n[i] = n[i]&^1 | n[i-100]&1
			}
		}},
		{"some numbers given out twice", "repeated numbers", func(n []int64) {
			for i := 13000; i < len(n); i += 5000 {
				n[i] = -n[i-12345]
			}
		}},
		{"the noise of each step is that of the last", "repeated numbers", func(n []int64) { copy(n[30000:], n[:30000]) }},
		{"the noise of a step with a sum added to it", "repeated differences", func(n []int64) {
			for i := range 20000 {
				n[30000+i] = n[i] + int64(0.7*sigma)
			}
		}},
		{"some numbers given out again at half their size", "small ratios", func(n []int64) {
			for i := 5000; i < len(n); i += 5000 {
				n[i] = n[i-1234] / 2
			}
		}},
		{"words used twice, for two layers", "layers", func(n []int64) {
			widths := release.NoiseLayers()
			for i := 3000; i+3 < len(n); i += 4096 * 5 {
				for k := range 3 {
					n[i+k], n[i+k-1700] = sharing(r, widths, gridBits)
				}
			}
		}},
		{"one word in 6,000 used twice, for a number some 1,700 later", "layers, at like distances", func(n []int64) {
			widths := release.NoiseLayers()
			for i := range len(n) / dim {
				for k := range 2 {
					at := i*dim + k*4096 + 3000 + r.IntN(1000)
					n[at], n[at-1700-r.IntN(30)] = sharing(r, widths, gridBits)
				}
			}
		}},
	}
	for _, f := range faults {
		planted := slices.Clone(numbers)
		f.plant(planted)
		with := k
		with.words = strings.HasPrefix(f.found, "layers") // the others need no search that takes long
		found, failed := with.test(ctx, planted, gridBits)
		if failed != nil {
			t.Fatal(failed)
		}
		s := section(found, alarm/15)
		if s.Verdict != auditing.Refuted || !strings.Contains(s.Note, f.found) {
			t.Errorf("%s: %s: %q, want it refuted by %q", f.name, s.Verdict, s.Note, f.found)
		}
	}
	findings, err := k.test(ctx, numbers, gridBits)
	if err != nil {
		t.Fatal(err)
	}
	if s := section(findings, alarm/15); s.Verdict != auditing.NotRefuted {
		t.Errorf("true noise is refuted: %s", s.Note)
	}
}

// sharing returns two numbers that one word makes of two layers.
func sharing(r *rand.Rand, widths []uint64, gridBits uint) (int64, int64) {
	word := r.Uint64() >> 1
	of := func(width uint64) int64 {
		point, _ := bits.Mul64(word, width)
		return int64((2*point + 1 + 1<<(fineBits-gridBits)) >> (fineBits + 1 - gridBits))
	}
	return of(widths[1+r.IntN(200)]), of(widths[201+r.IntN(200)])
}

// TestLikeDistancesOfChanceAreRare draws forests of chance: pairs of numbers between 0 and 1 that are
// near each other. A finding is below a probability no more often than that probability says.
func TestLikeDistancesOfChanceAreRare(t *testing.T) {
	const n, size, trials, near, seldom = 400, 200, 2000, 1e-3, 2e-5
	r, low := rand.New(rand.NewPCG(3, 4)), 0
	for range trials {
		var distances []int
		for range n / size {
			x := make([]float64, size)
			for i := range x {
				x[i] = r.Float64()
				for j := range i {
					if math.Abs(x[i]-x[j]) < near/2 {
						distances = append(distances, i-j)
					}
				}
			}
		}
		if checkDistances("", distances, n, size, near).LogP < math.Log(0.05) {
			low++
		}
	}
	// Of 2,000 trials 170 or more would be rarer than 1e-10.
	if low >= 170 {
		t.Errorf("%d of %d findings have a probability below 0.05", low, trials)
	}
	for _, c := range []struct {
		distances []int
		least     bool
	}{{nil, false}, {[]int{5}, false}, {[]int{5, 60, 61, 90, 120, 7}, false}, {[]int{50, 51, 52, 50, 51, 52, 50, 50}, true}} {
		if f := checkDistances("", c.distances, n, size, seldom); (f.LogP < -scaleNats) != c.least {
			t.Errorf("distances %v: probability e^%.1f, %s; rare is %v, want %v", c.distances, f.LogP, f.Seen, !c.least, c.least)
		}
	}
}

// TestFaultsOfSolvedReleasesAreFound claims another scale than that of releases whose noise goes
// through a computation. It also repeats their numbers.
func TestFaultsOfSolvedReleasesAreFound(t *testing.T) {
	for _, k := range solved() {
		numbers, gridBits, err := k.read(t.Context(), 12000)
		if err != nil {
			t.Fatal(err)
		}
		check := func(fault, found string, numbers []int64) {
			findings, err := k.test(t.Context(), numbers, gridBits)
			if err != nil {
				t.Fatal(err)
			}
			if s := section(findings, alarm/20); (s.Verdict == auditing.Refuted) != (found != "") || !strings.Contains(s.Note, found) {
				t.Errorf("%s, %s: %s: %q, want %q", k.name, fault, s.Verdict, s.Note, found)
			}
		}
		check("none", "", numbers)
		smaller, twice := slices.Clone(numbers), slices.Clone(numbers)
		for i := range smaller {
			smaller[i] = smaller[i] * 7 / 8
		}
		copy(twice[6000:], twice[:6000])
		check("noise that is an eighth too small", "scale", smaller)
		check("noise that is used twice", "correlation at any lag", twice)
	}
}

// TestFaultsOfFrequenciesAreFound compares true integers and choices with probabilities of others.
func TestFaultsOfFrequenciesAreFound(t *testing.T) {
	const enough = 20000
	check := func(name string, refuted bool, run func() ([]Finding, error)) {
		findings, err := run()
		if err != nil {
			t.Fatal(err)
		}
		if s := section(findings, alarm/15); (s.Verdict == auditing.Refuted) != refuted {
			t.Errorf("%s: %s: %q", name, s.Verdict, s.Note)
		}
	}
	for _, c := range integerKinds() {
		check(c.name, false, func() ([]Finding, error) { return checkIntegers(c.noise, c.weight, enough) })
		check(c.name+" of a scale 15 % smaller", true, func() ([]Finding, error) {
			return checkIntegers(c.noise, func(x float64) float64 { return c.weight(x / 1.15) }, enough)
		})
	}
	for _, c := range choiceKinds() {
		check(c.name, false, func() ([]Finding, error) { return checkChoice(c.choice, c.probabilities(2), enough) })
		check(c.name+" of twice the epsilon", true, func() ([]Finding, error) { return checkChoice(c.choice, c.probabilities(1), enough) })
	}
}

// TestTrueReleasesPass attacks the program as it is, with a share of the numbers that an audit reads.
func TestTrueReleasesPass(t *testing.T) { checkAudits(t, 1, 30000) }

// checkAudits runs audits of the program as it is. None may refute it.
func checkAudits(t *testing.T, audits, numbers int) {
	t.Helper()
	for range audits {
		sections, err := Attack(t.Context(), Options{Numbers: numbers, Alarm: alarm, Elsewhere: func(context.Context) ([]float64, error) { return Elsewhere() }})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sections {
			if s.Verdict != auditing.NotRefuted || s.PValue == nil || !(*s.PValue > 0 && *s.PValue <= 1) {
				t.Errorf("%s: %s: %s", s.Name, s.Verdict, s.Note)
			}
		}
	}
}

// TestAttackEndsWithItsContext checks that a canceled attack stops.
func TestAttackEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Attack(ctx, Options{Numbers: 1000, Alarm: alarm}); err == nil {
		t.Error("an attack without time gives no error")
	}
}

// TestNumbersOnNoGridAreRefuted gives an attack numbers that no release gives.
func TestNumbersOnNoGridAreRefuted(t *testing.T) {
	k := kinds()[0]
	k.draw = func() ([]float64, error) { return []float64{math.Sqrt2, math.Pi}, nil }
	findings, _, err := k.attack(context.Background(), Options{Numbers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if s := section(findings, alarm/15); s.Verdict != auditing.Refuted || !strings.Contains(s.Note, "on no grid") {
		t.Errorf("%s: %q, want numbers on no grid refuted", s.Verdict, s.Note)
	}
}
