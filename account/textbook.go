package account

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TextbookLine is a textbook formula for the cost of an event, with its value and the exact cost.
// Claim the value only if Verdict begins with "valid".
type TextbookLine struct {
	// Name is the name of the formula. Formula is the formula as text. In the text q is the
	// sampling probability, T the number of releases, and log the natural logarithm.
	Name, Formula string
	// Epsilon is the value of the formula, in nats. Delta is the delta at which the formula was
	// evaluated.
	Epsilon, Delta float64
	// Verdict is "valid", "valid under …" with a condition that is met, or "not a guarantee: …"
	// with the reason. If the value of the formula is below the exact cost, the reason states the
	// factor between them.
	Verdict string
	// Exact is an estimate of the true epsilon of the event at Delta, in nats.
	Exact float64
	// Source is the publication of the formula.
	Source string
}

// formula is a line before it is judged.
type formula struct {
	name, text, source string
	epsilon            float64
	// proved reports that there is a proof, under the condition if there is one. met reports that
	// the condition is met.
	proved    bool
	condition string
	met       bool
}

// judge compares a formula with proven bounds on the exact cost. A formula within a relative 1e-9
// of the lower bound does not understate.
func (f formula) judge(delta float64, exact Interval) TextbookLine {
	return TextbookLine{f.name, f.text, f.epsilon, delta, f.verdict(exact), exact.Estimate, f.source}
}

func (f formula) verdict(exact Interval) string {
	switch {
	case f.epsilon < exact.Lower*(1-1e-9) && math.IsInf(exact.Lower, 1):
		return "not a guarantee: no finite epsilon holds at this delta"
	case f.epsilon < exact.Lower*(1-1e-9):
		return fmt.Sprintf("not a guarantee: understates by a factor of %.3g", exact.Lower/f.epsilon)
	case f.proved && f.condition == "":
		return "valid"
	case f.proved && f.met:
		return "valid under " + f.condition
	case f.epsilon < exact.Upper*(1-1e-9):
		return "not a guarantee: without proof, and the bounds on the exact cost do not decide"
	case f.proved:
		return "not a guarantee: proved under " + f.condition + " only, though it does not understate here"
	}
	return "not a guarantee: without proof, though it does not understate here"
}

// textbook is an event of equal releases, as the formulas describe it.
type textbook struct {
	event    mechanism.Event // one release
	sampled  mechanism.Event // the release from a sample, event itself when none is drawn
	relation privacy.Neighboring
	steps    float64
	q        float64
	// noise is the standard deviation over the distance between neighbors, 0 where noise is not
	// normal.
	noise float64
	delta float64
}

// Textbook returns the textbook formulas that apply to an event, evaluated at a delta in (0, 1).
// The function exact computes the exact cost in each line; an example is PLD.Epsilon under the same
// relation. The verdict depends on the numbers and on the conditions of the formula's proof. If a
// formula covers only one of the event's releases, the name of the line states the release. There
// are no lines for an event that costs nothing or discloses everything. If the function exact
// fails, Textbook returns its first error.
func Textbook(e mechanism.Event, delta float64, n privacy.Neighboring, exact func(e mechanism.Event, delta float64) (Interval, error)) ([]TextbookLine, error) {
	all, err := terms(e, n)
	if err != nil {
		return nil, err
	}
	if !(delta > 0 && delta < 1) {
		return nil, fmt.Errorf("account: delta is %v, want more than 0 and less than 1", delta)
	}
	if len(all) == 0 {
		return nil, nil
	}
	for _, t := range all {
		if disclosesAll(t.event) {
			return nil, nil
		}
	}
	whole, err := exact(e, delta)
	if err != nil {
		return nil, err
	}
	lines := composed(e, delta, n, whole)
	if len(all) > 1 {
		return lines, nil
	}
	b := newTextbook(all[0], delta, n)
	for _, f := range b.formulas() {
		lines = append(lines, f.judge(delta, whole))
	}
	lines = append(lines, normLine(e, n, delta, whole)...)
	if b.q == 1 {
		return b.statements(lines, e, exact)
	}
	one, err := exact(b.event, delta)
	if err != nil {
		return nil, err
	}
	for _, f := range b.amplification() {
		lines = append(lines, f.judge(delta, one))
	}
	return lines, nil
}

func newTextbook(t term, delta float64, n privacy.Neighboring) textbook {
	b := textbook{event: t.event, sampled: t.event, relation: n, steps: t.count, q: 1, delta: delta}
	switch e := t.event.(type) {
	case mechanism.PoissonSampled:
		b.q, b.sampled = e.Probability, e.Event
	case mechanism.WithoutReplacement:
		b.q, b.sampled = float64(e.Batch)/float64(e.Records), e.Event
	}
	if g, ok := b.sampled.(mechanism.Gaussian); ok {
		b.noise = g.NoiseMultiplier / n.Movement()
	}
	return b
}

// composed returns the lines of the composition theorems that have a proof.
func composed(e mechanism.Event, delta float64, n privacy.Neighboring, exact Interval) []TextbookLine {
	r, err := releasesOf(e, n)
	if err != nil {
		return nil
	}
	basic := formula{
		name: "sequential composition", text: "(Σ ε_i, Σ δ_i)", epsilon: r.basic(delta), proved: true,
		source: "Dwork & Roth 2014, theorem 3.16",
	}
	lines := []TextbookLine{basic.judge(delta, exact)}
	if len(r) == 1 && r[0].count == 1 {
		return lines
	}
	advanced := formula{
		name: "advanced composition, best constants", text: "optimal for equal releases, else drift + √(2·Σε_i²·log(1/δ'))", epsilon: r.advanced(delta), proved: true,
		source: "Kairouz, Oh & Viswanath 2015, theorems 3.3 and 3.5",
	}
	if len(r) == 1 && r[0].fixed == 0 {
		at, slack := delta/2/r[0].count, delta/2
		if r[0].pure {
			at, slack = 0, delta
		}
		epsilon, _ := dworkRoth(r[0].epsilon(at), 0, int(r[0].count), slack)
		strong := formula{
			name: "advanced composition", text: "ε·√(2T·log(1/δ')) + Tε(e^ε-1) at Tδ + δ', half of δ each", epsilon: epsilon, proved: true,
			source: "Dwork & Roth 2014, theorem 3.20",
		}
		lines = append(lines, strong.judge(delta, exact))
	}
	return append(lines, advanced.judge(delta, exact))
}

// normLine returns the line of a common mistake about the norm mechanism. It takes the exponent of
// the exponential mechanism with a data-dependent normalizer, whose factor 2 the norm mechanism
// does not need.
func normLine(e mechanism.Event, n privacy.Neighboring, delta float64, exact Interval) []TextbookLine {
	k, norm := e.(mechanism.KNorm)
	if !norm {
		return nil
	}
	f := formula{
		name: "norm mechanism with a factor 2", text: "density exp(-ε‖z‖/(2·sensitivity))", epsilon: 2 * n.Movement() / k.NoiseMultiplier, proved: true,
		source: "Hardt & Talwar 2010, section 4, without the factor",
	}
	return []TextbookLine{f.judge(delta, exact)}
}
