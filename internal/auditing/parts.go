package auditing

import (
	"fmt"
	"strconv"

	"github.com/ditherml/dither/internal/display"
)

// partRows is a table of the parts of a report: how many attacks each has, and how many refuted.
func (r Report) partRows() [][]string {
	rows := [][]string{{"part", "attacks", "refuted", "time"}}
	for _, p := range r.Parts {
		attacks, refuted, took := 0, 0, 0.0
		for _, s := range r.Sections {
			if s.Group != p.Group {
				continue
			}
			if s.Verdict != NotRun {
				attacks++
			}
			if s.Verdict == Refuted {
				refuted++
			}
			took += s.Seconds
		}
		rows = append(rows, []string{p.Group, strconv.Itoa(attacks), strconv.Itoa(refuted), seconds(took)})
	}
	return rows
}

// detailed are the sections that text and page show in detail: all if the report has no parts, else
// the refuted ones, those that were not run, and the sharpest one.
func (r Report) detailed() []Section {
	if r.Parts == nil {
		return r.Sections
	}
	var out []Section
	for _, s := range r.Sections {
		if s.Verdict == Refuted || s.Verdict == NotRun {
			out = append(out, s)
		}
	}
	if sharpest := r.sharpest(); sharpest != nil && sharpest.Verdict != Refuted {
		out = append(out, *sharpest)
	}
	return out
}

// sharpest is the section whose lower bound is the largest part of the claim, nil if there is none.
func (r Report) sharpest() (best *Section) {
	share := 0.0
	for i, s := range r.Sections {
		if s.LowerBound != nil && s.Claimed != nil && *s.LowerBound > share**s.Claimed {
			best, share = &r.Sections[i], *s.LowerBound / *s.Claimed
		}
	}
	return best
}

// meaning says what the verdict of a report with parts is worth.
func (r Report) meaning() []string {
	if r.Verdict != NotRefuted {
		return []string{r.verdictWords()}
	}
	text := []string{
		"No attack succeeded, so no claim is refuted. A fault as large as said above would probably have been found in this program on this machine.",
		"That is no proof. Smaller faults, and faults that no attack looks for, may be there.",
	}
	if s := r.sharpest(); s != nil {
		text = append(text, fmt.Sprintf("The sharpest attack is %q. It shows that the true epsilon is at least %s, and at most %s is claimed. Only a bound above the claim would be a fault.",
			display.Printable(s.title()), number(s.LowerBound, false), number(s.Claimed, true)))
	}
	return text
}

// partSentences are what each part tried and would have found.
func (r Report) partSentences() []string {
	out := make([]string, len(r.Parts))
	for i, p := range r.Parts {
		out[i] = p.Group + ": " + p.Tried + " " + p.Finds
	}
	return out
}

// elsewhere says where the details of other sections are.
const elsewhere = "The details of every attack are in audit.json, and in the output of --json."
