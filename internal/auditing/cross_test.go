package auditing

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// attacked is a random plan and the best score of a canary: the log likelihood ratio of its record.
type attacked struct {
	event string
	score func(r *rand.Rand, included bool) float64
}

// normalRatio returns the log likelihood ratio of a number with normal noise of deviation z that has 1 added
// with probability q.
func normalRatio(r *rand.Rand, z, q float64, included bool) float64 {
	x := z * r.NormFloat64()
	if included && r.Float64() < q {
		x++
	}
	return math.Log1p(q * math.Expm1((2*x-1)/(2*z*z)))
}

// laplaceRatio is normalRatio for Laplace noise of scale b, with the record always there. The clamp equals
// |x|-|x-1|. The difference of rounded numbers would tell neighbors apart by their last bits, and the audit of
// 3,000 canaries finds that leak (Mironov, "On significance of the least significant bits for differential
// privacy", 2012).
func laplaceRatio(r *rand.Rand, b float64, included bool) float64 {
	x := b * r.ExpFloat64()
	if r.IntN(2) == 0 {
		x = -x
	}
	if included {
		x++
	}
	return min(1, max(-1, 2*x-1)) / b
}

// geometricRatio is laplaceRatio for Laplace noise on integers.
func geometricRatio(r *rand.Rand, b float64, included bool) float64 {
	x := math.Floor(b*r.ExpFloat64()) - math.Floor(b*r.ExpFloat64())
	if included {
		x++
	}
	return (math.Abs(x) - math.Abs(x-1)) / b
}

// anyPlan returns a random plan.
func anyPlan(r *rand.Rand) attacked {
	z, steps := math.Exp(2.5*r.Float64()-0.5), 1+r.IntN(20)
	sum := func(one func() float64) (all float64) {
		for range steps {
			all += one()
		}
		return all
	}
	switch r.IntN(6) {
	case 0:
		return attacked{fmt.Sprintf("repeat(%d,gaussian(%v))", steps, z), func(r *rand.Rand, in bool) float64 {
			return sum(func() float64 { return normalRatio(r, z, 1, in) })
		}}
	case 1:
		steps = 8 + r.IntN(30) // fewer are priced for longer
		q := 0.02 + 0.4*r.Float64()
		return attacked{fmt.Sprintf("repeat(%d,poisson(%v,gaussian(%v)))", steps, q, z), func(r *rand.Rand, in bool) float64 {
			return sum(func() float64 { return normalRatio(r, z, q, in) })
		}}
	case 2:
		return attacked{fmt.Sprintf("k-norm(%v)", z), func(r *rand.Rand, in bool) float64 { return laplaceRatio(r, z, in) }}
	case 3:
		return attacked{fmt.Sprintf("discrete-laplace(%v,1)", z), func(r *rand.Rand, in bool) float64 { return geometricRatio(r, z, in) }}
	case 4:
		return attacked{fmt.Sprintf("sequence(k-norm(%v),gaussian(%v))", 2*z, z), func(r *rand.Rand, in bool) float64 {
			return laplaceRatio(r, 2*z, in) + normalRatio(r, z, 1, in)
		}}
	}
	q := 0.05 + 0.9*r.Float64()
	return attacked{fmt.Sprintf("poisson(%v,gaussian(%v))", q, z), func(r *rand.Rand, in bool) float64 { return normalRatio(r, z, q, in) }}
}

// scoresOf draws the scores of canaries of fair coins.
func (p attacked) scoresOf(r *rand.Rand, canaries int) (s audit.Scores) {
	for range canaries {
		if in := r.IntN(2) == 0; in {
			s.Included = append(s.Included, p.score(r, true))
		} else {
			s.LeftOut = append(s.LeftOut, p.score(r, false))
		}
	}
	return s
}

// TestBoundsNeverCross draws random plans and random canaries. No lower bound, of an accountant or of an
// audit whose assumptions hold, exceeds the upper bound of any accountant. The audit of a plan exceeds one by
// chance with probability at most 1e-9.
func TestBoundsNeverCross(t *testing.T) { checkCrossing(t, 6) }

func checkCrossing(t *testing.T, plans int) {
	t.Helper()
	r := rand.New(rand.NewPCG(2, 61))
	priced, largest := 0, 0.0
	for range plans {
		p, delta := anyPlan(r), math.Pow(10, -2-5*r.Float64())
		e, err := mechanism.ParseEvent(p.event)
		if err != nil {
			t.Fatal(err)
		}
		c, err := EventClaim(e, privacy.AddOrRemoveOne, delta)
		if err != nil {
			t.Fatalf("%s at %v: %v", p.event, delta, err)
		}
		lower, upper := map[string]float64{}, map[string]float64{"claim": c.Epsilon}
		for _, a := range account.All() {
			if v, refused := a.Epsilon(e, delta, privacy.AddOrRemoveOne); refused == nil {
				lower["accountant "+a.Name()], upper["accountant "+a.Name()] = v.Lower, v.Upper
				priced++
			}
		}
		designs := map[string]audit.Design{"one run": {Coins: true}, "runs": {Independent: true}, "both": {Coins: true, Independent: true}}
		scores := p.scoresOf(r, []int{40, 400, 3000}[r.IntN(3)])
		for design, d := range designs {
			bounds, err := scores.Bounds(c.Claim, d, 1-1e-9/3)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range bounds {
				if b.Counts {
					lower["audit of "+design+", "+b.Name] = b.Epsilon
					largest = max(largest, b.Epsilon/c.Epsilon)
				}
			}
		}
		for low, l := range lower {
			for high, u := range upper {
				if !(l <= u) {
					t.Errorf("%s at delta %v: the lower bound %v of %s exceeds the upper bound %v of %s", p.event, delta, l, low, u, high)
				}
			}
		}
	}
	if priced < 2*plans || largest < 0.5 {
		t.Errorf("%d prices of %d plans, and audits reach %v of a claim at most, want a test that sees bounds", priced, plans, largest)
	}
}
