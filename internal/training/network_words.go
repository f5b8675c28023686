package training

import (
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// smallSignal is the largest ratio of the noise in a step to the largest expected sum of gradients
// without a warning. The noise grows with the root of the number of weights.
const smallSignal = 30

func (r networkRun) warnings() []string {
	n, p := r.Network, r.Network.Setup.Plan
	if p.NonPrivate {
		return []string{baselineWarning}
	}
	var out []string
	if n.Frozen != nil && n.Frozen.Paid != nil {
		out = append(out, "The frozen layers were trained privately, at a cost of their own. "+draft.Together(n.Frozen, r.Draft))
	}
	if absentStates(r.Tables.Schema) {
		out = append(out, noisyStatesWarning)
	}
	records := float64(p.Records)
	if p.Records == 0 {
		records = float64(p.MaxRecords)
	}
	signal := records * p.Share()
	if m := p.Clipping.MicroBatch; m != nil {
		out = append(out, fmt.Sprintf("One record can turn the clipped mean of a micro-batch around: the noise is for twice the clipping norm, on %d vectors where there would be %.0f.", m.Count, signal))
		signal = float64(m.Count) / 2
	}
	if noise := p.NoiseMultiplier * math.Sqrt(float64(p.Network.Trained)); p.Correlated == nil && noise > smallSignal*signal {
		out = append(out, fmt.Sprintf("In each step the noise is about %.0f times as long as the longest sum of gradients that can be expected. Larger samples (--sampling-probability), fewer weights, or a larger epsilon would help.", noise/signal))
	}
	return out
}

func (r networkRun) noise() string {
	p := r.Network.plan()
	if p.NonPrivate {
		return ""
	}
	if p.Correlated != nil {
		return fmt.Sprintf("The noise of the %d steps cancels in part over the steps. Before it is made to, it has a standard deviation of %.4g times the most by which one record can move what it is added to.", p.Steps, p.NoiseMultiplier)
	}
	if len(p.Clipping.Groups) > 1 || p.Clipping.Adaptive != nil {
		return fmt.Sprintf("In each of the %d steps the releases together cost as much as one sum of gradients with noise of standard deviation %.4g times the most that one record can contribute.", p.Steps, p.NoiseMultiplier)
	}
	return fmt.Sprintf("In each of the %d steps the noise on the sum of gradients has a standard deviation of %.4g times the most that one record can contribute.", p.Steps, p.NoiseMultiplier)
}

func (r networkRun) facts(*train.Result) []report.Fact {
	n := r.Network
	p, built := n.Setup.Plan, n.Setup.Network
	rate, levels := "", ""
	if n.result != nil {
		rate = fmt.Sprintf(", learning rate %.4g", n.result.LearningRate)
		if p.Clipping.Adaptive != nil {
			levels = fmt.Sprintf("; after the last step %s", wording.Numbers(n.result.Levels))
		}
	}
	out := []report.Fact{
		{Name: "model", Value: fmt.Sprintf("network, %s loss, %s, %d of them trained", p.Loss.Name, wording.Weights(built.Weights()), built.Trained())},
		{Name: "method", Value: fmt.Sprintf("%s: %s, %d steps%s, %s", option.MethodNetwork, wording.NetworkSampling(p), p.Steps, rate, n.optimizerWords())},
		{Name: "rows", Value: rowWords(n.Setup.Features)},
		{Name: "clipping", Value: wording.NetworkClipping(p.Clipping) + levels},
		{Name: "learned before training", Value: "nothing"},
		{Name: "result", Value: averageWords(n.Options.Average)},
	}
	if p.Correlated != nil {
		out = append(out, report.Fact{Name: "noise", Value: correlationWords(*p.Correlated)})
	}
	for _, line := range layerFacts(built) {
		out = append(out, report.Fact{Name: "layer", Value: line})
	}
	return out
}

func (n *Network) optimizerWords() string {
	o := n.Options
	words := o.Optimizer
	if words == "" {
		words = option.NetworkOptimizers()[0]
	}
	if o.Schedule != "" && o.Schedule != option.ScheduleLinear { // the default
		words += ", schedule " + string(o.Schedule)
	}
	if o.WarmUp > 0 {
		words += fmt.Sprintf(" behind %d steps of warm-up", o.WarmUp)
	}
	return words
}

// correlationWords describes the correlation of the noise of steps.
func correlationWords(c neural.Correlated) string {
	if c.Kind == option.CorrelatedTree {
		return "of binary trees, one a round: the steps of a round are summed with little noise"
	}
	return fmt.Sprintf("correlated: it cancels in part over %d steps in a row", len(c.Coefficients))
}

func averageWords(a string) string {
	switch a {
	case option.AverageExponential:
		return "moving average of the iterates"
	case option.AverageUniform:
		return "average of all iterates"
	case option.AverageTail:
		return "average of the last 40 % of the iterates"
	}
	return "last iterate"
}

// modelHolds describes the content of model.json. The receiver n is nil for a linear model.
func (n *Network) modelHolds() string {
	if n == nil {
		return "schema, feature map and weights"
	}
	return "schema, feature map and layers, and the SHA-256 of " + model.WeightsFileName
}

// files returns the report's lines about the weights of a network.
func (n *Network) files(m *model.Model) []report.Fact {
	if n == nil {
		return nil
	}
	return []report.Fact{{Name: model.WeightsFileName, Value: "SHA-256 " + certificate.Hash(m.Files()[model.WeightsFileName]), Why: "the weights, for other programs too"}}
}

// layerFacts describes the layers of a network in words: input and output of each, and its number
// of weights.
func layerFacts(n *network.Network) []string {
	var out []string
	shape := n.Input()
	for i, layer := range n.Layers() {
		alone, err := network.New(shape, layer)
		if err != nil {
			return out
		}
		out = append(out, fmt.Sprintf("%d %s: %v → %v, %s", i, layerWords(layer), shape, alone.Output(), wording.Weights(alone.Weights())))
		shape = alone.Output()
	}
	return out
}

// layerWords returns a layer in the spelling of a file of layers.
func layerWords(layer network.Layer) string {
	text, err := network.Layers{layer}.Encode()
	if err != nil {
		return network.Kind(layer)
	}
	return strings.Join(strings.Fields(strings.TrimPrefix(strings.TrimSpace(string(text)), "- ")), " ")
}

// WithNetwork returns what takes the place of a flag that networks do not have.
func WithNetwork(flag string) string {
	switch flag {
	case StreamFlag, CacheFlag:
		return "it left out and a table that memory holds"
	case "interactions":
		return "--transform interactions"
	case "holdout":
		return "a public --test table, or records kept apart for dither evaluate --private"
	}
	return "it left out"
}
