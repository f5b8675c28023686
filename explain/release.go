package explain

import (
	"fmt"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// releaseCost is a part of an event and its cost.
type releaseCost struct {
	// What is the purpose of the part. It is "" if only the event is known.
	What  string `json:"what,omitempty"`
	Event string `json:"event"`
	Times int    `json:"times"`
	// Alone is the epsilon of this part by itself. SoFar is the epsilon of this part and all
	// earlier parts together. Both are upper bounds at the delta of the whole event. If parts of
	// the records pay separately, SoFar starts again with each part of the records.
	Alone certificate.Epsilon `json:"epsilon-alone"`
	SoFar certificate.Epsilon `json:"epsilon-so-far"`
	Part  int                 `json:"part"`
}

// branch is the releases that one part of the records pays for, in order, each with its purpose.
type branch struct {
	releases []mechanism.Event
	what     []string
}

// branchesOf divides an event into the releases that all records pay for, or that each part of them
// pays for.
func branchesOf(e mechanism.Event) []branch {
	p, ok := e.(mechanism.Parallel)
	if !ok {
		return []branch{{releases: flatten(e)}}
	}
	out := make([]branch, len(p))
	for i, part := range p {
		out[i].releases = flatten(part)
	}
	return out
}

// releaseCosts returns the prices of releases by themselves and up to each.
func releaseCosts(branches []branch, delta float64, n privacy.Neighboring) ([]releaseCost, error) {
	var out []releaseCost
	for part, b := range branches {
		for i, release := range b.releases {
			alone, err := upper(release, delta, n)
			if err != nil {
				return nil, err
			}
			soFar, err := upper(mechanism.Sequence(b.releases[:i+1]), delta, n)
			if err != nil {
				return nil, err
			}
			r := releaseCost{Event: wording.Brief(release), Times: 1, Alone: alone, SoFar: soFar, Part: part}
			if repeat, ok := release.(mechanism.Repeat); ok {
				r.Event, r.Times = wording.Brief(repeat.Event), repeat.Count
			}
			if i < len(b.what) {
				r.What = b.what[i]
			}
			out = append(out, r)
		}
	}
	return out, nil
}

// flatten returns the releases of sequences within sequences.
func flatten(e mechanism.Event) []mechanism.Event {
	s, ok := e.(mechanism.Sequence)
	if !ok {
		return []mechanism.Event{e}
	}
	var all []mechanism.Event
	for _, part := range s {
		all = append(all, flatten(part)...)
	}
	return all
}

// upper returns the least proven epsilon of an event.
func upper(e mechanism.Event, delta float64, n privacy.Neighboring) (certificate.Epsilon, error) {
	v, err := account.ForDelta(e, delta).Epsilon(e, delta, n)
	return certificate.Epsilon(v.Upper), err
}

// addCosts adds the section on how the releases add up.
func (e *Explanation) addCosts() {
	s := section{Title: "how the cost adds up"}
	s.Table = [][]string{{"release", "times", "epsilon alone", "so far"}}
	parts := 1
	for _, r := range e.Releases {
		what := r.What
		if what == "" {
			what = r.Event
		}
		s.Table = append(s.Table, []string{what, fmt.Sprint(r.Times), display.Rounded(float64(r.Alone), 4, true), display.Rounded(float64(r.SoFar), 4, true)})
		parts = max(parts, r.Part+1)
	}
	if parts > 1 {
		s.Lines = append(s.Lines, line{Text: fmt.Sprintf("The records are divided at random into %d parts, and each record pays for the releases from its own part alone; the whole costs what the dearest part costs.", parts)})
	}
	if together := float64(e.Releases[len(e.Releases)-1].SoFar); parts == 1 && together < 0.999*e.sumAlone() {
		s.Lines = append(s.Lines, line{Text: fmt.Sprintf("The costs alone add to %s, but together the releases cost %s: independent noise partly cancels.", display.Rounded(e.sumAlone(), 4, true), display.Rounded(together, 4, true))})
	}
	e.Sections = append(e.Sections, s)
}

// sumAlone returns the sum of the costs of the releases by themselves.
func (e *Explanation) sumAlone() float64 {
	sum := 0.0
	for _, r := range e.Releases {
		sum += float64(r.Alone)
	}
	return sum
}
