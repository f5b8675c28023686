package auditing

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// event returns the claim of an event in text.
func event(t *testing.T, text string, delta float64) Claim {
	t.Helper()
	e, err := mechanism.ParseEvent(text)
	if err != nil {
		t.Fatal(err)
	}
	c, err := EventClaim(e, privacy.AddOrRemoveOne, delta)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCurvesOfEvents compares the curve of a claim at scale 1 with the trade-off of the accountant, and wants lower
// and convex curves at larger scales.
func TestCurvesOfEvents(t *testing.T) {
	c := event(t, "repeat(100,poisson(0.1,gaussian(2)))", 1e-5)
	if c.Mu != 0 || c.Curve == nil {
		t.Fatalf("got %+v, want a curve and no mu", c)
	}
	own, wider := c.Curve(1), c.Curve(1.3)
	before, rise := 0.0, 0.0
	for i := 1; i <= 1000; i++ {
		r := float64(i) / 1000
		fp := own(r)
		if misses := c.trade.FalseNegatives(fp); !(misses >= 1-r-1e-3) || !(misses <= 1-r+0.01) {
			t.Errorf("true positives %v need false positives %v; there the accountant has %v false negatives", r, fp, misses)
		}
		if !(wider(r) <= fp) || i == 500 && !(wider(r) < 0.9*fp) || !(fp <= r) || !(fp >= before) {
			t.Errorf("at %v: %v, before it %v, and at a larger scale %v", r, fp, before, wider(r))
		}
		if step := fp - before; step < rise-1e-12 {
			t.Errorf("at %v: a step of %v after one of %v, want a convex curve", r, step, rise)
		} else {
			rise = step
		}
		before = fp
	}
	if own(0) != 0 || own(1e-9) <= 0 {
		t.Errorf("got %v at 0 and %v at 1e-9, want 0 and more: the curve decides about rare outputs", own(0), own(1e-9))
	}
	if g := event(t, "repeat(4,gaussian(2))", 1e-5); math.Abs(g.Mu-1) > 1e-9 || g.Curve != nil {
		t.Errorf("got mu %v, want 1 and no other curve", g.Mu)
	}
}

// TestFamiliesOfNormalNoiseAreNormal wants the family of the statements of normal noise to be normal noise, and nowhere
// above the statements at parameter 1.
func TestFamiliesOfNormalNoiseAreNormal(t *testing.T) {
	const delta = 1e-5
	var all []curve.Statement
	for x := 0.0; x < 12; x += 0.02 {
		v, err := account.GDP.Delta(mechanism.Gaussian{NoiseMultiplier: 1}, x, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, curve.Statement{Epsilon: x, Delta: v.Upper})
	}
	epsilon := func(mu float64) float64 {
		v, err := account.GDP.Epsilon(mechanism.Gaussian{NoiseMultiplier: 1 / mu}, delta, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		return v.Upper
	}
	f, exact := newFamily(all, epsilon(1), delta), statementCurve(all)
	for _, parameter := range []float64{0, 0.3, 1, 1.7} {
		got := f.curve(parameter)
		for _, r := range []float64{1e-9, 1e-6, 1e-3, 0.01, 0.1, 0.3, 0.5, 0.8, 0.99} {
			if want := audit.Gaussian(parameter)(r); !(math.Abs(got(r)-want) <= 0.1*want) {
				t.Errorf("parameter %v at %v: got %v, normal noise has %v", parameter, r, got(r), want)
			}
			if parameter == 1 && !(got(r) <= exact(r)) {
				t.Errorf("at %v: %v is above what statements prove, %v", r, got(r), exact(r))
			}
		}
		if parameter > 0 && !(math.Abs(f.epsilonAt(parameter)-epsilon(parameter)) < 0.02*epsilon(parameter)) {
			t.Errorf("epsilon at %v is %v, of normal noise %v", parameter, f.epsilonAt(parameter), epsilon(parameter))
		}
	}
	if f.epsilonAt(1) != epsilon(1) || f.epsilonAt(0) != 0 {
		t.Errorf("epsilon is %v at 1 and %v at 0, want the claim's and 0", f.epsilonAt(1), f.epsilonAt(0))
	}
}

// TestFamiliesAreConvex wants convex curves at all parameters, also where the tabulated values are not, and the pure
// statements at δ = 0.
func TestFamiliesAreConvex(t *testing.T) {
	f := newFamily([]curve.Statement{{Epsilon: 1, Delta: 1e-3}}, 1, 1e-3)
	for _, parameter := range []float64{0, 0.2, 1, 3, 20} {
		hull := f.hull(parameter)
		slope := 0.0
		for i := 1; i < len(hull); i++ {
			next := (hull[i].value - hull[i-1].value) / (hull[i].rate - hull[i-1].rate)
			if !(next >= slope*(1-1e-9)) {
				t.Fatalf("parameter %v: slope %v after %v at rate %v", parameter, next, slope, hull[i].rate)
			}
			slope = next
		}
	}
	pure := newFamily(nil, 2, 0)
	if got, want := pure.curve(1.5)(0.1), 0.1*math.Exp(-3); math.Abs(got-want) > 1e-12 || pure.epsilonAt(1.5) != 3 {
		t.Errorf("got %v and epsilon %v, want %v and 3", got, pure.epsilonAt(1.5), want)
	}
}

// TestEnvelopes compares an envelope with the largest of its lines.
func TestEnvelopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		lines := []line{{}}
		for range rng.IntN(12) {
			rise := math.Exp(3 * rng.NormFloat64())
			lines = append(lines, line{rise, rise * rng.Float64()})
		}
		lines = append(lines, lines[rng.IntN(len(lines))])
		envelope := upperEnvelope(slices.Clone(lines))
		for range 20 {
			x := rng.Float64()
			want := 0.0
			for _, l := range lines {
				want = max(want, l.rise*x-l.drop)
			}
			i := slices.IndexFunc(envelope, func(p piece) bool { return x <= p.until })
			if got := envelope[i].rise*x - envelope[i].drop; math.Abs(got-want) > 1e-9*(1+envelope[i].rise) {
				t.Fatalf("at %v of %v: got %v, want %v", x, lines, got, want)
			}
		}
	}
}

// TestCorrectPlansAreNotRefuted draws the best scores of plans, and wants lower bounds at 1 - 1e-6 below the claim.
// Scores of more canaries must refute a claim of four times the noise. The seeds are fixed; with fresh ones a
// correct claim would be refuted with a probability of at most 1.5e-5. TestVerdictsAreAtTheExactLimit finds smaller faults.
func TestCorrectPlansAreNotRefuted(t *testing.T) {
	const steps, z, q = 30, 1.0, 0.1
	c, noisier := event(t, "repeat(30,poisson(0.1,gaussian(1)))", 1e-6), event(t, "repeat(30,poisson(0.1,gaussian(4)))", 1e-6)
	attack := Attack{Design: audit.Design{Coins: true, Independent: true}, Confidence: 1 - 1e-6}
	many := planScores(rand.New(rand.NewPCG(4, 99)), 5000, steps, z, q)
	if wrong, err := attack.OfScores(noisier, many); err != nil || wrong.Verdict != Refuted {
		t.Errorf("a claim of more noise is %v, %v, want it refuted", wrong.Verdict, err)
	}
	for seed := range uint64(15) {
		s := planScores(rand.New(rand.NewPCG(4, seed)), 600, steps, z, q)
		got, err := attack.OfScores(c, s)
		if err != nil || got.Verdict != NotRefuted || !(*got.LowerBound <= *got.Claimed) {
			t.Errorf("seed %d: %v, %v with a bound of %v", seed, got.Verdict, err, *got.LowerBound)
		}
		if seed > 0 {
			continue
		}
		for _, b := range got.Picture.Boxes {
			if !(b.Low.FalsePositives <= b.FalsePositives && b.FalsePositives <= b.High.FalsePositives && b.Low.FalseNegatives <= b.FalseNegatives && b.FalseNegatives <= b.High.FalseNegatives) {
				t.Errorf("the box %+v does not hold its point", b)
			}
			if b.High.FalseNegatives < c.trade.FalseNegatives(b.High.FalsePositives) {
				t.Errorf("the box %+v is below the curve of a correct claim", b)
			}
		}
	}
}

// planScores returns log-likelihood ratios of canaries in a plan of steps, each included by a coin.
func planScores(rng *rand.Rand, canaries, steps int, z, q float64) audit.Scores {
	var s audit.Scores
	for range canaries {
		included := rng.IntN(2) == 0
		score := 0.0
		for range steps {
			x := z * rng.NormFloat64()
			if included && rng.Float64() < q {
				x++
			}
			score += math.Log1p(q * math.Expm1((2*x-1)/(2*z*z)))
		}
		if included {
			s.Included = append(s.Included, score)
		} else {
			s.LeftOut = append(s.LeftOut, score)
		}
	}
	return s
}

// TestVerdictsAreAtTheExactLimit draws canaries whose guesses are right with exactly the probability that the claim
// allows, e/(1+e). Half of the audits of correct claims may then be refuted, a tenth by each of five rules. The verdict
// must be the one by the least number of right guesses whose exact probability is at most a tenth. It must be so in every
// audit, whatever was drawn, so that no right program fails.
func TestVerdictsAreAtTheExactLimit(t *testing.T) {
	const canaries, audits = 100, 200
	right := 1 / (1 + math.Exp(-1))
	// The numbers of guesses of a rule: included for the highest scores, left out for the lowest ones.
	rules := [][2]int{{15, 15}, {30, 30}, {50, 50}, {25, 25}, {20, 0}}
	limits := make([]int, len(rules))
	for i, r := range rules {
		n := r[0] + r[1]
		mass, tail := math.Pow(right, float64(n)), 0.0
		for limits[i] = n + 1; tail+mass <= 0.1; limits[i]-- { // the mass is that of one right guess fewer than the limit
			tail += mass
			k := float64(limits[i] - 1)
			mass *= k / (float64(n) - k + 1) * (1 - right) / right
		}
	}
	refuted, rng := 0, rand.New(rand.NewPCG(12, 34))
	for range audits {
		var s audit.Scores
		coins := map[float64]bool{}
		for range canaries {
			included, score := rng.IntN(2) == 0, rng.Float64()
			if included != (rng.Float64() < right) {
				score = -score
			}
			if coins[score] = included; included {
				s.Included = append(s.Included, score)
			} else {
				s.LeftOut = append(s.LeftOut, score)
			}
		}
		order := slices.Sorted(maps.Keys(coins))
		want, counts := NotRefuted, make([]int, len(rules))
		for i, r := range rules {
			for at, score := range order {
				if at < r[1] && !coins[score] || at >= canaries-r[0] && coins[score] {
					counts[i]++
				}
			}
			if counts[i] >= limits[i] {
				want = Refuted
			}
		}
		if want == Refuted {
			refuted++
		}
		got, err := Attack{Design: audit.Design{Coins: true}, Confidence: 0.5}.OfScores(StatementClaim(1, 0), s)
		if err != nil || got.Verdict != want {
			t.Errorf("%v right of %v: got %v, %v, want %v by the limits %v", counts, rules, got.Verdict, err, want, limits)
		}
	}
	if refuted < 20 || refuted > 150 {
		t.Errorf("%d of %d audits are refuted, want some of both kinds", refuted, audits)
	}
}

func TestScoresTheWrongWayRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	var s audit.Scores
	for range 200 {
		s.Included, s.LeftOut = append(s.Included, rng.NormFloat64()), append(s.LeftOut, rng.NormFloat64()+1)
	}
	attack := Attack{Design: audit.Design{Coins: true}, Confidence: 0.95}
	wrong, err := attack.OfScores(StatementClaim(1, 1e-6), s)
	if err != nil || wrong.Note == "" {
		t.Errorf("%v: included canaries have lower scores, and no note says so", err)
	}
	right, err := attack.OfScores(StatementClaim(1, 1e-6), audit.Scores{Included: s.LeftOut, LeftOut: s.Included})
	if err != nil || right.Note != "" {
		t.Errorf("%v: got the note %q, want none", err, right.Note)
	}
	if area := areaUnder(audit.Scores{Included: []float64{1, 2, 2}, LeftOut: []float64{0, 2}}); math.Abs(area-4.0/6) > 1e-15 {
		t.Errorf("the area is %v, want 4/6", area)
	}
}
