package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Tape is the scratch memory in which one goroutine runs a network over chunks of records, forward
// and backward. Each goroutine needs its own Tape. Only the first backward pass allocates memory.
type Tape[T kernel.Float] struct {
	network *Network
	space   *space
	chain   *chain[T]
	blocks  [][]T
	factors []kernel.Factors[T]
	records int // of the last forward pass
}

// NewTape returns a tape for chunks of up to the given number of records. Small chunks stay in the
// processor's caches. About 64 records suit convolutions; a whole batch suits linear layers. It
// panics if records is less than 1.
func NewTape[T kernel.Float](n *Network, records int) *Tape[T] {
	if records < 1 {
		panic(fmt.Sprintf("network: NewTape: records is %d, want at least 1", records))
	}
	s := &space{control: &control{masks: newMasks()}, records: records}
	t := &Tape[T]{network: n, space: s, blocks: make([][]T, len(n.blocks))}
	t.chain = newChain[T](n.layers, n.in, s)
	t.factors = make([]kernel.Factors[T], 0, len(n.blocks))
	return t
}

// Training sets whether dropout layers are active in later forward passes. Initially they are not.
func (t *Tape[T]) Training(training bool) { t.space.training = training }

// Serial sets whether passes use only the caller's goroutine, which is best if several goroutines
// run at once. By default large products use several processors. The results are equal bit for bit.
func (t *Tape[T]) Serial(serial bool) { t.space.serial = serial }

// Forward returns the outputs of n records, of shape n × Output, from their inputs x, of shape n ×
// Input, and the network's parameters. n may be 0. The outputs are valid until the next call of
// Forward. The caller may overwrite them only if Backward is not called. The tape keeps x and
// weights until the results of Backward are no longer used. Forward panics if n exceeds the records
// of NewTape or lengths disagree.
func (t *Tape[T]) Forward(x []T, n int, weights []T) []T {
	if n >= 0 && len(x) != n*t.network.in.Size() {
		panic(fmt.Sprintf("network: Forward: %d inputs of %d records, want %v each", len(x), n, t.network.in))
	}
	t.begin(n, weights)
	return t.chain.forward(x, n)
}

// begin prepares a forward pass.
func (t *Tape[T]) begin(n int, weights []T) {
	switch {
	case n < 0 || n > t.space.records:
		panic(fmt.Sprintf("network: Forward: %d records on a tape of %d", n, t.space.records))
	case len(weights) != t.network.total:
		panic(fmt.Sprintf("network: Forward: %d parameters, want %d", len(weights), t.network.total))
	}
	t.records = n
	bindBlocks(t.network, t.blocks, weights)
	t.chain.bind(t.blocks)
}

// Backward returns the factors of the records of the last forward pass, one for each block of
// Network.Blocks. The argument dOutputs contains the derivatives of each record's loss by its
// outputs, and has their shape. The factors may share memory with x and dOutputs. They are valid
// until the next call of Forward or Backward. No gradient is formed, and the pass ends at the first
// trained layer.
func (t *Tape[T]) Backward(dOutputs []T) []kernel.Factors[T] {
	t.backward(dOutputs, false)
	t.factors = t.chain.factors(t.factors[:0], t.records)
	return t.factors
}

// inputGradients returns the derivatives of each record's loss by its inputs, of the shape of x,
// from the derivatives with respect to its outputs. They are valid until the next call of a method.
func (t *Tape[T]) inputGradients(dOutputs []T) []T { return t.backward(dOutputs, true) }

func (t *Tape[T]) backward(dOutputs []T, wanted bool) []T {
	if len(dOutputs) != t.records*t.network.out.Size() {
		panic(fmt.Sprintf("network: Backward: %d derivatives of %d records, want %v each", len(dOutputs), t.records, t.network.out))
	}
	return t.chain.backward(dOutputs, t.records, wanted)
}
