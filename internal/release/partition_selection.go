package release

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/special"
	"github.com/ditherml/dither/mechanism"
)

// PartitionSelection counts records by names that are not declared, and releases the names whose
// noisy count exceeds a threshold. It is not safe for concurrent use.
type PartitionSelection struct {
	seenSet
	terms      PartitionTerms
	maxRecords int
	counts     map[string]int64
}

// SelectedPartition is one released name with its noisy count.
type SelectedPartition struct {
	// Name is the released name.
	Name string
	// Count is the noisy number of records with this name.
	Count float64
}

// rowsPerRecord is RowsPerRecord with its default.
func rowsPerRecord(t PartitionTerms) int64 { return int64(max(1, t.RowsPerRecord)) }

// maxNamedRows bounds RowsPerRecord.
const maxNamedRows = 1 << 20

// NewPartitionSelection returns an empty count over a sample with all records. It can be released
// under the terms t.
func NewPartitionSelection(s Sample, t PartitionTerms, maxRecords int) (*PartitionSelection, error) {
	if s.drawn == nil || !s.full() {
		return nil, fmt.Errorf("release: the sample is not a full one, want one that Draw made of Full")
	}
	if err := checkMaxRecords(s, maxRecords); err != nil {
		return nil, err
	}
	if _, _, err := fitPartitions(t, maxRecords); err != nil {
		return nil, err
	}
	return &PartitionSelection{seenSet: newSeenSet(s), terms: t, maxRecords: maxRecords, counts: map[string]int64{}}, nil
}

// Add counts the rows of one record under these names. The empty name is ignored, and so are names
// beyond the first RowsPerRecord. If the record was added before, Add returns an error and adds
// nothing.
func (d *PartitionSelection) Add(record int, names ...string) error {
	if d.sealed {
		return fmt.Errorf("release: the names were released, want records before that")
	}
	if err := d.mark(record, nil, 1); err != nil {
		return err
	}
	for _, name := range names[:min(int64(len(names)), rowsPerRecord(d.terms))] {
		if name != "" {
			d.counts[name]++
		}
	}
	return nil
}

// Release pays for the events of the terms and adds noise to every count. It returns the names
// whose noisy count exceeds the threshold, sorted by name. The number of all names is not released.
func (d *PartitionSelection) Release(p mechanism.Payer) ([]SelectedPartition, error) {
	t := d.terms
	g, limit, err := fitPartitions(t, d.maxRecords)
	if err != nil {
		return nil, err
	}
	if p == nil || d.sealed {
		return nil, fmt.Errorf("release: the names have no payer or were released before, want a grant of a ledger and one release")
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
	if err = drawNoise(noise, g); err != nil {
		return nil, err
	}
	var found []SelectedPartition
	for i, name := range names {
		if v := saturatingAdd(d.counts[name]*rowOf(t, g), noise[i]); v > limit {
			found = append(found, SelectedPartition{name, float64(v) / float64(rowOf(t, g))})
		}
	}
	return found, nil
}

// PartitionThreshold returns the noisy count above which a name is released. It is a public number.
func PartitionThreshold(t PartitionTerms, maxRecords int) (float64, error) {
	g, limit, err := fitPartitions(t, maxRecords)
	if err != nil {
		return 0, err
	}
	return float64(limit) / float64(rowOf(t, g)), nil
}

// rowOf is the integer that one row counts: RowsPerRecord of them are at most one record's bound.
func rowOf(t PartitionTerms, g grid) int64 { return g.bound / rowsPerRecord(t) }

// fitPartitions returns the grid and the integer that a count must pass: that one of the counts of
// a record alone does, with noise, has a probability of at most Delta.
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
func fitPartitions(t PartitionTerms, maxRecords int) (grid, int64, error) {
	if !(t.Delta > 0 && t.Delta < 0.5) {
		return grid{}, 0, fmt.Errorf("release: delta of the threshold is %v, want more than 0 and less than 1/2", t.Delta)
	}
	if t.RowsPerRecord < 0 || t.RowsPerRecord > maxNamedRows {
		return grid{}, 0, fmt.Errorf("release: names are of %d rows a record, want 1 to 2^20", t.RowsPerRecord)
	}
	norm, tail := L1(), func(delta float64) float64 { return -math.Log(2 * delta) }
	switch t.Noise.(type) {
	case mechanism.KNorm:
	case mechanism.Gaussian:
		norm = L2()
		tail = func(delta float64) float64 {
			return special.BisectLog(1e-12, 64, 1e-12, func(x float64) bool { return special.NormalCDF(-x) > delta })
		}
	default:
		return grid{}, 0, fmt.Errorf("release: noise of the names is %v, want gaussian or k-norm", t.Noise)
	}
	g, err := fitNoise(t.Noise, fit{maxRecords: maxRecords, norm: norm, dim: 1})
	if err != nil {
		return grid{}, 0, err
	}
	if rowOf(t, g) < 1<<(minBoundBits-1) {
		return grid{}, 0, fmt.Errorf("release: noise %v for %d rows a record leaves no exact integer grid, want fewer rows or a smaller multiplier", t.Noise, rowsPerRecord(t))
	}
	beyond := func(delta float64) int64 {
		return int64(math.Ceil(math.Ldexp(tail(delta), int(g.bits))*(1+1e-9))) + 2
	}
	one, k := rowOf(t, g), rowsPerRecord(t)
	return g, max(k*one+beyond(t.Delta), one+beyond(t.Delta/float64(k))), nil
}
