package auditing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/audit"
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
		if misses := c.trade.FalseNegatives(fp); !(1-r >= misses-1e-9) || !(1-r <= misses+0.01) {
			t.Errorf("true positives %v need false positives %v; there the accountant has %v false negatives", r, fp, misses)
		}
		if !(wider(r) <= fp) || !(fp <= r) || !(fp >= before) {
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
// The seeds are fixed; with fresh ones a failure would have a probability of at most 1e-4.
func TestCorrectPlansAreNotRefuted(t *testing.T) {
	const steps, z, q = 30, 1.0, 0.1
	c := event(t, "repeat(30,poisson(0.1,gaussian(1)))", 1e-6)
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(4, seed))
		var s audit.Scores
		for range 600 {
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
		got, err := Attack{Design: audit.Design{Coins: true, Independent: true}, Confidence: 1 - 1e-6}.OfScores(c, s)
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
