package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Entries are the inputs of records that are mostly zeros. Record i has the value Values[e] at
// index Index[e], for Start[i] ≤ e < Start[i+1], and zeros elsewhere. The indices of a record
// ascend.
type Entries[T kernel.Float] struct {
	Start  []int
	Index  []uint32
	Values []T
}

// TakesEntries reports whether Tape.ForwardEntries may be called. It is true if the first layer is
// sparse-linear, or frozen layers that begin with sparse-linear.
func (n *Network) TakesEntries() bool { return n.layers.takeEntries() }

func (l Layers) takeEntries() bool {
	if len(l) == 0 {
		return false
	}
	switch first := l[0].(type) {
	case SparseLinear:
		return true
	case Frozen:
		return first.Layers.takeEntries()
	}
	return false
}

// entriesTaker is a worker that can begin with entries.
type entriesTaker[T kernel.Float] interface {
	forwardEntries(y []T, x Entries[T], n int)
}

// ForwardEntries is Forward for inputs that are given by their nonzero entries. Zero entries are
// allowed too. The outputs equal the outputs of Forward bit for bit. The time does not depend on
// the zeros that are left out. It panics unless the network TakesEntries and x has at least n
// records. The tape keeps nothing of x.
func (t *Tape[T]) ForwardEntries(x Entries[T], n int, weights []T) []T {
	if !t.network.TakesEntries() || len(x.Start) <= n || len(x.Index) < x.Start[n] || len(x.Values) < x.Start[n] {
		panic(fmt.Sprintf("network: ForwardEntries: there are entries of %d records, want %d and a network that takes entries", len(x.Start)-1, n))
	}
	t.begin(n, weights)
	return t.chain.forwardEntries(x, n)
}

// forwardEntries is forward for a chain whose first worker takes entries.
func (c *chain[T]) forwardEntries(x Entries[T], n int) []T {
	y := c.outputs[0][:n*c.sizes[1]]
	c.workers[0].(entriesTaker[T]).forwardEntries(y, x, n)
	return c.forwardFrom(1, y, n)
}

// forwardEntries is forward for layers whose first takes entries.
func (w *nested[T]) forwardEntries(y []T, x Entries[T], n int) { copy(y, w.chain.forwardEntries(x, n)) }
