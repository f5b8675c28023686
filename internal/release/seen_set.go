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

// mark notes that n records are in the sum, those that are listed or, without a list, first,
// first+1, …; on an error none is.
func (s *seenSet) mark(first int, records []int, n int) (err error) {
	done := 0
	for err == nil && done < n {
		at, bits, run := runOf(first, records, n, done)
		switch {
		case !s.sample.has(at, bits):
			err = errOutsideSample
		case s.added[at/64]&bits != 0:
			err = errTwice
		default:
			s.added[at/64] |= bits
			done += run
		}
	}
	for k := 0; err != nil && k < done; {
		at, bits, run := runOf(first, records, n, k)
		s.added[at/64] &^= bits
		k += run
	}
	return err
}

// runOf returns the records that come after done of n, as far as they share a word of bits: the
// first of them, their bits, and their number. Records of a list come one by one.
func runOf(first int, records []int, n, done int) (at int, bits uint64, run int) {
	if records != nil {
		return records[done], 1 << (uint(records[done]) % 64), 1
	}
	at = first + done
	run = min(n-done, 64-int(uint(at)%64))
	return at, ^uint64(0) >> (64 - run) << (uint(at) % 64), run
}

var errOutsideSample = fmt.Errorf("release: contributions are of records outside the sample")

var errTwice = fmt.Errorf("release: a record would be added twice, want each record at most once")

// empty reports whether there is no record in the sum.
func (s *seenSet) empty() bool {
	return !slices.ContainsFunc(s.added, func(w uint64) bool { return w != 0 })
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
