package mechanism

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/mechanism/internal/sample"
)

// Sampling decides which records take part in one release, and what that makes
// the release cost: it draws and it prices, so the two cannot disagree. The zero
// value is invalid.
type Sampling struct {
	kind samplingKind
	// probability is what is charged, threshold/2^64 ≤ probability what is executed.
	probability float64
	threshold   uint64
}

type samplingKind uint8

const (
	samplingFull samplingKind = iota + 1
	samplingPoisson
)

// Full takes every record: nothing is drawn and nothing is amplified.
func Full() Sampling { return Sampling{kind: samplingFull} }

// Poisson takes each record independently with probability ⌊q·2^64⌋/2^64, at most q; 0 < q < 1
// and at least 2^-64. Samples may be empty, and their sizes are private.
func Poisson(q float64) (Sampling, error) {
	threshold := uint64(0)
	if q > 0 && q < 1 {
		threshold = uint64(math.Floor(math.Ldexp(q, 64)))
	}
	if threshold == 0 {
		return Sampling{}, fmt.Errorf("mechanism: sampling probability is %v, want at least 2^-64 and less than 1; to take every record sample in full", q)
	}
	return Sampling{samplingPoisson, q, threshold}, nil
}

// String returns "full" or "poisson(q)".
func (s Sampling) String() string {
	switch s.kind {
	case samplingFull:
		return "full"
	case samplingPoisson:
		return fmt.Sprintf("poisson(%v)", s.probability)
	}
	return "invalid-sampling"
}

// Price returns the event of one release of e from one sample.
func (s Sampling) Price(e Event) (Event, error) {
	switch s.kind {
	case samplingFull:
		return e, nil
	case samplingPoisson:
		priced := PoissonSampled{s.probability, e}
		return priced, CheckEvent(priced)
	}
	return nil, s.invalid()
}

func (s Sampling) invalid() error {
	return fmt.Errorf("mechanism: sampling is %v, want one made by this package's functions", s)
}

// Draw draws a sample out of this many records, from a stream of its own. The number of
// records and which were drawn stay inside the Sample.
func (s Sampling) Draw(records int) (Sample, error) {
	if records < 0 {
		return Sample{}, fmt.Errorf("mechanism: number of records is negative, want 0 or more")
	}
	d := &drawn{sampling: s, records: records}
	switch s.kind {
	case samplingFull:
	case samplingPoisson:
		d.indices = sample.NewStream().Poisson(nil, records, s.threshold)
		d.member = make([]uint64, (records+63)/64)
		for _, i := range d.indices {
			d.member[i/64] |= 1 << (i % 64)
		}
	default:
		return Sample{}, s.invalid()
	}
	return Sample{d}, nil
}

// Sample is one draw of records. Two samples are the same only if they come from
// the same call of Draw. The zero value holds no records and is refused by NewSum.
type Sample struct{ drawn *drawn }

type drawn struct {
	sampling Sampling
	records  int
	indices  []int    // ascending; nil for a full sample
	member   []uint64 // one bit a record; nil for a full sample
}

// Indices returns which records are in the sample, ascending; it is private, and for gradient
// code only. The caller may modify it.
func (s Sample) Indices() []int {
	if s.drawn == nil {
		return nil
	}
	if s.drawn.member != nil {
		return slices.Clone(s.drawn.indices)
	}
	all := make([]int, s.drawn.records)
	for i := range all {
		all[i] = i
	}
	return all
}

// has reports whether a record is in the sample.
func (s Sample) has(i int) bool {
	return i >= 0 && i < s.drawn.records && (s.drawn.member == nil || s.drawn.member[i/64]>>(i%64)&1 == 1)
}
