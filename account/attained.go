package account

import (
	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// attained replaces the lower bound of a composition whose pairs lie above the attained ones by
// design. The new lower bound is that of an event that costs no more, or 0.
func (a lossDistributions) attained(v Interval, c composition, e mechanism.Event, n privacy.Neighboring, aim pld.Aim, read func(*pld.Composed) pld.Bounds) (Interval, error) {
	if !c.above {
		return v, nil
	}
	v.Lower = 0
	less, known := cheaper(e, n)
	if !known {
		return v, nil
	}
	plain, err := composeOf(less, n, pairsBelow) // compose gives random allocations the pair of upper bounds
	if err != nil || plain.open || plain.beyond || plain.gaussian || plain.loose {
		return v, err
	}
	if c.many { // one direction alone gives a lower bound; the other, of this many releases, takes seconds
		plain.directions = plain.directions[:1]
	}
	b, err := plain.bounds(aim, a.options(plain), read)
	v.Lower = min(b.Lower, v.Estimate)
	return v, err
}

// cheaper returns an event that costs no more than e, and false where no such event is known.
// Truncated Poisson samples become plain ones: a truncated sample is plain where at most MaxBatch
// records take part. A group of many similar releases becomes its cheapest.
func cheaper(e mechanism.Event, n privacy.Neighboring) (mechanism.Event, bool) {
	all, err := terms(e, n)
	if err != nil {
		return nil, false
	}
	var parts mechanism.Sequence
	all, _ = gather(all, false)
	for _, t := range all {
		switch v := t.event.(type) {
		case mechanism.JLClipping, mechanism.WithoutReplacement, mechanism.WithReplacement: // or there are no fewer records
			return nil, false
		case mechanism.TruncatedPoisson:
			t.event = mechanism.PoissonSampled{Probability: v.Probability, Event: v.Event}
		}
		parts = append(parts, mechanism.Repeat{Event: t.event, Count: int(t.count)})
	}
	return parts, true
}

// largeEpsilon is the ε from which Rényi divergences are tried first. vanished is the δ below which
// their bound is the answer, since a lattice cannot hold such rare losses.
const largeEpsilon, vanished = 500, 1e-250

// vanishing reports whether δ is so small that the bound by rdp is the answer, and returns it.
func vanishing(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, bool, error) {
	if epsilon < largeEpsilon {
		return Interval{}, false, nil
	}
	v, err := RDP{}.Delta(e, epsilon, n)
	return v, err == nil && v.Upper < vanished, err
}
