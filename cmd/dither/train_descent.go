package main

import (
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
	"github.com/spf13/pflag"
)

// descentOptions are the flags of the noise over the steps and of the use of released gradients.
type descentOptions struct {
	optimizer, schedule, outputRule string
	accounting                      string
	warmUp                          int
	l1, noiseContraction            float64
	temperature                     float64
}

func (d *descentOptions) add(f *pflag.FlagSet, request train.Request, options train.Options) {
	f.StringVar(&d.optimizer, "optimizer", options.Optimizer, "what makes steps of released gradients: "+strings.Join(option.Optimizers(), ", ")+" (less the known variance of the noise; "+option.OptimizerLBFGS+" is for --non-private alone, and its default); of a network: "+strings.Join(option.NetworkOptimizers(), ", "))
	f.StringVar(&d.schedule, "schedule", options.Schedule, "how the learning rate goes over the steps: "+strings.Join(option.Schedules(), ", ")+"; of networks linear unless one is asked for")
	f.IntVar(&d.warmUp, "warm-up", 0, "steps in which the learning rate rises to its largest value")
	f.Float64Var(&d.l1, "l1", 0, "strength of the penalty on the magnitudes of weights, by proximal steps")
	f.Float64Var(&d.temperature, "temperature", 0, "sample weights by Langevin dynamics at this temperature: sets the learning rate so that the noise of each step is the sampler's; plain gradient descent, the last iterate unless --output-rule says otherwise")
	f.StringVar(&d.accounting, "accounting", request.Accounting, "what is priced: composition (every step), last-iterate (nothing but the last iterate leaves: plain gradient descent with a --ridge on all rows, their number declared), or auto, which takes the one that needs less noise")
	f.Float64Var(&d.noiseContraction, "noise-contraction", 0, "less noise in later steps at the same cost of the whole: what leaves the least noise at the end when each step keeps this share of a displacement, such as 1 - learning rate × ridge (default: the same noise in every step)")
	f.StringVar(&d.outputRule, "output-rule", "", "which weights are the model: "+strings.Join(option.OutputRules(), ", ")+" (the last, and all in "+artefact.IteratesName+"); all cost the same (default: as --average says)")
}

// apply sets the requested values.
func (d *descentOptions) apply(r *train.Request, o *train.Options) {
	r.NoiseContraction = d.noiseContraction
	o.Optimizer, o.Schedule, o.WarmUp, o.L1 = d.optimizer, d.schedule, d.warmUp, d.l1
	o.Output = d.outputRule
	o.Temperature = d.temperature
	r.Accounting, r.LearningRate, r.Ridge = d.accounting, o.LearningRate, o.Ridge
}

func join[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return strings.Join(texts, ", ")
}

// descends lists the flags that describe descent. With any of them a baseline descends as a private
// run does; without them it converges.
var descends = []string{"sampling-probability", "batch-size", "parts", "steps", "clipping", "clipping-norm", "parameter-radius", "learning-rate", "momentum", "average",
	"optimizer", "schedule", "warm-up", "l1", "temperature", "output-rule", "noise-contraction", "accounting", "holdout"}

// describes reports whether a flag describes descent.
func (p *planFlags) describes() bool {
	asked := false
	p.flags.Visit(func(f *pflag.Flag) { asked = asked || slices.Contains(descends, f.Name) })
	return asked
}
