package release

import (
	"fmt"
	"slices"
)

// seenSet remembers which records of a sample are in a sum, each at most once.
type seenSet struct {
	sample Sample
	added  []uint64 // one bit a record
	sealed bool
}

func newSeenSet(s Sample) seenSet {
	return seenSet{sample: s, added: make([]uint64, (s.drawn.records+63)/64)}
}

// checkMaxRecords refuses a sample of more records than were declared, and one of groups.
func checkMaxRecords(s Sample, maxRecords int) error {
	if s.drawn.whole != nil {
		return errDivided
	}
	return checkCount(s, maxRecords)
}

// checkCount is checkMaxRecords for a sum that also takes groups.
func checkCount(s Sample, maxRecords int) error {
	if s.drawn.records > maxRecords {
		return fmt.Errorf("release: there are more records than max records %d; raise the declared bound", maxRecords)
	}
	return nil
}

// mark notes that n records are in the sum, those that are listed or, without a list, first, first+1, …; on
// an error none is.
func (s *seenSet) mark(first int, records []int, n int) error {
	if records == nil && n > 0 && s.sample.drawn.member == nil && 0 <= first && first <= s.sample.drawn.records-n {
		return s.markAll(first, first+n)
	}
	for i := range n {
		at := recordOf(first, records, i)
		if !s.sample.has(at) {
			s.unmark(first, records, i)
			return fmt.Errorf("release: contributions are of records outside the sample")
		}
		if s.added[at/64]>>(at%64)&1 == 1 {
			s.unmark(first, records, i)
			return errTwice
		}
		s.added[at/64] |= 1 << (at % 64)
	}
	return nil
}

// markAll is mark for the records from ≤ i < to of a full sample, a word at a time.
func (s *seenSet) markAll(from, to int) error {
	first, last := from/64, (to-1)/64
	within := func(w int) uint64 { // the bits of word w that belong to the records
		bits := ^uint64(0)
		if w == first {
			bits <<= from % 64
		}
		if w == last {
			bits &= ^uint64(0) >> (63 - (to-1)%64)
		}
		return bits
	}
	for w := first; w <= last; w++ {
		if s.added[w]&within(w) != 0 {
			return errTwice
		}
	}
	for w := first; w <= last; w++ {
		s.added[w] |= within(w)
	}
	return nil
}

var errTwice = fmt.Errorf("release: a record would be added twice, want each record at most once")

// empty reports whether there is no record in the sum.
func (s *seenSet) empty() bool {
	return !slices.ContainsFunc(s.added, func(w uint64) bool { return w != 0 })
}

// unmark undoes the first n marks.
func (s *seenSet) unmark(first int, records []int, n int) {
	for i := range n {
		at := recordOf(first, records, i)
		s.added[at/64] &^= 1 << (at % 64)
	}
}

var errSealed = fmt.Errorf("release: the sum was sealed or given to a group, want one that is open")

var errOtherKind = fmt.Errorf("release: sums of different samples or kinds cannot be merged; make the parts with Empty")

// merge takes over the records of o, unless one is in both or the samples differ.
func (s *seenSet) merge(o *seenSet) error {
	if s.sample != o.sample || s.sealed || o.sealed {
		return errOtherKind
	}
	for i, w := range o.added {
		if s.added[i]&w != 0 {
			return fmt.Errorf("release: a record is in both sums, want each record at most once")
		}
	}
	for i, w := range o.added {
		s.added[i] |= w
	}
	clear(o.added)
	return nil
}

// addTo adds the integers of from to dst and clears them.
func addTo(dst, from []int64) {
	for j, v := range from {
		dst[j] += v
	}
	clear(from)
}
