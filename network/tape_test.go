package network_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ditherml/dither/network"
)

// TestTapesShareANetwork runs several tapes over one network and its parameters at once, and wants one result; the
// race detector looks on.
func TestTapesShareANetwork(t *testing.T) {
	s := newSubject[float32](t, conformant{in: network.Shape{28, 28, 1}, layers: network.CNN(10)}, 4)
	results := make([][]float32, 4)
	var done sync.WaitGroup
	for i := range results {
		done.Go(func() {
			tape := network.NewTape[float32](s.network, 4)
			tape.Serial(i%2 == 0)
			for range 3 {
				outputs, factors := s.run(tape, 0, 4)
				results[i] = append(slices.Clone(outputs), factors[0].Rights...)
			}
		})
	}
	done.Wait()
	for i, r := range results {
		if !slices.Equal(r, results[0]) {
			t.Errorf("tape %d gives other numbers than tape 0", i)
		}
	}
}

// TestActivationsFarFromZero checks that large numbers have finite derivatives.
func TestActivationsFarFromZero(t *testing.T) {
	bounded := map[string]bool{"tanh": true, "sigmoid": true}
	for _, function := range []string{"relu", "tanh", "sigmoid", "silu", "gelu", "gelu-tanh"} {
		tape := network.NewTape[float32](must(network.New(network.Shape{4}, network.Activation{Function: function})), 1)
		tape.Forward([]float32{-1e30, -50, 50, 1e30}, 1, nil)
		for i, d := range tape.InputGradients([]float32{1, 1, 1, 1}) {
			want := float32(i / 2)
			if bounded[function] {
				want = 0
			}
			if !(d-want > -1e-15 && d-want < 1e-15) {
				t.Errorf("%s has derivative %v at number %d, want %v", function, d, i, want)
			}
		}
	}
}

// TestTapesPanicOnOtherLengths gives tapes what does not fit.
func TestTapesPanicOnOtherLengths(t *testing.T) {
	n := must(network.New(network.Shape{2}, network.Linear{Outputs: 1}))
	tape := network.NewTape[float32](n, 2)
	for want, call := range map[string]func(){
		"3 records on a tape of 2":   func() { tape.Forward(make([]float32, 6), 3, make([]float32, 3)) },
		"3 inputs of 2 records":      func() { tape.Forward(make([]float32, 3), 2, make([]float32, 3)) },
		"4 parameters, want 3":       func() { tape.Forward(make([]float32, 4), 2, make([]float32, 4)) },
		"1 derivatives of 0 records": func() { tape.Backward(make([]float32, 1)) },
		"records is 0":               func() { network.NewTape[float32](n, 0) },
		"there are 4 numbers":        func() { n.Init(make([]float32, 4), 1) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, want) {
					t.Errorf("panic says %q, want %q", text, want)
				}
			}()
			call()
		}()
	}
}
