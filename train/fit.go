package train

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
)

// Options are settings that do not affect the guarantee. Negative or NaN numbers are errors.
type Options struct {
	// LearningRate is the largest learning rate of the run. 0 means that a rule chooses it from
	// public numbers.
	LearningRate float64
	// Schedule is how the learning rate changes after the first WarmUp steps: "constant", "linear",
	// "cosine" or "inverse-sqrt". "linear" and "cosine" end at 0. "" means "constant".
	Schedule string
	// WarmUp is the number of steps at the beginning in which the learning rate increases linearly.
	WarmUp int
	// Optimizer is the rule that computes steps from released gradients: "momentum", "nesterov",
	// "adam", "adam-corrected" or "l-bfgs". "" means "momentum". "adam-corrected" subtracts the
	// known variance of the noise from Adam's second moments. "l-bfgs" is only for baselines
	// without privacy. If rows are not normalized, it standardizes columns.
	Optimizer string
	// Momentum is the factor by which the optimizer multiplies the previous step, at least 0 and
	// less than 1. For Adam it is the decay of the mean gradient.
	Momentum float64
	// Ridge is λ in the penalty (λ/2)·‖w‖² on the vector w of all weights. A baseline on
	// standardized columns penalizes their weights without the intercept, and 0 means 1/records.
	Ridge float64
	// L1 is the factor of the penalty Σ|w_j|, where the sum is over all weights w_j.
	L1 float64
	// Temperature, if positive, makes training a sampler of weights instead of an optimizer. The
	// learning rate is then chosen so that the plan's noise is the noise of Langevin dynamics at
	// this temperature. A temperature of 1/records samples the posterior under a normal prior with
	// variance 1/(records·Ridge).
	Temperature float64
	// Output selects the weights of the result. "last" is the last iterate. "uniform-average" and
	// "tail-average" are means of iterates. "all-iterates" is the last iterate, together with all
	// earlier ones in Result.Iterates. "" means that Average decides.
	Output string
	// Average selects whether the result is the mean of the last 40 % of the iterates or the last
	// iterate. It is used if Output is "". Auto averages private runs of at least 20 steps.
	Average Tristate
	// FeatureBits is the number of bits to which a feature is rounded: 16 or 8. 0 means 16, and 8
	// halves the memory use. Features with values 0 and 1 take one bit.
	FeatureBits int
	// Scratch, if not nil, returns a new empty file for an Encoder of persons, or for FitFile. They
	// remove it. Nil means a file in the folder of the system for temporary files, which only the user may
	// read. The file holds encoded records.
	Scratch func() (*os.File, error)
	// Progress, if not nil, is called after the preparation, with step 0, and after each step. For
	// more than 100 steps it is called after about 100 of them. The argument includes the cost, at
	// the plan's delta, of a run that ends after that step.
	Progress func(Progress)
}

// Progress is the public state of a run: how many steps it has taken and what they cost.
type Progress struct {
	// Step is the number of steps taken. Steps is the number of all steps of the plan.
	Step, Steps int
	// Epsilon is the cost of a run that ends after this step, in nats, at the plan's delta.
	Epsilon float64
}

// Result is a trained model with numbers about it. All fields are released.
type Result struct {
	// Model is the trained model.
	Model *model.Model
	// LearningRate is the learning rate that was used. Divisor is the declared or noisy number of
	// records, by which sums were divided.
	LearningRate, Divisor float64
	// WeightNoise is a bound on the standard deviation of the noise in a weight of the model, for rows
	// as training saw them. It is 0 where no bound is proven. Predictions that are corrected after
	// the descent stretch it.
	WeightNoise float64
	// Unshrunk is the map before weights of states with little evidence were moved to the means of their
	// columns. WeightNoise bounds the noise of its weights. It is nil if no weights can have moved.
	Unshrunk *feature.Map
	// UnshrunkWeights are the weights of the model before that. They are corrected as the weights of the model are.
	UnshrunkWeights []float64
	// CellFrequencies has, for each feature of a model of cells, the released mean of the feature as far as it
	// stands out of its noise. A feature whose mean does not stand out has 0. Fine cells share what their
	// coarser cell has. Missing cells and unknown levels have 0 unless their own mean is above the noise of all
	// features. It is nil for other models, and if no means were released with noise.
	CellFrequencies []float64
	// Output is the name of the rule that selected the weights from the iterates, as in
	// Options.Output.
	Output string
	// Iterates are the weights after each step if Output is "all-iterates", else nil. They apply to
	// rows that the model's feature map has mapped.
	Iterates [][]float64
	// Stretch is the factor by which the correction of predictions multiplied all weights. The
	// weights of the constant feature were also moved. StretchNoise and ShiftNoise are standard
	// deviations: what the noise in the released errors gives the factor, and the weights of the
	// constant feature. All are 0 if predictions were not corrected.
	Stretch, StretchNoise, ShiftNoise float64
	// Path has the weights after each step of a private descent with the Huber loss, unless they are too many to
	// keep. The released gradients of the steps follow from them.
	Path [][]float64
	// Uncorrected are the weights after the descent, before predictions were corrected. They are nil if
	// predictions were not corrected. They belong to the map Unshrunk, if there is one.
	Uncorrected []float64
	// Evaluation contains the released numbers about the records that were held out. It is nil if
	// no records were held out. evaluate.Measures computes measures from these numbers.
	Evaluation []float64
	// Inference contains confidence intervals for the coefficients of a linear regression. It is
	// nil for methods that do not release sums of products (see package erm).
	Inference *Inference
}

// Validate returns an error if an option is invalid.
func (o Options) Validate() error {
	for name, v := range map[string]float64{"learning rate": o.LearningRate, "momentum": o.Momentum, "ridge": o.Ridge, "l1": o.L1, "temperature": o.Temperature} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("train: %s is %v, want 0 or a positive finite number", name, v)
		}
	}
	if o.Momentum >= 1 {
		return fmt.Errorf("train: momentum is %v, want less than 1", o.Momentum)
	}
	if err := o.validateSteps(); err != nil {
		return err
	}
	return checkFeatureBits(o.FeatureBits)
}

// Fit returns a model that is trained by the plan. It reserves the plan's event in the ledger,
// releases the statistics of the preparation, and takes the steps of gradient descent. If an error
// occurs after the reservation, the reserved cost stays spent. Such an error does not depend on
// values of records. More than MaxRecords records are an error. Records that the schema drops
// contribute nothing and do not count.
func Fit(ctx context.Context, l *ledger.Ledger, s Setup, d *data.Dataset, o Options) (*Result, error) {
	s.several = together.From(ctx) != nil
	if err := s.Check(ctx, o); err != nil {
		return nil, err
	}
	if d.Target() == nil || d.Records() > s.Plan.MaxRecords {
		return nil, fmt.Errorf("train: the data set has no target or more rows than max-records %d; raise the declared bound", s.Plan.MaxRecords)
	}
	if err := s.checkStart(ctx, o); err != nil {
		return nil, err
	}
	if s.Plan.Holdout != nil {
		return s.fitHoldout(ctx, l, d, o)
	}
	s, t, grant, err := s.begin(l, d, o.FeatureBits)
	if err != nil {
		return nil, err
	}
	return s.descendPaid(ctx, grant, t, o)
}

// Check returns the error that Fit would return for the plan and these options. It reads no record. The
// context says whether several processes train together.
func (s Setup) Check(ctx context.Context, o Options) error {
	if err := s.check(o); err != nil {
		return err
	}
	return s.checkShared(ctx, o)
}

func (s Setup) check(o Options) error {
	if err := s.Plan.Validate(); err != nil {
		return err
	}
	if err := s.checkLastIterate(o); err != nil {
		return err
	}
	if err := s.checkOutput(o); err != nil {
		return err
	}
	if err := s.checkTemperature(o); err != nil {
		return err
	}
	if err := s.checkCalibrated(o); err != nil {
		return err
	}
	if err := s.checkConverges(o); err != nil {
		return err
	}
	if err := s.checkLearns(); err != nil {
		return err
	}
	return o.Validate()
}

// fit is Fit for an encoded table.
func (s Setup) fit(ctx context.Context, l *ledger.Ledger, t table, o Options) (*Result, error) {
	if err := s.checkStart(ctx, o); err != nil {
		return nil, err
	}
	grant, err := l.Reserve(s.Plan.Event(), s.Plan.Method())
	if err != nil {
		return nil, err
	}
	return s.descendPaid(ctx, grant, t, o)
}

// checkStart returns an error before anything is spent: of a run that was stopped, and of a plan that
// several processes cannot train together.
func (s Setup) checkStart(ctx context.Context, o Options) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("train: stopped before anything was spent: %w", err)
	}
	return s.checkShared(ctx, o)
}

// checkShared refuses a plan that several processes cannot train together.
func (s Setup) checkShared(ctx context.Context, o Options) error {
	if together.From(ctx) == nil {
		return nil
	}
	p, one := s.Plan, ""
	switch {
	case p.learns():
		one = "bounds or levels are to be learned"
	case p.LastIterate != nil:
		one = "the last iterate alone is priced"
	case p.BatchSize > together.MaxBatch:
		one = fmt.Sprintf("batches of more than %d records are drawn", together.MaxBatch)
	case s.minimizes(o):
		one = "the minimum without privacy is searched for"
	case slices.ContainsFunc(p.Preparation, func(s PreparationStep) bool { return s.Kind == option.RadiusStatistic }):
		one = "the row radius is to be chosen privately"
	}
	if one == "" {
		return nil
	}
	return fmt.Errorf("train: %s by several processes, or in batches of encoded rows, want one process with rows in memory, or declared numbers and every step released", one)
}

// descendPaid trains on an encoded table with a grant from the ledger.
func (s Setup) descendPaid(ctx context.Context, grant *ledger.Grant, t table, o Options) (*Result, error) {
	payer := together.Payer(ctx, grant)
	ready, err := s.prepare(payer, t)
	if err != nil {
		return nil, err
	}
	s = ready.setup
	if s.Plan.LastIterate != nil {
		return s.runLastIterate(ctx, payer, t, ready, o)
	}
	if s.minimizes(o) {
		return s.minimize(ctx, payer, t, ready, o)
	}
	rows, err := s.descend(t, ready)
	if err != nil {
		return nil, err
	}
	ready.forget()
	run, err := newDescent(s, o, payer, rows, t, ready)
	if err != nil {
		return nil, err
	}
	result, err := run.fit(ctx)
	if err != nil {
		return nil, err
	}
	if err = ready.evidentCells(s.Plan, o, result); err != nil {
		return nil, err
	}
	return result, s.calibrated(payer, result, t) // of what is served
}
