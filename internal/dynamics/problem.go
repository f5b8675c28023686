package dynamics

import (
	"fmt"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/network"
)

// Loss is a loss of one record's outputs.
type Loss interface {
	// Value returns the loss of outputs for a label.
	Value(outputs []float64, label float64) float64
	// Residuals fills dst with the derivatives of the loss by the outputs.
	Residuals(dst, outputs []float64, label float64)
	// Smoothness bounds the second derivative with respect to the outputs.
	Smoothness() float64
}

// Problem is a network at first weights, with the records that it learns. It keeps its slices,
// which nothing here changes.
type Problem struct {
	Network *network.Network
	Loss    Loss
	// Inputs has shape records × Input, Labels one number for each record.
	Inputs, Labels []float64
	// Weights are all weights of the network, with the frozen ones.
	Weights []float64
}

// check returns an error that names the inconsistency.
func (p Problem) check() error {
	n := len(p.Labels)
	switch {
	case p.Network == nil || p.Loss == nil:
		return fmt.Errorf("dynamics: network or loss is missing, want both")
	case n == 0 || len(p.Inputs) != n*p.Network.Input().Size():
		return fmt.Errorf("dynamics: there are %d inputs for %d records, want records, of %d inputs each", len(p.Inputs), n, p.Network.Input().Size())
	case len(p.Weights) != p.Network.Weights():
		return fmt.Errorf("dynamics: there are %d weights, want %d, the network's", len(p.Weights), p.Network.Weights())
	case p.Network.Trained() == 0:
		return fmt.Errorf("dynamics: network has no numbers to train, want a layer that is not frozen")
	}
	return nil
}

// pass is the scratch of passes over all records of a problem.
type pass struct {
	Problem
	tape    *network.Tape[float64]
	space   network.Workspace[float64]
	slopes  []float64 // derivatives of each record's loss by its outputs
	ones    []float64
	factors []kernel.Factors[float64]
	squares [][]float64 // of each block, for each record
	blocks  []network.Block
}

func newPass(p Problem) *pass {
	n := len(p.Labels)
	w := &pass{Problem: p, tape: network.NewTape[float64](p.Network, n), slopes: make([]float64, n*p.Network.Output().Size()), ones: make([]float64, n), blocks: p.Network.Blocks()}
	w.squares = make([][]float64, len(w.blocks))
	for b := range w.squares {
		w.squares[b] = make([]float64, n)
	}
	for i := range w.ones {
		w.ones[i] = 1
	}
	return w
}

// at runs the network forward and backward at the weights and returns the mean loss. A record
// without a label has loss 0.
func (w *pass) at(weights []float64) float64 {
	n, k := len(w.Labels), w.Network.Output().Size()
	outputs, sum := w.tape.Forward(w.Inputs, n, weights), 0.0
	clear(w.slopes)
	for i, label := range w.Labels {
		if label == label {
			sum += w.Loss.Value(outputs[i*k:(i+1)*k], label)
			w.Loss.Residuals(w.slopes[i*k:(i+1)*k], outputs[i*k:(i+1)*k], label)
		}
	}
	w.factors = w.tape.Backward(w.slopes)
	for b, f := range w.factors {
		clear(w.squares[b])
		w.space.SquaredNorms(w.squares[b], f)
	}
	return sum / float64(n)
}

// add adds the gradients of the last call of at to sum, weighted by scales for each group. The sum
// covers all trained numbers.
func (w *pass) add(sum []float64, groups []int, scales [][]float64) {
	at, first := 0, 0
	for r, count := range groups {
		for b := first; b < first+count; b++ {
			numbers := w.blocks[b].Numbers()
			w.space.AddSum(sum[at:at+numbers], w.factors[b], scales[r])
			at += numbers
		}
		first += count
	}
}

// checkGroups compares the numbers of blocks in each group with the network.
func (p Problem) checkGroups(groups []int) error {
	sum := 0
	for _, count := range groups {
		sum += count
	}
	if blocks := len(p.Network.Blocks()); sum != blocks || slices.Min(append(slices.Clone(groups), 1)) < 1 {
		return fmt.Errorf("dynamics: groups have %v blocks, want at least 1 each and %d together", groups, blocks)
	}
	return nil
}
