package mechanism

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/privacy"
)

// PartitionSelection counts records by names that nobody declared, and releases the names whose noisy count is
// beyond a threshold. It is not safe for concurrent use.
type PartitionSelection struct {
	seenSet
	terms      DiscoveryTerms
	maxRecords int
	counts     map[string]int64
}

// SelectedPartition is one released name and its noisy number of records.
type SelectedPartition struct {
	Name  string
	Count float64
}

// DiscoveryTerms are the public numbers of a release of names.
type DiscoveryTerms struct {
	// Noise is Gaussian or KNorm, here the exact discrete Laplace distribution on the integer grid.
	Noise Noise
	// Delta bounds the probability that a name of one single record is released, 0 < Delta < 1/2.
	Delta float64
	// RowsPerRecord is how many rows, each with a name, one record has at most, up to 2^20; 0 means one.
	RowsPerRecord int
}

// rows is RowsPerRecord with its default.
func (t DiscoveryTerms) rows() int64 { return int64(max(1, t.RowsPerRecord)) }

// maxNamedRows bounds RowsPerRecord.
const maxNamedRows = 1 << 20

// Events returns what a release costs: the noise of one count for each record, and Delta beside it.
//
// Let a record be added. Its rows with names that are there already move the counts of these, by at
// most RowsPerRecord in the L1 and so in the L2 norm: the release of a histogram, followed by a
// threshold. What is released of its new names is nothing, but with a probability of at most Delta.
// The noise of all names is independent. So the whole is the composition of both events, which is
// charged (Korolova, Kenthapadi, Mishra & Ntoulas, "Releasing Search Queries and Clicks Privately",
// WWW 2009, https://doi.org/10.1145/1526709.1526733). It is proved under add-or-remove-one.
func (t DiscoveryTerms) Events() Sequence {
	return Sequence{t.Noise, AssumedDP{Epsilon: 0, Delta: t.Delta, Neighboring: privacy.AddOrRemoveOne}}
}

// NewDiscovery returns an empty count over the records of a full sample, to be released on these terms.
func NewDiscovery(s Sample, t DiscoveryTerms, maxRecords int) (*PartitionSelection, error) {
	if s.drawn == nil || s.drawn.sampling.kind != samplingFull {
		return nil, fmt.Errorf("mechanism: the sample is not a full one, want one that Full().Draw made")
	}
	if err := checkMaxRecords(s, maxRecords); err != nil {
		return nil, err
	}
	if _, _, err := t.fit(maxRecords); err != nil {
		return nil, err
	}
	return &PartitionSelection{seenSet: newSeenSet(s), terms: t, maxRecords: maxRecords, counts: map[string]int64{}}, nil
}

// Add counts the rows of one record under these names; the empty name counts nowhere, and neither does any
// beyond the first RowsPerRecord. A record that was added already is an error of the caller, and nothing is
// added.
func (d *PartitionSelection) Add(record int, names ...string) error {
	if d.sealed {
		return fmt.Errorf("mechanism: the names were released, want records before that")
	}
	if err := d.mark(record, nil, 1); err != nil {
		return err
	}
	for _, name := range names[:min(int64(len(names)), d.terms.rows())] {
		if name != "" {
			d.counts[name]++
		}
	}
	return nil
}

// Release pays for the events of the terms, adds noise to every count and returns, sorted by name, those
// beyond the threshold. How many names there were stays inside.
func (d *PartitionSelection) Release(p Payer) ([]SelectedPartition, error) {
	t := d.terms
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
	var found []SelectedPartition
	for i, name := range names {
		if v := saturatingAdd(d.counts[name]*t.row(g), noise[i]); v > limit {
			found = append(found, SelectedPartition{name, float64(v) / float64(t.row(g))})
		}
	}
	return found, nil
}

// Threshold returns the noisy count beyond which a name is released, a public number.
func (t DiscoveryTerms) Threshold(maxRecords int) (float64, error) {
	g, limit, err := t.fit(maxRecords)
	if err != nil {
		return 0, err
	}
	return float64(limit) / float64(t.row(g)), nil
}

// row is the integer that one row counts: RowsPerRecord of them are at most one record's bound.
func (t DiscoveryTerms) row(g grid) int64 { return g.bound / t.rows() }

// fit returns the grid and the integer that a count must pass: that one of the counts of a record alone does,
// with noise, has a probability of at most Delta.
//
// Let T(c) bound the probability that a count of c rows with noise passes; it is convex in c up to
// the integer. Names with 1 or more rows each, k in all, pass with a probability of at most Σ T(c).
// At a given number m of names this is largest with k-m+1 rows under one name, T(k-m+1) +
// (m-1)·T(1), which is convex in m. So it is at most the larger of T(k) and k·T(1). Both are held
// to Delta.
//
// On the grid one record is Δ and the noise has scale S. The discrete Laplace distribution has
// P(Z > t) = r^(t+1)/(1+r), r = exp(-1/S), which is at most exp(-t/S)/2 at t ≥ 0. A rounded normal
// Z has P(Z > t) ≤ Q(t/S). Logarithms and roots are moved upward by far more than they err.
func (t DiscoveryTerms) fit(maxRecords int) (grid, int64, error) {
	if !(t.Delta > 0 && t.Delta < 0.5) {
		return grid{}, 0, fmt.Errorf("mechanism: delta of the threshold is %v, want more than 0 and less than 1/2", t.Delta)
	}
	if t.RowsPerRecord < 0 || t.RowsPerRecord > maxNamedRows {
		return grid{}, 0, fmt.Errorf("mechanism: names are of %d rows a record, want 1 to 2^20", t.RowsPerRecord)
	}
	norm, tail := L1(), func(delta float64) float64 { return -math.Log(2 * delta) }
	switch t.Noise.(type) {
	case KNorm:
	case Gaussian:
		norm = L2()
		tail = func(delta float64) float64 {
			return special.BisectLog(1e-12, 64, 1e-12, func(x float64) bool { return special.NormalCDF(-x) > delta })
		}
	default:
		return grid{}, 0, fmt.Errorf("mechanism: noise of the names is %v, want gaussian or k-norm", t.Noise)
	}
	g, err := t.Noise.fit(fit{maxRecords: maxRecords, norm: norm, dim: 1})
	if err != nil {
		return grid{}, 0, err
	}
	if t.row(g) < 1<<(minBoundBits-1) {
		return grid{}, 0, fmt.Errorf("mechanism: noise %v for %d rows a record leaves no exact integer grid, want fewer rows or a smaller multiplier", t.Noise, t.rows())
	}
	beyond := func(delta float64) int64 {
		return int64(math.Ceil(math.Ldexp(tail(delta), int(g.bits))*(1+1e-9))) + 2
	}
	one, k := t.row(g), t.rows()
	return g, max(k*one+beyond(t.Delta), one+beyond(t.Delta/float64(k))), nil
}
