package release

import (
	"fmt"
	"math"
	"slices"
)

// LossesOptions are the public numbers of a sum of losses of candidates.
type LossesOptions struct {
	// Candidates is their number, 1 to 2^20.
	Candidates int
	// MaxRecords is the declared public bound on the number of records, at most 2^40.
	MaxRecords int
}

// Losses is an exact sum over records of the losses of each of several candidates, for the private
// choice of one: a loss of one record is an integer of thousandths of a declared bound, from 0 to
// it. It is not safe for concurrent use; goroutines fill their own (Empty) and Merge.
type Losses struct {
	seenSet
	o     LossesOptions
	total []int64
}

// maxCandidates bounds the candidates.
const maxCandidates = 1 << 20

// NewLosses returns an empty sum over the records of a sample.
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

// Empty returns a sum of the same kind with nothing in it, for another goroutine.
func (l *Losses) Empty() *Losses {
	return &Losses{seenSet: newSeenSet(l.sample), o: l.o, total: make([]int64, l.o.Candidates)}
}

// Add adds the losses of the records first, first+1, …, one record after the other, each as a
// fraction of the bound for every candidate. A loss is cut to 0 and 1 and rounded to thousandths;
// NaN counts as 0. A record that is not in the sample or was added already, or a wrong length, are
// errors of the caller, and nothing is added.
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

// Merge adds what o holds and empties o, unless both have a record in common or are of other kinds.
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

// Seal ends the sum and returns scores, the negative losses, in units of half the bound. A record
// that is added lowers each score by 0 to 2 units: all in one direction, so that after a shift of
// all by one unit, which changes no choice, each has moved by at most 1. A choice by exp(ε·score/2)
// is thus one by exp(-ε·loss/bound), of bounded range ε. A record that is replaced moves scores by
// up to 2 units either way: by twice as much, as accountants charge it.
func (l *Losses) Seal() Scores {
	l.sealed = true
	return Scores{&scores{sample: l.sample, loss: slices.Clone(l.total), unit: maxUnit / 2}}
}
