package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Entries are the inputs of several records whose numbers are mostly zeros. For Start[i] ≤ e <
// Start[i+1], record i has the number Values[e] at index Index[e]. All other numbers of the record
// are zero.
type Entries[T kernel.Float] struct {
	// Start has one number for each record: the position of the record's first entry in Index and
	// Values. One more number at the end of Start is the number of all entries.
	Start []int
	// Index has the index of each entry within its record. The indices of one record ascend.
	Index []uint32
	// Values has the number at each index in Index.
	Values []T
}

// TakesEntries reports whether Tape.ForwardEntries can run the network. It can if the first layer
// is SparseLinear, or Frozen with SparseLinear as the first of its layers.
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

// ForwardEntries is Forward for inputs whose zeros may be left out. The outputs equal the outputs
// of Forward bit for bit. The time does not depend on the zeros that are left out. ForwardEntries
// panics if TakesEntries returns false for the network, or if x has fewer than n records. The tape
// does not keep x.
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
