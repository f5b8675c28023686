package reproduce

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/public"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train/neural"
)

const (
	// The comparison of ways to clip uses a network 784-32-10 and this number of steps on samples
	// of 256 expected records.
	clippingEpsilon, clippingSteps, clippingBatch = 3, 200, 256
	// clippingDirections and clippingCap are the numbers of estimated norms. The authors take 5 to
	// 30 directions and no cap.
	clippingDirections, clippingCap = 20, 2
)

func clipping() experiment.Reproduction {
	return experiment.Reproduction{Name: "clipping", Title: "Exact norms, norms estimated by random projections, and micro-batches: time, memory, accuracy",
		Source: fashionReport + ", sections 7.1 and 8; Z. Bu and others, \"Fast and Memory Efficient Differentially Private-SGD via JL Projections\", NeurIPS 2021, https://arxiv.org/abs/2102.03013",
		Data:   []string{"mnist"}, Minutes: 1.5, Run: runClipping}
}

// way is a way to clip.
type way struct {
	name    string
	request neural.ClippingRequest
	printed string
	why     string
}

func clippingWays() []way {
	return []way{
		{"exact norms", neural.ClippingRequest{}, "", "what the others are measured by; the norm of each gradient follows from the factors that a pass backward has anyway"},
		{fmt.Sprintf("norms estimated from %d directions", clippingDirections), neural.ClippingRequest{Rule: "projected", Projections: clippingDirections, Cap: clippingCap}, "significantly faster than exact norms",
			"that holds beside programs that form the gradient of each record; here exact norms cost next to nothing, and an estimate can be too small, so that it needs more noise: no finite cost without a cap on it"},
		{"micro-batches of 4", neural.ClippingRequest{MicroBatch: 4}, "faster by the size of a micro-batch; a slight drop in accuracy", "not faster here: the pass over the records is the same, and each clipped mean is a vector that is formed and verified whole; one record can turn it around, by twice the norm, so that the noise in the mean is 8 times as much"},
		{"micro-batches of 16", neural.ClippingRequest{MicroBatch: 16}, "faster by the size of a micro-batch; a slight drop in accuracy", "as before: 32 times the noise"},
		{"the mean of the sample clipped", neural.ClippingRequest{AfterAveraging: true}, "", "one micro-batch: 512 times the noise"},
	}
}

// measured is the cost and the result of a way to clip.
type measured struct {
	noise    float64 // noise multiplier
	step     time.Duration
	heap     float64 // the largest increase of the heap in bytes
	accuracy float64
}

func runClipping(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	m, err := openImages(ctx, public.MNIST(), l.Data)
	if err != nil {
		return experiment.Outcome{}, err
	}
	base := networkTrial{epsilon: clippingEpsilon, layers: network.MLP(10, 32), steps: clippingSteps,
		sampling: neural.Sampling{Kind: option.SamplingPoisson, Probability: float64(clippingBatch) / float64(m.training.Records())}}
	all, err := measureWays(ctx, l, m, base)
	if err != nil {
		return experiment.Outcome{}, err
	}
	var t table
	for i, w := range clippingWays() {
		got := all[i]
		t.rows = append(t.rows, experiment.Comparison{Quantity: w.name + ": time of a step, memory, accuracy", Published: w.printed, Value: got.accuracy, Why: w.why,
			Ours: fmt.Sprintf("%s ms, %.0f MB, %.1f %% (noise multiplier %.3g)", digitsOf(1000*got.step.Seconds(), 2), got.heap/1e6, got.accuracy, got.noise)})
	}
	return experiment.Outcome{Comparisons: t.rows, Figures: []figure.Figure{waysFigure(all)}, Notes: []string{
		fmt.Sprintf("Epsilon %v at delta 1e-5 for all, %d steps on samples of %d expected records, learning rates by default, one run each. ", clippingEpsilon, clippingSteps, clippingBatch) +
			"The time of a step is that of the whole run over its steps, on this machine as busy as it was. Memory is the largest heap that was seen between steps, beyond what was there before the run, garbage included: the encoded records are in it for all ways.",
	}}, nil
}

// measureWays runs each way once.
func measureWays(ctx context.Context, l experiment.Environment, m images, base networkTrial) ([]measured, error) {
	var all []measured
	for i, w := range clippingWays() {
		l.Report(w.name, float64(i)/float64(len(clippingWays())))
		base.clipping = w.request
		got, err := base.measure(ctx, m)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		all = append(all, got)
	}
	return all, nil
}

// measure trains once and measures time and memory.
func (n networkTrial) measure(ctx context.Context, m images) (measured, error) {
	setup, err := n.setup(m)
	if err != nil {
		return measured{}, err
	}
	budget, err := budgetFor(setup.Plan.Event(), m)
	if err != nil {
		return measured{}, err
	}
	debug.FreeOSMemory()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	before, most := memory.HeapAlloc, uint64(0)
	options := n.options
	options.CheckpointEvery = max(1, setup.Plan.Steps/50)
	options.Checkpoint = func(*neural.Checkpoint) error {
		runtime.ReadMemStats(&memory)
		most = max(most, memory.HeapAlloc)
		return nil
	}
	began := time.Now()
	result, err := neural.Fit(ctx, budget, setup, m.training, options)
	if err != nil {
		return measured{}, err
	}
	took := time.Since(began) / time.Duration(setup.Plan.Steps)
	accuracy, err := m.accuracy(result.Model)
	return measured{setup.Plan.NoiseMultiplier, took, math.Max(0, float64(most)-float64(before)), accuracy}, err
}

// waysFigure shows time and accuracy, one point for each way.
func waysFigure(all []measured) figure.Figure {
	p := figure.Panel{X: figure.Axis{Label: "milliseconds a step", Log: true}, Y: figure.Axis{Label: "test accuracy, percent"}}
	for i, w := range clippingWays() {
		p.Series = append(p.Series, figure.Series{Name: w.name, Scattered: true, Points: []figure.Point{figure.Value(1000*all[i].step.Seconds(), all[i].accuracy)}})
	}
	return figure.Figure{Name: "accuracy-over-time", Title: fmt.Sprintf("MNIST, a small network, epsilon %v: what a way to clip takes and gives", clippingEpsilon), Panels: []figure.Panel{p}, Command: "dither reproduce clipping"}
}
