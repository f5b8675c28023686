package reproduce

import (
	"context"
	"fmt"
	"math"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/dynamics"
	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train/neural"
)

const (
	// convergenceSteps is enough for the descents of the table to reach 0. curveSteps is the number
	// for the figures.
	convergenceSteps, curveSteps = 16000, 4000
	// convergenceSeed is the seed of the first weights.
	convergenceSeed = 1
)

var (
	// convergenceNoises are the noise multipliers of descents without clipping, in units of the
	// large norm.
	convergenceNoises = []float64{0.01, 0.03, 0.1, 0.3, 1}
	// convergenceShares are clipping norms in units of the median norm of the first gradients.
	convergenceShares = []float64{0.01, 0.03, 0.1, 0.3, 1, 3}
)

func convergence() experiment.Reproduction {
	return experiment.Reproduction{Name: "convergence", Title: "How clipping and noise change convergence: tangent kernels and the loss during descent",
		Source:  fashionReport + ", section 5, after Z. Bu, H. Wang, Z. Dai & Q. Long, \"On the Convergence and Calibration of Deep Learning with Differential Privacy\", TMLR 2023, section 4, https://arxiv.org/abs/2106.07830",
		Minutes: 0.3, Linear: true, Run: runConvergence}
}

// convergenceProblem is a network and the public records that it learns, which come with the
// program.
type convergenceProblem struct {
	request neural.Request
	schema  *data.Schema
	records *data.Dataset
	// table is the number of steps of the table's descents. curve is the number of steps of the
	// others.
	table, curve int
}

// openConvergence reads the problem.
func openConvergence(ctx context.Context, table, curve int) (convergenceProblem, error) {
	set, err := builtin.Open(builtin.List()[0].Name)
	if err != nil {
		return convergenceProblem{}, err
	}
	p := convergenceProblem{request: neural.Request{Delta: imageDelta, Neighboring: privacy.AddOrRemoveOne, Layers: network.MLP(1, 8)}, table: table, curve: curve}
	if p.schema, err = set.Schema(); err != nil {
		return p, err
	}
	p.records, err = set.ReadTrain(ctx, p.schema, data.ReadOptions{})
	return p, err
}

// diagnose returns the diagnosis of descents.
func (p convergenceProblem) diagnose(ctx context.Context, steps int, norm, noise float64) (*neural.NonPrivateDiagnosis, error) {
	return neural.DiagnoseNonPrivate(ctx, p.request, neural.Diagnosing{Steps: steps, Norm: norm, NoiseMultiplier: noise, Seed: convergenceSeed}, p.schema, p.records)
}

func runConvergence(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	p, err := openConvergence(ctx, convergenceSteps, curveSteps)
	if err != nil {
		return experiment.Outcome{}, err
	}
	return p.run(ctx, l)
}

// run runs the experiment.
func (p convergenceProblem) run(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	l.Report("the table of clippings", 0)
	whole, err := p.diagnose(ctx, p.table, 0, 1)
	if err != nil {
		return experiment.Outcome{}, err
	}
	noisy, err := p.noises(ctx, l)
	if err != nil {
		return experiment.Outcome{}, err
	}
	norms, err := p.norms(ctx, l, whole)
	if err != nil {
		return experiment.Outcome{}, err
	}
	var t table
	t.clippings(whole)
	if err = t.opposed(); err != nil {
		return experiment.Outcome{}, err
	}
	t.noise(noisy, p.curve)
	const command = "dither reproduce convergence"
	figures := []figure.Figure{
		{Name: "clipping-without-noise", Title: "The loss along descents under clipping, without noise", Command: command, Panels: []figure.Panel{clippingPanel(whole)}},
		{Name: "noise-without-clipping", Title: "The loss along descents with noise, without clipping", Command: command, Panels: []figure.Panel{noisePanel(noisy, p.curve)}}, norms}
	notes := append([]string{fmt.Sprintf("The network has 8 hidden units and %d weights. The table has %d records of the data set that comes with the program. Nothing here is private: the numbers are exact, and the noise is a fixed stream. \"The least of xᵀMx\" is the least value for vectors x of norm 1.", whole.Weights, whole.Records)}, whole.Reasons()...)
	return experiment.Outcome{Comparisons: t.rows, Figures: figures, Notes: notes}, nil
}

// answers returns the four columns of the table of the report.
func answers(c neural.Convergence) string {
	return fmt.Sprintf("symmetric: %s; positive: %s; loss only falls: %s; loss to zero: %s", c.Symmetric, c.Positive, c.Monotone, c.Zero)
}

// clippings adds a row for each clipping of the table of the report, and for the clippings of its
// plans for further work.
func (t *table) clippings(n *neural.NonPrivateDiagnosis) {
	for _, c := range n.Clippings {
		printed, why := "", "not in the report; "+kernelWords(c, n.Steps)
		if c.Course != nil {
			printed, why = answers(*c.Course), "no difference; "+kernelWords(c, n.Steps)
			if answers(*c.Course) != answers(c.Measured) {
				why = "the report's \"no\" means that the loss need not reach zero; in this run it does; " + kernelWords(c, n.Steps)
			}
		}
		t.say("kernel and loss under clipping: "+c.Name, printed, answers(c.Measured), why)
	}
}

// kernelWords describes the worst kernel on the way, which decides the answers for a clipping.
func kernelWords(c neural.ClippingDiagnosis, steps int) string {
	least, form := c.Kernel.Least, c.Kernel.LeastForm
	for _, on := range c.Flow.Characters {
		least, form = min(least, on.Least), min(form, on.LeastForm)
	}
	words := fmt.Sprintf("during descent the least eigenvalue is %.2g and the least of xᵀMx is %.2g", least, form)
	if c.Flow.Against > 0 {
		return words + fmt.Sprintf("; %d of %d steps would raise the loss however short the steps were", c.Flow.Against, steps)
	}
	return words + "; every step would lower the loss if the step were short enough"
}

// opposed adds a problem on which layerwise clipping comes to rest away from the minimum. It is f =
// v·tanh(u·x) for two records whose errors have opposite signs. Clipped gradients of equal length
// then cancel in each layer.
func (t *table) opposed() error {
	n, err := network.New(network.Shape{1}, network.Linear{Outputs: 1, NoBias: true}, network.Activation{Function: "tanh"}, network.Linear{Outputs: 1, NoBias: true})
	if err != nil {
		return err
	}
	p := dynamics.Problem{Network: n, Loss: model.Squared, Inputs: []float64{0.5, 2}, Labels: []float64{0.7, 0.8}, Weights: []float64{1, 1}}
	rate, err := dynamics.StableRate(p)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name, printed string
		groups        []int
		why           string
	}{
		{"flat", "yes", []int{2}, "no difference: flat clipping stops only where the gradient of the loss is 0"},
		{"layerwise", "no", []int{1, 1}, "no difference: in each layer the two clipped gradients have equal length and opposite signs, so no weight moves"},
	} {
		down, failed := dynamics.Descend(p, dynamics.Clipping{Name: c.name, Groups: c.groups,
			Weight: func(_ int, norm float64) float64 { return min(1, 0.01/norm) }},
			dynamics.Options{Steps: 20000, LearningRate: rate})
		if failed != nil {
			return failed
		}
		t.say("two records with opposite errors, "+c.name+" clipping: loss to zero", c.printed, fmt.Sprintf("%s (%.3g, then %.3g)", down.Verdict(), down.Start, down.End), c.why)
	}
	return nil
}

// noises returns descents without clipping, the first without noise.
func (p convergenceProblem) noises(ctx context.Context, l experiment.Environment) ([]*dynamics.Trajectory, error) {
	var out []*dynamics.Trajectory
	for i, noise := range convergenceNoises {
		l.Report("noise without clipping", 0.5+0.25*float64(i)/float64(len(convergenceNoises)))
		n, err := p.diagnose(ctx, p.curve, 0, noise)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			out = append(out, n.Clippings[0].Flow)
		}
		out = append(out, n.Clippings[0].Noisy)
	}
	return out, nil
}

// noise adds the effect of noise alone.
func (t *table) noise(of []*dynamics.Trajectory, steps int) {
	quiet, least, most := of[0], of[1], of[len(of)-1]
	t.say("noise without clipping: the loss only falls", "yes: noise only changes the speed", fmt.Sprintf("no: the loss rises in %d of %d steps at noise multiplier %v, and in %d steps without noise", least.Rises, steps, convergenceNoises[0], quiet.Rises),
		"the report's answer is about gradient flow, where steps are infinitely short and noise averages out; in finite steps some noise remains")
	t.known("noise without clipping, noise multiplier 1: loss in the last tenth of the steps, divided by the loss without noise", "1: noise only changes the speed", most.Last/quiet.Last, 3,
		"the loss fluctuates around a level that grows with the learning rate and the square of the noise; only smaller steps lower this level")
}

// clippingPanel shows clipping without noise.
func clippingPanel(n *neural.NonPrivateDiagnosis) figure.Panel {
	p := lossPanel("16 public records, all in every step")
	for _, c := range n.Clippings {
		p.Series = append(p.Series, lossCurve(c.Name, c.Flow, n.Steps))
	}
	return p
}

// noisePanel shows noise without clipping.
func noisePanel(of []*dynamics.Trajectory, steps int) figure.Panel {
	p := lossPanel("16 public records, all in every step")
	for i, noise := range append([]float64{0}, convergenceNoises...) {
		p.Series = append(p.Series, lossCurve(noiseName(noise), of[i], steps))
	}
	return p
}

func lossPanel(title string) figure.Panel {
	return figure.Panel{Title: title, X: figure.Axis{Label: "steps"}, Y: figure.Axis{Label: "mean loss, nats", Log: true}}
}

// lossCurve returns the loss of a descent over its steps.
func lossCurve(name string, of *dynamics.Trajectory, steps int) figure.Series {
	s := figure.Series{Name: name}
	for i, loss := range of.Losses {
		s.Points = append(s.Points, figure.Value(math.Round(float64(i*steps)/float64(len(of.Losses)-1)), loss))
	}
	return s
}

// norms returns the figure of the loss over the clipping norm, with and without noise in proportion
// to it.
func (p convergenceProblem) norms(ctx context.Context, l experiment.Environment, whole *neural.NonPrivateDiagnosis) (figure.Figure, error) {
	median := whole.SmallNorm / option.SmallShare
	quiet, noisy := figure.Series{Name: "without noise"}, figure.Series{Name: "noise multiplier 1"}
	for i, share := range convergenceShares {
		l.Report("clipping norms", 0.75+0.25*float64(i)/float64(len(convergenceShares)))
		n, err := p.diagnose(ctx, p.curve, share*median, 1)
		if err != nil {
			return figure.Figure{}, err
		}
		flat := n.Clippings[1]
		quiet.Points = append(quiet.Points, figure.Value(share*median, flat.Flow.Last))
		noisy.Points = append(noisy.Points, figure.Value(share*median, flat.Noisy.Last))
	}
	panel := figure.Panel{Title: fmt.Sprintf("Flat clipping, last tenth of %d steps", p.curve), X: figure.Axis{Label: "clipping norm", Log: true}, Y: figure.Axis{Label: "mean loss, nats", Log: true},
		Series: []figure.Series{quiet, noisy}}
	return figure.Figure{Name: "loss-over-norm", Title: "A small norm slows learning down, a large one lets noise in", Panels: []figure.Panel{panel}, Command: "dither reproduce convergence"}, nil
}
