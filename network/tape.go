package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Tape is the scratch memory in which one goroutine runs a network over chunks of records, forward
// and backward. Each goroutine needs its own Tape. After the first backward pass, passes do not
// allocate memory.
type Tape[T kernel.Float] struct {
	network *Network
	space   *space
	chain   *chain[T]
	blocks  [][]T
	factors []kernel.Factors[T]
	records int // of the last forward pass
}

// NewTape returns a tape for chunks of up to the given number of records. Small chunks stay in the
// processor's caches. About 64 records suit convolutions, and a whole batch suits linear layers.
// NewTape panics if records is less than 1.
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

// Training sets whether dropout layers are active in later forward passes. They are inactive in a
// new tape.
func (t *Tape[T]) Training(training bool) { t.space.training = training }

// Serial sets whether passes use only the caller's goroutine. That is best if several goroutines
// use tapes at the same time. By default large products use several processors. The results have
// the same bits in both cases.
func (t *Tape[T]) Serial(serial bool) { t.space.serial = serial }

// Forward returns the outputs of n records, one record after the other. The argument x has the
// inputs of the records, one record after the other. The argument weights has the parameters of the
// network. The number n may be 0. The outputs are valid until the next call of Forward. If Backward
// will be called, the caller must not overwrite them. The tape uses x and weights until the results
// of Backward are no longer used. Forward panics if n exceeds the number of records in NewTape, or
// if lengths disagree.
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

// Backward returns factors for each block of Network.Blocks. The factors are vectors whose outer
// products are the gradients of the records in the last forward pass. The argument dOutputs has the
// derivative of each record's loss with respect to each output of the record. The factors may share
// memory with dOutputs and with the inputs of Forward. They are valid until the next call of
// Forward or Backward. Backward forms no gradient, and it ends at the first trained layer.
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
