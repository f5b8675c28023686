package training

import (
	"fmt"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// linearWords returns the shape of a linear model.
func linearWords(m *model.Model) string {
	return fmt.Sprintf("linear, %s loss, %d × %d weights", m.Linear().Loss.Name(), m.Linear().Columns, m.Linear().Dim)
}

func rowWords(m *feature.Map) string {
	words := map[feature.Normalization]string{feature.NormNone: "as declared", feature.NormUnit: "scaled to norm 1", feature.NormClip: fmt.Sprintf("clipped to norm %.4g", m.Radius)}[m.Norm]
	if m.Intercept > 0 {
		words += fmt.Sprintf(", intercept %.4g inside", m.Intercept)
	}
	return words
}

// setupClippingWords describes how a record's gradient is bounded, if it is.
func setupClippingWords(s train.Setup) string {
	if s.Clips() {
		return clippingWords(s.Plan.Clipping)
	}
	return fmt.Sprintf("none; one record's gradient is at most %.4g by the slope of the loss", s.Plan.Clipping.Bound)
}

// clippingWords describes how a record's gradient is bounded.
func clippingWords(c train.Clipping) string {
	bound := fmt.Sprintf("; one record's gradient is at most %.4g", c.Bound)
	switch c.Mode {
	case option.ClipDataAndParameter:
		return fmt.Sprintf("each row at L2 norm %.4g, weights projected on a ball of radius %.4g", c.Norm, c.ParameterRadius) + bound
	case option.ClipDeclaredLipschitz:
		return fmt.Sprintf("none: a Lipschitz constant of %.4g was declared, and what one record contributes beyond it is cut", c.Bound)
	}
	return fmt.Sprintf("each %s at L2 norm %.4g", c.Mode, c.Norm) + bound
}

// methodWords describes in a line how steps are made from the released gradients.
func methodWords(s train.Setup, o train.Options, rate float64) string {
	p := s.Plan
	if o.Optimizer == option.OptimizerLBFGS {
		return convergedWords(s, o)
	}
	words := fmt.Sprintf("%s: %s, %d steps, learning rate %.4g", p.Method(), wording.Sampling(p), p.Steps, rate)
	if o.Schedule != "" && o.Schedule != option.ScheduleConstant {
		words += ", schedule " + string(o.Schedule)
	}
	if o.WarmUp > 0 {
		words += fmt.Sprintf(" behind %d steps of warm-up", o.WarmUp)
	}
	if o.Optimizer != "" && o.Optimizer != option.OptimizerMomentum {
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

// outputWords names the weights of the model.
func outputWords(rule string) string {
	switch rule {
	case option.OutputTailAverage:
		return "average of the last 40 % of the iterates"
	case option.OutputUniformAverage:
		return "average of all iterates at which gradients were taken"
	case option.OutputAllIterates:
		return "last iterate; all iterates are in " + artefact.IteratesName
	}
	return "last iterate"
}
