package account

import (
	"errors"
	"math"
	"slices"

	"github.com/ditherml/dither/account/internal/contour"
	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// PLD is the accountant of privacy loss distributions, the default. Dominating pairs of all
// releases are composed on a lattice of losses, and every error is bounded. So Upper and Lower of
// its intervals are proven for the composed pairs. Estimate comes from the contour integral of
// their exact moment generating function. Compositions of Gaussian releases alone are exact.
//
// It prices a plan that is fixed before its first release: parameters must not depend on outputs.
// So it is no filter for a ledger. docs/accounting.md outlines the proof; sources are in the
// packages pair, pld and contour beneath this one. It asks for intervals of relative width 1e-4.
var PLD lossDistributions

// lossDistributions is the type of PLD.
type lossDistributions struct {
	width float64 // see WithWidth
}

var _ Accountant = lossDistributions{}

// Name returns "pld".
func (lossDistributions) Name() string { return "pld" }

// WithWidth returns the accountant that asks for another relative width of the interval of epsilon,
// plus a hundredth of that width absolute. 0 means 1e-4, or 2e-3 for more than 200 different
// releases; there groups of similar releases may make the interval wider. A smaller width takes
// longer. From 1e-2 on the estimate is taken from the interval alone.
func (lossDistributions) WithWidth(width float64) Accountant { return lossDistributions{width} }

// options returns the options for the width. The default is wider where the different releases
// would take seconds otherwise.
func (a lossDistributions) options(c composition) pld.Options {
	switch {
	case a.width > 0:
		return pld.Options{Relative: a.width, Absolute: 1e-2 * a.width, MaxNodes: coarseNodes}
	case c.many || len(c.directions[0]) > manyTerms:
		return pld.Options{Relative: 2e-3, Absolute: 2e-7}
	case c.steps() > manySteps:
		return pld.Options{MaxNodes: 1 << 20}
	}
	return pld.Options{}
}

// coarseNodes bounds the lattices of an accountant with a given width, since many of them are
// composed at the same time.
const coarseNodes = 1 << 19

// manySteps is the number of releases that are composed on lattices of the default size.
const manySteps = 1e8

// steps returns the number of releases.
func (c composition) steps() float64 {
	sum := 0.0
	for _, t := range c.directions[0] {
		sum += float64(t.Count)
	}
	return sum
}

// composition is an event as dominating pairs, in one direction or both.
type composition struct {
	open       bool // something is released without protection
	beyond     bool // losses are so large that only ε = +Inf is answered
	loose      bool // some pair dominates without being attained: rdp may be less, and lower bounds prove nothing
	above      bool // some pair lies above the attained one by design: lower bounds prove nothing
	bracketed  bool // some pair has another pair for lower bounds: see pairsBelow
	many       bool // releases of similar parameters count as the most expensive of them
	gaussian   bool // Gaussian releases alone, of parameter mu
	mu         float64
	large      float64 // at least the probability that a loss is infinite in the pairs and large in truth
	directions [][]pld.Term
}

// compose returns an event as dominating pairs; all Gaussian releases are one.
func compose(e mechanism.Event, n privacy.Neighboring) (composition, error) {
	return composeOf(e, n, pairsOf)
}

// composeOf returns compose with the pairs of simple events that pairsFor returns.
func composeOf(e mechanism.Event, n privacy.Neighboring, pairsFor func(mechanism.Event, privacy.Neighboring) (directions, error)) (composition, error) {
	all, err := terms(e, n)
	if err != nil {
		return composition{}, err
	}
	var c composition
	all, c.many = gather(all, true)
	c.above = c.many
	var remove, add []pld.Term
	var large pair.Disclosure
	square, symmetric := 0.0, true
	for _, t := range all {
		if disclosesAll(t.event) {
			return composition{open: true}, nil
		}
		if g, ok := t.event.(mechanism.Gaussian); ok {
			square += muSquareOf(g, t.count)
			continue
		}
		switch t.event.(type) {
		case mechanism.Exponential, mechanism.ObjectivePerturbation:
			c.loose = true
		case mechanism.TruncatedPoisson, mechanism.JLClipping:
			c.above = true
		case mechanism.RandomAllocation:
			c.bracketed = true
		}
		if smallNoise(t.event) {
			c.beyond = true
			continue
		}
		pairs, failed := pairsFor(t.event, n)
		if failed != nil {
			return composition{}, failed
		}
		if _, disclosed := t.event.(mechanism.AssumedDP); !disclosed { // the part left out has a large loss, not an infinite one
			_, one := pair.Infinite(pairs.remove)
			_, other := pair.Infinite(pairs.add)
			large.Add(max(one, other), t.count)
		}
		remove = append(remove, pld.Term{Pair: pairs.remove, Count: int64(t.count)})
		add = append(add, pld.Term{Pair: pairs.add, Count: int64(t.count)})
		symmetric = symmetric && pairs.symmetric
	}
	c.mu, c.gaussian = n.Movement()*math.Sqrt(square)*(1+muError), len(remove) == 0
	if c.gaussian = c.gaussian && !c.beyond; c.mu > maxMu && !c.gaussian {
		c.beyond = true
	}
	if square > 0 && !c.gaussian {
		g := pld.Term{Pair: pair.Shift(pair.Normal, 1/c.mu), Count: 1}
		remove, add = append(remove, g), append(add, g)
	}
	_, c.large = large.Bounds()
	c.directions = [][]pld.Term{remove}
	if !symmetric {
		c.directions = append(c.directions, add)
	}
	return c, nil
}

// leastNoise is the noise multiplier below which a release is priced at +Inf: its losses exceed
// 1e6.
const leastNoise = 1e-3

// largestLogOdds is the largest ε of a statement on trust at which e^ε and the smaller probability
// 1/(1+e^ε) are numbers.
const largestLogOdds = 709

// smallNoise reports whether a simple event has too little noise for its losses to be held.
func smallNoise(e mechanism.Event) bool {
	switch e := e.(type) {
	case mechanism.Gaussian:
		return e.NoiseMultiplier < leastNoise
	case mechanism.Laplace:
		return e.NoiseMultiplier < leastNoise*leastNoise
	case mechanism.DiscreteGaussian:
		return e.StandardDeviation < leastNoise*float64(e.Sensitivity)
	case mechanism.DiscreteLaplace:
		return e.Scale < leastNoise*leastNoise*float64(e.Sensitivity)
	case mechanism.PoissonSampled:
		return smallNoise(e.Event)
	case mechanism.WithoutReplacement:
		return smallNoise(e.Event)
	case mechanism.RandomAllocation:
		return smallNoise(e.Event)
	case mechanism.WithReplacement:
		return smallNoise(mechanism.Gaussian{NoiseMultiplier: multiplierOf(e.Event) / float64(e.Batch)})
	case mechanism.TruncatedPoisson:
		return smallNoise(e.Event)
	case mechanism.JLClipping:
		return e.NoiseMultiplier < leastNoise*e.Cap
	case mechanism.MixtureOfGaussians:
		return e.NoiseMultiplier < leastNoise*slices.Max(e.Sensitivities)
	case mechanism.ObjectivePerturbation:
		return e.NoiseMultiplier < leastNoise
	case mechanism.AssumedDP:
		return e.Epsilon > largestLogOdds
	case mechanism.Exponential:
		return e.Epsilon > 1/(leastNoise*leastNoise)
	}
	return false
}

// multiplierOf returns the noise multiplier of a Gaussian release, +Inf for others.
func multiplierOf(e mechanism.Event) float64 {
	if g, ok := e.(mechanism.Gaussian); ok {
		return g.NoiseMultiplier
	}
	return math.Inf(1)
}

// disclosesAll reports whether a simple event is a release without protection, sampled or not.
func disclosesAll(e mechanism.Event) bool {
	switch e := e.(type) {
	case mechanism.NonPrivate:
		return true
	case mechanism.PoissonSampled:
		return disclosesAll(e.Event)
	case mechanism.WithoutReplacement:
		return disclosesAll(e.Event)
	case mechanism.TruncatedPoisson:
		return disclosesAll(e.Event)
	}
	return false
}

// Epsilon returns proven bounds on the smallest epsilon, and the estimate between them.
func (a lossDistributions) Epsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return a.Epsilon(w, delta, n) }); several {
		return v, err
	}
	c, err := compose(e, n)
	if err != nil {
		return Interval{}, err
	}
	if err = checkDelta(delta); err != nil {
		return Interval{}, err
	}
	switch {
	case c.open:
		return Interval{math.Inf(1), math.Inf(1), math.Inf(1)}, nil
	case c.beyond:
		return Interval{0, math.Inf(1), math.Inf(1)}, nil
	}
	if c.gaussian {
		return gaussianEpsilon(c.mu, delta), nil
	}
	read := func(v *pld.Composed) pld.Bounds { return v.Epsilon(delta) }
	bounds, err := c.bounds(pld.AtDelta(delta), a.options(c), read)
	if c.bracketed && err == nil {
		bounds, err = a.bracket(bounds, e, n, pld.AtDelta(delta), read)
	}
	if errors.Is(err, pld.ErrLarge) {
		return RDP{}.Epsilon(e, delta, n)
	}
	if err != nil {
		return Interval{}, err
	}
	estimate, err := a.estimate(c, bounds, pld.AtDelta(delta), func(i *contour.Integral) (float64, error) { return i.Epsilon(delta) }, read)
	v, err := c.tighten(a.width, between(bounds, estimate, err), func() (Interval, error) { return RDP{}.Epsilon(e, delta, n) })
	if err != nil {
		return v, err
	}
	return a.attained(v, c, e, n, pld.AtDelta(delta), read)
}

// tighten replaces bounds by the bounds of rdp where those are less. It does so for pairs that are
// not attained, and for bounds wider than twice the asked width.
func (c composition) tighten(asked float64, v Interval, rdp func() (Interval, error)) (Interval, error) {
	wide := v.Upper-v.Lower > max(wideShare, 2*asked)*v.Upper
	if !c.loose && !wide {
		return v, nil
	}
	other, err := rdp()
	if err != nil {
		return Interval{}, err
	}
	if c.loose {
		v.Lower = 0
	}
	upper := max(v.Lower, min(v.Upper, other.Upper))
	return Interval{v.Lower, min(v.Estimate, upper), upper}, nil
}

// wideShare is the relative width beyond which another upper bound may be less.
const wideShare = 5e-3

// maxEpsilon is the largest ε at which a composition is evaluated. Beyond it δ is bounded by its
// value there, and by rdp.
const maxEpsilon = 1e4

// Delta returns proven bounds on the smallest delta, and the estimate between them.
func (a lossDistributions) Delta(e mechanism.Event, epsilon float64, n privacy.Neighboring) (Interval, error) {
	if v, several, err := severalWays(e, func(w mechanism.Event) (Interval, error) { return a.Delta(w, epsilon, n) }); several {
		return v, err
	}
	c, err := compose(e, n)
	if err != nil {
		return Interval{}, err
	}
	if err = checkEpsilon(epsilon); err != nil {
		return Interval{}, err
	}
	if math.IsInf(epsilon, 1) {
		return Interval{}, nil
	}
	switch {
	case c.open:
		return Interval{1, 1, 1}, nil
	case c.beyond:
		return Interval{0, 1, 1}, nil
	}
	if c.gaussian {
		return gaussianDeltas(c.mu, epsilon), nil
	}
	if v, vanishes, failed := vanishing(e, epsilon, n); failed != nil || vanishes {
		return v, failed
	}
	if epsilon > maxEpsilon { // δ falls in ε
		v, failed := a.Delta(e, maxEpsilon, n)
		if failed != nil || v.Upper == 0 {
			return v, failed
		}
		c.loose = true
		return c.tighten(a.width, v, func() (Interval, error) { return RDP{}.Delta(e, epsilon, n) })
	}
	read := func(v *pld.Composed) pld.Bounds { return v.Delta(epsilon) }
	bounds, err := c.bounds(pld.AtEpsilon(epsilon), a.options(c), read)
	if c.bracketed && err == nil {
		bounds, err = a.bracket(bounds, e, n, pld.AtEpsilon(epsilon), read)
	}
	if errors.Is(err, pld.ErrLarge) {
		return RDP{}.Delta(e, epsilon, n)
	}
	if err != nil {
		return Interval{}, err
	}
	estimate, err := a.estimate(c, bounds, pld.AtEpsilon(epsilon), func(i *contour.Integral) (float64, error) { return i.Delta(epsilon) }, read)
	v, err := c.tighten(a.width, between(bounds, estimate, err), func() (Interval, error) { return RDP{}.Delta(e, epsilon, n) })
	if err != nil {
		return v, err
	}
	return a.attained(v, c, e, n, pld.AtEpsilon(epsilon), read)
}

// wideOptions ask for bounds that are narrow enough for an estimate.
var wideOptions = pld.Options{Relative: 1e-3, Absolute: 1e-9, MaxNodes: coarseNodes}

// estimateEpsilon returns the estimate alone. For few releases the bounds are quicker, and narrow.
func (a lossDistributions) estimateEpsilon(e mechanism.Event, delta float64, n privacy.Neighboring) (float64, error) {
	c, err := compose(e, n)
	if err != nil {
		return 0, err
	}
	if err = checkDelta(delta); err != nil {
		return 0, err
	}
	switch {
	case c.open || c.beyond:
		return math.Inf(1), nil
	case c.gaussian:
		return gaussianEpsilon(c.mu, delta).Upper, nil
	case c.steps() <= fewReleases || c.bracketed:
		bounds, failed := c.bounds(pld.AtDelta(delta), a.options(c), func(v *pld.Composed) pld.Bounds { return v.Epsilon(delta) })
		return c.lesser(e, delta, n, middle(bounds), failed)
	}
	worst := 0.0
	for i := range c.directions {
		v, failed := c.contour(i, func(k *contour.Integral) (float64, error) { return k.Epsilon(delta) })
		if failed != nil { // the middle of wide bounds, which are quickly composed
			var b pld.Bounds
			b, err = c.bounds(pld.AtDelta(delta), wideOptions, func(v *pld.Composed) pld.Bounds { return v.Epsilon(delta) })
			worst = middle(b)
			break
		}
		worst = max(worst, v)
	}
	return c.lesser(e, delta, n, worst, err)
}

// lesser returns an estimate. Where pairs are not attained, it returns the smaller of the estimate
// and of the bound by rdp.
func (c composition) lesser(e mechanism.Event, delta float64, n privacy.Neighboring, worst float64, err error) (float64, error) {
	if !c.loose {
		return worst, err
	}
	v, failed := RDP{}.Epsilon(e, delta, n)
	if err != nil || failed == nil && v.Upper < worst {
		return v.Upper, failed
	}
	return worst, nil
}

// between returns the interval of proven bounds with an estimate moved into them. Without an
// estimate it takes their middle.
func between(b pld.Bounds, estimate float64, err error) Interval {
	if err != nil || estimate != estimate {
		estimate = middle(b)
	}
	return Interval{b.Lower, max(b.Lower, min(b.Upper, estimate)), b.Upper}
}

// bounds returns the larger bounds of both directions, computed at the same time.
func (c composition) bounds(aim pld.Aim, o pld.Options, read func(*pld.Composed) pld.Bounds) (pld.Bounds, error) {
	composed, err := c.composed(aim, o)
	if err != nil {
		return pld.Bounds{}, err
	}
	worst := read(composed[0])
	for _, v := range composed[1:] {
		b := read(v)
		worst = pld.Bounds{Lower: max(worst.Lower, b.Lower), Upper: max(worst.Upper, b.Upper)}
	}
	return worst, nil
}

// composed returns the composition of each direction, each on a goroutine of its own.
func (c composition) composed(aim pld.Aim, o pld.Options) ([]*pld.Composed, error) {
	o.Large = c.large
	results, errs := make([]*pld.Composed, len(c.directions)), make([]error, len(c.directions))
	parallel.Each(len(c.directions), func(i int) { results[i], errs[i] = pld.Compose(c.directions[i], aim, o) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}

// fewReleases is the number of releases that a calibration prices by bounds. For few releases
// bounds are quicker than the contour integral, whose integrand falls slowly with few factors.
const fewReleases = 3

// fewTerms is the number of different releases, and fewSteps the number in all, that are composed
// again for an estimate.
const fewTerms, fewSteps = 20, 1000

// costly reports whether a pair is a choice of many pairs, whose integral is slow: bounds are
// quicker.
func (c composition) costly() bool {
	for _, t := range c.directions[0] {
		p := t.Pair
		if glued, ok := p.(pair.Glued); ok {
			p = glued.Above
		}
		if choice, ok := p.(pair.Choice); ok && len(choice) > 2 {
			return true
		}
	}
	return false
}

// soonComposed reports whether narrow bounds take little time: few releases, none of them a choice
// of many pairs.
func (c composition) soonComposed() bool {
	return !c.costly() && len(c.directions[0]) <= fewTerms && c.steps() <= fewSteps
}

// narrow is the relative width of bounds whose middle is as good as an estimate.
const narrow = 1e-6

// rough is the width from which no contour integral is computed: it would take longer than the
// bounds.
const rough = 1e-2

// closer returns the options of the narrow bounds whose middle is the estimate. If a width is
// given, the estimate is the middle of bounds of that width.
func (a lossDistributions) closer() pld.Options {
	if a.width > 0 {
		return pld.Options{}
	}
	return pld.Options{Relative: 5e-6, Absolute: 1e-9}
}

// middle returns a guess of the truth: upper bounds are about five times closer to it than lower
// ones.
func middle(b pld.Bounds) float64 {
	if math.IsInf(b.Upper, 1) {
		return b.Upper
	}
	return b.Upper - (b.Upper-b.Lower)/6
}

// estimate returns the larger of the contour integrals of both directions. Where they do not
// converge, as with few releases, or where the bounds are narrow, it returns the middle of narrow
// bounds. In four cases the integrals take longer than the bounds, and it returns the middle of the
// bounds:
//
//   - one release, whose bounds are exact up to rounding
//   - many releases
//   - choices of many pairs
//   - rough bounds
func (a lossDistributions) estimate(c composition, b pld.Bounds, aim pld.Aim, integral func(*contour.Integral) (float64, error), read func(*pld.Composed) pld.Bounds) (float64, error) {
	if c.bracketed && b.Upper-b.Lower > wideShare*b.Upper { // one of the bounds says little
		return b.Upper, nil
	}
	if a.width >= rough || c.steps() == 1 || b.Upper-b.Lower <= narrow*b.Upper || len(c.directions[0]) > manyTerms || c.many || c.costly() || c.bracketed {
		return middle(b), nil
	}
	values, errs := make([]float64, len(c.directions)), make([]error, len(c.directions))
	parallel.Each(len(c.directions), func(i int) { values[i], errs[i] = c.contour(i, integral) })
	worst, again := 0.0, a.closer()
	for i, err := range errs {
		if err != nil {
			if again.Relative == 0 || !c.soonComposed() || b.Upper-b.Lower > 2e-4*b.Upper+1e-5 {
				return middle(b), nil
			}
			closer, failed := c.bounds(aim, again, read)
			return middle(closer), failed
		}
		worst = max(worst, values[i])
	}
	return worst, nil
}

func (c composition) contour(direction int, integral func(*contour.Integral) (float64, error)) (float64, error) {
	list := make([]contour.Term, len(c.directions[direction]))
	for i, t := range c.directions[direction] {
		list[i] = contour.Term{Pair: t.Pair, Count: float64(t.Count)}
	}
	v, err := contour.New(list)
	if err != nil {
		return 0, err
	}
	return integral(v)
}
