//go:build long

package planaudit

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism"
)

// TestStepsAreSeenAsSimulated audits the steps of every event of the table eight times, and
// simulates as many audits. The means differ by at most six deviations. For full batches the mean
// also reaches what an audit of Gaussian steps must: 0.55 of the claim of 1, 0.75 of 2, and 0.85
// of 4 and 8. With -short it is one audit of each event, and one simulation.
func TestStepsAreSeenAsSimulated(t *testing.T) {
	audits, least := 8, []float64{0.55, 0.75, 0.85, 0.85}
	if testing.Short() {
		audits, least = 1, nil
	}
	for i, f := range floors {
		p, trained, ideal := planOfEvent(t, f.event), 0.0, 0.0
		for k := range audits {
			trained += stepsShare(t, p) / float64(audits)
			ideal += simulatedShare(t, p, f.event, uint64(k)) / float64(audits)
		}
		t.Logf("%s: %.3f of the claim, simulated %.3f", f.event, trained, ideal)
		six := 6 * f.deviation * math.Sqrt(2/float64(audits)) // deviations of a difference of two means
		if trained < ideal-six || i < len(least) && trained < least[i] {
			t.Errorf("%s: the mean is %v of the claim, want %v", f.event, trained, ideal)
		}
	}
}

// simulatedShare returns the best bound at 95 % confidence by the scores of a perfect attacker of
// the mechanism, as a share of the claim.
func simulatedShare(t *testing.T, p *Plan, event string, seed uint64) float64 {
	t.Helper()
	claim, err := p.whole()
	if err != nil {
		t.Fatal(err)
	}
	e, err := mechanism.ParseEvent(event)
	if err != nil {
		t.Fatal(err)
	}
	count, q := e.(mechanism.Repeat).Count, 1.0
	inner := e.(mechanism.Repeat).Event
	if poisson, ok := inner.(mechanism.PoissonSampled); ok {
		q, inner = poisson.Probability, poisson.Event
	}
	z := inner.(mechanism.Gaussian).NoiseMultiplier
	var all audit.Scores
	var lock sync.Mutex
	parallel.Items(20, func(part int) {
		random := rand.New(rand.NewPCG(seed, uint64(part)))
		var own audit.Scores
		for range descentCanaries / 20 {
			in, sum := random.IntN(2) == 1, 0.0
			for range count {
				x := z * random.NormFloat64()
				if in && random.Float64() < q {
					x++
				}
				sum += mixture(q, ratio(x/(z*z), 1/(z*z)))
			}
			join(&own, divide([]float64{sum}, []bool{in}))
		}
		lock.Lock()
		defer lock.Unlock()
		join(&all, own)
	})
	slices.Sort(all.Included)
	section, err := auditing.Attack{Design: audit.Design{Coins: true, Independent: true}, Confidence: 0.95}.OfScores(claim, all)
	if err != nil {
		t.Fatal(err)
	}
	return *section.LowerBound / *section.Claimed
}
