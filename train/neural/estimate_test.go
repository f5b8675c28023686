package neural

import (
	"math"
	"testing"

	"github.com/ditherml/dither/network"
)

// TestEstimateFollowsTheWork checks how an estimate moves with what is declared, and that it allows for the weights.
func TestEstimateFollowsTheWork(t *testing.T) {
	request := func(change func(*Request)) Setup {
		r := ask()
		r.Layers, r.Epochs, r.Steps = network.MLP(1, 2000), 0, 2000
		change(&r)
		return setupOf(t, r, ringSchema(t, 2000))
	}
	base := request(func(*Request) {})
	seconds, bytes := base.Estimate(Options{}, 2)
	// 2000 steps over 200 records of 6000 products and 4000 numbers, and over 8001 weights
	if want := 2000 * (200*(0.03*8001+5*4003) + 10*8001 + 2*2*2000) * 1e-9 / 2; math.Abs(seconds-want) > 0.01*want {
		t.Errorf("got %v seconds, want %v", seconds, want)
	}
	if least := int64(8001*(4+8+8+8) + 2*8001*8); bytes < least || bytes > 1<<30 {
		t.Errorf("got %d bytes, want at least %d", bytes, least)
	}
	for name, c := range map[string]struct {
		setup      Setup
		processors int
		low, high  float64 // seconds, in times of those of base
	}{
		"more steps":    {request(func(r *Request) { r.Steps = 4000 }), 2, 1.9, 2.1},
		"larger sample": {request(func(r *Request) { r.Sampling.Probability = 0.2 }), 2, 1.7, 2.1},
		"one processor": {base, 1, 1.8, 2.1},
		"two layers":    {request(func(r *Request) { r.Layers = network.MLP(1, 2000, 2000) }), 2, 5, 50},
		"residual": {request(func(r *Request) {
			r.Layers = network.Layers{network.Residual{Layers: network.MLP(2, 2000)}, network.Linear{Outputs: 1}}
		}), 2, 0.9, 1.1},
	} {
		if got, _ := c.setup.Estimate(Options{}, c.processors); !(got >= c.low*seconds && got <= c.high*seconds) {
			t.Errorf("%s: got %v seconds, want %v to %v times %v", name, got, c.low, c.high, seconds)
		}
	}
	if _, larger := base.Estimate(Options{Chunk: 1 << 15}, 2); larger != bytes {
		t.Errorf("chunks beyond the sample take %d bytes, want %d", larger, bytes)
	}
}
