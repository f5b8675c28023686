package mechanism

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ditherml/dither/privacy"
)

// Event describes a release: everything that determines its privacy cost. String returns an
// expression that ParseEvent turns back into an equal event.
//
// A number such as a noise multiplier is relative to the bound on one record's contribution, under
// every neighboring relation. Under replace-one the sums of neighbors may differ by twice that
// bound. Only accountants take this into account. Other packages cannot implement Event.
type Event interface {
	// String returns the event as an expression that ParseEvent reads.
	String() string
	// check returns an error when a number of this event, apart from its parts, makes no sense.
	check() error
	// unproved returns the reason why this event, apart from its parts, has no proof under a
	// relation. It returns "" where there is a proof.
	unproved(n privacy.Neighboring) string
	// parts returns the events that this one is made of.
	parts() []Event
}

// NonPrivate is a release without protection. Every accountant computes the epsilon +Inf for it.
type NonPrivate struct{}

// Repeat is an event that happens Count times, each time with fresh randomness. Each repetition may
// depend on the outputs of the earlier repetitions.
type Repeat struct {
	// Event is the repeated event.
	Event Event
	// Count is the number of repetitions.
	Count int
}

// Sequence is several events one after the other, about the same records. Each event may depend on
// the outputs of the earlier events.
type Sequence []Event

// String returns "non-private()".
func (NonPrivate) String() string { return "non-private()" }

// String returns text such as "repeat(60, gaussian(1.1))".
func (r Repeat) String() string { return call("repeat", r.Count, r.Event) }

// String returns text such as "sequence(gaussian(3), repeat(60, gaussian(1.1)))".
func (s Sequence) String() string {
	arguments := make([]any, len(s))
	for i, e := range s {
		arguments[i] = e
	}
	return call("sequence", arguments...)
}

func (NonPrivate) check() error { return nil }
func (Sequence) check() error   { return nil }

func (r Repeat) check() error {
	if r.Count < 0 {
		return wrong("count", r, r.Count, "0 or more")
	}
	return nil
}

func (NonPrivate) unproved(privacy.Neighboring) string { return "" }
func (Repeat) unproved(privacy.Neighboring) string     { return "" }
func (Sequence) unproved(privacy.Neighboring) string   { return "" }

func (NonPrivate) parts() []Event { return nil }
func (r Repeat) parts() []Event   { return []Event{r.Event} }
func (s Sequence) parts() []Event { return s }

// CheckEvent returns an error for the first part of the event that is missing or has an invalid
// number. Examples of invalid numbers are a negative count, and a noise multiplier that is 0 or
// infinite.
func CheckEvent(e Event) error {
	if e == nil {
		return fmt.Errorf("mechanism: event is %v, want an event of this package", e)
	}
	if err := e.check(); err != nil {
		return err
	}
	for _, part := range e.parts() {
		if err := CheckEvent(part); err != nil {
			return err
		}
	}
	return nil
}

// CheckNeighboring returns an error for the first part of a valid event whose cost has no known
// proof under the relation. The error states the reason.
func CheckNeighboring(e Event, n privacy.Neighboring) error {
	if !n.Valid() {
		return fmt.Errorf("mechanism: neighboring is %v, want a named relation", n)
	}
	if reason := e.unproved(n); reason != "" {
		return fmt.Errorf("mechanism: %v has no proof under %v: %s", e, n, reason)
	}
	for _, part := range e.parts() {
		if err := CheckNeighboring(part, n); err != nil {
			return err
		}
	}
	return nil
}

// call returns an expression: events as they print, numbers in their shortest form.
func call(name string, arguments ...any) string {
	texts := make([]string, len(arguments))
	for i, a := range arguments {
		texts[i] = fmt.Sprint(a)
		if v, number := a.(float64); number {
			texts[i] = strconv.FormatFloat(v, 'g', -1, 64)
		}
	}
	return name + "(" + strings.Join(texts, ", ") + ")"
}

// wrong returns the error of a number that makes no sense.
func wrong(name string, e Event, value any, want string) error {
	return fmt.Errorf("mechanism: %s of %v is %v, want %s", name, e, value, want)
}

// positive reports whether v is positive and finite.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

func checkPositive(name string, e Event, value float64) error {
	if !positive(value) {
		return wrong(name, e, value, "a positive finite number")
	}
	return nil
}

// onlyUnder returns the reason of an event that is proved under some relations only, or "".
func onlyUnder(n privacy.Neighboring, proved ...privacy.Neighboring) string {
	names := make([]string, len(proved))
	for i, p := range proved {
		if n == p {
			return ""
		}
		names[i] = p.String()
	}
	return "it is proved under " + strings.Join(names, " and ") + " only"
}
