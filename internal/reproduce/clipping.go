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
		{"exact norms", neural.ClippingRequest{}, "", "the baseline; the norm of each gradient follows from the factors that the backward pass computes anyway"},
		{fmt.Sprintf("norms estimated from %d directions", clippingDirections), neural.ClippingRequest{Rule: "projected", Projections: clippingDirections, Cap: clippingCap}, "significantly faster than exact norms",
			"slower here, because exact norms are computed without forming each record's gradient; an estimate can be too small, so it needs a cap and more noise"},
		{"micro-batches of 4", neural.ClippingRequest{MicroBatch: 4}, "faster by the size of a micro-batch; a slight drop in accuracy", "slower here, because each clipped mean is formed and verified as a whole vector; one record can reverse it, so the mean has 8 times the noise"},
		{"micro-batches of 16", neural.ClippingRequest{MicroBatch: 16}, "faster by the size of a micro-batch; a slight drop in accuracy", "slower here, because each clipped mean is formed and verified as a whole vector; one record can reverse it, so the mean has 32 times the noise"},
		{"the mean of the whole sample is clipped", neural.ClippingRequest{AfterAveraging: true}, "", "not in the sources; the sample is one micro-batch, so the mean has 512 times the noise"},
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
		fmt.Sprintf("Each row is one run with epsilon %v at delta 1e-5, the default learning rate, and %d steps on samples of %d expected records. ", clippingEpsilon, clippingSteps, clippingBatch) +
			"The time of a step is the time of the run divided by its steps, on a busy machine. Memory is the largest growth of the heap during the run, including garbage and the encoded records.",
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
