package neural

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/dynamics"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/train"
)

// Diagnosing contains the settings of DiagnoseNonPrivate. The zero value means that all settings
// have their defaults.
type Diagnosing struct {
	// Records is the number of records on which neural tangent kernels are computed and descents
	// are run. They are the first records of the table. 0 means 16.
	Records int
	// NormRecords is the number of records whose gradients' norms are measured. They are the first
	// records of the table. 0 means 1000.
	NormRecords int
	// Norm is the smaller of the two compared clipping norms of the whole gradient. 0 means a tenth
	// of the median norm of the gradients.
	Norm float64
	// Steps is the number of steps of each descent. 0 means 2000. A negative number means that no
	// descent is run.
	Steps int
	// LearningRate is the learning rate of the descents. 0 means the rate that dynamics.StableRate
	// returns.
	LearningRate float64
	// NoiseMultiplier is the standard deviation of the noise in the noisy descents, in units of the
	// bound of each clipping on one record's gradient. 0 means 1.
	NoiseMultiplier float64
	// Seed determines the initial weights.
	Seed uint64
}

const (
	// diagnosisLooks is the number of times that a descent computes its kernel. diagnosisRows is
	// the largest number of rows of that kernel.
	diagnosisLooks, diagnosisRows = 9, 640
)

// NonPrivateDiagnosis describes the beginning of a network's training on a table. It compares
// several ways to clip gradients. It is computed exactly from the records, without privacy. Use it
// for public data only.
type NonPrivateDiagnosis struct {
	// Loss is the name of the loss.
	Loss string `json:"loss"`
	// Records is the number of records on which neural tangent kernels were computed and descents
	// were run.
	Records int `json:"records"`
	// Outputs is the number of outputs of the network.
	Outputs int `json:"outputs"`
	// Weights is the number of parameters of the network.
	Weights int `json:"trained-weights"`
	// Seed is the seed of the initial weights.
	Seed uint64 `json:"seed"`
	// SmallNorm is the smaller of the two compared clipping norms.
	SmallNorm float64 `json:"small-clipping-norm"`
	// LargeNorm is the larger of the two compared clipping norms. It is 1.5 times the largest norm
	// of a record's gradient.
	LargeNorm float64 `json:"large-clipping-norm"`
	// LearningRate is the learning rate of the descents.
	LearningRate float64 `json:"learning-rate"`
	// Steps is the number of steps of each descent.
	Steps int `json:"steps"`
	// NoiseMultiplier is the standard deviation of the noise in the noisy descents, in units of the
	// bound of each clipping on one record's gradient.
	NoiseMultiplier float64 `json:"noise-multiplier"`
	// Clippings has the results for each compared clipping.
	Clippings []ClippingDiagnosis `json:"clippings"`
	// Norms describes the norms of the gradients at the initial weights. The first element is for
	// the whole network, and one element for each layer follows.
	Norms []dynamics.Norms `json:"norms"`
	// NormRecords is the number of records whose gradients' norms were measured.
	NormRecords int `json:"norm-records"`
}

// ClippingDiagnosis describes gradient descent under one way to clip gradients. Some fields
// describe a matrix M. With infinitely small steps, the vector f of the network's outputs for all
// records changes at the rate -M·∂L/∂f, where L is the loss (docs/networks-diagnostics.md).
type ClippingDiagnosis struct {
	// Name is the name of the clipping.
	Name string `json:"name"`
	// Kernel describes the matrix M (see ClippingDiagnosis) at the initial weights.
	Kernel dynamics.Character `json:"kernel"`
	// Flow is the descent without noise. It is nil if no descent was requested.
	Flow *dynamics.Trajectory `json:"flow,omitempty"`
	// Noisy is the descent with noise. It is nil if no descent was requested.
	Noisy *dynamics.Trajectory `json:"noisy,omitempty"`
	// Measured states what was measured for this clipping.
	Measured Convergence `json:"measured"`
	// Course contains the claims for this clipping in a course report, which
	// docs/networks-diagnostics.md cites. It is nil if the report does not cover the clipping.
	Course *Convergence `json:"course,omitempty"`
}

// DiagnoseNonPrivate returns the exact diagnosis of the first records of a public table. It uses
// only the layers, the input, the loss and the feature map of the request.
func DiagnoseNonPrivate(ctx context.Context, r Request, o Diagnosing, s *data.Schema, d *data.Dataset) (*NonPrivateDiagnosis, error) {
	r.Epsilon, r.Clipping, r.Sampling, r.Steps, r.Epochs = math.Inf(1), ClippingRequest{}, Sampling{Kind: option.SamplingFull}, 1, 0
	setup, err := NewSetup(r, s)
	if err != nil {
		return nil, err
	}
	if err = o.fill(setup.Loss.Smoothness()); err != nil {
		return nil, err
	}
	if d.Target() == nil || d.Records() == 0 || d.Records() > s.MaxRecords {
		return nil, fmt.Errorf("neural: the data set has no target, no records or more than max-records %d; raise the declared bound", s.MaxRecords)
	}
	rows, err := train.Encode(setup.Features, s, d, 16)
	if err != nil {
		return nil, err
	}
	all, err := setup.problem(rows, max(o.Records, o.NormRecords), o.Seed)
	if err != nil {
		return nil, err
	}
	few := firstOf(all, o.Records)
	out := &NonPrivateDiagnosis{Loss: setup.Loss.Name(), Records: len(few.Labels), Outputs: setup.Network.Output().Size(), Weights: setup.Network.Trained(), Seed: o.Seed,
		Steps: max(0, o.Steps), NoiseMultiplier: o.NoiseMultiplier}
	if size := out.Records * out.Outputs; size > diagnosisRows {
		return nil, fmt.Errorf("neural: the kernel of %d records with %d outputs has %d rows, want at most %d; look at fewer records", out.Records, out.Outputs, size, diagnosisRows)
	}
	if err = out.norms(firstOf(all, o.NormRecords), layers(setup.Network.Blocks())); err != nil {
		return nil, err
	}
	return out, out.compare(ctx, few, o)
}

// fill sets the defaults.
func (o *Diagnosing) fill(smoothness float64) error {
	for _, c := range []struct {
		value     *int
		otherwise int
	}{{&o.Records, option.DiagnosisRecords}, {&o.NormRecords, option.DiagnosisNormRecords}, {&o.Steps, option.DiagnosisSteps}} {
		if *c.value == 0 {
			*c.value = c.otherwise
		}
	}
	if o.NoiseMultiplier == 0 {
		o.NoiseMultiplier = 1
	}
	switch {
	case o.Records < 1 || o.NormRecords < 1 || o.Steps > maxSteps:
		return fmt.Errorf("neural: a diagnosis is of %d records, of norms of %d and of %d steps, want at least 1 record and at most %d steps", o.Records, o.NormRecords, o.Steps, maxSteps)
	case o.Norm != 0 && !positive(o.Norm) || o.LearningRate != 0 && !positive(o.LearningRate) || !positive(o.NoiseMultiplier):
		return fmt.Errorf("neural: clipping norm is %v, learning rate %v and noise multiplier %v of a diagnosis, want positive finite numbers", o.Norm, o.LearningRate, o.NoiseMultiplier)
	case math.IsInf(smoothness, 1):
		return fmt.Errorf("neural: the loss has no bound on its second derivative, want one, such as squared or logistic")
	}
	return nil
}

// problem returns the first records under the map, with first weights from a seed.
func (s Setup) problem(rows *release.Rows, most int, seed uint64) (dynamics.Problem, error) {
	n, in := min(most, rows.Len()), s.Network.Input().Size()
	p := dynamics.Problem{Network: s.Network, Loss: s.Loss, Inputs: make([]float64, n*in), Weights: make([]float64, s.Network.Weights())}
	narrow, one, at := make([]int16, in), [1]float64{1}, 0
	err := rows.Each(rows.First(), n, func(b release.Block) error {
		for i, label := range b.Labels() {
			b.AddTo(p.Inputs[at*in:(at+1)*in], i, one[:], narrow)
			p.Labels = append(p.Labels, float64(label))
			at++
		}
		return nil
	})
	first := make([]float32, len(p.Weights))
	s.Network.Init(first, seed)
	for j, v := range first {
		p.Weights[j] = float64(v)
	}
	return p, err
}

// firstOf returns the problem with the first n records.
func firstOf(p dynamics.Problem, n int) dynamics.Problem {
	n = min(n, len(p.Labels))
	p.Inputs, p.Labels = p.Inputs[:n*p.Network.Input().Size()], p.Labels[:n]
	return p
}

// norms fills in the norms of the whole and of each layer.
func (n *NonPrivateDiagnosis) norms(p dynamics.Problem, groups []int) error {
	norms, err := dynamics.GradientNorms(p, groups)
	if err != nil {
		return err
	}
	blocks := p.Network.Blocks()
	for k, of := range norms {
		name := "whole"
		if k > 0 {
			name = layerOf(blocks[0])
			blocks = blocks[groups[k-1]:]
		}
		if slices.ContainsFunc(of, math.IsNaN) {
			return fmt.Errorf("neural: a gradient of %s is no number, want finite weights and inputs", name)
		}
		n.Norms = append(n.Norms, dynamics.NewNorms(name, of))
	}
	n.NormRecords = len(p.Labels)
	return nil
}

// compare fills in the effect of each clipping.
func (n *NonPrivateDiagnosis) compare(ctx context.Context, p dynamics.Problem, o Diagnosing) error {
	norms, err := dynamics.GradientNorms(p, []int{len(p.Network.Blocks())})
	if err != nil {
		return err
	}
	of := dynamics.NewNorms("", norms[0])
	n.LargeNorm, n.SmallNorm = 1.5*of.Quantile(1), o.Norm
	if n.SmallNorm == 0 {
		n.SmallNorm = option.SmallShare * of.Quantile(0.5)
	}
	if !(n.SmallNorm > 0) {
		return fmt.Errorf("neural: the median gradient is 0, want a problem that is not solved; give a clipping norm")
	}
	if n.LearningRate = o.LearningRate; n.LearningRate == 0 {
		if n.LearningRate, err = dynamics.StableRate(p); err != nil {
			return err
		}
	}
	for _, c := range n.compared(layers(p.Network.Blocks())) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		out, failed := n.diagnose(p, c)
		if failed != nil {
			return failed
		}
		n.Clippings = append(n.Clippings, out)
	}
	return nil
}

// diagnose returns the effect of one clipping.
func (n *NonPrivateDiagnosis) diagnose(p dynamics.Problem, c comparison) (ClippingDiagnosis, error) {
	out := ClippingDiagnosis{Name: c.clipping.Name, Course: c.course}
	tangent, err := dynamics.NewKernel(p, c.clipping.Groups)
	if err != nil {
		return out, err
	}
	scales, err := dynamics.Scales(p, c.clipping)
	if err != nil {
		return out, err
	}
	if out.Kernel, err = dynamics.Describe(tangent.Clipped(scales)); err != nil {
		return out, err
	}
	if n.Steps > 0 {
		o := dynamics.Options{Steps: n.Steps, LearningRate: n.LearningRate, Looks: diagnosisLooks}
		if out.Flow, err = dynamics.Descend(p, c.clipping, o); err != nil {
			return out, err
		}
		o.NoiseMultiplier, o.Looks = n.NoiseMultiplier, 0
		if out.Noisy, err = dynamics.Descend(p, c.clipping, o); err != nil {
			return out, err
		}
	}
	out.Measured = measured(out)
	return out, nil
}

// LayerNorm returns the small clipping norm of the part of the network that Norms[k] describes. For
// k = 0 this part is the whole network, and the result is SmallNorm. For a layer the result is
// SmallNorm/√L, where L is the number of layers.
func (n *NonPrivateDiagnosis) LayerNorm(k int) float64 {
	if k == 0 {
		return n.SmallNorm
	}
	return n.SmallNorm / math.Sqrt(float64(len(n.Norms)-1))
}
