package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// descentOptions are the flags of the noise over the steps and of what is made of released gradients.
type descentOptions struct {
	optimizer, schedule, outputRule string
	accounting                      string
	warmUp                          int
	l1, noiseContraction            float64
	temperature                     float64
	prices                          []pricedNoise // for a dry run
}

func (d *descentOptions) add(f *pflag.FlagSet, request train.Request, options train.Options) {
	f.StringVar(&d.optimizer, "optimizer", string(options.Optimizer), "what makes steps of released gradients: "+join(train.Optimizers())+" (less the known variance of the noise; "+string(train.OptimizerLBFGS)+" is for --non-private alone, and its default); of a network: "+strings.Join(neural.Optimizers(), ", "))
	f.StringVar(&d.schedule, "schedule", string(options.Schedule), "how the learning rate goes over the steps: "+join(train.Schedules())+"; of networks linear unless one is asked for")
	f.IntVar(&d.warmUp, "warm-up", 0, "steps in which the learning rate rises to its largest value")
	f.Float64Var(&d.l1, "l1", 0, "strength of the penalty on the magnitudes of weights, by proximal steps")
	f.Float64Var(&d.temperature, "temperature", 0, "sample weights by Langevin dynamics at this temperature: sets the learning rate so that the noise of each step is the sampler's; plain gradient descent, the last iterate unless --output-rule says otherwise")
	f.StringVar(&d.accounting, "accounting", string(request.Accounting), "what is priced: composition (every step), last-iterate (nothing but the last iterate leaves: plain gradient descent with a --ridge on all rows, their number declared), or auto, which takes the one that needs less noise")
	f.Float64Var(&d.noiseContraction, "noise-contraction", 0, "less noise in later steps at the same cost of the whole: what leaves the least noise at the end when each step keeps this share of a displacement, such as 1 - learning rate × ridge (default: the same noise in every step)")
	f.StringVar(&d.outputRule, "output-rule", "", "which weights are the model: "+join(train.OutputRules())+" (the last, and all in "+iteratesName+"); all cost the same (default: as --average says)")
}

// apply sets what is asked for.
func (d *descentOptions) apply(r *train.Request, o *train.Options) {
	r.NoiseContraction = d.noiseContraction
	o.Optimizer, o.Schedule, o.WarmUp, o.L1 = train.OptimizerName(d.optimizer), train.Schedule(d.schedule), d.warmUp, d.l1
	o.Output = train.OutputRule(d.outputRule)
	o.Temperature = d.temperature
	r.Accounting, r.LearningRate, r.Ridge = train.Accounting(d.accounting), o.LearningRate, o.Ridge
}

// price settles what is priced, once all options are known: under auto, whatever the last iterate alone
// does not allow leaves composition.
func (d *descentOptions) price(r *train.Request, o *train.Options, momentum bool) {
	plain := o.Optimizer == train.OptimizerMomentum && o.Schedule == train.ScheduleConstant && o.WarmUp == 0 && o.L1 == 0 && o.Temperature == 0 && o.Average != train.Yes &&
		(o.Output == "" || o.Output == train.OutputLast) && !(momentum && o.Momentum > 0)
	switch {
	case r.Accounting == train.AccountingAuto && !plain:
		r.Accounting = train.AccountingComposition
	case r.Accounting == train.AccountingLastIterate && !momentum:
		o.Momentum = 0
	}
	if o.Temperature != 0 && !momentum {
		o.Momentum = 0
	}
	if o.Temperature != 0 && o.Average == train.Auto && o.Output == "" {
		o.Output = train.OutputLast
	}
}

// pricedNoise is what one way to price a run takes.
type pricedNoise struct {
	Accounting      train.Accounting `json:"accounting"`
	NoiseMultiplier float64          `json:"noise-multiplier,omitempty"`
	// Refused is why there is none.
	Refused string `json:"refused,omitempty"`
}

// pricedNoises compares the ways to price what is asked for, unless only composition is.
func pricedNoises(r train.Request, s *data.Schema) []pricedNoise {
	if r.Accounting == "" || r.Accounting == train.AccountingComposition {
		return nil
	}
	var out []pricedNoise
	for _, way := range []train.Accounting{train.AccountingComposition, train.AccountingLastIterate} {
		r.Accounting = way
		setup, err := train.NewPlan(r, s)
		if err != nil {
			out = append(out, pricedNoise{Accounting: way, Refused: err.Error()})
			continue
		}
		out = append(out, pricedNoise{Accounting: way, NoiseMultiplier: setup.Plan.NoiseMultiplier})
	}
	return out
}

// writePrices writes a line for each way.
func writePrices(w io.Writer, prices []pricedNoise) {
	for _, p := range prices {
		if p.Refused != "" {
			fmt.Fprintf(w, "accounting %s: refused: %s\n", p.Accounting, p.Refused)
			continue
		}
		fmt.Fprintf(w, "accounting %s: noise multiplier %.6g in every step\n", p.Accounting, p.NoiseMultiplier)
	}
}

func join[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, n := range names {
		texts[i] = string(n)
	}
	return strings.Join(texts, ", ")
}

// methodWords says in a line what was made of the released gradients.
func methodWords(p train.Plan, o train.Options, rate float64) string {
	if o.Optimizer == train.OptimizerLBFGS {
		return convergedWords(p, o)
	}
	words := fmt.Sprintf("%s: %s, %d steps, learning rate %.4g", p.Method(), samplingWords(p), p.Steps, rate)
	if o.Schedule != "" && o.Schedule != train.ScheduleConstant {
		words += ", schedule " + string(o.Schedule)
	}
	if o.WarmUp > 0 {
		words += fmt.Sprintf(" behind %d steps of warm-up", o.WarmUp)
	}
	if o.Optimizer != "" && o.Optimizer != train.OptimizerMomentum {
		words += ", " + string(o.Optimizer)
	}
	if p.LastIterate != nil {
		words += ", of whose iterates none but the last left the machine"
	} else {
		words += fmt.Sprintf(", momentum %.4g", o.Momentum)
	}
	if o.Temperature > 0 {
		words += fmt.Sprintf(", which is Langevin dynamics at temperature %.4g", o.Temperature)
	}
	for _, penalty := range []struct {
		name     string
		strength float64
	}{{"ridge", o.Ridge}, {"l1", o.L1}} {
		if penalty.strength > 0 {
			words += fmt.Sprintf(", %s %.4g", penalty.name, penalty.strength)
		}
	}
	return words
}

// outputWords says which weights the model has.
func outputWords(rule train.OutputRule) string {
	switch rule {
	case train.OutputTailAverage:
		return "average of the last 40 % of the iterates"
	case train.OutputUniformAverage:
		return "average of all iterates at which gradients were taken"
	case train.OutputAllIterates:
		return "last iterate; all iterates are in " + iteratesName
	}
	return "last iterate"
}
