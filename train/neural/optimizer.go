package neural

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/optimizer"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
)

// optimizerLine is one line of the table: a way to turn released sums into steps. An optimizer is
// post-processing. A new one takes a file with its type and a line in the table.
type optimizerLine struct {
	name string
	// scaled says that steps do not grow with gradients. The default learning rate depends on it.
	scaled bool
	// decay is the default weight decay of the optimizer.
	decay float64
	// scales says that gradients are scaled before they are clipped. Scaling needs the factors of
	// gradients.
	scales bool
	// begin returns the optimizer of a group of blocks before its first step. The noise is the
	// public standard deviation of the noise in each number of the gradient.
	begin func(o Options, objective optimizer.Objective, noise float64, blocks []release.ProductBlock) optimizer.Resumable
}

const (
	// defaultMomentum is the momentum of descent. For Adam it is the share of the mean gradient
	// that a step keeps.
	defaultMomentum = 0.9
	// squareDecay is the share of the mean square that Adam keeps. Its authors propose this value.
	squareDecay = 0.999
	// defaultDecay is the weight decay of adamw in its authors' software.
	defaultDecay = 0.01
)

// optimizers is the table of optimizers, in the order of option.NetworkOptimizers.
var optimizers = []optimizerLine{
	{name: "momentum", begin: func(o Options, objective optimizer.Objective, _ float64, _ []release.ProductBlock) optimizer.Resumable {
		return &optimizer.Momentum{Objective: objective, Momentum: o.momentum()}
	}},
	{name: "nesterov", begin: func(o Options, objective optimizer.Objective, _ float64, _ []release.ProductBlock) optimizer.Resumable {
		return &optimizer.Nesterov{Objective: objective, Momentum: o.momentum()}
	}},
	{name: "adagrad", scaled: true, begin: func(_ Options, objective optimizer.Objective, _ float64, _ []release.ProductBlock) optimizer.Resumable {
		return &adagrad{Objective: objective}
	}},
	{name: "adam", scaled: true, begin: func(o Options, objective optimizer.Objective, _ float64, _ []release.ProductBlock) optimizer.Resumable {
		return &optimizer.Adam{Objective: objective, MeanDecay: o.momentum(), SquareDecay: squareDecay}
	}},
	{name: "adamw", scaled: true, decay: defaultDecay, begin: func(o Options, objective optimizer.Objective, _ float64, _ []release.ProductBlock) optimizer.Resumable {
		return &optimizer.Adam{Objective: objective, MeanDecay: o.momentum(), SquareDecay: squareDecay}
	}},
	{name: "adam-corrected", scaled: true, begin: func(o Options, objective optimizer.Objective, noise float64, _ []release.ProductBlock) optimizer.Resumable {
		return &optimizer.Adam{Objective: objective, MeanDecay: o.momentum(), SquareDecay: squareDecay, NoiseVariance: noise * noise}
	}},
	{name: "scaled-adam", scaled: true, scales: true, begin: func(o Options, objective optimizer.Objective, noise float64, blocks []release.ProductBlock) optimizer.Resumable {
		return newScaledAdam(&optimizer.Adam{Objective: objective, MeanDecay: o.momentum(), SquareDecay: squareDecay}, noise, blocks)
	}},
}

// optimizerOf returns the optimizer with this name; "" means the first one.
func optimizerOf(name string) (optimizerLine, error) {
	if name == "" {
		return optimizers[0], nil
	}
	at := slices.IndexFunc(optimizers, func(o optimizerLine) bool { return o.name == name })
	if at < 0 {
		return optimizerLine{}, fmt.Errorf("neural: optimizer is %q, want one of %s", name, strings.Join(option.NetworkOptimizers(), ", "))
	}
	return optimizers[at], nil
}

// decayed is an optimizer with weight decay. Before each step, weights shrink by the step's rate
// times the decay, whatever the size of gradients (Loshchilov & Hutter, "Decoupled Weight Decay
// Regularization", ICLR 2019, algorithm 2, https://arxiv.org/abs/1711.05101). The decay needs no
// gradient, so it may come first.
type decayed struct {
	optimizer.Resumable
	rates optimizer.Rates
	decay float64
}

// Step makes one step.
func (d *decayed) Step(weights []float64, sum release.Noisy) {
	keep := 1 - d.rates.At(d.State().Taken)*d.decay
	for j := range weights {
		weights[j] *= keep
	}
	d.Resumable.Step(weights, sum)
}

// newOptimizer returns the optimizer of a group before its first step.
func (o Options) newOptimizer(rates optimizer.Rates, divisor, noise float64, blocks []release.ProductBlock) (optimizer.Resumable, error) {
	line, err := optimizerOf(o.Optimizer)
	if err != nil {
		return nil, err
	}
	out := line.begin(o, optimizer.Objective{Divisor: divisor, Ridge: o.Ridge, L1: o.L1, Rates: rates}, noise/divisor, blocks)
	if decay := o.decay(line); decay > 0 {
		out = &decayed{out, rates, decay}
	}
	return out, nil
}

// decay returns the weight decay of a run.
func (o Options) decay(line optimizerLine) float64 {
	if o.WeightDecay == 0 {
		return line.decay
	}
	return max(0, o.WeightDecay)
}

// momentum returns the momentum of a run.
func (o Options) momentum() float64 {
	switch {
	case o.Momentum == 0:
		return defaultMomentum
	case o.Momentum < 0:
		return 0
	}
	return o.Momentum
}

const (
	// defaultRate is the learning rate of steps that do not grow with gradients. scaledNorm is the
	// first step length of other optimizers: learning rate times clipping norm, divided by 1 -
	// momentum. The length is shorter if noise would move a weight by more than noisyNorm. These
	// numbers and the schedule were chosen for all networks on every sixth training record of MNIST
	// and a9a.
	defaultRate, scaledNorm, noisyNorm = 0.002, 60.0, 0.015
	// defaultSchedule makes steps smaller as the remaining error nears the noise.
	defaultSchedule = option.ScheduleLinear
)

// schedule returns the requested schedule, or the default.
func (o Options) schedule() string {
	if o.Schedule == "" {
		return defaultSchedule
	}
	return o.Schedule
}

// rate returns the requested learning rate, or the default of the optimizer. Clipped gradients have
// about the clipping norm, so the rate of a step that grows with them is divided by it.
func (s Setup) rate(o Options) float64 {
	line, err := optimizerOf(o.Optimizer)
	switch {
	case o.LearningRate > 0:
		return o.LearningRate
	case err == nil && line.scaled:
		return defaultRate
	}
	long := scaledNorm
	if p := s.Plan; !p.NonPrivate { // noise in the mean of a step, in clipping norms
		long = min(long, noisyNorm*p.Share()*p.records()/p.NoiseMultiplier)
	}
	return long * (1 - o.momentum()) / s.Plan.Clipping.norm()
}

// noiseOf returns the standard deviation of the noise in each number of the sum of a group.
func (s Setup) noiseOf(group int) float64 {
	noises, err := s.Plan.Clipping.noises(s.Plan.NoiseMultiplier)
	if s.Plan.NonPrivate || err != nil {
		return 0
	}
	return noises[group].NoiseMultiplier * s.Plan.Clipping.bound(s.Plan.Clipping.Groups[group].Norm)
}

// positiveOrNone refuses numbers of options that make no sense.
func positiveOrNone(name string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 1) {
		return fmt.Errorf("neural: %s is %v, want 0 or a positive finite number", name, v)
	}
	return nil
}
