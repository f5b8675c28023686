package mechanism

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Event states what was released, as much of it as its privacy cost depends on.
// The set is closed. String prints an expression that ParseEvent reads back to an
// equal event.
type Event interface {
	String() string
	event()
}

// Gaussian is the release of a sum of bounded contributions with normal noise whose
// standard deviation is NoiseMultiplier times one record's bound (L2 norm), under
// every neighboring relation.
type Gaussian struct{ NoiseMultiplier float64 }

// NonPrivate is a release without protection; every accountant prices it at +Inf.
type NonPrivate struct{}

// Repeat is an event that happens Count times, each time on fresh randomness, with
// free choice of the query after the earlier outputs. Accountants apply Count.
type Repeat struct {
	Event Event
	Count int
}

// Sequence is several events one after the other on the same records, each query
// chosen with knowledge of the earlier outputs.
type Sequence []Event

// PoissonSampled is an event on a fresh sample that takes each record independently with a
// probability of at most Probability. Event is a Gaussian or NonPrivate.
type PoissonSampled struct {
	Probability float64
	Event       Event
}

func (Gaussian) event()   {}
func (NonPrivate) event() {}
func (Repeat) event()     {}
func (Sequence) event()   {}

func (PoissonSampled) event() {}

// String prints "gaussian(1.1)".
func (g Gaussian) String() string {
	return "gaussian(" + strconv.FormatFloat(g.NoiseMultiplier, 'g', -1, 64) + ")"
}

// String prints "non-private()".
func (NonPrivate) String() string { return "non-private()" }

// String prints "repeat(60, gaussian(1.1))".
func (r Repeat) String() string { return fmt.Sprintf("repeat(%d, %v)", r.Count, r.Event) }

// String prints "sequence(gaussian(3), repeat(60, gaussian(1.1)))".
func (s Sequence) String() string {
	parts := make([]string, len(s))
	for i, e := range s {
		parts[i] = fmt.Sprint(e)
	}
	return "sequence(" + strings.Join(parts, ", ") + ")"
}

// String prints "poisson(0.01, gaussian(1.1))".
func (p PoissonSampled) String() string {
	return "poisson(" + strconv.FormatFloat(p.Probability, 'g', -1, 64) + ", " + fmt.Sprint(p.Event) + ")"
}

// CheckEvent returns an error that names the first part of the event whose numbers
// make no sense: a noise multiplier that is not positive and finite, a negative
// count, a missing event.
func CheckEvent(e Event) error {
	switch e := e.(type) {
	case Gaussian:
		if !(e.NoiseMultiplier > 0) || math.IsInf(e.NoiseMultiplier, 1) {
			return fmt.Errorf("mechanism: noise multiplier of %v is %v, want a positive finite number", e, e.NoiseMultiplier)
		}
	case NonPrivate:
	case Repeat:
		if e.Count < 0 {
			return fmt.Errorf("mechanism: count of %v is %d, want 0 or more", e, e.Count)
		}
		return CheckEvent(e.Event)
	case PoissonSampled:
		return checkPoisson(e)
	case Sequence:
		for _, part := range e {
			if err := CheckEvent(part); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("mechanism: event is %v (%T), want an event of this package", e, e)
	}
	return nil
}

func checkPoisson(e PoissonSampled) error {
	if !(e.Probability > 0 && e.Probability < 1) {
		return fmt.Errorf("mechanism: sampling probability of %v is %v, want more than 0 and less than 1", e, e.Probability)
	}
	switch e.Event.(type) {
	case Gaussian, NonPrivate:
		return CheckEvent(e.Event)
	}
	return fmt.Errorf("mechanism: sampled event is %v, want gaussian or non-private", e.Event)
}
