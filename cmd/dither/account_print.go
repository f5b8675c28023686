package main

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/privacy"
)

// text is the answer for a terminal; plot names the file of the picture, if there is one.
func (a accounted) text(plot string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "event     %s\nrelation  %v: %s\n", printable(a.Event), a.Neighboring, relationWords(a.Neighboring))
	if a.Asked == "delta" {
		fmt.Fprintf(&b, "asked     the smallest delta at epsilon %v\n\n", plainly(float64(*a.Epsilon)))
	} else {
		fmt.Fprintf(&b, "asked     the smallest epsilon at delta %v\n\n", plainly(float64(*a.Delta)))
	}
	if err := writeColumns(&b, a.priceRows()); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "\nclaim     %s\n", a.Claim.text())
	if width := a.widthText(); width != "" {
		fmt.Fprintf(&b, "width     %s\n", width)
	}
	if a.Group != nil {
		fmt.Fprintf(&b, "group     %s\n", a.Group.text())
	}
	if a.Stated != nil {
		fmt.Fprint(&b, "stated    ", a.statedText(), "\n")
	}
	a.attackerText(&b)
	a.textbookText(&b)
	if plot != "" {
		fmt.Fprintf(&b, "\nplot      %s\n", printable(plot))
	}
	if a.Next != "" {
		fmt.Fprintf(&b, "\nnext      %s\n", a.Next)
	}
	return b.Bytes(), nil
}

// priceRows is the table of accountants.
func (a accounted) priceRows() [][]string {
	rows := [][]string{{"accountant", a.Asked + " from", "estimate", "to", "note"}}
	for _, p := range a.Accountants {
		if p.Refused != "" {
			rows = append(rows, []string{p.Accountant, "-", "-", "-", "refused: " + brief(p.Refused)})
			continue
		}
		note := ""
		switch {
		case p.Accountant == a.Claim.Accountant:
			note = `<- "to" may be claimed`
		case *p.Lower == 0 && *p.Upper > 0:
			note = "upper bound only"
		}
		from, estimate, to := display.Interval(float64(*p.Lower), float64(*p.Estimate), float64(*p.Upper))
		rows = append(rows, []string{p.Accountant, from, estimate, to, note})
	}
	return rows
}

// widthText says how wide the interval of the claim is, "" where that is not worth a word.
func (a accounted) widthText() string {
	for _, p := range a.Accountants {
		if p.Accountant == a.Claim.Accountant && p.Refused == "" {
			return widthWords(float64(*p.Lower), float64(*p.Upper))
		}
	}
	return ""
}

// wideInterval is the relative width beyond which an interval is said to be wide.
const wideInterval = 1e-3

// widthWords says between which bounds the truth is proven to lie, where they are more than wideInterval apart
// and the lower one is more than 0; "" elsewhere.
func widthWords(lower, upper float64) string {
	if !(lower > 0) || math.IsInf(upper, 1) || upper-lower <= wideInterval*upper {
		return ""
	}
	from, _, to := display.Interval(lower, lower, upper)
	return fmt.Sprintf("proven between %s and %s, %.2g %% apart: the claim is at most that much too high", from, to, 100*(upper-lower)/upper)
}

// brief cuts a reason to what a table holds; it is whole in the JSON.
func brief(reason string) string {
	const most = 60
	if runes := []rune(reason); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return reason
}

// text states a guarantee in one line, rounded up.
func (c claim) text() string {
	if math.IsInf(float64(c.Epsilon), 1) || c.Delta >= 1 {
		return "none: there is no guarantee at this delta or epsilon"
	}
	return fmt.Sprintf("epsilon %s at delta %s, for %s", rounded(float64(c.Epsilon), 5, true), rounded(c.Delta, 5, true), relationWords(c.Neighboring))
}

// text states what several rows together cost.
func (g groupCost) text() string {
	if math.IsInf(float64(g.Epsilon), 1) {
		return fmt.Sprintf("no finite epsilon is proven for %d rows together, at the same delta", g.Rows)
	}
	return fmt.Sprintf("epsilon %s for %d rows together, at the same delta (accountant %s)", rounded(float64(g.Epsilon), 5, true), g.Rows, g.Accountant)
}

// statedText compares what a certificate states with what is proven now.
func (a accounted) statedText() string {
	stated := float64(*a.Stated)
	text := "the certificate says epsilon " + rounded(stated, 5, true)
	for _, p := range a.Accountants {
		if p.Refused == "" && stated < float64(*p.Lower)*(1-1e-9) {
			return text + ", LESS than the proven lower bound: do not rely on it; see dither verify"
		}
	}
	return text
}

// noisePattern finds noise multipliers in an event, namePattern the names of events, and
// noiseOnly the names of events whose cost falls to 0 as the noise in them grows.
var (
	noisePattern = regexp.MustCompile(`(^|[ (])(gaussian|laplace)\(([^(),]+)\)`)
	namePattern  = regexp.MustCompile(`[a-z-]+\(`)
	noiseOnly    = []string{"gaussian(", "laplace(", "repeat(", "sequence(", "poisson(", "partition(", "without-replacement(", "with-replacement(", "truncated-poisson(", "random-allocation("}
)

// noiseAlone returns the event with X for its noise multiplier, "" unless it has exactly one
// and costs nothing else.
func noiseAlone(event string) string {
	other := slices.ContainsFunc(namePattern.FindAllString(event, -1), func(name string) bool { return !slices.Contains(noiseOnly, name) })
	if other || len(noisePattern.FindAllString(event, -1)) != 1 {
		return ""
	}
	return noisePattern.ReplaceAllString(event, "${1}${2}(X)")
}

// nextStep is a command that finds the noise for a stricter guarantee: half the epsilon, or
// the usual delta. "" where the event has no one noise multiplier.
func (a *accountCommand) nextStep(q question, c claim) string {
	epsilon, delta := display.Parse(rounded(float64(c.Epsilon)/2, 2, false)), q.delta
	switch {
	case q.forDelta:
		epsilon, delta = q.epsilon, defaultDelta
	case math.IsInf(float64(c.Epsilon), 1):
		epsilon = 1
	}
	event := noiseAlone(q.event.String())
	if delta == 0 && strings.Contains(event, "gaussian(") {
		delta = defaultDelta // there is no epsilon at 0
	}
	if event == "" || epsilon == 0 || q.forDelta && c.Delta <= delta {
		return ""
	}
	command := fmt.Sprintf("dither calibrate --epsilon %s --delta %s", plainly(epsilon), plainly(delta))
	if q.neighboring != privacy.AddOrRemoveOne {
		command += " --neighboring " + q.neighboring.String()
	}
	if a.steps.any(a.changed) {
		return command + a.steps.text()
	}
	return command + ` --event "` + event + `"`
}
