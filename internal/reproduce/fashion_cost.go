package reproduce

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// fashionReport is the report of several experiments. fashionSource is its part on Fashion-MNIST.
const (
	fashionReport = `J. Matthews, J. Foster & J. Sunray, "Differentially Private Stochastic Gradient Descent", report in the course Machine Learning and Optimization, 2023`
	fashionSource = fashionReport + `, section 6; settings from the program of the report, https://github.com/JohnF1103/ML-OPT-project`
)

const (
	// fashionRecords is the number of training images. fashionEpochs is the length of the report's
	// runs.
	fashionRecords, fashionEpochs = 60000, 50
	// fashionBatch is the report's default batch size, and fashionDelta its delta.
	fashionBatch, fashionDelta = 600, 1e-5
	// fashionNoise is the report's default noise multiplier.
	fashionNoise = 0.7
)

var (
	fashionNoises  = []float64{0.6, 0.7, 0.8, 0.9, 1}
	fashionBatches = []int{100, 200, 400, 600, 1000}
)

// fashionCost returns the accounting of the report, which needs no data.
func fashionCost() experiment.Reproduction {
	return experiment.Reproduction{Name: "fashion-cost", Title: "The cost of DP-SGD on Fashion-MNIST: epsilon over epochs, by noise and by batch size",
		Source: fashionSource, Minutes: 0.1, Linear: true, Run: runFashionCost}
}

// reportOrders returns the orders of Rényi differential privacy of the report's accountant, which
// are the orders of compute_dp_sgd_privacy of TensorFlow Privacy.
func reportOrders() account.RDP {
	var orders []float64
	for tenth := 1; tenth < 100; tenth++ {
		orders = append(orders, 1+float64(tenth)/10)
	}
	for order := 12; order < 64; order++ {
		orders = append(orders, float64(order))
	}
	return account.RDP{Orders: orders}
}

// fashionPoint is a published epsilon after all epochs, with an independent computation of it.
type fashionPoint struct {
	batch     int
	noise     float64
	published string
	// reference is the least epsilon at the orders of the report by adaptive quadrature of the
	// moments (Mironov, Talwar & Zhang, "Rényi Differential Privacy of the Sampled Gaussian
	// Mechanism", 2019, section 3, https://arxiv.org/abs/1908.10530; scipy.integrate.quad). The
	// conversion is that of Canonne, Kamath & Steinke, "The Discrete Gaussian for Differential
	// Privacy", 2020, proposition 12, https://arxiv.org/abs/2004.00010.
	reference float64
	why       string
}

func fashionPoints() []fashionPoint {
	return []fashionPoint{
		{fashionBatch, 1, "4.6", 4.588969460987558, "no difference"},
		{fashionBatch, 0.6, "17.0", 17.322042430562796, "epsilon is 17.0 after 48 of the 50 epochs; the report does not say after how many epochs it measures"},
		{100, fashionNoise, "3.9", 3.9286573597951593, "no difference; this is the smallest epsilon of the report"},
		{1000, fashionNoise, "14.5", 14.439087587586135, "the report's library gives 14.50, because its bound at fractional orders is larger; this is the largest epsilon of the report"},
	}
}

func runFashionCost(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	var out experiment.Outcome
	for i, p := range fashionPoints() {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		rows, err := p.compare()
		if err != nil {
			return out, err
		}
		out.Comparisons = append(out.Comparisons, rows...)
		l.Report("epsilon of one run", float64(i+1)/8)
	}
	var err error
	if out.Figures, err = fashionCostFigures(); err != nil {
		return out, err
	}
	out.Notes = []string{"The report's program takes shuffled batches but counts them as Poisson samples. No proof covers this, so its epsilons are no guarantee. Here samples are Poisson. " +
		"The report does not print the number of epochs (50) and the usual batch size (600). Both numbers are from the report's program, and reproduce the report's epsilons."}
	l.Report("done", 1)
	return out, nil
}

// compare compares one epsilon of the report with its own accountant's value and the exact one.
func (p fashionPoint) compare() ([]experiment.Comparison, error) {
	event := sampledSteps(float64(p.batch)/fashionRecords, p.noise, stepsOf(fashionEpochs, fashionRecords, p.batch))
	renyi, err := reportOrders().Epsilon(event, fashionDelta, privacy.AddOrRemoveOne)
	if err != nil {
		return nil, err
	}
	exact, err := account.PLD.Epsilon(event, fashionDelta, privacy.AddOrRemoveOne)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("epsilon of %d epochs, batches of %d, noise multiplier %v", fashionEpochs, p.batch, p.noise)
	return []experiment.Comparison{
		{Quantity: what + ", by Rényi differential privacy", Published: p.published, Ours: fmt.Sprintf("%.2f", renyi.Upper), Value: renyi.Upper, Deterministic: true, Why: p.why,
			Golden: &experiment.Golden{Value: p.reference, Tolerance: 1e-6 * p.reference}},
		{Quantity: what + ", by privacy loss distributions", Published: p.published, Ours: fmt.Sprintf("%.3f", exact.Upper), Value: exact.Upper, Deterministic: true,
			Why: fmt.Sprintf("Rényi differential privacy is not tight; the exact epsilon is in [%.4f, %.4f]", exact.Lower, exact.Upper)},
	}, nil
}

// fashionCostFigures returns figures 1(a) and 3(a) of the report.
func fashionCostFigures() ([]figure.Figure, error) {
	noises, batches := costPanel("Batches of 600"), costPanel("Noise multiplier 0.7")
	for _, z := range fashionNoises {
		s, err := costCurve(noiseName(z), fashionBatch, z)
		if err != nil {
			return nil, err
		}
		noises.Series = append(noises.Series, s)
	}
	for _, b := range fashionBatches {
		s, err := costCurve(batchName(b), b, fashionNoise)
		if err != nil {
			return nil, err
		}
		batches.Series = append(batches.Series, s)
	}
	for _, p := range fashionPoints() {
		panel := &noises
		if p.noise == fashionNoise {
			panel = &batches
		}
		panel.Marks = append(panel.Marks, figure.Mark{X: fashionEpochs, Y: published(p.published), Text: "report: " + p.published})
	}
	const command = "dither reproduce fashion-cost"
	return []figure.Figure{
		{Name: "epsilon-by-noise", Title: "What DP-SGD costs over epochs, exactly, by noise multiplier", Panels: []figure.Panel{noises}, Command: command},
		{Name: "epsilon-by-batch", Title: "What DP-SGD costs over epochs, exactly, by batch size", Panels: []figure.Panel{batches}, Command: command},
	}, nil
}

func costPanel(title string) figure.Panel {
	return figure.Panel{Title: title, X: figure.Axis{Label: "epochs"}, Y: figure.Axis{Label: "epsilon at delta 1e-5"}}
}

// noiseName and batchName return the names of curves.
func noiseName(multiplier float64) string { return fmt.Sprintf("noise %v", multiplier) }
func batchName(size int) string           { return fmt.Sprintf("batch %d", size) }

// costCurve returns epsilon over epochs.
func costCurve(name string, batch int, noise float64) (figure.Series, error) {
	epochs := []int{1, 2, 5, 10, 20, 30, 40, 50}
	counts := make([]int, len(epochs))
	for i, e := range epochs {
		counts[i] = stepsOf(e, fashionRecords, batch)
	}
	one := mechanism.PoissonSampled{Probability: float64(batch) / fashionRecords, Event: mechanism.Gaussian{NoiseMultiplier: noise}}
	costs, err := running(account.PLD, one, fashionDelta, privacy.AddOrRemoveOne, counts)
	if err != nil {
		return figure.Series{}, err
	}
	s := figure.Series{Name: name}
	for i, c := range costs {
		s.Points = append(s.Points, figure.Value(float64(epochs[i]), c.Upper))
	}
	return s, nil
}
