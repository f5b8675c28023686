package account

import (
	"errors"
	"math"

	"github.com/ditherml/dither/account/internal/contour"
	"github.com/ditherml/dither/account/internal/pld"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// PLD is the accountant of privacy loss distributions, the default. It represents each release by a
// dominating pair of distributions, and composes the pairs on a lattice of losses. It bounds every
// numerical error, so the Lower and Upper that it returns are proven for the composed pairs.
// Estimate is a contour integral of the exact moment generating function of the composed pairs.
// Compositions of Gaussian releases are exact.
//
// The parameters of the event must be fixed before the first release. So PLD is not a filter for a
// ledger. The intervals have a relative width of about 1e-4. docs/accounting.md outlines the proof.
// The packages account/internal/pair, account/internal/pld and account/internal/contour cite the
// sources.
var PLD lossDistributions

// lossDistributions is the type of PLD.
type lossDistributions struct {
	width float64 // see WithWidth
}

var _ Accountant = lossDistributions{}

// Name returns "pld".
func (lossDistributions) Name() string { return "pld" }

// WithWidth returns the accountant with another target for the width of its intervals of epsilon.
// The target is width times epsilon, plus width/100. 0 means the default: 1e-4, or 2e-3 for more
// than 200 different releases. For more than 200 different releases, grouping similar ones may make
// the interval wider than the target. A smaller width takes longer. For a width of at least 1e-2,
// Estimate is computed from the bounds alone.
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

// Epsilon returns proven bounds on the smallest epsilon, with an estimate between them.
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

// Delta returns proven bounds on the smallest delta, with an estimate between them.
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
