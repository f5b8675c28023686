package neural

import (
	"context"
	"fmt"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// Options are settings that do not affect the guarantee. Invalid numbers are errors.
type Options struct {
	// Optimizer is the rule that computes steps from released sums; "" means momentum.
	Optimizer string
	// LearningRate is the largest learning rate of the run; 0 means the optimizer's default.
	LearningRate float64
	// Schedule is the schedule of the learning rate after a linear increase over WarmUp steps. ""
	// means "linear".
	Schedule string
	WarmUp   int
	// Momentum is β, below 1. For Adam it is the decay of the mean gradient. 0 means 0.9, and a
	// negative number means no momentum.
	Momentum float64
	// Ridge is λ in the penalty (λ/2)·‖w‖². L1 is the factor of the penalty Σ|w_j|. Both are on all
	// trained weights.
	Ridge, L1 float64
	// WeightDecay is λ in the decay of the weights before each step: w is multiplied by 1 - η·λ,
	// with η the learning rate. 0 means the default of the optimizer, and a negative number means
	// no decay.
	WeightDecay float64
	// Average selects the returned weights. "none" (or "") is the last iterate, "exponential" a
	// moving average, and "uniform" the mean of the iterates. "tail" is the mean of the last 40 %
	// of the iterates. All cost the same. AverageDecay is the decay of "exponential" in each step;
	// 0 means 0.99.
	Average      string
	AverageDecay float64
	// Initial, if not nil, contains the initial parameters of the whole network, including frozen
	// ones. They must be public, or released at a cost that is counted. Nil means random
	// parameters.
	Initial []float32
	// FeatureBits is the number of bits that a feature is rounded to: 16 (or 0), or 8.
	FeatureBits int
	// Chunk is the number of records that each goroutine processes at a time. 0 means a default for
	// the network. It affects only memory and speed.
	Chunk int
	// Progress, if not nil, is called after each step. Its argument includes the cost of a run that
	// ends there.
	Progress func(train.Progress)
	// Checkpoint, if not nil, receives the state of the run every CheckpointEvery steps; 0 means
	// about 100 times in a run. It also receives the state when the run is interrupted and at
	// its end. If Checkpoint returns an error, the run stops. An error at the end does not discard
	// the result, which is paid for.
	Checkpoint      func(*Checkpoint) error
	CheckpointEvery int
}

// Result is the released result of a run.
type Result struct {
	// Model is the trained network with all parameters, including frozen ones.
	Model *model.Model
	// Weights are the parameters of the network.
	Weights []float32
	// LearningRate is the learning rate that was used. Divisor is the declared or noisy number of
	// records.
	LearningRate, Divisor float64
	// Levels are the clipping norms or thresholds after the last step. Adaptive rules change them.
	Levels []float64
	// Plan is the plan of the run. If the run was resumed, it includes earlier runs. It determines
	// the cost of the result.
	Plan Plan
}

// validate returns an error that names a number that makes no sense.
func (o Options) validate() error {
	for name, v := range map[string]float64{"learning rate": o.LearningRate, "ridge": o.Ridge, "l1": o.L1} {
		if err := positiveOrNone(name, v); err != nil {
			return err
		}
	}
	switch {
	case !(o.Momentum < 1) || o.WeightDecay-o.WeightDecay != 0:
		return fmt.Errorf("neural: momentum is %v and weight decay %v, want a momentum less than 1 and a finite decay", o.Momentum, o.WeightDecay)
	case o.Schedule != "" && !slices.Contains(option.Schedules(), o.Schedule):
		return fmt.Errorf("neural: schedule is %q, want one of %v", o.Schedule, option.Schedules())
	case o.WarmUp < 0 || o.WarmUp > maxSteps || o.Chunk < 0 || o.Chunk > maxChunk || o.CheckpointEvery < 0:
		return fmt.Errorf("neural: warm-up is %d steps, chunk %d records, checkpoints are %d steps apart, want no negative numbers and at most %d records", o.WarmUp, o.Chunk, o.CheckpointEvery, maxChunk)
	}
	if _, err := optimizerOf(o.Optimizer); err != nil {
		return err
	}
	_, err := o.newAverage(1)
	return err
}

// maxChunk bounds the records that a goroutine works on at a time.
const maxChunk = 1 << 16

// Check returns the error that Fit would return for the plan and the options. It reads no record.
func (s Setup) Check(o Options) error {
	if err := s.Plan.Validate(); err != nil {
		return err
	}
	if o.Initial != nil && len(o.Initial) != s.Network.Weights() {
		return fmt.Errorf("neural: there are %d weights to begin with, want %d, the network's", len(o.Initial), s.Network.Weights())
	}
	if optimizer := "adam-corrected"; s.Plan.Correlated != nil && o.Optimizer == optimizer {
		return fmt.Errorf("neural: optimizer is %s with correlated noise, want another; it takes the noise of each step as independent", optimizer)
	}
	if line, err := optimizerOf(o.Optimizer); err == nil && line.scales && (s.Plan.Clipping.MicroBatch != nil || s.Plan.Clipping.Projection != nil) {
		return fmt.Errorf("neural: optimizer is %s and gradients are clipped by micro-batches or projections, want each record's gradient clipped by its norm", line.name)
	}
	return o.validate()
}

// Fit reserves the plan's event, then releases every step. Errors after the reservation do not
// depend on values of records, and the reserved cost stays spent. More than MaxRecords records are
// an error. Records that the schema drops do not count.
func Fit(ctx context.Context, l *ledger.Ledger, s Setup, d *data.Dataset, o Options) (*Result, error) {
	return fit(ctx, l, s, d, o, nil)
}

// fit is Fit, or Resume with a checkpoint.
func fit(ctx context.Context, l *ledger.Ledger, s Setup, d *data.Dataset, o Options, from *Checkpoint) (*Result, error) {
	if err := s.Check(o); err != nil {
		return nil, err
	}
	if d.Target() == nil || d.Records() > s.Plan.MaxRecords {
		return nil, fmt.Errorf("neural: the data set has no target or more rows than max-records %d; raise the declared bound", s.Plan.MaxRecords)
	}
	slots, err := s.Plan.slots(d.Records())
	if err != nil {
		return nil, err
	}
	if err = ctx.Err(); err != nil {
		return nil, fmt.Errorf("neural: stopped before anything was spent: %w", err)
	}
	grant, err := l.Reserve(s.Plan.Event(), option.MethodNetwork)
	if err != nil {
		return nil, err
	}
	rows, err := train.Encode(s.Features, s.Schema, d, o.FeatureBits)
	if err != nil {
		return nil, err
	}
	r, err := newRun(s, o, grant, rows, slots, from)
	if err != nil {
		return nil, err
	}
	return r.fit(ctx)
}

// count returns the declared number of records, or pays for a noisy one.
func (r *run) count() (float64, error) {
	if r.Plan.Records > 0 {
		return float64(r.Plan.Records), nil
	}
	noisy, err := pass.Count(pass.Settings{Payer: r.payer, Noise: r.Plan.noise(r.Plan.CountNoise), MaxRecords: r.Plan.MaxRecords}, r.rows.Len())
	return max(1, min(float64(r.Plan.MaxRecords), noisy)), err
}
