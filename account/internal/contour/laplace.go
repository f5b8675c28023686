package contour

import (
	"math"
	"math/cmplx"
	"slices"

	"github.com/ditherml/dither/account/internal/pair"
)

// laplace is a pair of mixtures of Laplace distributions in standard units. Outside the outermost
// means the loss is constant: two atoms. Between two means it is smooth.
type laplace struct {
	p, q  shifted
	kinks []float64
}

func newLaplace(m pair.Mixture) laplace {
	origin := m.Q[0].Mean
	l := laplace{p: standardize(m.P, origin, m.Scale), q: standardize(m.Q, origin, m.Scale)}
	l.kinks = append(slices.Clone(l.p.shift), l.q.shift...)
	slices.Sort(l.kinks)
	l.kinks = slices.Compact(l.kinks)
	return l
}

// tilt returns log p(y)·2e^|y| and the loss.
func (l laplace) tilt(y float64) (logP, loss float64) {
	exponent := func(d float64) float64 { return math.Abs(y) - math.Abs(y-d) }
	logP = l.p.logMixture(exponent)
	return logP, logP - l.q.logMixture(exponent)
}

func (laplace) infinite() (p, q float64) { return 0, 0 }

func (l laplace) top() float64 {
	_, atLow := l.tilt(l.kinks[0])
	_, atHigh := l.tilt(l.kinks[len(l.kinks)-1])
	return math.Max(atLow, atHigh)
}

// rules returns the two atoms and Gauss-Legendre panels between neighboring kinks. The two rules
// differ in the width of the panels.
func (l laplace) rules(level int, _, high float64, s side) (first, second *rule, err error) {
	first, second = &rule{turn: panelTurn}, &rule{turn: panelTurn}
	edges := l.edges()
	length := edges[len(edges)-1] - edges[0]
	perUnit := math.Ldexp(0.5+math.Abs(high)/8, level)
	if count := legendrePoints * (length*perUnit + float64(len(edges))); !(count < maxRule) {
		return nil, nil, tooFine(count)
	}
	for k, r := range [2]*rule{first, second} {
		l.outside(r, s)
		for i, a := range edges[:len(edges)-1] {
			b := edges[i+1]
			if _, loss := l.tilt(a + (b-a)/2); !s.holds(loss) {
				continue
			}
			panels(a, b, 1+k+int(perUnit*(b-a)), func(y, logWeight float64) {
				logP, loss := l.tilt(y)
				r.add(loss, logP-math.Abs(y)-math.Ln2+logWeight, false)
			})
		}
	}
	return first, second, nil
}

// edges returns the kinks, the origin among them, and the point where the loss changes its sign.
func (l laplace) edges() []float64 {
	low, high := l.kinks[0], l.kinks[len(l.kinks)-1]
	edges := slices.Clone(l.kinks)
	_, atLow := l.tilt(low)
	_, atHigh := l.tilt(high)
	if atLow*atHigh < 0 {
		edges = append(edges, bisect(low, high, func(y float64) bool {
			_, loss := l.tilt(y)
			return (loss > 0) == (atHigh > 0)
		}))
	}
	slices.Sort(edges)
	return slices.Compact(edges)
}

// outside adds the two atoms.
func (l laplace) outside(r *rule, s side) {
	for _, y := range [2]float64{l.kinks[0], l.kinks[len(l.kinks)-1]} {
		if logP, loss := l.tilt(y); s.holds(loss) {
			r.add(loss, logP-math.Abs(y)-math.Ln2, true)
		}
	}
}

// closed returns the closed form of one shift by d:
//
//	M(t) = e^{td}·[(t+1) + t·e^{-(2t+1)d}]/(2t+1)
//
// (Mironov, "Rényi Differential Privacy", CSF 2017, proposition 6, with t = α-1,
// https://arxiv.org/abs/1702.07476).
func (l laplace) closed(lambda float64, c cumulants) closedForm {
	if len(l.kinks) != 2 || len(l.p.shift) != 1 || len(l.q.shift) != 1 {
		return closedForm{}
	}
	d := l.kinks[1] - l.kinks[0]
	moment := func(t complex128) complex128 {
		return (t + 1 + t*cmplx.Exp(-(2*t+1)*complex(d, 0))) / (2*t + 1)
	}
	here := moment(complex(lambda, 0))
	return closedForm{from: 1 / d, value: func(u float64) (re, im float64) {
		z := moment(complex(lambda, u)) / here * cmplx.Rect(1, u*(d-c.mean))
		return real(z) - 1, imag(z)
	}}
}

var _ closer = laplace{}
