package mechanism

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/numeric"
	"github.com/ditherml/dither/privacy"
)

// Discovery counts records by names that nobody declared, and releases the names whose noisy count is
// beyond a threshold. It is not safe for concurrent use.
type Discovery struct {
	tally
	maxRecords int
	counts     map[string]int64
}

// Found is one released name and its noisy number of records.
type Found struct {
	Name  string
	Count float64
}

// DiscoveryTerms are the public numbers of a release of names.
type DiscoveryTerms struct {
	// Noise is Gaussian or KNorm, here the exact discrete Laplace law on the integer grid.
	Noise Noise
	// Delta bounds the probability that the name of one single record is released, 0 < Delta < 1/2.
	Delta float64
}

// Events returns what a release costs: the noise of one count for each record, and Delta beside it.
//
// Let a record be added. If its name is there already, one count moves by 1 and the rest is the release of
// a histogram followed by a threshold. If its name is new, the outputs have the same law unless that name
// is released, which has a probability of at most Delta. So each case costs one of the two events; both
// are charged (Korolova, Kenthapadi, Mishra & Ntoulas, "Releasing Search Queries and Clicks Privately",
// WWW 2009, https://doi.org/10.1145/1526709.1526733). It is proved under add-or-remove-one.
func (t DiscoveryTerms) Events() Sequence {
	return Sequence{t.Noise, AssumedDP{Epsilon: 0, Delta: t.Delta, Neighboring: privacy.AddOrRemoveOne}}
}

// NewDiscovery returns an empty count over the records of a full sample.
func NewDiscovery(s Sample, maxRecords int) (*Discovery, error) {
	if s.drawn == nil || s.drawn.sampling.kind != samplingFull {
		return nil, fmt.Errorf("mechanism: the sample is not a full one, want one that Full().Draw made")
	}
	if err := checkMaxRecords(s, maxRecords); err != nil {
		return nil, err
	}
	return &Discovery{tally: newTally(s), maxRecords: maxRecords, counts: map[string]int64{}}, nil
}

// Add counts the records first, first+1, … under these names; the empty name counts nowhere. A record that
// was added already is an error of the caller, and nothing is added.
func (d *Discovery) Add(first int, names []string) error {
	if d.sealed {
		return fmt.Errorf("mechanism: the names were released, want records before that")
	}
	if err := d.mark(func(i int) int { return first + i }, len(names)); err != nil {
		return err
	}
	for _, name := range names {
		if name != "" {
			d.counts[name]++
		}
	}
	return nil
}

// Release pays for the events of t, adds noise to every count and returns, sorted by name, those beyond the
// threshold. How many names there were stays inside.
func (d *Discovery) Release(p Payer, t DiscoveryTerms) ([]Found, error) {
	g, limit, err := t.fit(d.maxRecords)
	if err != nil {
		return nil, err
	}
	if p == nil || d.sealed {
		return nil, fmt.Errorf("mechanism: the names have no payer or were released before, want a grant of a ledger and one release")
	}
	if err = d.sample.drawn.pay(p, t.Events()); err != nil {
		return nil, err
	}
	d.sealed = true
	names := make([]string, 0, len(d.counts))
	for name := range d.counts {
		names = append(names, name)
	}
	slices.SortFunc(names, strings.Compare)
	noise := make([]int64, len(names))
	if err = t.Noise.draw(noise, g); err != nil {
		return nil, err
	}
	var found []Found
	for i, name := range names {
		if v := saturatingAdd(d.counts[name]*g.bound, noise[i]); v > limit {
			found = append(found, Found{name, float64(v) / float64(g.bound)})
		}
	}
	return found, nil
}

// Threshold returns the noisy count beyond which a name is released, a public number.
func (t DiscoveryTerms) Threshold(maxRecords int) (float64, error) {
	g, limit, err := t.fit(maxRecords)
	return float64(limit) / float64(g.bound), err
}

// fit returns the grid and the integer that a count must pass: one record's count with noise passes it
// with a probability of at most Delta.
//
// On the grid one record is Δ and the noise has scale S. The discrete Laplace law has
// P(Z > t) = r^(t+1)/(1+r), r = exp(-1/S), which is at most exp(-t/S)/2 at t ≥ 0. A rounded normal Z has
// P(Z > t) ≤ Q(t/S). Logarithms and roots are moved upward by far more than they err.
func (t DiscoveryTerms) fit(maxRecords int) (grid, int64, error) {
	if !(t.Delta > 0 && t.Delta < 0.5) {
		return grid{}, 0, fmt.Errorf("mechanism: delta of the threshold is %v, want more than 0 and less than 1/2", t.Delta)
	}
	norm, tail := L1(), -math.Log(2*t.Delta)
	switch t.Noise.(type) {
	case KNorm:
	case Gaussian:
		norm = L2()
		tail = numeric.BisectLog(1e-12, 64, 1e-12, func(x float64) bool { return numeric.NormalCDF(-x) > t.Delta })
	default:
		return grid{}, 0, fmt.Errorf("mechanism: noise of the names is %v, want gaussian or k-norm", t.Noise)
	}
	g, err := t.Noise.fit(fit{maxRecords: maxRecords, norm: norm, dim: 1})
	if err != nil {
		return grid{}, 0, err
	}
	return g, g.bound + int64(math.Ceil(math.Ldexp(tail, int(g.bits))*(1+1e-9))) + 2, nil
}
