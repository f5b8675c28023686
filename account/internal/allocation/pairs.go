package allocation

import (
	"math"
	"math/bits"

	"github.com/ditherml/dither/account/internal/pair"
)

// Pairs are the dominating pairs of one epoch. Remove is the pair of the output with the record
// against the output without the record. Add is the same pair in the other direction.
type Pairs struct{ Remove, Add pair.Atoms }

// New returns pairs for random allocation to this many steps, at least 2, with this noise
// multiplier. If kind is Upper, the pairs dominate the allocation. If it is Lower, the true pairs
// dominate them.
//
// Rounding:
//
//  1. Each q is known to a relative error that grows with the terms of a sum, and doubles with each
//     doubling. Spreading the distribution out by twice that error puts it on the safe side.
//  2. Places are known to a few units at each doubling, and are moved away from 1 by that.
//  3. The means of cells are known to as many units, of the width of a cell, as a sum has terms.
//  4. Both sides are moved so that the mean stays.
func New(steps int, noise float64, kind Kind) (Pairs, error) {
	l, err := sum(steps, noise, kind)
	if err != nil {
		return Pairs{}, err
	}
	far := reach + 1/noise
	masses := float64(steps) * unit * (8*longest + 64 + 8*far*far)
	places := float64(bits.Len(uint(steps))) * unit * (256 + 16*far*far)
	if kind == Lower {
		places += float64(bits.Len(uint(steps))) * unit * 8 * longest
	}
	var s Pairs
	for i, ratio := range widened(l, 2*masses, places) {
		s.Remove = append(s.Remove, pair.Atom{P: l.q[i] * ratio, Q: l.q[i]})
	}
	if l.infinite > 0 {
		s.Remove = append(s.Remove, pair.Atom{P: l.infinite / l.count})
	}
	s.Add = s.Remove.Swap()
	settle(s.Remove, kind)
	settle(s.Add, kind)
	return s, nil
}

// widened makes the masses of a distribution sum to 1. It returns the ratios at its nodes, each
// moved away from 1 by a share of its distance and an amount. For a Lower distribution they are
// moved toward 1.
func widened(l law, share, amount float64) []float64 {
	total := 0.0
	for _, q := range l.q {
		total += q
	}
	away := make([]float64, len(l.d))
	var left, right float64
	for i, d := range l.d {
		l.q[i] /= total
		d /= l.count
		away[i] = math.Abs(d)*share + amount*(2+math.Abs(d))
		if d > 0 {
			right += l.q[i] * away[i]
		} else {
			left += l.q[i] * away[i]
		}
	}
	ratios := make([]float64, len(l.d))
	for i, d := range l.d {
		d /= l.count
		move := away[i] * max(left, right)
		if d > 0 {
			move /= right
		} else {
			move /= left
		}
		if l.kind == Lower {
			move = -min(move, math.Abs(d))
		}
		ratios[i] = max(0, 1+math.Copysign(math.Abs(d)+move, d))
	}
	return ratios
}

// settle makes the sums of the columns 1 by changing the largest atom to the safe side.
func settle(a pair.Atoms, kind Kind) {
	var p, q float64
	largest := 0
	for i, v := range a {
		p += v.P
		q += v.Q
		if min(v.P, v.Q) > min(a[largest].P, a[largest].Q) {
			largest = i
		}
	}
	p, q = 1-p, 1-q
	if kind == Upper {
		p, q = max(p, 0), min(q, 0)
	} else {
		p, q = min(p, 0), max(q, 0)
	}
	a[largest].P += p
	a[largest].Q += q
}
