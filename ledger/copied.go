package ledger

import (
	"slices"

	"github.com/ditherml/dither/mechanism"
)

// copied returns an event that shares no memory with e. So a reservation stays as it is, whatever
// its caller writes to the slices of the event afterwards.
func copied(e mechanism.Event) mechanism.Event {
	switch e := e.(type) {
	case mechanism.Sequence:
		return mechanism.Sequence(allCopied(e))
	case mechanism.Parallel:
		return mechanism.Parallel(allCopied(e))
	case mechanism.Repeat:
		e.Event = copied(e.Event)
		return e
	case mechanism.RepeatAndSelect:
		e.Event = copied(e.Event)
		return e
	case mechanism.MixtureOfGaussians:
		e.Sensitivities, e.Probabilities = slices.Clone(e.Sensitivities), slices.Clone(e.Probabilities)
		return e
	}
	return sampledCopied(e)
}

// sampledCopied returns copies of events on a sample or on a part of the records.
func sampledCopied(e mechanism.Event) mechanism.Event {
	switch e := e.(type) {
	case mechanism.PoissonSampled:
		e.Event = copied(e.Event)
		return e
	case mechanism.TruncatedPoisson:
		e.Event = copied(e.Event)
		return e
	case mechanism.WithReplacement:
		e.Event = copied(e.Event)
		return e
	case mechanism.WithoutReplacement:
		e.Event = copied(e.Event)
		return e
	case mechanism.Partition:
		e.Event = copied(e.Event)
		return e
	case mechanism.RandomAllocation:
		e.Event = copied(e.Event)
		return e
	}
	return e
}

// allCopied returns copies of events.
func allCopied(events []mechanism.Event) []mechanism.Event {
	out := make([]mechanism.Event, len(events))
	for i, e := range events {
		out[i] = copied(e)
	}
	return out
}
