package auditing

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/ditherml/dither/audit"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/special"
)

// family is a family of trade-off curves through the one that statements make up, at parameter 1. Curves at
// other parameters have its shape: at each rate of true positives, the distance of its normal quantile from
// that of the false positives is multiplied by the parameter. So normal noise has normal noise in its
// family. Only the curve at 1 decides about the claim; it is nowhere above the statements' own.
type family struct {
	epsilon, delta float64
	// rates grow, and gaps are the distances at them.
	rates, quantiles, gaps []float64
	// own is the ε of the curve at 1, a little above the claim's.
	own float64
}

const (
	// quantileReach and quantileStep are the ends and the step of the quantiles at which a family is tabulated.
	quantileReach, quantileStep = 8.2, 0.005
	// mostEpsilon is the largest ε that a family reports.
	mostEpsilon = 512.0
)

// newFamily returns the family of statements that prove the claim of epsilon at delta. At δ = 0 other curves
// of that shape have no finite ε, and the family is of pure statements.
func newFamily(all []curve.Statement, epsilon, delta float64) *family {
	f := &family{epsilon: epsilon, delta: delta}
	if delta == 0 {
		return f
	}
	own := statementCurve(all)
	before := 0.0
	for i := range int(2*quantileReach/quantileStep) + 1 {
		z := quantileStep*float64(i) - quantileReach
		r := special.NormalCDF(z)
		// The value at the rate before keeps chords below the curve.
		f.rates, f.quantiles = append(f.rates, r), append(f.quantiles, z)
		f.gaps = append(f.gaps, max(0, z-special.NormalQuantile(before)))
		before = own(r)
	}
	f.own = f.epsilonOf(f.hull(1))
	return f
}

// curve returns the curve at a parameter. It falls as the parameter grows.
func (f *family) curve(parameter float64) audit.Curve {
	if f.delta == 0 {
		return statementCurve([]curve.Statement{{Epsilon: parameter * f.epsilon}})
	}
	hull := f.hull(parameter)
	return func(r float64) float64 {
		i := sort.Search(len(hull), func(i int) bool { return hull[i].rate > r })
		switch i {
		case 0:
			return 0
		case len(hull):
			return hull[i-1].value
		}
		a, b := hull[i-1], hull[i]
		return a.value + (b.value-a.value)*(r-a.rate)/(b.rate-a.rate)
	}
}

// epsilonAt returns the ε of the curve at a parameter, at the claim's δ. It is rounded down so far that it is
// the claim's own at 1.
func (f *family) epsilonAt(parameter float64) float64 {
	if f.delta == 0 {
		return parameter * f.epsilon
	}
	if parameter == 0 || f.own == 0 {
		return 0
	}
	return f.epsilon * f.epsilonOf(f.hull(parameter)) / f.own
}

// knot is a corner of a curve: its value at a rate of true positives.
type knot struct{ rate, value float64 }

// hull returns the largest convex curve below the tabulated one at a parameter.
func (f *family) hull(parameter float64) []knot {
	out := []knot{{}}
	for i, r := range f.rates {
		k := knot{rate: r}
		if !math.IsInf(f.gaps[i], 1) {
			k.value = special.NormalCDF(f.quantiles[i]-parameter*f.gaps[i]) * (1 - 1e-12)
		}
		if k.rate <= out[len(out)-1].rate {
			continue
		}
		for len(out) > 1 {
			a, b := out[len(out)-2], out[len(out)-1]
			if (b.value-a.value)*(k.rate-a.rate) < (k.value-a.value)*(b.rate-a.rate) {
				break
			}
			out = out[:len(out)-1]
		}
		out = append(out, k)
	}
	return out
}

// epsilonOf returns the least ε at the claim's δ that a curve keeps: e^ε·value ≥ rate - δ at all corners.
func (f *family) epsilonOf(hull []knot) float64 {
	least := 0.0
	for _, k := range hull {
		if k.rate > f.delta {
			least = max(least, math.Log((k.rate-f.delta)/k.value))
		}
	}
	return min(least, mostEpsilon)
}

// line is a lower bound on false positives: rise·r - drop at the rate r of true positives.
type line struct{ rise, drop float64 }

// statementCurve returns the curve of statements. Each statement is a bound in both directions, so the curve
// is the largest of two lines a statement and 0: e^-ε·(r-δ) and 1-δ-e^ε·(1-r) (Dong, Roth & Su, "Gaussian
// Differential Privacy", 2022, proposition 2.4).
func statementCurve(all []curve.Statement) audit.Curve {
	lines := []line{{}}
	for _, s := range all {
		grow := math.Exp(s.Epsilon)
		if math.IsInf(grow, 1) || s.Delta >= 1 {
			continue
		}
		lines = append(lines, line{1 / grow, s.Delta / grow}, line{grow, grow - 1 + s.Delta})
	}
	envelope := upperEnvelope(lines)
	return func(r float64) float64 {
		i, _ := slices.BinarySearchFunc(envelope, r, func(p piece, r float64) int { return cmp.Compare(p.until, r) })
		l := envelope[min(i, len(envelope)-1)].line
		// Rounded down by more than the units of rounding of both terms.
		return max(0, l.rise*r-l.drop-1e-15*(l.rise*r+l.drop))
	}
}

// piece is the part of an envelope, up to a rate, on which one line is the largest.
type piece struct {
	line
	until float64
}

// upperEnvelope returns the largest of lines, piece by piece, from rate 0 on.
func upperEnvelope(lines []line) []piece {
	slices.SortFunc(lines, func(a, b line) int { return cmp.Or(cmp.Compare(a.rise, b.rise), cmp.Compare(b.drop, a.drop)) })
	var out []piece
	for _, l := range lines {
		for len(out) > 0 {
			last := &out[len(out)-1]
			if l.rise == last.rise {
				out = out[:len(out)-1] // the same slope, and this line is no lower
				continue
			}
			meet := (l.drop - last.drop) / (l.rise - last.rise)
			if len(out) > 1 && meet <= out[len(out)-2].until {
				out = out[:len(out)-1]
				continue
			}
			last.until = meet
			break
		}
		out = append(out, piece{l, math.Inf(1)})
	}
	return out
}
