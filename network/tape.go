package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Tape is the working space in which one goroutine runs a network over chunks of records, forward and
// backward. Several goroutines each make their own. A pass allocates nothing, but for the first one backward.
type Tape[T kernel.Float] struct {
	network *Network
	space   *space
	chain   *chain[T]
	blocks  [][]T
	factors []kernel.Factors[T]
	records int // of the last pass forward
}

// NewTape returns the working space for chunks of up to the given number of records. Small chunks keep it in
// the caches: about 64 records for convolutions; a network of linear layers takes a whole batch. It panics
// when records is less than 1.
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

// Training says whether the passes forward that follow drop out what dropout layers drop; at first they do
// not.
func (t *Tape[T]) Training(training bool) { t.space.training = training }

// Serial says whether passes keep to the processor of the caller, which is best when several
// goroutines run at once. At first large products use several processors. The results have the same
// bits.
func (t *Tape[T]) Serial(serial bool) { t.space.serial = serial }

// Forward returns the outputs of n records, of shape n × Output, from their inputs x, of shape n ×
// Input, and the parameters of the network. There may be no records. The outputs are valid until
// the next call of Forward, and the caller may overwrite them only when Backward will not be
// called. The tape keeps x and weights until the call of Backward has been used. It panics when n
// is beyond the records of NewTape or a length does not agree.
func (t *Tape[T]) Forward(x []T, n int, weights []T) []T {
	if n >= 0 && len(x) != n*t.network.in.Size() {
		panic(fmt.Sprintf("network: Forward: %d inputs of %d records, want %v each", len(x), n, t.network.in))
	}
	t.begin(n, weights)
	return t.chain.forward(x, n)
}

// begin makes ready for a pass forward.
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

// Backward returns the factors of the records of the last pass forward, one for each block of
// Network.Blocks. The array dOutputs, of the shape of the outputs, holds the derivatives of each
// record's loss by its outputs. The factors, which may hold x and dOutputs, are valid until the
// next call of either method. No gradient is formed, and the pass ends at the lowest layer that is
// trained.
func (t *Tape[T]) Backward(dOutputs []T) []kernel.Factors[T] {
	t.backward(dOutputs, false)
	t.factors = t.chain.factors(t.factors[:0], t.records)
	return t.factors
}

// inputGradients returns the derivatives of each record's loss by its inputs, of the shape of x, from those by
// its outputs. They are valid until the next call of a method.
func (t *Tape[T]) inputGradients(dOutputs []T) []T { return t.backward(dOutputs, true) }

func (t *Tape[T]) backward(dOutputs []T, wanted bool) []T {
	if len(dOutputs) != t.records*t.network.out.Size() {
		panic(fmt.Sprintf("network: Backward: %d derivatives of %d records, want %v each", len(dOutputs), t.records, t.network.out))
	}
	return t.chain.backward(dOutputs, t.records, wanted)
}
