package optimizer

import "fmt"

// State is what an optimizer remembers between steps: how many it took, and vectors as long as the
// weights, nil ones before the first step. All of it follows from what was released.
type State struct {
	Taken   int
	Vectors [][]float64
}

// Resumable is an optimizer that can go on where another one of the same settings stopped.
type Resumable interface {
	Optimizer
	// State returns what the optimizer remembers. The caller must not modify the vectors, and the next step
	// changes them.
	State() State
	// Resume makes the optimizer remember this, for this many weights; it keeps the vectors. It
	// errs where their number or length is not the optimizer's.
	Resume(s State, weights int) error
}

var (
	_ Resumable = (*Momentum)(nil)
	_ Resumable = (*Nesterov)(nil)
	_ Resumable = (*Adam)(nil)
)

// Taken returns how many steps began.
func (o *Objective) Taken() int { return o.taken }

// ResumeVectors is Resume for an optimizer that keeps these vectors, none of them nil after a step.
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

// Resume takes the velocity.
func (m *Momentum) Resume(s State, weights int) error {
	return m.ResumeVectors(s, weights, &m.velocity)
}

// State returns the last point before momentum.
func (n *Nesterov) State() State { return State{n.taken, [][]float64{n.last}} }

// Resume takes the last point before momentum.
func (n *Nesterov) Resume(s State, weights int) error {
	return n.ResumeVectors(s, weights, &n.last)
}

// State returns both moving averages.
func (a *Adam) State() State { return State{a.taken, [][]float64{a.mean, a.square}} }

// Resume takes both moving averages.
func (a *Adam) Resume(s State, weights int) error {
	return a.ResumeVectors(s, weights, &a.mean, &a.square)
}
