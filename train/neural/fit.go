package neural

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// Options are settings that do not affect the guarantee. An invalid number is an error of Fit.
type Options struct {
	// Optimizer is the name of the rule that computes steps from released sums. "" means
	// "momentum".
	Optimizer string
	// LearningRate is the largest learning rate of the run. 0 means the default of the optimizer.
	LearningRate float64
	// Schedule is how the learning rate changes after the first WarmUp steps, as in
	// train.Options.Schedule. "" means "linear".
	Schedule string
	// WarmUp is the number of steps at the beginning in which the learning rate increases linearly.
	WarmUp int
	// Momentum is the factor by which the optimizer multiplies the previous step, below 1. For Adam
	// it is the decay of the mean gradient. 0 means 0.9. A negative number means no momentum.
	Momentum float64
	// Ridge is λ in the penalty (λ/2)·‖w‖² on all trained weights w. L1 is the factor of the
	// penalty Σ|w_j|, where the sum is over all trained weights w_j.
	Ridge, L1 float64
	// WeightDecay is λ in the decay of the weights. Before each step the weights are multiplied by
	// 1 - η·λ, where η is the learning rate. 0 means the default of the optimizer, and a negative
	// number means no decay.
	WeightDecay float64
	// Average selects the weights of the result. "none" is the last iterate. "exponential" is a
	// moving average of the iterates, "uniform" their mean, and "tail" the mean of the last 40 % of
	// them. "" means "none". The choice does not affect the cost.
	Average string
	// AverageDecay is the decay of the moving average "exponential" in each step. 0 means 0.99.
	AverageDecay float64
	// Initial, if not nil, has the initial parameters of the whole network, including frozen ones.
	// They must be public, or released at a cost that is counted elsewhere. Nil means random
	// parameters.
	Initial []float32
	// FeatureBits is the number of bits to which a feature is rounded: 16 or 8. 0 means 16.
	FeatureBits int
	// Chunk is the number of records that each goroutine processes at a time. 0 means a default for
	// the network. It affects only memory and speed.
	Chunk int
	// Progress, if not nil, is called after each step. For more than 100 steps it is called after
	// about 100 of them. The argument includes the cost of a run that ends after that step.
	Progress func(train.Progress)
	// Checkpoint, if not nil, receives the state of the training every CheckpointEvery steps, when
	// the training is interrupted, and at its end. If Checkpoint returns an error, the training
	// stops. An error at the end does not discard the result, which is already paid for.
	Checkpoint func(*Checkpoint) error
	// CheckpointEvery is the number of steps between two calls of Checkpoint. 0 means about 100
	// calls in a training.
	CheckpointEvery int
}

// Result is a trained network with numbers about it. All fields are released.
type Result struct {
	// Model is the trained network with all parameters, including frozen ones.
	Model *model.Model
	// Weights are the parameters of the network, in the order of network.Network.
	Weights []float32
	// LearningRate is the learning rate that was used. Divisor is the declared or noisy number of
	// records, by which sums were divided.
	LearningRate, Divisor float64
	// Levels has the clipping norm of each group of parameters after the last step. For the rules
	// "global" and "global-adaptive" it has the threshold of each group instead. Adaptive rules
	// change these numbers in each step.
	Levels []float64
	// Plan is the plan of the training. If the training was resumed, the plan includes the earlier
	// runs. Plan determines the cost of the result.
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

// Check returns the error that Fit would return for the plan and these options. It reads no record. The
// context says whether several processes train together.
func (s Setup) Check(ctx context.Context, o Options) error {
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
	if p := s.Plan; together.From(ctx) != nil && (p.Correlated != nil || p.Clipping.MicroBatch != nil || p.Clipping.Projection != nil || p.Sampling.BatchSize > together.MaxBatch) {
		return fmt.Errorf("neural: several processes train with correlated noise, micro-batches, projections or batches of more than %d records, want one process, or independent noise and each record's gradient clipped", together.MaxBatch)
	}
	return o.validate()
}

// Fit returns a network that is trained by the plan. It reserves the plan's event in the ledger,
// and then takes the steps. If an error occurs after the reservation, the reserved cost stays
// spent. Such an error does not depend on values of records. More than MaxRecords records are an
// error. Records that the schema drops do not count.
func Fit(ctx context.Context, l *ledger.Ledger, s Setup, d *data.Dataset, o Options) (*Result, error) {
	return fit(ctx, l, s, d, o, nil)
}

// fit is Fit, or Resume with a checkpoint.
func fit(ctx context.Context, l *ledger.Ledger, s Setup, d *data.Dataset, o Options, from *Checkpoint) (*Result, error) {
	if err := s.Check(ctx, o); err != nil {
		return nil, err
	}
	if d.Target() == nil || d.Records() > s.Plan.MaxRecords {
		return nil, fmt.Errorf("neural: the data set has no target or more rows than max-records %d; raise the declared bound", s.Plan.MaxRecords)
	}
	var of records
	var err error
	if of.persons, err = s.Plan.persons(d); err != nil {
		return nil, err
	}
	if of.slots, err = s.Plan.slots(d.Records(), together.From(ctx) != nil); err != nil {
		return nil, err
	}
	if of.persons != nil {
		of.slots = len(of.persons)
	}
	if err = ctx.Err(); err != nil {
		return nil, fmt.Errorf("neural: stopped before anything was spent: %w", err)
	}
	if o.Initial, err = s.begunTogether(ctx, o.Initial); err != nil {
		return nil, err
	}
	grant, err := l.Reserve(s.Plan.Event(), option.MethodNetwork)
	if err != nil {
		return nil, err
	}
	if of.rows, err = train.Encode(s.Features, s.Schema, d, o.FeatureBits); err != nil {
		return nil, err
	}
	r, err := newRun(s, o, grant, together.Payer(ctx, grant), of, from)
	if err != nil {
		return nil, err
	}
	return r.fit(ctx)
}

// begunTogether returns the weights that all processes begin with which train together.
func (s Setup) begunTogether(ctx context.Context, initial []float32) ([]float32, error) {
	run := together.From(ctx)
	if run == nil {
		return initial, nil
	}
	if initial == nil {
		initial = make([]float32, s.Network.Weights())
		s.Network.Init(initial, newSeed())
	}
	text, err := binary.Append(nil, binary.BigEndian, initial)
	if err != nil {
		return nil, err
	}
	if text, err = run.Tell(text); err != nil {
		return nil, err
	}
	all := make([]float32, len(initial))
	_, err = binary.Decode(text, binary.BigEndian, all)
	return all, err
}

// count returns the declared number of records, or pays for a noisy one.
func (r *run) count() (float64, error) {
	if !r.Plan.countsRecords() {
		return float64(r.Plan.Records), nil
	}
	noisy, err := pass.Count(pass.Settings{Payer: r.payer, Noise: r.Plan.noise(r.Plan.CountNoise), MaxRecords: r.Plan.MaxRecords}, r.records())
	return max(1, min(float64(r.Plan.MaxRecords), noisy)), err
}
