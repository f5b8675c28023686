package audit

import (
	"fmt"
	"math"
)

// Claim is the statement that an audit tries to refute. It states that a mechanism is (Epsilon,
// Delta)-differentially private. It may also state the trade-off curve of the mechanism.
type Claim struct {
	// Epsilon, in nats, and Delta are the claimed privacy parameters.
	Epsilon, Delta float64
	// Mu, if above 0, adds the claim of μ-Gaussian differential privacy with μ = Mu. Set it only
	// for a mechanism that adds normal noise to all canaries at each step.
	Mu float64
	// Curve, if not nil, adds the claim that the trade-off curve is Curve(1). Curve is a family of
	// trade-off curves. Its parameter is at least 0, and a larger parameter gives a lower curve.
	// Curve needs EpsilonAt.
	Curve func(parameter float64) Curve
	// EpsilonAt returns the ε, in nats, of Curve(parameter) at Delta. It must never fall as the
	// parameter grows, and EpsilonAt(1) must be Epsilon. Without Curve it is nil.
	EpsilonAt func(parameter float64) float64
}

// Design states how canaries were included in the data and whether their scores are independent.
type Design struct {
	// Coins states that an independent fair coin decided for each canary whether it was included.
	// If one coin had fallen differently, the data would have been a neighbor of the actual data
	// under the claim's relation. All canaries may be in one run.
	Coins bool
	// Independent states that the scores are independent of each other. They are independent if
	// each canary had its own run. They are also independent if they are computed from noisy
	// sums of gradients, and the canaries' gradients are orthogonal.
	Independent bool
}

// Bound is a lower bound on the true ε, with the assumption under which the bound holds.
type Bound struct {
	// Name is the kind of bound: "one-run", "f-dp", "clopper-pearson", "gaussian-dp", "trade-off"
	// or "hockey-stick".
	Name string
	// Assumption states in words what must be true for the bound to hold. Source cites the proof.
	Assumption, Source string
	// Epsilon is the lower bound, in nats and rounded down. It holds with probability Confidence.
	Epsilon, Confidence float64
	// Counts reports whether the assumption follows from the stated Design and Claim. A bound whose
	// assumption does not follow refutes nothing.
	Counts bool
	// Refuted reports whether the bound refutes the claim: Counts is true and Epsilon exceeds the
	// claimed epsilon.
	Refuted bool
	// Detectable is roughly the smallest true ε for which this bound refutes the claim with
	// probability 0.9. It is in nats, at the claim's δ, with an error of some percent. It supposes
	// the best attack on a mechanism from the claim's family of curves. Without such a family it
	// supposes normal noise, or Laplace noise at δ = 0. Detectable is +Inf if no such ε exists.
	Detectable float64
	// Found describes in words the attack that gave the bound.
	Found string
	// Points are the error counts of the attacks that were tried.
	Points []Counts
	// PointConfidences are the confidences of the attacks in Points, in the same order.
	PointConfidences []float64
}

// Bounds returns lower bounds on ε at the δ of the claim. All of them hold together with this
// confidence, which is at least ½ and less than 1. The error probability, 1 minus the confidence,
// is divided among the kinds of bounds whose field Counts is true. Bounds at thresholds of the
// score get three parts together. Every other kind gets one part. Each kind divides its share among
// the attacks that it tries. The division depends only on the claim, the design and the numbers of
// canaries. A bound that does not count gets the whole error probability, as if it were the only
// bound.
//
// It is an error if a score is NaN or if no bound counts. With Design.Coins it is also an error if
// the numbers of included and left-out canaries differ too much for fair coins. Fair coins cause
// this error with a probability below 1e-9.
func (s Scores) Bounds(c Claim, d Design, confidence float64) ([]Bound, error) {
	alarm, err := alarmOf(confidence)
	if err != nil {
		return nil, err
	}
	if s, err = s.sorted(); err == nil {
		err = checkTerms(s, c, d)
	}
	if err != nil {
		return nil, err
	}
	return newTask(s, c, d, alarm).bounds()
}

// checkTerms returns an error unless claim, design and scores belong together.
func checkTerms(s Scores, c Claim, d Design) error {
	n0, n1 := len(s.LeftOut), len(s.Included)
	switch {
	case !(c.Epsilon >= 0) || math.IsInf(c.Epsilon, 1):
		return fmt.Errorf("audit: the claimed epsilon is %v, want a finite number of at least 0", c.Epsilon)
	case c.Curve != nil && c.EpsilonAt == nil:
		return fmt.Errorf("audit: the claim has a family of curves without its epsilon, want both")
	case checkDelta(c.Delta) != nil:
		return checkDelta(c.Delta)
	case !d.Coins && !d.Independent:
		return fmt.Errorf("audit: neither fair coins nor independent scores are stated, want one of them; without both no bound holds")
	case d.Independent && (n0 == 0 || n1 == 0):
		return fmt.Errorf("audit: %d canaries are included and %d left out, want some of each", n1, n0)
	case d.Coins && unfair(n0, n1):
		return fmt.Errorf("audit: %d canaries are included and %d left out, want about as many of each, as fair coins give; other designs need independent scores", n1, n0)
	}
	return nil
}

// unfair reports whether fair coins give so different numbers with a probability below 1e-9.
func unfair(a, b int) bool {
	return upperLimit(a+b, min(a, b), 0.5e-9).rate < 0.5
}

// task is the work for one set of bounds.
type task struct {
	Scores
	claim  Claim
	design Design
	model  attacker
	// alarm is the error probability of all bounds together, and part that of one part of those that count.
	alarm, part float64
}

// thresholdParts is the weight of thresholds among kinds of bounds: they give the largest ones where scores
// are independent.
const thresholdParts = 3

// newTask divides the error probability over the kinds that count.
func newTask(s Scores, c Claim, d Design, alarm float64) task {
	t := task{Scores: s, claim: c, design: d, model: normal, alarm: alarm}
	switch {
	case c.Curve != nil:
		t.model = ofCurves(c)
	case c.Delta == 0:
		t.model = laplace
	}
	parts := 0
	if d.Coins {
		parts++
		if c.Mu > 0 || c.Curve != nil {
			parts++
		}
	}
	if d.Independent {
		parts += thresholdParts + 1
	}
	t.part = alarm / float64(parts)
	return t
}

// share returns the error probability of a bound with this number of parts.
func (t task) share(counts bool, parts float64) float64 {
	if !counts {
		return t.alarm
	}
	return parts * t.part
}

// bounds returns all bounds.
func (t task) bounds() ([]Bound, error) {
	var out []Bound
	if t.design.Coins {
		out = append(out, t.oneRun())
		b, err := t.curve()
		if err != nil {
			return nil, err
		}
		out = append(out, b...)
	}
	if len(t.Included) > 0 && len(t.LeftOut) > 0 {
		out = append(out, t.atThresholds()...)
		if t.design.Independent {
			out = append(out, t.atEvents())
		}
	}
	for i := range out {
		out[i].Refuted = out[i].Counts && out[i].Epsilon > t.claim.Epsilon
	}
	return out, nil
}

// oneRun is the bound of Guesses.Epsilon at the best rule.
func (t task) oneRun() Bound {
	b := Bound{Name: "one-run", Counts: true, Source: "Steinke, Nasr and Jagielski 2023, theorem 5.2",
		Assumption: "A fair coin of its own decides about each canary. Scores may depend on each other."}
	all, list := t.byScore(), rules(len(t.Included)+len(t.LeftOut))
	b.Confidence = 1 - t.part
	alarm := t.part / float64(len(list))
	best := list[0].guess(all)
	for _, r := range list {
		g := r.guess(all)
		if found := largest(b.Epsilon, 1e-12, func(e float64) bool { return g.refutes(e, t.claim.Delta, alarm) }); found > b.Epsilon {
			b.Epsilon, best = found, g
		}
	}
	b.Found = best.words()
	b.Detectable = t.detectableByGuesses(list, func(g Guesses) bool { return g.refutes(t.claim.Epsilon, t.claim.Delta, alarm) })
	return b
}

// words are the guesses in words.
func (g Guesses) words() string { return fmt.Sprintf("%d of %d guesses are right", g.Right, g.Made) }

// curve is the bound of Guesses.Parameter at the best rule. There is none for a claim without a curve at
// δ = 0, since normal noise has none there.
func (t task) curve() ([]Bound, error) {
	family, claimed, epsilon := Gaussian, t.claim.Mu, func(mu float64) float64 { return epsilonOfMu(mu, t.claim.Delta) }
	b := Bound{Name: "f-dp", Counts: t.claim.Mu > 0, Source: "Mahloujifar, Melis and Chaudhuri 2024",
		Assumption: "Coins as for one-run, and the trade-off curve is that of normal noise."}
	switch {
	case t.claim.Curve != nil:
		family, claimed, epsilon = t.claim.Curve, 1, t.claim.EpsilonAt
		b.Counts = true
		b.Assumption = "Coins as for one-run, and the trade-off curve has the shape of the claim's own."
	case t.claim.Delta == 0:
		return nil, nil
	case claimed == 0:
		claimed = muOf(t.claim.Epsilon, t.claim.Delta)
	}
	all, list := t.byScore(), rules(len(t.Included)+len(t.LeftOut))
	share := t.share(b.Counts, 1)
	b.Confidence = 1 - share
	alarm := share / float64(len(list))
	found, best := 0.0, list[0].guess(all)
	for _, r := range list {
		g := r.guess(all)
		v, err := g.parameterFrom(found, family, 1-alarm)
		if err != nil {
			return nil, err
		}
		if v > found {
			found, best = v, g
		}
	}
	b.Epsilon, b.Found = epsilon(found), best.words()
	curve := family(claimed)
	b.Detectable = t.detectableByGuesses(list, func(g Guesses) bool { return g.refutesCurve(curve, alarm) })
	return []Bound{b}, nil
}

// atThresholds are the bounds at ranks: a plain one, and one that knows the curve of the claim. Both rest on
// the same intervals.
func (t task) atThresholds() []Bound {
	share := t.share(t.design.Independent, thresholdParts)
	plain := Bound{Name: "clopper-pearson", Counts: t.design.Independent, Confidence: 1 - share, Source: "Clopper and Pearson 1934; thresholds by Wilks 1941",
		Assumption: "Scores of included canaries are independent and alike, and so are scores of left-out canaries."}
	points := t.thresholds()
	best, all := points[0], make([]limits, len(points))
	for i, p := range points {
		alarm := share * p.part
		all[i] = p.limitsAt(alarm)
		plain.Points, plain.PointConfidences = append(plain.Points, p.Counts), append(plain.PointConfidences, 1-alarm)
		if found := all[i].epsilon(t.claim.Delta); found > plain.Epsilon {
			plain.Epsilon, best = found, p
		}
	}
	plain.Found = best.words()
	plain.Detectable = t.detectableByRanks(share, func(l limits) bool { return l.epsilon(t.claim.Delta) > t.claim.Epsilon })
	known := Bound{Counts: plain.Counts, Confidence: plain.Confidence}
	switch {
	case t.claim.Curve != nil:
		return []Bound{plain, t.curveAt(points, all, known, share)}
	case t.claim.Delta > 0:
		return []Bound{plain, t.gaussianAt(points, all, known, share)}
	}
	return []Bound{plain}
}

// gaussianAt is the bound at thresholds for normal noise.
func (t task) gaussianAt(points []point, all []limits, b Bound, share float64) Bound {
	b.Name, b.Source, b.Counts = "gaussian-dp", "Nasr et al. 2023", b.Counts && t.claim.Mu > 0
	b.Assumption = "Scores as for clopper-pearson, and the mechanism adds normal noise to all records at each step."
	b.Found = points[0].words()
	mu := 0.0
	for i, l := range all {
		if found := l.mu(); found > mu {
			mu, b.Found = found, points[i].words()
		}
	}
	b.Epsilon = epsilonOfMu(mu, t.claim.Delta)
	claimed := t.claim.Mu
	if claimed == 0 {
		claimed = muOf(t.claim.Epsilon, t.claim.Delta)
	}
	b.Detectable = t.detectableByRanks(share, func(l limits) bool { return l.mu() > claimed*(1+1e-9) })
	return b
}

// curveAt is the bound at thresholds for the claim's own curve. Intervals refute a curve by which more false
// positives are needed than the intervals allow.
func (t task) curveAt(points []point, all []limits, b Bound, share float64) Bound {
	b.Name, b.Source = "trade-off", "Dong, Roth and Su 2022"
	b.Assumption = "Scores as for clopper-pearson, and the trade-off curve has the shape of the claim's own."
	b.Found = points[0].words()
	refutes := func(l limits, curve Curve) bool { return curve(l.negatives.rest) > l.positives.rate }
	parameter := 0.0
	for i, l := range all {
		if found := largest(parameter, 1e-6, func(v float64) bool { return refutes(l, t.claim.Curve(v)) }); found > parameter {
			parameter, b.Found = found, points[i].words()
		}
	}
	b.Epsilon = t.claim.EpsilonAt(parameter)
	own := t.claim.Curve(1)
	b.Detectable = t.detectableByRanks(share, func(l limits) bool { return refutes(l, own) })
	return b
}

// words are the counts in words.
func (c Counts) words() string {
	return fmt.Sprintf("%d of %d left-out canaries are taken for included, and %d of %d included ones are missed", c.FalsePositives, c.LeftOut, c.FalseNegatives, c.Included)
}

// atEvents is the bound at two events that one half of the canaries chooses and the other counts.
func (t task) atEvents() Bound {
	b := Bound{Name: "hockey-stick", Counts: true, Source: "Clopper and Pearson 1934",
		Assumption: "Scores as for clopper-pearson. One half of them chooses the event, and the other counts it."}
	choose, count := t.halves()
	b.Confidence = 1 - t.part
	alarm := t.part / 2
	b.Found = "no event is chosen from a single canary of a kind"
	if n0, n1 := len(choose.LeftOut), len(choose.Included); n0 > 0 && n1 > 0 {
		events := chooseEvents(choose, t.claim.Delta, alarm)
		hits, misses := events[0].count(count.Included), events[0].count(count.LeftOut)
		b.Epsilon = eventEpsilon(hits, len(count.Included), misses, len(count.LeftOut), t.claim.Delta, alarm)
		b.Found = fmt.Sprintf("the event has %d of %d included canaries and %d of %d left-out ones", hits, len(count.Included), misses, len(count.LeftOut))
		other, few := events[1].count(count.LeftOut), events[1].count(count.Included)
		if found := eventEpsilon(other, len(count.LeftOut), few, len(count.Included), t.claim.Delta, alarm); found > b.Epsilon {
			b.Epsilon = found
			b.Found = fmt.Sprintf("the event has %d of %d left-out canaries and %d of %d included ones", other, len(count.LeftOut), few, len(count.Included))
		}
	}
	half := t
	half.Scores = count
	b.Detectable = half.detectableByEvents(alarm)
	return b
}
