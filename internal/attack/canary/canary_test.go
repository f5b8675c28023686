package canary

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// fullBatch is a training with all records in each of four steps.
func fullBatch(epsilon float64) plan {
	return linear(func(int) train.Request {
		return train.Request{Epsilon: epsilon, Neighboring: privacy.AddOrRemoveOne, Steps: 4, ClippingNorm: clip}
	})
}

// trained plans and runs a training.
func trained(t *testing.T, of plan, canaries int) (planned, audit.Scores) {
	t.Helper()
	p, err := of(canaries)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := p.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p, scores
}

// judged judges scores by the claim of a run.
func judged(t *testing.T, p planned, scores audit.Scores, alarm float64) auditing.Section {
	t.Helper()
	claim, err := p.claim()
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.judge("training", claim, scores, alarm)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestFullBatchesAreSeen trains with 20,000 canaries and all records in each step. The best bound at
// 95 % confidence must reach a share of the claim, in the mean of four trainings. Single shares have
// these means and deviations in 60 simulated audits each: 0.745 ± 0.065, 0.860 ± 0.034, 0.921 ±
// 0.019 and 0.949 ± 0.013. The wanted shares are six deviations of such a mean below it, or more.
func TestFullBatchesAreSeen(t *testing.T) {
	const trainings = 4
	for _, c := range []struct{ epsilon, share float64 }{{1, 0.55}, {4, 0.85}} {
		mean := 0.0
		for range trainings {
			p, scores := trained(t, fullBatch(c.epsilon), 20000)
			s := judged(t, p, scores, 0.05)
			mean += *s.LowerBound / c.epsilon / trainings
			if math.Abs(*s.Claimed-c.epsilon) > 1e-6 {
				t.Errorf("the claim is %v, want %v", *s.Claimed, c.epsilon)
			}
		}
		t.Logf("epsilon %v: %.3f of the claim", c.epsilon, mean)
		if mean < c.share {
			t.Errorf("the mean lower bound of epsilon %v is %v of it, want %v", c.epsilon, mean, c.share)
		}
	}
}

// TestFaultsOfTrainingsAreFound judges scores by claims of other trainings than made them, as a
// training with that fault would have: too little noise, noise for less than all steps, a canary
// that counts twice, noise for the mean instead of the sum. The same scores agree with their own
// claim. The least fault is noise smaller by a factor of 1.41. It would be missed with a probability of
// about 1e-7, since a factor of 1.25 was missed in 1 of 25 trainings.
func TestFaultsOfTrainingsAreFound(t *testing.T) {
	p, scores := trained(t, fullBatch(4), 20000)
	gaussian := func(steps int, multiplier float64) mechanism.Event {
		return mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: multiplier}, Count: steps}
	}
	const z = 2.1623237 // of the training
	for _, c := range []struct {
		fault   string
		claimed mechanism.Event
		refuted bool
	}{
		{"none", gaussian(4, z), false},
		{"noise smaller by a root of two", gaussian(4, z*math.Sqrt2), true},
		{"noise smaller by a third", gaussian(4, z*1.5), true},
		{"four steps for two", gaussian(2, z), true},
		{"a record that counts twice", gaussian(4, 2*z), true},
		{"the noise of a mean of 100 for a sum", gaussian(4, 100*z), true},
		{"noise without the factor of replace-one", gaussian(4, 2*z), true},
	} {
		faulty := p
		faulty.event = c.claimed
		s := judged(t, faulty, scores, 1e-8)
		if (s.Verdict == auditing.Refuted) != c.refuted {
			t.Errorf("%s: %s, lower bound %v of the claim %v", c.fault, s.Verdict, *s.LowerBound, *s.Claimed)
		}
	}
}

// TestBoundsStayBelowClaims runs true trainings. No lower bound may exceed its claim; each does with
// probability at most 1e-6.
func TestBoundsStayBelowClaims(t *testing.T) { checkBounds(t, 20) }

func checkBounds(t *testing.T, trainings int) {
	t.Helper()
	for i := range trainings {
		epsilon := []float64{0.5, 1, 3, 8}[i%4]
		p, scores := trained(t, fullBatch(epsilon), 500)
		s := judged(t, p, scores, 1e-6)
		if s.Verdict != auditing.NotRefuted || *s.LowerBound > epsilon {
			t.Errorf("training %d: lower bound %v of the claim %v", i, *s.LowerBound, epsilon)
		}
	}
}

// TestCanariesStayApart checks that a table holds what its world says: each included canary in rows
// of its own, and under replace-one another row for each that is left out.
func TestCanariesStayApart(t *testing.T) {
	for _, relation := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne} {
		w, err := newWorld(shape{canaries: 60, rows: 2, relation: relation, others: 3})
		if err != nil {
			t.Fatal(err)
		}
		table, err := w.draw()
		if err != nil {
			t.Fatal(err)
		}
		in := 0
		for _, included := range w.included {
			if included || relation == privacy.ReplaceOne {
				in++
			}
		}
		if table.Records() != 2*in+3 {
			t.Errorf("%v: the table has %d rows, want %d", relation, table.Records(), 2*in+3)
		}
		if s := w.scores(func(i int) float64 { return float64(i) }); len(s.Included)+len(s.LeftOut) != 60 || len(s.Included) == 0 || len(s.LeftOut) == 0 {
			t.Errorf("%v: %d included and %d left out of 60", relation, len(s.Included), len(s.LeftOut))
		}
	}
}

// TestAttackEndsWithItsContext checks that a canceled attack stops.
func TestAttackEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Attack(ctx, Options{Canaries: 100, Alarm: 1e-6}); err == nil {
		t.Error("an attack without time gives no error")
	}
}

// TestSettingsHaveNames checks that every attack has a name of its own.
func TestSettingsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range settings() {
		if seen[s.name] || strings.TrimSpace(s.name) == "" || s.share <= 0 {
			t.Errorf("the attack %q has no name or size of its own", s.name)
		}
		seen[s.name] = true
	}
}
