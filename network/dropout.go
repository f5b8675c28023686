package network

import (
	"encoding/json"
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Dropout is a layer that sets each number to zero with probability p and divides the others by
// 1-p. It is active only after Tape.Training(true). Every number of every record has its own random
// draw, which does not depend on any value. So no record affects which numbers of another record
// are set to zero. Source: N. Srivastava, G. Hinton, A. Krizhevsky, I. Sutskever and R.
// Salakhutdinov, "Dropout: a simple way to prevent neural networks from overfitting", JMLR 15
// (2014).
type Dropout struct {
	// Probability is the probability that a number is set to zero, at least 0 and less than 1. It
	// is rounded to a multiple of 2^-32.
	Probability float64 `json:"probability"`
}

var _ Layer = Dropout{}

// kind returns "dropout".
func (Dropout) kind() string { return "dropout" }

// output returns in.
func (l Dropout) output(in Shape) (Shape, error) {
	if !(l.Probability >= 0 && l.Probability < 1) {
		return nil, fmt.Errorf("probability is %v, want at least 0 and less than 1", l.Probability)
	}
	return in, nil
}

// blocks returns nil.
func (Dropout) blocks(Shape) []Block { return nil }

// readDescription accepts the probability alone, or the fields.
func (l *Dropout) readDescription(text []byte) error {
	if json.Unmarshal(text, &l.Probability) == nil {
		return nil
	}
	type fields Dropout
	return unmarshalStrictly(text, (*fields)(l))
}

// described returns the probability alone.
func (l Dropout) described() any { return l.Probability }

func (Dropout) initial(Shape, [][]float32, float64, *generator) {}

func (l Dropout) worker32(in Shape, s *space) worker[float32] { return newDropout[float32](l, in, s) }
func (l Dropout) worker64(in Shape, s *space) worker[float64] { return newDropout[float64](l, in, s) }

// dropout is Dropout at work. If the last pass was one of training, mask holds 0 or 1/(1-p) for
// each of its numbers.
type dropout[T kernel.Float] struct {
	plain[T]
	space     *space
	threshold uint32
	scale     T
	mask      []T
	active    bool
}

func newDropout[T kernel.Float](l Dropout, in Shape, s *space) *dropout[T] {
	w := &dropout[T]{space: s, threshold: uint32(min(l.Probability*(1<<32), 1<<32-1)), scale: T(1 / (1 - l.Probability))}
	if !s.frozen {
		w.mask = make([]T, s.records*in.Size())
	}
	return w
}

func (w *dropout[T]) forward(y, x []T, _ int) {
	w.active = w.space.training && !w.space.frozen && w.threshold > 0
	if !w.active {
		copy(y, x)
		return
	}
	mask := w.mask[:len(x)]
	draw(w.space.masks, mask, w.threshold, w.scale)
	for i, v := range x {
		y[i] = v * mask[i]
	}
}

func (w *dropout[T]) backward(dx, dy []T, _ int) {
	if dx == nil {
		return
	}
	if !w.active {
		copy(dx, dy)
		return
	}
	mask := w.mask[:len(dx)]
	for i, v := range dy[:len(dx)] {
		dx[i] = v * mask[i]
	}
}

func (w *dropout[T]) habits() habits { return habits{inPlace: true} }
