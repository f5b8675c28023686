package planaudit

import (
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train/neural"
)

// networkSetup returns the setup of a network's plan. A resumed run is trained as one run: it
// releases no more than the plan counts.
func networkSetup(s Subject) (neural.Setup, error) {
	p := *s.Network
	p.Interrupted = nil
	n, err := network.New(p.Network.Input, p.Network.Layers...)
	if err != nil {
		return neural.Setup{}, err
	}
	loss, err := p.Loss.Loss()
	if err != nil {
		return neural.Setup{}, err
	}
	setup := neural.Setup{Plan: p, Network: n, Loss: loss}
	if s.Model != nil {
		setup.Schema, setup.Features = s.Model.Schema(), s.Model.Features()
		return setup, nil
	}
	setup.Schema, setup.Features, err = madeUpNetwork(p, n, loss)
	return setup, err
}

// initialWeights returns public weights to begin with: random ones that are the same everywhere,
// and the frozen ones of a model.
func initialWeights(n *network.Network, m *model.Model) []float32 {
	out := make([]float32, n.Weights())
	n.Init(out, 1)
	if m != nil {
		copy(out[n.Trained():], m.NetworkWeights()[n.Trained():])
	}
	return out
}

// networkOptions are settings under which steps are multiples of the released sums, and weights
// hardly move.
func networkOptions(start []float32) neural.Options {
	return neural.Options{Optimizer: option.OptimizerMomentum, LearningRate: smallRate, Schedule: option.ScheduleConstant, Momentum: -1, WeightDecay: -1, Initial: start}
}

// takingOf returns how records take part in the steps of a network's plan.
func takingOf(p neural.Plan) sampling {
	s := p.Sampling
	out := sampling{kind: s.Kind, share: 1, parts: s.Parts}
	switch s.Kind {
	case option.SamplingPoisson, option.SamplingTruncated, option.SamplingCyclic:
		out.share = s.Probability
	case option.SamplingFixedSize:
		out.share = p.Share()
	}
	return out
}
