package release

import (
	"fmt"
	"math"
)

// RanksOptions are the public parameters of Ranks.
type RanksOptions struct {
	// Points is the number of points of a declared ascending grid, 1 to 2^24.
	Points int
	// MaxRecords is the declared public upper bound on the number of records, at most 2^40.
	MaxRecords int
	// Replaced states that a public number of entries is counted instead of records, and that one
	// record may change one entry arbitrarily. An entry is, for example, one block of
	// sample-and-aggregate.
	Replaced bool
	// RowsPerRecord is the maximum number of rows of one record that count, up to 1024. 0 means 1.
	RowsPerRecord int
}

// rows is RowsPerRecord with its default.
func (o RanksOptions) rows() int { return max(1, o.RowsPerRecord) }

// Ranks counts records at the points of a grid, for the private choice of a quantile. It is not
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

// Add counts the rows of one record at these points of the grid. A row with a number that is not a
// point, such as -1, is ignored. Rows beyond the first RowsPerRecord are ignored too. If the record
// is not in the sample or was added before, Add returns an error and adds nothing.
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

// Quantile ends the count and returns a score for each point as an estimate of the q-quantile. The
// number q is a multiple of 1/1000 between 0 and 1. The scores are for Choose. Several quantiles
// may be asked for, and each choice is paid for separately.
//
// With n rows, let L be the number of rows below a point and U the number above. The loss of the
// point is max(0, L - q·n, U - (1-q)·n), the error of its rank in rows. One more row moves L - q·n
// by 1-q or -q, and U - (1-q)·n by q or -(1-q). So it moves the loss by at most max(q, 1-q), and
// the k rows of one record move the loss by at most k·max(q, 1-q). The score is the negative loss
// divided by that number. For entries that are replaced, n does not change, L and U move by at most
// 1, and the score is the negative loss. The rank as a utility is from Smith, "Privacy-preserving
// Statistical Estimation with Optimal Convergence Rates", STOC 2011,
// https://doi.org/10.1145/1993636.1993743.
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
