package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/public"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train/neural"
)

const (
	// The comparison of rules uses a network 784-64-10 for this number of epochs, at norms that are
	// too small and too large.
	rulesEpsilon, rulesEpochs = 2, 10
)

// rulesNorms are the clipping norms at which rules are compared.
var rulesNorms = [3]float64{0.1, 1, 10}

func clippingRules() experiment.Reproduction {
	return experiment.Reproduction{Name: "clipping-rules", Title: "Automatic and adaptive clipping, and layers of a public network",
		Source: fashionReport + ", section 8; Z. Bu and others, \"Automatic Clipping: Differentially Private Deep Learning Made Easier and Stronger\", NeurIPS 2023, https://arxiv.org/abs/2206.07136; " +
			"G. Andrew and others, \"Differentially Private Learning with Adaptive Clipping\", NeurIPS 2021, https://arxiv.org/abs/1905.03871",
		Data: []string{"mnist", "fashion-mnist"}, Minutes: 2, Run: runClippingRules}
}

func runClippingRules(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	m, err := openImages(ctx, public.MNIST(), l.Data)
	if err != nil {
		return experiment.Outcome{}, err
	}
	of, err := openImages(ctx, public.FashionMNIST(), l.Data)
	if err != nil {
		return experiment.Outcome{}, err
	}
	var t table
	drawn, err := t.rules(ctx, l, m, networkTrial{epsilon: rulesEpsilon, layers: network.MLP(10, 64), epochs: rulesEpochs})
	if err != nil {
		return experiment.Outcome{}, err
	}
	if err = t.transfer(ctx, l, of, m); err != nil {
		return experiment.Outcome{}, err
	}
	return experiment.Outcome{Comparisons: t.rows, Figures: []figure.Figure{drawn}, Notes: []string{
		"The report names these methods as further work and prints no numbers. The learning rate is the default, which is inversely proportional to the clipping norm. No clipping rule got a learning rate of its own. Epsilon includes the noisy counts of the adaptive rule.",
		"The public network learned Fashion-MNIST without privacy, as an example of public records. Its convolutions are not trained, so they get neither clipping nor noise.",
	}}, nil
}

// rulesTried returns the compared rules, with a remark about each.
func rulesTried() [][2]string {
	return [][2]string{
		{"flat", "no number in the report; the norm hardly matters, because the noise and the learning rate follow it"},
		{"auto-s", "no number in the report; nearly every gradient gets the same length, so the norm needs no choice, but well-learned records count as much as others"},
		{"psac", "no number in the report; long gradients get nearly the same length, and short gradients stay short"},
		{"quantile", "no number in the report; noisy counts move the norm toward the median of the gradient norms"},
	}
}

// rules adds a row for each rule, over the norms, and returns the figure.
func (t *table) rules(ctx context.Context, l experiment.Environment, m images, base networkTrial) (figure.Figure, error) {
	p := figure.Panel{X: figure.Axis{Label: "clipping norm, at first", Log: true}, Y: figure.Axis{Label: "test accuracy, percent"}}
	tried := rulesTried()
	for i, rule := range tried {
		s, words, least := figure.Series{Name: rule[0]}, "", math.Inf(1)
		for k, norm := range rulesNorms {
			l.Report(rule[0], 0.8*float64(i*len(rulesNorms)+k)/float64(len(tried)*len(rulesNorms)))
			base.clipping = neural.ClippingRequest{Rule: rule[0], Norm: norm}
			accuracies, err := base.accuracies(ctx, l, m, 1)
			if err != nil {
				return figure.Figure{}, fmt.Errorf("%s: %w", rule[0], err)
			}
			s.Points = append(s.Points, accuracies.point(norm, 1))
			words += fmt.Sprintf("%.1f, ", accuracies.mean())
			least = min(least, accuracies.mean())
		}
		p.Series = append(p.Series, s)
		t.rows = append(t.rows, experiment.Comparison{Quantity: fmt.Sprintf("clipping rule %s, accuracy at epsilon %v and clipping norms %v, %v and %v, %%", rule[0], base.epsilon, rulesNorms[0], rulesNorms[1], rulesNorms[2]), Ours: words[:len(words)-2], Value: least, Why: rule[1]})
	}
	return figure.Figure{Name: "accuracy-over-norm", Title: fmt.Sprintf("MNIST, a small network, epsilon %v: accuracy by clipping rule", base.epsilon), Panels: []figure.Panel{p}, Command: "dither reproduce clipping-rules"}, nil
}
