package release

import (
	"fmt"
	"math"
	"slices"
)

// LossesOptions are the public parameters of Losses.
type LossesOptions struct {
	// Candidates is the number of candidates, 1 to 2^20.
	Candidates int
	// MaxRecords is the declared public upper bound on the number of records, at most 2^40.
	MaxRecords int
}

// Losses sums the loss of each of several candidates over records, for the private choice of one
// candidate. The loss of one record is a fraction of a declared bound. It is rounded to a multiple
// of 1/1000, so the sum is exact. A Losses is not safe for concurrent use. Each goroutine needs a
// separate Losses: Empty returns one, and Merge adds it to another.
type Losses struct {
	seenSet
	o     LossesOptions
	total []int64
}

// maxCandidates bounds the candidates.
const maxCandidates = 1 << 20

// NewLosses returns empty losses for the records of a sample.
func NewLosses(s Sample, o LossesOptions) (*Losses, error) {
	if s.drawn == nil {
		return nil, fmt.Errorf("release: the sample is empty, want one that Draw made")
	}
	if o.Candidates < 1 || o.Candidates > maxCandidates || o.MaxRecords < 1 || o.MaxRecords > maxMaxRecords {
		return nil, fmt.Errorf("release: there are %d candidates and max records %d, want 1 to 2^20 candidates and 1 to 2^40 records", o.Candidates, o.MaxRecords)
	}
	if err := checkMaxRecords(s, o.MaxRecords); err != nil {
		return nil, err
	}
	return &Losses{seenSet: newSeenSet(s), o: o, total: make([]int64, o.Candidates)}, nil
}

// Empty returns an empty Losses of the same kind, for another goroutine.
func (l *Losses) Empty() *Losses {
	return &Losses{seenSet: newSeenSet(l.sample), o: l.o, total: make([]int64, l.o.Candidates)}
}

// Add adds the losses of consecutive records, beginning with record first. The argument fractions
// has one number for each candidate, one record after the other. Each number is the loss as a
// fraction of the bound. It is clipped to [0, 1] and rounded to a multiple of 1/1000, and NaN
// counts as 0. If a record is not in the sample or was added before, or if the length is wrong, Add
// returns an error and adds nothing.
func (l *Losses) Add(first int, fractions []float64) error {
	n := len(fractions) / l.o.Candidates
	if len(fractions) != n*l.o.Candidates || l.sealed {
		return fmt.Errorf("release: the losses are %d numbers, want %d a record, before the sum is sealed", len(fractions), l.o.Candidates)
	}
	if err := l.mark(first, nil, n); err != nil {
		return err
	}
	for i := range n {
		for j, v := range fractions[i*l.o.Candidates : (i+1)*l.o.Candidates] {
			if v > 0 {
				l.total[j] += int64(math.Round(min(1, v) * maxUnit))
			}
		}
	}
	return nil
}

// Merge adds the records of o to l and empties o. If o is of another kind, or has a record in
// common with l, Merge returns an error and changes nothing.
func (l *Losses) Merge(o *Losses) error {
	if l.o != o.o {
		return errOtherKind
	}
	if err := l.merge(&o.seenSet); err != nil {
		return err
	}
	addTo(l.total, o.total)
	return nil
}

// Seal ends the sums and returns scores for a choice. The score of a candidate is the negative sum
// of losses, in units of half the bound.
//
// An added record lowers each score by 0 to 2 units. Adding 1 unit to all scores does not affect
// the choice, and then each score has moved by at most 1 unit. So a choice with probability ∝
// exp(ε·score/2) has probability ∝ exp(-ε·loss/bound), with a bounded range of ε. Replacing a
// record moves each score by up to 2 units in either direction, and accountants count twice as much
// for it.
func (l *Losses) Seal() Scores {
	l.sealed = true
	return Scores{&scores{sample: l.sample, loss: slices.Clone(l.total), unit: maxUnit / 2}}
}
