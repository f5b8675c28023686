package optimizer

import "fmt"

// State is an optimizer's memory between steps: the number of its steps, and vectors as long as the
// weights. Vectors are nil before the first step. All of it follows from released numbers.
type State struct {
	Taken   int
	Vectors [][]float64
}

// Resumable is an optimizer that can continue from another one with the same settings.
type Resumable interface {
	Optimizer
	// State returns the optimizer's memory. The caller must not modify the vectors, and the next
	// step changes them.
	State() State
	// Resume restores a memory for this number of weights. It keeps the vectors. It returns an
	// error if their number or length is wrong.
	Resume(s State, weights int) error
}

var (
	_ Resumable = (*Momentum)(nil)
	_ Resumable = (*Nesterov)(nil)
	_ Resumable = (*Adam)(nil)
)

// Taken returns how many steps began.
func (o *Objective) Taken() int { return o.taken }

// ResumeVectors is Resume for an optimizer that keeps these vectors, which are not nil after a
// step.
func (o *Objective) ResumeVectors(s State, weights int, vectors ...*[]float64) error {
	if len(s.Vectors) != len(vectors) || s.Taken < 0 {
		return fmt.Errorf("optimizer: the state of the optimizer has %d vectors after %d steps, want %d vectors and 0 steps or more", len(s.Vectors), s.Taken, len(vectors))
	}
	for _, v := range s.Vectors {
		if s.Taken == 0 && len(v) == 0 {
			continue
		}
		if len(v) != weights {
			return fmt.Errorf("optimizer: the state of the optimizer has a vector of %d numbers, want %d, one for each weight", len(v), weights)
		}
	}
	o.taken = s.Taken
	for i, v := range s.Vectors {
		if *vectors[i] = nil; len(v) > 0 {
			*vectors[i] = v
		}
	}
	return nil
}

// State returns the velocity.
func (m *Momentum) State() State { return State{m.taken, [][]float64{m.velocity}} }

// Resume restores the velocity.
func (m *Momentum) Resume(s State, weights int) error {
	return m.ResumeVectors(s, weights, &m.velocity)
}

// State returns the last point before momentum.
func (n *Nesterov) State() State { return State{n.taken, [][]float64{n.last}} }

// Resume restores the last point before momentum.
func (n *Nesterov) Resume(s State, weights int) error {
	return n.ResumeVectors(s, weights, &n.last)
}

// State returns both moving averages.
func (a *Adam) State() State { return State{a.taken, [][]float64{a.mean, a.square}} }

// Resume restores both moving averages.
func (a *Adam) Resume(s State, weights int) error {
	return a.ResumeVectors(s, weights, &a.mean, &a.square)
}
