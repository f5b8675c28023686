package budget

import (
	"math"

	"github.com/ditherml/dither/mechanism"
)

// first returns the event of the first releases of an event, in the order in which a grant pays them.
// whole is true where these are all.
func first(e mechanism.Event, releases int) (rest mechanism.Event, whole bool) {
	out, used := cut(e, releases)
	return out, used < releases || !more(e, releases)
}

// more reports whether an event has more than this many releases.
func more(e mechanism.Event, releases int) bool { return count(e, releases+1) > releases }

// count returns how many releases an event has, or most where there are more.
func count(e mechanism.Event, most int) int {
	switch e := e.(type) {
	case mechanism.Sequence:
		return countAll(e, most)
	case mechanism.Parallel:
		return countAll(e, most)
	case mechanism.Repeat:
		one := count(e.Event, most)
		if one > 0 && e.Count > most/one {
			return most
		}
		return min(most, one*e.Count)
	}
	return min(most, 1)
}

func countAll(events []mechanism.Event, most int) int {
	n := 0
	for _, e := range events {
		if n += count(e, most-n); n >= most {
			return most
		}
	}
	return n
}

// cut returns the event of the first releases, at most this many, and their number; nil for none.
func cut(e mechanism.Event, releases int) (mechanism.Event, int) {
	switch e := e.(type) {
	case mechanism.Sequence:
		out, used := mechanism.Sequence{}, 0
		for _, part := range e {
			one, n := cut(part, releases-used)
			if used += n; one != nil {
				out = append(out, one)
			}
		}
		return out, used
	case mechanism.Repeat:
		one := count(e.Event, releases+1)
		if one == 0 || e.Count == 0 {
			return nil, 0
		}
		full := min(e.Count, releases/one)
		out := mechanism.Sequence{mechanism.Repeat{Event: e.Event, Count: full}}
		used := full * one
		if full < e.Count && used < releases {
			part, n := cut(e.Event, releases-used)
			out, used = append(out, part), used+n
		}
		return out, used
	}
	if releases < 1 {
		return nil, 0
	}
	return e, 1
}

// After returns the event of all releases of an event but the first ones. Where these end within parallel
// parts, all parts are returned. It returns nil for nothing.
func After(e mechanism.Event, releases int) mechanism.Event {
	if releases < 1 {
		return e
	}
	switch e := e.(type) {
	case mechanism.Sequence:
		return afterAll(e, releases)
	case mechanism.Repeat:
		one := count(e.Event, releases+1)
		if one == 0 || e.Count <= releases/one {
			return nil
		}
		e.Count -= releases / one
		if part := releases % one; part > 0 {
			e.Count--
			return mechanism.Sequence{After(e.Event, part), e}
		}
		return e
	case mechanism.Parallel:
		if more(e, releases) {
			return e
		}
	}
	return nil
}

// afterAll is After for a sequence.
func afterAll(events mechanism.Sequence, releases int) mechanism.Event {
	out := mechanism.Sequence{}
	for _, part := range events {
		n := count(part, releases)
		if rest := After(part, releases); rest != nil {
			out = append(out, rest)
		}
		releases -= n
	}
	switch len(out) {
	case 0:
		return nil
	case 1:
		return out[0]
	}
	return out
}

// Releases returns the number of releases in an event.
func Releases(e mechanism.Event) int { return count(e, math.MaxInt-1) }

// parallel reports whether parts of an event are released from parts of the records.
func parallel(e mechanism.Event) bool {
	switch e := e.(type) {
	case mechanism.Parallel:
		return true
	case mechanism.Repeat:
		return parallel(e.Event)
	case mechanism.Sequence:
		for _, part := range e {
			if parallel(part) {
				return true
			}
		}
	}
	return false
}
