package audit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/special"
)

// draw returns scores of m canaries, each included by a coin, from a location model with this shift.
func draw(rng *rand.Rand, m int, shift float64, noise func() float64) Scores {
	var s Scores
	for range m {
		if rng.IntN(2) == 0 {
			s.Included = append(s.Included, noise()+shift)
		} else {
			s.LeftOut = append(s.LeftOut, noise())
		}
	}
	return s
}

// drawLaplace returns Laplace noise of scale 1.
func drawLaplace(rng *rand.Rand) func() float64 {
	return func() float64 { return rng.ExpFloat64() - rng.ExpFloat64() }
}

// flips returns scores of randomized response, which has ties only.
func flips(rng *rand.Rand, m int, epsilon float64) Scores {
	var s Scores
	for range m {
		included := rng.IntN(2) == 0
		score := -1.0
		if included == (rng.Float64() < 1/(1+math.Exp(-epsilon))) {
			score = 1
		}
		if included {
			s.Included = append(s.Included, score)
		} else {
			s.LeftOut = append(s.LeftOut, score)
		}
	}
	return s
}

// scaled is the family of curves of the profile of μ-Gaussian differential privacy.
func scaled(mu float64) func(float64) Curve {
	const statements, step = 16, 0.7
	var deltas [statements]float64
	for i := range deltas {
		epsilon := step * float64(i)
		deltas[i] = special.NormalCDF(mu/2-epsilon/mu) - math.Exp(epsilon)*special.NormalCDF(-mu/2-epsilon/mu)
	}
	return func(scale float64) Curve {
		var grow [statements]float64
		for i := range grow {
			grow[i] = math.Exp(scale * step * float64(i))
		}
		return func(r float64) float64 {
			least := 0.0
			for i, delta := range deltas {
				least = max(least, (r-delta)/grow[i], 1-delta-grow[i]*(1-r))
			}
			return least
		}
	}
}

// audits runs correct audits whose claims are exact, and counts the bounds above the claim by name.
func audits(t *testing.T, n, m int, confidence float64) (runs, above map[string]int, alarm map[string]float64) {
	t.Helper()
	runs, above, alarm = map[string]int{}, map[string]int{}, map[string]float64{}
	for i := range n {
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		epsilon := []float64{0.3, 1, 2, 5}[i%4]
		var s Scores
		c := Claim{Epsilon: epsilon, Delta: 1e-4}
		switch i / 4 % 4 {
		case 0:
			c.Mu = muOf(epsilon, c.Delta)
			s = draw(rng, m, c.Mu, rng.NormFloat64)
		case 1:
			mu := muOf(epsilon, c.Delta)
			c.Curve, c.EpsilonAt = scaled(mu), func(scale float64) float64 { return scale * epsilon }
			s = draw(rng, m, mu, rng.NormFloat64)
		case 2:
			c.Delta = 0
			s = draw(rng, m, epsilon, drawLaplace(rng))
		case 3:
			c.Delta = 0
			s = flips(rng, m, epsilon)
		}
		bounds, err := s.Bounds(c, Design{Coins: true, Independent: true}, confidence)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range bounds {
			if !b.Counts {
				continue
			}
			runs[b.Name]++
			alarm[b.Name] = max(alarm[b.Name], 1-b.Confidence)
			if b.Refuted {
				above[b.Name]++
				t.Logf("audit %d: %s is %v, the claim is exactly %v: %s", i, b.Name, b.Epsilon, epsilon, b.Found)
			}
		}
	}
	return runs, above, alarm
}

// TestLowerBoundsNeverExceedCorrectClaims holds that no bound at confidence 1 - 1e-6 exceeds an exact claim in
// 400 correct audits. Their seeds are fixed; with fresh ones a failure would have a probability of at most 1e-3.
func TestLowerBoundsNeverExceedCorrectClaims(t *testing.T) {
	runs, above, _ := audits(t, 400, 200, 1-1e-6)
	for name, n := range runs {
		if n < 80 || above[name] > 0 {
			t.Errorf("%s exceeds the claim in %d of %d audits", name, above[name], n)
		}
	}
	if len(runs) != 6 {
		t.Errorf("%d kinds of bounds ran, want 6: %v", len(runs), runs)
	}
}

// TestBoundsAlarmAsOftenAsTheySay wants each bound above an exact claim no more often than its share of the error
// probability allows. The seeds are fixed; with fresh ones a failure would have a probability below 1e-6.
func TestBoundsAlarmAsOftenAsTheySay(t *testing.T) {
	runs, above, alarm := audits(t, 800, 120, 0.5)
	for name, n := range runs {
		if special.BinomialTail(n, alarm[name], above[name]) < 1e-7 {
			t.Errorf("%s exceeds the claim in %d of %d audits, want a share of at most %v", name, above[name], n, alarm[name])
		}
	}
}

func TestOrderOfScoresDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	s := draw(rng, 500, 1, func() float64 { return math.Round(4*rng.NormFloat64()) / 4 })
	claim, design := Claim{Epsilon: 1, Delta: 1e-5, Mu: 0.2}, Design{Coins: true, Independent: true}
	want, err := s.Bounds(claim, design, 0.9)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		rng.Shuffle(len(s.Included), func(i, j int) { s.Included[i], s.Included[j] = s.Included[j], s.Included[i] })
		rng.Shuffle(len(s.LeftOut), func(i, j int) { s.LeftOut[i], s.LeftOut[j] = s.LeftOut[j], s.LeftOut[i] })
		got, failure := s.Bounds(claim, design, 0.9)
		for i := range want {
			if failure != nil || got[i].Epsilon != want[i].Epsilon || got[i].Found != want[i].Found {
				t.Errorf("after a shuffle %s is %v, %v, want %v", want[i].Name, got[i].Epsilon, failure, want[i].Epsilon)
			}
		}
	}
}

// TestTiesCountAgainstTheAttack wants tied canaries to be guessed as badly as can be.
func TestTiesCountAgainstTheAttack(t *testing.T) {
	all := Scores{Included: []float64{1, 1, 1, 2}, LeftOut: []float64{0, 1, 1}}
	sorted, err := all.sorted()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		r    rule
		want int
	}{{rule{1, 0}, 1}, {rule{2, 0}, 1}, {rule{4, 0}, 2}, {rule{6, 0}, 4}, {rule{0, 1}, 1}, {rule{0, 5}, 2}, {rule{0, 6}, 3}, {rule{4, 3}, 3}} {
		if g := c.r.guess(sorted.byScore()); g.Right != c.want || g.Canaries != 7 || g.Made != c.r.top+c.r.bottom {
			t.Errorf("%+v: got %+v, want %d right of 7 canaries", c.r, g, c.want)
		}
	}
}

func TestThresholdsAtRanks(t *testing.T) {
	var s Scores
	for i := range 1000 {
		s.LeftOut, s.Included = append(s.LeftOut, float64(i)), append(s.Included, float64(i)+100.5)
	}
	points := s.thresholds()
	parts := 0.0
	for _, p := range points {
		parts += p.part
	}
	if len(points) != 12 || math.Abs(parts-1) > 1e-12 {
		t.Errorf("%d thresholds with parts that sum to %v, want 12 and 1", len(points), parts)
	}
	if want := (Counts{1000, 499, 1000, 400}); points[0].Counts != want {
		t.Errorf("the first threshold is the 500th largest left-out score, 500: got %+v, want %+v", points[0].Counts, want)
	}
	if want := (Counts{1000, 400, 1000, 499}); points[6].Counts != want {
		t.Errorf("the 500th smallest included score is 599.5: got %+v, want %+v", points[6].Counts, want)
	}
}

// TestWindowsOfAllLengths compares the best window with one found by trying all.
func TestWindowsOfAllLengths(t *testing.T) {
	for _, c := range []struct {
		n     int
		q     float64
		wrong int
	}{{30, 0.3, 2}, {30, 0.3, 20}, {20000, 0.4, 0}, {20000, 0.4, 5000}, {20000, 0.4, 7900}, {20000, 0.4, 8200}, {5000, 0.01, 0}, {5000, 0.5, 4990}} {
		best, sum := 0.0, 0.0
		for i := c.wrong + 1; i <= c.n; i++ {
			sum += special.BinomialMass(c.n, c.q, i)
			best = max(best, sum/float64(i-c.wrong))
		}
		if got := bestAverage(c.n, c.q, c.wrong); !(math.Abs(got-best) <= 1e-9*best) {
			t.Errorf("%+v: got %v, want %v", c, got, best)
		}
	}
}

// TestEventsFindWhatThresholdsMiss wants the hockey-stick bound to see included canaries on both sides of the others.
func TestEventsFindWhatThresholdsMiss(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var s Scores
	for range 5000 { // 0.9 of included ones and 0.2 of the others are on one of both sides
		in, out := 0.0, 0.0
		if rng.IntN(10) > 0 {
			in = float64(2*rng.IntN(2) - 1)
		}
		if rng.IntN(10) < 2 {
			out = float64(2*rng.IntN(2) - 1)
		}
		s.Included, s.LeftOut = append(s.Included, in), append(s.LeftOut, out)
	}
	bounds, err := s.Bounds(Claim{Epsilon: 1.7, Delta: 1e-6}, Design{Independent: true}, 0.99)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Bound{}
	for _, b := range bounds {
		found[b.Name] = b
	}
	if !found["hockey-stick"].Refuted || found["clopper-pearson"].Refuted {
		t.Errorf("hockey-stick %v, clopper-pearson %v, want an event of both sides", found["hockey-stick"].Epsilon, found["clopper-pearson"].Epsilon)
	}
	if found["gaussian-dp"].Counts || found["gaussian-dp"].Refuted {
		t.Error("the Gaussian bound counts without a Gaussian claim")
	}
}

func TestWrongScoresAreRefused(t *testing.T) {
	good := Scores{make([]float64, 100), make([]float64, 100)}
	claim, coins := Claim{Epsilon: 1, Delta: 1e-5}, Design{Coins: true}
	if _, err := good.Bounds(claim, coins, 0.95); err != nil {
		t.Error(err)
	}
	for name, refused := range map[string]func() ([]Bound, error){
		"no scores":     func() ([]Bound, error) { return Scores{}.Bounds(claim, coins, 0.95) },
		"no number":     func() ([]Bound, error) { return Scores{[]float64{math.NaN()}, nil}.Bounds(claim, coins, 0.95) },
		"no assumption": func() ([]Bound, error) { return good.Bounds(claim, Design{}, 0.95) },
		"one kind": func() ([]Bound, error) {
			return Scores{nil, make([]float64, 9)}.Bounds(claim, Design{Independent: true}, 0.95)
		},
		"unfair coins": func() ([]Bound, error) {
			return Scores{make([]float64, 200), make([]float64, 50)}.Bounds(claim, coins, 0.95)
		},
		"confidence": func() ([]Bound, error) { return good.Bounds(claim, coins, 1) },
		"epsilon":    func() ([]Bound, error) { return good.Bounds(Claim{Epsilon: math.Inf(1)}, coins, 0.95) },
		"delta":      func() ([]Bound, error) { return good.Bounds(Claim{Epsilon: 1, Delta: 1}, coins, 0.95) },
	} {
		if bounds, err := refused(); err == nil {
			t.Errorf("%s: accepted with %d bounds", name, len(bounds))
		}
	}
}

// TestHalvesAreApart wants events that one half chooses to be counted on the other: on scores that say nothing, a
// bound that counts what it chose would refute nearly always. The seeds are fixed; with fresh ones a failure would
// have a probability below 1e-9.
func TestHalvesAreApart(t *testing.T) {
	refuted := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(6, seed))
		bounds, err := draw(rng, 1000, 0, rng.NormFloat64).Bounds(Claim{}, Design{Independent: true}, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		if b := bounds[len(bounds)-1]; b.Name != "hockey-stick" || b.Refuted {
			refuted++
		}
	}
	if refuted > 20 { // 0.025 of 100 are expected at most
		t.Errorf("%d of 100 audits refute that scores say nothing", refuted)
	}
	var s Scores
	for i := range 101 {
		s.Included, s.LeftOut = append(s.Included, float64(i)), append(s.LeftOut, float64(1000+i))
	}
	choose, count := s.halves()
	both := slices.Concat(choose.Included, count.Included)
	slices.Sort(both)
	if len(choose.Included) != 50 || len(choose.LeftOut) != 50 || !slices.Equal(both, s.Included) || slices.Equal(choose.Included, s.Included[:50]) {
		t.Errorf("halves of %d and %d included canaries, want a random division of 101", len(choose.Included), len(count.Included))
	}
}

// TestCurvesAtThresholds wants the bound for a claim's own curve to be the Gaussian one if the curves are Gaussian.
func TestCurvesAtThresholds(t *testing.T) {
	const epsilon, delta = 2, 1e-5
	rng := rand.New(rand.NewPCG(11, 11))
	s := draw(rng, 3000, 0.5, rng.NormFloat64)
	design := Design{Independent: true}
	gauss, err := s.Bounds(Claim{Epsilon: epsilon, Delta: delta, Mu: muOf(epsilon, delta)}, design, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	curve := func(scale float64) Curve { return Gaussian(muOf(scale*epsilon, delta)) }
	own, err := s.Bounds(Claim{Epsilon: epsilon, Delta: delta, Curve: curve, EpsilonAt: func(scale float64) float64 { return scale * epsilon }}, design, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := gauss[1], own[1]; a.Name != "gaussian-dp" || b.Name != "trade-off" || !(a.Epsilon > 0.5) || math.Abs(a.Epsilon-b.Epsilon) > 1e-5 || math.Abs(a.Detectable-b.Detectable) > 1e-5 {
		t.Errorf("got %s %v, detecting from %v, and %s %v, detecting from %v, want the same", a.Name, a.Epsilon, a.Detectable, b.Name, b.Epsilon, b.Detectable)
	}
}
