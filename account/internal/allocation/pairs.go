package allocation

import (
	"math"
	"math/bits"

	"github.com/ditherml/dither/account/internal/pair"
)

// Pairs are the dominating pairs of one epoch, of the output with the record against that without,
// and the other way.
type Pairs struct{ Remove, Add pair.Atoms }

// New returns pairs that dominate random allocation to this many steps, at least 2, with this noise
// multiplier, if kind is Upper. If it is Lower, the true pairs dominate them.
//
// Rounding: each of q is known to a relative error that the terms of a sum add up, and that doubles
// where the number of terms does. Spread out by twice it, the distribution is on the right side.
// Places are known to a few units at each of the doublings, and are moved away from 1 by that. The
// means of cells are known to as many units, of the width of a cell, as a sum has terms. Both sides
// are moved so that the mean stays.
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

// widened makes the masses of a distribution sum to 1. It returns the ratios at its nodes farther
// from 1, each by a share of its distance and an amount. Where the distribution is a lower one they
// are nearer to 1.
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

// settle makes the sums of the columns 1, to the safe side, in the largest atom.
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
