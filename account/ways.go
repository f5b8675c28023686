package account

import (
	"errors"
	"fmt"

	"github.com/ditherml/dither/mechanism"
)

// maxWays bounds the number of ways in which a record can stand in the parts of an event.
const maxWays = 64

// ways lists the events without Parallel that e can be for one record: one for each way in which
// the record stands in the parts. The cost of e is the largest of their costs (see
// mechanism.Parallel). An event without Parallel is its only way.
func ways(e mechanism.Event) ([]mechanism.Event, error) {
	if !isParallel(e) {
		return []mechanism.Event{e}, nil
	}
	switch e := e.(type) {
	case mechanism.Parallel:
		var all []mechanism.Event
		for _, part := range e {
			some, err := ways(part)
			if err != nil {
				return nil, err
			}
			all = append(all, some...)
		}
		return few(all, e)
	case mechanism.Sequence:
		return waysOfSequence(e)
	case mechanism.Repeat:
		return waysOfRepeat(e)
	case mechanism.Partition:
		some, err := ways(e.Event)
		if err != nil {
			return nil, err
		}
		for i, w := range some {
			some[i] = mechanism.Partition{Parts: e.Parts, Event: w}
		}
		return some, nil
	}
	return []mechanism.Event{e}, nil
}

// waysOfSequence combines the ways of the parts. Each part draws by itself.
func waysOfSequence(s mechanism.Sequence) ([]mechanism.Event, error) {
	all := []mechanism.Sequence{{}}
	for _, part := range s {
		some, err := ways(part)
		if err != nil {
			return nil, err
		}
		var longer []mechanism.Sequence
		for _, begun := range all {
			for i, w := range some {
				if i < len(some)-1 {
					longer = append(longer, append(append(mechanism.Sequence{}, begun...), w))
				} else {
					longer = append(longer, append(begun, w))
				}
			}
		}
		if all = longer; len(all) > maxWays {
			return nil, tooManyWays(s)
		}
	}
	out := make([]mechanism.Event, len(all))
	for i, w := range all {
		out[i] = w
	}
	return out, nil
}

// waysOfRepeat says how often each way can happen. The order has no effect on the cost.
func waysOfRepeat(r mechanism.Repeat) ([]mechanism.Event, error) {
	some, err := ways(r.Event)
	if err != nil || r.Count == 0 {
		return []mechanism.Event{mechanism.Sequence{}}, err
	}
	var all []mechanism.Event
	var share func(s mechanism.Sequence, first, left int) error
	share = func(s mechanism.Sequence, first, left int) error {
		if first == len(some)-1 {
			all = append(all, append(append(mechanism.Sequence{}, s...), mechanism.Repeat{Event: some[first], Count: left}))
			_, failed := few(all, r)
			return failed
		}
		for count := range left + 1 {
			if failed := share(append(s, mechanism.Repeat{Event: some[first], Count: count}), first+1, left-count); failed != nil {
				return failed
			}
		}
		return nil
	}
	err = share(nil, 0, r.Count)
	return all, err
}

func few(all []mechanism.Event, e mechanism.Event) ([]mechanism.Event, error) {
	if len(all) > maxWays {
		return nil, tooManyWays(e)
	}
	return all, nil
}

func tooManyWays(e mechanism.Event) error {
	return fmt.Errorf("account: a record can stand in the parts of %v in more than %d ways, want fewer repetitions of parallel events", e, maxWays)
}

// severalWays reports whether e has parts in parallel. If so, it returns the largest of the
// numbers, and of each end of the intervals, that ask returns for its ways. Where an accountant has
// no proof for one way, it has none for e.
func severalWays(e mechanism.Event, ask func(mechanism.Event) (Interval, error)) (worst Interval, several bool, err error) {
	if !isParallel(e) || mechanism.CheckEvent(e) != nil { // the next check reports a fault
		return Interval{}, false, nil
	}
	all, err := ways(e)
	if err != nil {
		return Interval{}, true, err
	}
	var reasons []error
	for _, w := range all {
		v, failed := ask(w)
		if failed != nil {
			reasons = append(reasons, failed)
			continue
		}
		worst.Lower, worst.Estimate, worst.Upper = max(worst.Lower, v.Lower), max(worst.Estimate, v.Estimate), max(worst.Upper, v.Upper)
	}
	return worst, true, errors.Join(reasons...)
}

// isParallel reports whether an event has Parallel in it where ways looks.
func isParallel(e mechanism.Event) bool {
	switch e := e.(type) {
	case mechanism.Parallel:
		return true
	case mechanism.Sequence:
		for _, part := range e {
			if isParallel(part) {
				return true
			}
		}
	case mechanism.Repeat:
		return isParallel(e.Event)
	case mechanism.Partition:
		return isParallel(e.Event)
	}
	return false
}

// alone returns a number as the answer of an accountant.
func alone(v float64, err error) (Interval, error) { return Interval{v, v, v}, err }
