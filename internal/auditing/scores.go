package auditing

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/display"
)

// Attack describes an attack by canaries and the known facts about its design.
type Attack struct {
	// Group and Name are the group and the name of the section.
	Group, Name string
	Design      audit.Design
	Confidence  float64
}

// OfScores returns the section of an attack that gave these scores to canaries. It has all bounds
// of package audit, what they would have detected, and the picture. Its errors are those of
// audit.Scores.Bounds.
func (a Attack) OfScores(c Claim, s audit.Scores) (Section, error) {
	found, err := s.Bounds(c.Claim, a.Design, a.Confidence)
	if err != nil {
		return Section{}, err
	}
	out := Section{Group: a.Group, Name: a.Name, Claim: c.Words, Claimed: display.Finite(c.Epsilon), Delta: display.Finite(c.Delta), Confidence: a.Confidence, Verdict: NotRefuted}
	detects, by := math.Inf(1), ""
	var any, shaped audit.Bound // the largest of each kind
	for _, b := range found {
		out.Bounds = append(out.Bounds, boundOf(b, c))
		if !b.Counts {
			continue
		}
		largest := &any
		if assumesShape(b) {
			largest = &shaped
		}
		if largest.Name == "" || b.Epsilon > largest.Epsilon {
			*largest = b
		}
		if b.Refuted {
			out.Verdict = Refuted
		}
		if b.Detectable < detects {
			detects, by = b.Detectable, b.Name
		}
	}
	out.Detectable, out.Power = display.Finite(detects), powerWords(detects, by, c)
	out.Facts, out.Note = facts(s)
	if best := max(any.Epsilon, shaped.Epsilon); !shaped.Refuted {
		out.LowerBound = display.Finite(best)
	} else {
		out.LowerBound = display.Finite(any.Epsilon)
		out.Note = strings.TrimSpace(fmt.Sprintf("The claim is refuted by %s. Its bound, %s, supposes a true curve of the shape of the claim's, which is no longer known; the lower bound of the table supposes no shape. %s",
			shaped.Name, display.Rounded(shaped.Epsilon, 4, false), out.Note))
	}
	out.Picture = pictureOf(c, a.Design, found)
	return out, nil
}

// assumesShape reports whether a bound supposes that the true trade-off curve has the shape of the claim's. Such
// a bound refutes a claim, but once it does, it bounds no true ε.
func assumesShape(b audit.Bound) bool {
	return b.Name == "f-dp" || b.Name == "gaussian-dp" || b.Name == "trade-off"
}

// boundOf is a bound in the form of a report.
func boundOf(b audit.Bound, c Claim) Bound {
	out := Bound{Name: b.Name, Assumption: b.Assumption, Source: b.Source, Claimed: display.Finite(c.Epsilon), LowerBound: display.Finite(b.Epsilon),
		Confidence: b.Confidence, Verdict: NotRefuted, Detectable: display.Finite(b.Detectable), Note: "Found: " + b.Found + "."}
	switch {
	case !b.Counts:
		out.Verdict = Estimate
	case b.Refuted:
		out.Verdict = Refuted
	}
	return out
}

// powerWords say what would have been detected.
func powerWords(detects float64, by string, c Claim) string {
	if math.IsInf(detects, 1) {
		return "With these canaries and at this confidence the best attack on noise would hardly ever refute this claim, so that the verdict says nothing. More canaries or a lower confidence might."
	}
	noise := "normal noise"
	switch {
	case c.Curve != nil:
		noise = "mechanisms with the claim's shape of curve"
	case c.Delta == 0:
		noise = "Laplace noise"
	}
	return fmt.Sprintf("A true epsilon of %s would have been refuted with probability 0.9, by %s, had these been the scores of the best attack on %s. Smaller violations, and those that the scores do not show, may stay unseen.",
		display.Rounded(detects, 4, true), by, noise)
}

// facts are the numbers of canaries and how well scores order them.
func facts(s audit.Scores) (list []Fact, note string) {
	n1, n0 := len(s.Included), len(s.LeftOut)
	list = []Fact{{"canaries", fmt.Sprintf("%d, of them %d included and %d left out", n1+n0, n1, n0)}}
	if n1 == 0 || n0 == 0 {
		return list, ""
	}
	area := areaUnder(s)
	list = append(list, Fact{"area under the curve", display.Nearest(area, 4) + " (0.5 is guessing)"})
	// The variance of the area is at most this under guessing (Mann & Whitney 1947).
	if deviation := math.Sqrt(float64(n1+n0+1) / 12 / float64(n1) / float64(n0)); area < 0.5-4*deviation {
		note = "Included canaries have lower scores than left-out ones. Higher scores must mean included: give the negated loss, for example."
	}
	return list, note
}

// areaUnder returns the share of pairs in which the included canary has the higher score; ties count half.
func areaUnder(s audit.Scores) float64 {
	left := slices.Sorted(slices.Values(s.LeftOut))
	twice := 0
	for _, v := range s.Included {
		below, _ := slices.BinarySearch(left, v)
		upTo, _ := slices.BinarySearchFunc(left, v, func(a, b float64) int {
			if a <= b {
				return -1
			}
			return 1
		})
		twice += below + upTo
	}
	return float64(twice) / 2 / float64(len(s.Included)) / float64(len(left))
}

// pictureOf draws the claim and all thresholds that were tried.
func pictureOf(c Claim, d audit.Design, found []audit.Bound) *Picture {
	name := "attacks"
	if !d.Independent {
		name = "attacks (boxes hold if scores are independent)"
	}
	p := &Picture{Curve: c.rates()}
	for _, b := range found {
		for i, at := range b.Points {
			p.Boxes = append(p.Boxes, boxOf(name, at, b.PointConfidences[i]))
		}
	}
	return p
}

// boxOf is one attack with the Clopper-Pearson intervals of both rates.
func boxOf(name string, c audit.Counts, confidence float64) Box {
	box := Box{Name: name, Rates: Rates{float64(c.FalsePositives) / float64(c.LeftOut), float64(c.FalseNegatives) / float64(c.Included)}}
	highPositives, highNegatives, err := c.Rates(confidence)
	if err != nil {
		highPositives, highNegatives = 1, 1
	}
	c.FalsePositives, c.FalseNegatives = c.LeftOut-c.FalsePositives, c.Included-c.FalseNegatives
	positives, negatives, err := c.Rates(confidence)
	if err != nil {
		positives, negatives = 1, 1
	}
	box.High, box.Low = Rates{highPositives, highNegatives}, Rates{max(0, 1-positives), max(0, 1-negatives)}
	return box
}
