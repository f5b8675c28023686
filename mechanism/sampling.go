package mechanism

import "fmt"

// Sampling decides which records take part in one release, and what that makes
// the release cost: it draws and it prices, so the two cannot disagree. The zero
// value is invalid.
type Sampling struct{ kind samplingKind }

type samplingKind uint8

const samplingFull samplingKind = 1

// Full takes every record: nothing is drawn and nothing is amplified.
func Full() Sampling { return Sampling{kind: samplingFull} }

// String returns the sampling's name, "full".
func (s Sampling) String() string {
	if s.kind == samplingFull {
		return "full"
	}
	return "invalid-sampling"
}

// Price returns the event of one release of e from one sample.
func (s Sampling) Price(e Event) (Event, error) {
	if s.kind != samplingFull {
		return nil, fmt.Errorf("mechanism: sampling is %v, want one made by this package's functions", s)
	}
	return e, nil
}

// Draw draws a sample out of this many records. The number of records stays inside
// the Sample.
func (s Sampling) Draw(records int) (Sample, error) {
	if s.kind != samplingFull {
		return Sample{}, fmt.Errorf("mechanism: sampling is %v, want one made by this package's functions", s)
	}
	if records < 0 {
		return Sample{}, fmt.Errorf("mechanism: number of records is negative, want 0 or more")
	}
	return Sample{&drawn{sampling: s, records: records}}, nil
}

// Sample is one draw of records. Two samples are the same only if they come from
// the same call of Draw. The zero value holds no records and is refused by NewSum.
type Sample struct{ drawn *drawn }

type drawn struct {
	sampling Sampling
	records  int
}
