package pld

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
)

// take checks the terms, drops empty ones, and merges shifted normal pairs. The composition of
// shifted normal pairs is one such pair, and squared ratios of shift and standard deviation add up
// (Dong, Roth & Su, "Gaussian Differential Privacy", JRSS B 2022, corollary 3.3,
// https://arxiv.org/abs/1905.02383).
func (j *job) take(terms []Term) error {
	square, merged := 0.0, 0
	for _, v := range terms {
		if v.Count < 0 {
			return fmt.Errorf("pld: count is %d, want at least 0", v.Count)
		}
		top, err := limits(v.Pair)
		if err != nil {
			return err
		}
		if v.Count == 0 {
			continue
		}
		count := float64(v.Count)
		if r, ok := ratio(v.Pair); ok && !j.options.direct {
			square += count * r * r
			merged++
			continue
		}
		j.terms = append(j.terms, v)
		slack := margin(v.Pair, top)
		j.top += count * (top + slack)
		j.loose += count * slack
		low, high := pair.Infinite(v.Pair)
		j.disclosed.AddBetween(low, high, count)
	}
	if square > 0 {
		j.terms = append(j.terms, Term{pair.Shift(pair.Normal, 1/math.Sqrt(square)), 1})
		j.top = math.Inf(1)
		j.merged = unit * float64(4*merged+8)
	}
	if !math.IsInf(j.top, 0) {
		rounding := math.Abs(j.top) * (1e-14 + unit*float64(len(terms))) // of the sum
		j.top += rounding
		j.loose += rounding
	}
	return nil
}

// ratio returns shift/scale of a shifted normal pair.
func ratio(p pair.Pair) (float64, bool) {
	m, ok := p.(pair.Mixture)
	if !ok || m.Law != pair.Normal || len(m.P) != 1 || len(m.Q) != 1 {
		return 0, false
	}
	return (m.P[0].Mean - m.Q[0].Mean) / m.Scale, true
}

// limits returns the largest finite loss of a pair.
func limits(p pair.Pair) (top float64, err error) {
	switch p := p.(type) {
	case pair.Mixture:
		var c *pair.Curve
		if c, err = pair.NewCurve(p); err != nil {
			return 0, err
		}
		return c.High, nil
	case pair.Atoms:
		top = math.Inf(-1)
		for _, a := range p {
			if a.P > 0 && a.Q > 0 {
				top = math.Max(top, a.Loss())
			}
		}
		return top, checkAtoms(p)
	case pair.BoundedRange:
		return p.Epsilon, checkRange(p)
	case pair.Choice:
		top = math.Inf(-1)
		for _, v := range p {
			high, wrong := limits(v.Pair)
			if wrong != nil {
				return 0, wrong
			}
			top = max(top, high)
		}
		return top, checkChoice(p)
	case pair.Glued:
		top, err = limits(p.Above)
		return math.Max(top, 0), err
	}
	return 0, errPair
}

// margin returns a bound on the rounding of the largest loss of a pair that limits returns.
func margin(p pair.Pair, top float64) float64 {
	switch p := p.(type) {
	case pair.Mixture:
		if c, err := pair.NewCurve(p); err == nil && !math.IsInf(c.High, 1) {
			return c.Top() - c.High
		}
	case pair.Atoms: // masses are known to a few units, and to as many more as their logarithms differ
		if !math.IsInf(top, 0) {
			return 0x1p-47 * (1 + math.Abs(top))
		}
	case pair.Choice:
		most := 0.0
		for _, v := range p {
			high, err := limits(v.Pair)
			if err == nil {
				most = max(most, margin(v.Pair, high))
			}
		}
		return most
	case pair.Glued:
		high, err := limits(p.Above)
		if err == nil {
			return margin(p.Above, high)
		}
	}
	return 0
}

// enclosing returns the pair of a single release, or two pairs that enclose it if its scale has
// been rounded.
func (j *job) enclosing() []pair.Pair {
	m, ok := j.terms[0].Pair.(pair.Mixture)
	if !ok || j.merged == 0 {
		return []pair.Pair{j.terms[0].Pair}
	}
	less, more := m, m
	less.Scale *= 1 - 2*j.merged
	more.Scale *= 1 + 2*j.merged
	return []pair.Pair{less, more}
}

// lattices returns the number of releases that do not lie on a lattice. It also returns the step of
// a lattice that holds every atom, 0 if there is none.
func (j *job) lattices() (noisy, base float64) {
	var losses []float64
	continuous := 0.0
	for _, v := range j.terms {
		l, exact := atomLosses(v.Pair)
		losses = append(losses, l...)
		if !exact {
			continuous += float64(v.Count)
		}
	}
	base = commonStep(losses)
	if base == 0 {
		return j.steps(), 0
	}
	return continuous, base
}

// atomLosses returns the losses with a positive probability that matters, and whether there are no
// others.
func atomLosses(p pair.Pair) (losses []float64, all bool) {
	switch p := p.(type) {
	case pair.Atoms:
		for _, a := range p {
			if a.P > 0 && a.Q > 0 {
				losses = append(losses, a.Loss())
			}
		}
		return losses, true
	case pair.Mixture:
		if c, err := pair.NewCurve(p); err == nil && c.Law == pair.Laplace {
			return []float64{c.Low, c.High}, false
		}
	case pair.Choice:
		all = true
		for _, v := range p {
			more, exact := atomLosses(v.Pair)
			losses, all = append(losses, more...), all && exact
		}
		return losses, all
	case pair.Glued:
		above, exact := atomLosses(p.Above)
		below, also := atomLosses(p.Below)
		return append(above, below...), exact && also
	}
	return nil, false
}

// commonStep returns the largest step that divides all losses. It tries the smallest loss over 1 to
// 64. It is 0 if there is none, or no loss other than 0.
func commonStep(losses []float64) float64 {
	least := math.Inf(1)
	for _, l := range losses {
		if a := math.Abs(l); a > 1e-12 {
			least = math.Min(least, a)
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	for k := 1.0; k <= 64; k++ {
		if allMultiples(losses, least/k) {
			return least / k
		}
	}
	return 0
}

func allMultiples(losses []float64, step float64) bool {
	for _, l := range losses {
		if math.Abs(l-math.Round(l/step)*step) > aligned(l)/2 {
			return false
		}
	}
	return true
}
