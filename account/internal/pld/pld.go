// Package pld bounds the privacy of composed releases from both sides. It puts the privacy losses
// of dominating pairs on a lattice so that the result dominates. It composes them by tilted Fourier
// transforms. From below it bounds the loss that the lattice has added.
//
// Every error on the way is bounded, added to the upper bounds and subtracted from the lower ones:
// rounding of losses, of masses and of transforms, masses cut off, and the width of the lattice.
// Bounds hold for one direction of a pair; see EpsilonBoth for both.
package pld

import (
	"errors"
	"fmt"
	"math"

	"github.com/ditherml/dither/account/internal/pair"
)

// Term is a pair that is released Count times. Count may be 0.
type Term struct {
	Pair  pair.Pair
	Count int64
}

// Bounds are proven bounds on a number, which is at least Lower and at most Upper.
type Bounds struct{ Lower, Upper float64 }

// Options state how close the bounds should be. Zero values mean the defaults.
type Options struct {
	// Relative and Absolute limit the distance Upper - Lower on the axis of epsilon to
	// Relative·epsilon + Absolute. Zero means 1e-4 and 1e-9. If epsilon is given, a distance of
	// about Relative·delta on the axis of delta is enough too. If the lattice would be too large,
	// the bounds are wider and still valid.
	Relative, Absolute float64
	// MaxNodes is the largest number of nodes of a lattice. Zero means 2^21. Lattices of one
	// release have at most four times this number. A node needs at most about 130 bytes of memory.
	MaxNodes int
	// Large is an upper bound on the probability that a loss is infinite in the pairs but only
	// large in the releases. Such a difference arises if pairs leave out outcomes that are too rare
	// for float64 or for a list. Lower bounds do not count that probability as disclosed.
	Large float64
	// direct and forget are for tests: closed forms are not used, lattices are not kept.
	direct, forget bool
}

// withDefaults returns the options with defaults for zero values.
func (o Options) withDefaults() Options {
	if o.Relative == 0 && o.Absolute == 0 {
		o.Relative, o.Absolute = 1e-4, 1e-9
	}
	if o.MaxNodes == 0 {
		o.MaxNodes = 1 << 21
	}
	return o
}

// width returns the wanted width of the interval at an epsilon.
func (o Options) width(epsilon float64) float64 {
	return math.Max(o.Relative*epsilon+o.Absolute, 1e-13)
}

// check refuses options that make no sense.
func (o Options) check() error {
	if !(o.Relative >= 0 && o.Absolute >= 0 && o.Large >= 0) || o.MaxNodes < 0 || o.MaxNodes > 1<<24 {
		return errors.New("pld: options are negative or too large, want widths of at least 0 and at most 2^24 nodes")
	}
	return nil
}

// Aim is the point on the curve of a composition at which the bounds should be closest. The bounds
// are valid everywhere.
type Aim struct {
	value     float64
	atEpsilon bool
}

// AtDelta returns the aim at a delta.
func AtDelta(delta float64) Aim { return Aim{delta, false} }

// AtEpsilon returns the aim at an epsilon.
func AtEpsilon(epsilon float64) Aim { return Aim{epsilon, true} }

// check refuses aims that make no sense.
func (a Aim) check() error {
	if a.atEpsilon && !(a.value >= 0) {
		return fmt.Errorf("pld: epsilon is %v, want at least 0", a.value)
	}
	if !a.atEpsilon && !(a.value >= 0 && a.value <= 1) {
		return fmt.Errorf("pld: delta is %v, want 0 to 1", a.value)
	}
	return nil
}

// Epsilon returns bounds on the smallest epsilon ≥ 0, in nats, for which the composition of the
// terms is (epsilon, delta)-private. The composition is in the direction of the pairs. Upper is
// +Inf if there is no such epsilon. This happens if delta is at most the probability of an infinite
// loss, or if delta is 0 and the loss is unbounded.
func Epsilon(terms []Term, delta float64, o Options) (Bounds, error) {
	c, err := Compose(terms, AtDelta(delta), o)
	if err != nil {
		return Bounds{}, err
	}
	return c.Epsilon(delta), nil
}

// Delta returns bounds on the smallest delta for which the composition of the terms is (epsilon,
// delta)-private, in the direction of the pairs.
func Delta(terms []Term, epsilon float64, o Options) (Bounds, error) {
	c, err := Compose(terms, AtEpsilon(epsilon), o)
	if err != nil {
		return Bounds{}, err
	}
	return c.Delta(epsilon), nil
}

// Both is a composition in both directions: Forward is the direction of the pairs, and Backward is
// the other.
type Both struct{ Forward, Backward *Composed }

// ComposeBoth returns the composition of the terms in both directions, computed at the same time.
func ComposeBoth(terms []Term, aim Aim, o Options) (Both, error) {
	var b Both
	var backward error
	done := make(chan struct{})
	go func() {
		defer close(done)
		reversed := make([]Term, len(terms))
		for i, v := range terms {
			reversed[i] = Term{pair.Reverse(v.Pair), v.Count}
		}
		b.Backward, backward = Compose(reversed, aim, o)
	}()
	forward, err := Compose(terms, aim, o)
	<-done
	b.Forward = forward
	return b, errors.Join(err, backward)
}

// Epsilon returns bounds on the larger epsilon of the two directions.
func (b Both) Epsilon(delta float64) Bounds {
	return larger(b.Forward.Epsilon(delta), b.Backward.Epsilon(delta))
}

// Delta returns bounds on the larger delta of the two directions.
func (b Both) Delta(epsilon float64) Bounds {
	return larger(b.Forward.Delta(epsilon), b.Backward.Delta(epsilon))
}

func larger(a, b Bounds) Bounds {
	return Bounds{math.Max(a.Lower, b.Lower), math.Max(a.Upper, b.Upper)}
}

// EpsilonBoth returns bounds on the larger epsilon of the two directions.
func EpsilonBoth(terms []Term, delta float64, o Options) (Bounds, error) {
	b, err := ComposeBoth(terms, AtDelta(delta), o)
	if err != nil {
		return Bounds{}, err
	}
	return b.Epsilon(delta), nil
}

// DeltaBoth returns bounds on the larger delta of the two directions.
func DeltaBoth(terms []Term, epsilon float64, o Options) (Bounds, error) {
	b, err := ComposeBoth(terms, AtEpsilon(epsilon), o)
	if err != nil {
		return Bounds{}, err
	}
	return b.Delta(epsilon), nil
}
