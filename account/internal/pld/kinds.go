package pld

import (
	"errors"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
)

var (
	errPair   = errors.New("pld: pair is of an unknown kind, want Mixture, Atoms, Glued, Choice or BoundedRange")
	errChoice = errors.New("pld: the weights of a choice are not positive or do not sum to 1; scale them")
	errRange  = errors.New("pld: a bounded range is not positive and finite")
)

// side is the sign of the losses of a pair that count.
type side uint8

const (
	everywhere side = iota
	above           // losses above 0
	below           // losses below 0
)

func (s side) has(loss float64) bool {
	return s == everywhere || s == above && loss > 0 || s == below && loss < 0
}

// checkAtoms returns an error unless both columns are probabilities that sum to 1.
func checkAtoms(a pair.Atoms) error {
	var p, q float64
	for _, v := range a {
		if !(v.P >= 0 && v.Q >= 0) {
			return errors.New("pld: a probability of an atom is negative or no number, want 0 to 1")
		}
		p += v.P
		q += v.Q
	}
	if math.Abs(p-1) > 1e-9 || math.Abs(q-1) > 1e-9 {
		return errors.New("pld: the probabilities of atoms do not sum to 1; scale them")
	}
	return nil
}

// checkChoice returns an error unless weights are positive and sum to 1.
func checkChoice(c pair.Choice) error {
	total := 0.0
	for _, v := range c {
		if !(v.Weight > 0) {
			return errChoice
		}
		total += v.Weight
	}
	if !(math.Abs(total-1) <= 1e-9) {
		return errChoice
	}
	return nil
}

// checkRange returns an error unless the range is positive and finite.
func checkRange(p pair.BoundedRange) error {
	if !(p.Epsilon > 0 && p.Epsilon <= 1e6) {
		return errRange
	}
	return nil
}

// rangeMasses returns the masses of the losses from a to b, within [-e, e], of a pair of bounded
// range e. They are the integrals of e^{(l-e)/2}/(2(1-e^{-e})) and of e^{-l} times that.
func rangeMasses(e, a, b float64) (p, q float64) {
	scale := -1 / math.Expm1(-e)
	p = math.Exp((a-e)/2) * math.Expm1((b-a)/2) * scale
	q = -math.Exp(-(a+e)/2) * math.Expm1(-(b-a)/2) * scale
	return p, q
}
