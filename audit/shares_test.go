package audit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestEachAttackHasItsShare computes every bound once more from the functions that tables of exact values hold. The
// error probability of each attack is written here in numbers: a kind has its part of the whole, and an attack its part
// of the kind's. So no attack may take more than its share, and no union bound may be forgotten. The test has no false
// alarm, since the laws hold for all scores.
func TestEachAttackHasItsShare(t *testing.T) {
	const epsilon, delta, n = 1.3, 1e-10, 300
	mu := muOf(epsilon, delta)
	both, coins, independent := Design{true, true}, Design{Coins: true}, Design{Independent: true}
	family := func(parameter float64) Curve { return Gaussian(mu * parameter) }
	normal := Claim{Epsilon: epsilon, Delta: delta, Mu: mu}
	own := Claim{Epsilon: epsilon, Delta: delta, Curve: family, EpsilonAt: func(parameter float64) float64 { return parameter * epsilon }}
	seen := map[string]int{}
	for i, c := range []struct {
		claim  Claim
		design Design
		parts  map[string]float64 // of kinds that count, with all bounds at thresholds in the first
	}{
		{normal, both, map[string]float64{"one-run": 1. / 6, "f-dp": 1. / 6, "clopper-pearson": 3. / 6, "gaussian-dp": 3. / 6, "hockey-stick": 1. / 6}},
		{own, both, map[string]float64{"one-run": 1. / 6, "f-dp": 1. / 6, "clopper-pearson": 3. / 6, "trade-off": 3. / 6, "hockey-stick": 1. / 6}},
		{normal, coins, map[string]float64{"one-run": 1. / 2, "f-dp": 1. / 2}},
		{own, coins, map[string]float64{"one-run": 1. / 2, "f-dp": 1. / 2}},
		{Claim{Epsilon: epsilon, Delta: delta}, coins, map[string]float64{"one-run": 1}},
		{Claim{Epsilon: epsilon}, both, map[string]float64{"one-run": 1. / 5, "clopper-pearson": 3. / 5, "hockey-stick": 1. / 5}},
		{own, independent, map[string]float64{"clopper-pearson": 3. / 4, "trade-off": 3. / 4, "hockey-stick": 1. / 4}},
		{Claim{Epsilon: epsilon}, independent, map[string]float64{"clopper-pearson": 3. / 4, "hockey-stick": 1. / 4}},
	} {
		for _, alarm := range []float64{0.5, 0.05, 1e-6} {
			rng := rand.New(rand.NewPCG(31, uint64(i)))
			s := draw(rng, n, 2.5, rng.NormFloat64)
			bounds, err := s.Bounds(c.claim, c.design, 1-alarm)
			if err != nil {
				t.Fatal(err)
			}
			counting := map[string]float64{}
			for _, b := range bounds {
				if !b.Counts {
					continue
				}
				counting[b.Name] = c.parts[b.Name]
				where := fmt.Sprintf("case %d, alarm %v, %s", i, alarm, b.Name)
				share := c.parts[b.Name] * alarm
				if math.Abs(1-b.Confidence-share) > 1e-15 {
					t.Errorf("%s has the error probability %v, want %v", where, 1-b.Confidence, share)
				}
				want, tolerance := stated(t, s, c.claim, b.Name, share)
				if !(math.Abs(b.Epsilon-want) <= tolerance*want) || !(want > 0.1) {
					t.Errorf("%s is %v, want %v from the attacks at their shares", where, b.Epsilon, want)
				}
				seen[b.Name]++
			}
			if len(counting) != len(c.parts) {
				t.Errorf("case %d: %v count, want %v", i, counting, c.parts)
			}
		}
	}
	if len(seen) != 6 {
		t.Errorf("got bounds %v, want all 6 kinds", seen)
	}
}

// stated returns the bound of a kind with this error probability as its documentation states it, and a tolerance.
func stated(t *testing.T, s Scores, c Claim, name string, share float64) (epsilon, tolerance float64) {
	t.Helper()
	least := func(v float64, err error) float64 {
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	switch name {
	case "one-run", "f-dp":
		for _, g := range statedGuesses(s) {
			at := 1 - share/5
			switch {
			case name == "one-run":
				epsilon = max(epsilon, least(g.Epsilon(c.Delta, at)))
			case c.Curve == nil:
				epsilon = max(epsilon, epsilonOfMu(least(g.Parameter(Gaussian, at)), c.Delta))
			default:
				epsilon = max(epsilon, c.EpsilonAt(least(g.Parameter(c.Curve, at))))
			}
		}
		return epsilon, 1e-5
	case "hockey-stick":
		sorted, err := s.sorted()
		if err != nil {
			t.Fatal(err)
		}
		choose, count := sorted.halves()
		for i, e := range chooseEvents(choose, c.Delta, share/2) {
			likely, unlikely := count.Included, count.LeftOut
			if i == 1 {
				likely, unlikely = unlikely, likely
			}
			taken, missed, failure := Counts{len(unlikely), e.count(unlikely), len(likely), len(likely) - e.count(likely)}.Rates(1 - share/2)
			if failure != nil {
				t.Fatal(failure)
			}
			if missed+c.Delta < 1 {
				epsilon = max(epsilon, math.Log((1-missed-c.Delta)/taken))
			}
		}
		return epsilon, 1e-6
	}
	for _, p := range statedThresholds(s) {
		at := 1 - share*p.part
		switch name {
		case "clopper-pearson":
			epsilon = max(epsilon, least(p.Epsilon(c.Delta, at)))
		case "gaussian-dp":
			epsilon = max(epsilon, epsilonOfMu(least(p.Mu(at)), c.Delta))
		default: // the curve at t times μ is that of normal noise
			epsilon = max(epsilon, c.EpsilonAt(least(p.Mu(at))/muOf(c.Epsilon, c.Delta)))
		}
	}
	return epsilon, 1e-5
}

// statedGuesses counts the guesses of each rule in one list of all canaries, from the highest score.
func statedGuesses(s Scores) []Guesses {
	type canary struct {
		score    float64
		included bool
	}
	var all []canary
	for _, v := range s.Included {
		all = append(all, canary{v, true})
	}
	for _, v := range s.LeftOut {
		all = append(all, canary{v, false})
	}
	slices.SortFunc(all, func(a, b canary) int { return int(math.Copysign(1, b.score-a.score)) })
	m := len(all)
	root := math.Sqrt(float64(m))
	var out []Guesses
	for _, r := range []rule{
		{int(math.Ceil(1.5 * root)), int(math.Ceil(1.5 * root))},
		{int(math.Ceil(3 * root)), int(math.Ceil(3 * root))},
		{int(math.Ceil(8 * root)), int(math.Ceil(8 * root))},
		{(m + 3) / 4, (m + 3) / 4},
		{int(math.Ceil(2 * root)), 0},
	} {
		g := Guesses{Canaries: m, Made: r.top + r.bottom}
		for i, c := range all {
			if i < r.top && c.included || i >= m-r.bottom && !c.included {
				g.Right++
			}
		}
		out = append(out, g)
	}
	return out
}

// statedThresholds counts errors at thresholds that are ranks of one kind. Their parts are 3, 3, 2, 1, 1 and 1 of 22 for
// each kind.
func statedThresholds(s Scores) []point {
	var out []point
	for _, leftOut := range []bool{true, false} {
		for i, share := range []float64{0.5, 0.25, 0.1, 1. / 30, 0.01, 0.001} {
			p := point{part: []float64{3, 3, 2, 1, 1, 1}[i] / 22}
			p.LeftOut, p.Included = len(s.LeftOut), len(s.Included)
			if leftOut {
				rank := int(math.Ceil(share * float64(p.LeftOut)))
				threshold := slices.Sorted(slices.Values(s.LeftOut))[p.LeftOut-rank]
				p.FalsePositives = rank - 1
				for _, v := range s.Included {
					if v <= threshold {
						p.FalseNegatives++
					}
				}
			} else {
				rank := int(math.Ceil(share * float64(p.Included)))
				threshold := slices.Sorted(slices.Values(s.Included))[rank-1]
				p.FalseNegatives = rank - 1
				for _, v := range s.LeftOut {
					if v >= threshold {
						p.FalsePositives++
					}
				}
			}
			out = append(out, p)
		}
	}
	return out
}
