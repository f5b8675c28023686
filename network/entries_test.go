package network_test

import (
	"slices"
	"testing"

	"github.com/ditherml/dither/network"
)

// TestEntriesAreRows gives a network the entries of rows and the rows themselves, and wants the same bits, forward and
// backward, in chunks of several sizes.
func TestEntriesAreRows(t *testing.T) {
	for _, c := range conformants() {
		n := must(network.New(c.in, c.layers...))
		if c.name != "sparse linear" && c.name != "frozen sparse linear" {
			if n.TakesEntries() {
				t.Errorf("%s takes entries", c.name)
			}
			continue
		}
		const records = 7
		s := newSubject[float32](t, c, records)
		tape, other := network.NewTape[float32](s.network, records), network.NewTape[float32](s.network, records)
		in, out := n.Input().Size(), n.Output().Size()
		for _, count := range []int{7, 0, 3} {
			x := network.Entries[float32]{Start: []int{0}}
			for at, v := range s.x[:count*in] {
				if v != 0 {
					x.Index, x.Values = append(x.Index, uint32(at%in)), append(x.Values, v)
				}
				if at%in == in-1 {
					x.Start = append(x.Start, len(x.Index))
				}
			}
			outputs, factors := s.run(tape, 0, count)
			given := other.ForwardEntries(x, count, s.weights)
			if !slices.Equal(given, outputs) || count > 1 && slices.Equal(given[:out], given[out:2*out]) {
				t.Errorf("%s: entries of %d records give %v, want %v", c.name, count, given, outputs)
			}
			fromEntries := other.Backward(s.outs[:count*out])
			for i := range count {
				if bitsOf(given, fromEntries, count, i) != bitsOf(outputs, factors, count, i) {
					t.Errorf("%s: record %d of %d has other factors from its entries", c.name, i, count)
				}
			}
		}
	}
}

// TestSparseLinearIsLinear compares a sparse linear layer with a linear one whose weights are its weights turned.
func TestSparseLinearIsLinear(t *testing.T) {
	const in, out, records = 6, 3, 5
	s := newSubject[float64](t, conformant{in: network.Shape{in}, input: mostlyZero, layers: network.Layers{network.SparseLinear{Outputs: out}}}, records)
	turned := make([]float64, len(s.weights))
	for at, v := range s.weights {
		turned[at%out*in+at/out] = v
	}
	dense := network.NewTape[float64](must(network.New(network.Shape{in}, network.Linear{Outputs: out, NoBias: true})), records)
	want := dense.Forward(s.x, records, turned)
	tape := network.NewTape[float64](s.network, records)
	for i, got := range tape.Forward(s.x, records, s.weights) {
		if !close64(got, want[i], 1e-12, 1) {
			t.Errorf("output %d is %v, want %v", i, got, want[i])
		}
	}
	wantInputs := dense.InputGradients(s.outs)
	for i, got := range tape.InputGradients(s.outs) {
		if !close64(got, wantInputs[i], 1e-12, 1) {
			t.Errorf("derivative by input %d is %v, want %v", i, got, wantInputs[i])
		}
	}
}
