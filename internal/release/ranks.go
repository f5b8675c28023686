package release

import (
	"fmt"
	"math"
)

// RanksOptions are the public numbers of ranks.
type RanksOptions struct {
	// Points is the number of points of the declared ascending grid, 1 to 2^24.
	Points int
	// MaxRecords is the declared public bound on the number of records, at most 2^40.
	MaxRecords int
	// Replaced says that not records are added but a public number of entries. One record may
	// change one entry in any way, as the block of sample-and-aggregate that it lies in.
	Replaced bool
	// RowsPerRecord is how many rows of one record count at most, 0 or 1 to 1024; 0 means one.
	RowsPerRecord int
}

// rows is RowsPerRecord with its default.
func (o RanksOptions) rows() int { return max(1, o.RowsPerRecord) }

// Ranks counts records on the points of a grid, for the private choice of a quantile. It is not
// safe for concurrent use.
type Ranks struct {
	seenSet
	o     RanksOptions
	count []int64
}

// maxPoints bounds a grid.
const maxPoints = 1 << 24

// NewRanks returns an empty count over the records of a sample.
func NewRanks(s Sample, o RanksOptions) (*Ranks, error) {
	if s.drawn == nil {
		return nil, fmt.Errorf("release: the sample is empty, want one that Draw made")
	}
	if o.MaxRecords < 1 || o.MaxRecords > maxMaxRecords || o.Points < 1 || o.Points > maxPoints {
		return nil, fmt.Errorf("release: ranks have %d points and max records %d, want 1 to 2^24 points and 1 to 2^40 records", o.Points, o.MaxRecords)
	}
	if o.RowsPerRecord < 0 || o.RowsPerRecord > maxRankedRows || o.Replaced && o.rows() > 1 {
		return nil, fmt.Errorf("release: ranks have %d rows a record and replaced entries: %v, want at most %d, and one where entries are replaced", o.RowsPerRecord, o.Replaced, maxRankedRows)
	}
	if err := checkMaxRecords(s, o.MaxRecords); err != nil {
		return nil, err
	}
	return &Ranks{seenSet: newSeenSet(s), o: o, count: make([]int64, o.Points)}, nil
}

// Add puts the rows of one record on these points of the grid. A row that is on none of them, as
// -1, counts nowhere, and neither does any beyond the first RowsPerRecord. A record that is not in
// the sample or was added already is an error of the caller, and nothing is added.
func (r *Ranks) Add(record int, points ...int) error {
	if r.sealed {
		return fmt.Errorf("release: the ranks are sealed, want records before that")
	}
	if err := r.mark(record, nil, 1); err != nil {
		return err
	}
	for _, p := range points[:min(len(points), r.o.rows())] {
		if p >= 0 && p < r.o.Points {
			r.count[p]++
		}
	}
	return nil
}

// Quantile ends the count and returns the scores of all points as the q-quantile, q an integer of
// thousandths, 0 < q < 1. With n rows, L of them below a point and U above, the point's loss is
// max(0, L - q·n, U - (1-q)·n): by how many rows its rank is wrong. One row more moves L - q·n by
// 1-q or -q, and U - (1-q)·n by q or -(1-q). So the loss moves by at most max(q, 1-q), and k rows
// of one record move it by at most k times that. The score is the negative loss over it. An entry
// that is replaced moves L and U by at most 1 at equal n, and the score is the negative loss. (The
// rank as utility: Smith, "Privacy-preserving Statistical Estimation with Optimal Convergence
// Rates", STOC 2011, https://doi.org/10.1145/1993636.1993743.) Several quantiles may be asked for,
// each at a charge of its own.
func (r *Ranks) Quantile(q float64) (Scores, error) {
	a := int64(math.Round(q * maxUnit))
	if !(q > 0 && q < 1) || math.Abs(q*maxUnit-float64(a)) > 1e-9 || a == 0 || a == maxUnit {
		return Scores{}, fmt.Errorf("release: quantile is %v, want a multiple of 0.001 between 0 and 1", q)
	}
	r.sealed = true
	n := int64(0)
	for _, c := range r.count {
		n += c
	}
	s := &scores{sample: r.sample, loss: make([]int64, len(r.count)), unit: max(a, maxUnit-a) * int64(r.o.rows())}
	if r.o.Replaced {
		s.unit = maxUnit
	}
	below := int64(0)
	for j, c := range r.count {
		above := n - below - c
		s.loss[j] = max(0, maxUnit*below-a*n, maxUnit*above-(maxUnit-a)*n)
		below += c
	}
	return Scores{s}, nil
}
