package account

import "github.com/ditherml/dither/mechanism"

// maxDivisions bounds the number of ways to divide the records of a group over parts.
const maxDivisions = 32

// portion is an event without Parallel, and the number of a group's records that take part in it,
// at least one.
type portion struct {
	event   mechanism.Event
	records int
}

// divisions lists what a group of records may meet in an event. It has one entry for each way in
// which the records can stand in the parts: the portions, which are released one after the other.
// It reports false where these are too many, or where parts in parallel are repeated.
func divisions(e mechanism.Event, records int) ([][]portion, bool) {
	if records == 0 {
		return [][]portion{{}}, true
	}
	if !isParallel(e) {
		return [][]portion{{{e, records}}}, true
	}
	switch e := e.(type) {
	case mechanism.Sequence:
		all := [][]portion{{}}
		for _, part := range e {
			some, few := divisions(part, records)
			if all = crossed(all, some); !few || len(all) > maxDivisions {
				return nil, false
			}
		}
		return all, true
	case mechanism.Parallel:
		return divided(e, records)
	}
	return nil, false
}

// divided returns the divisions over the remaining parts.
func divided(parts mechanism.Parallel, records int) ([][]portion, bool) {
	if len(parts) == 1 {
		return divisions(parts[0], records)
	}
	var all [][]portion
	for first := range records + 1 {
		here, few := divisions(parts[0], first)
		rest, also := divided(parts[1:], records-first)
		if !few || !also {
			return nil, false
		}
		if all = append(all, crossed(here, rest)...); len(all) > maxDivisions {
			return nil, false
		}
	}
	return all, true
}

// crossed returns every one of first followed by every one of then.
func crossed(first, then [][]portion) [][]portion {
	var out [][]portion
	for _, a := range first {
		for _, b := range then {
			out = append(out, append(append([]portion{}, a...), b...))
		}
	}
	return out
}

// inSequence replaces parts in parallel by parts one after the other. Parts in parallel cost at
// most as much as a group that is in every part.
func inSequence(e mechanism.Event) mechanism.Event {
	switch e := e.(type) {
	case mechanism.Parallel:
		return inSequence(mechanism.Sequence(e))
	case mechanism.Sequence:
		out := make(mechanism.Sequence, len(e))
		for i, part := range e {
			out[i] = inSequence(part)
		}
		return out
	case mechanism.Repeat:
		return mechanism.Repeat{Event: inSequence(e.Event), Count: e.Count}
	case mechanism.Partition:
		return mechanism.Partition{Parts: e.Parts, Event: inSequence(e.Event)}
	}
	return e
}
