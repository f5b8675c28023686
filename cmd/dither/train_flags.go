package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/spf13/pflag"
)

// planFlags are the flags that decide the plan and the optimizer.
type planFlags struct {
	flags                         *pflag.FlagSet
	epsilon, epsilonPerStep       float64
	delta                         float64
	neighboring                   string
	steps                         int
	samplingProbability           float64
	batchSize, parts              int
	clipping                      string
	clippingNorm, parameterRadius float64
	normalization                 string
	radius                        string
	intercept                     float64
	noIntercept, calibrate        bool
	center, whiten, average       string
	lossSpec                      model.LossSpec
	learningRate, momentum, ridge float64
	featureBits                   int
	unit, interactions            string
	maxRecordsPerPerson           int
	transforms                    []string
	descent                       descentOptions
}

func (p *planFlags) add(f *pflag.FlagSet) {
	p.flags = f
	request, options := train.Defaults()
	f.Float64Var(&p.epsilon, "epsilon", request.Epsilon, "privacy budget of the whole run, in nats")
	f.Float64Var(&p.epsilonPerStep, "epsilon-per-step", 0, "budget of each release instead, as courses state it; the total is computed and printed")
	f.Float64Var(&p.delta, "delta", request.Delta, glossary.Short("delta"))
	f.StringVar(&p.neighboring, "neighboring", request.Neighboring.String(), glossary.Short("neighboring"))
	f.Float64Var(&p.samplingProbability, "sampling-probability", 0, "take each row with this probability in each step (dp-sgd); default: all rows in every step")
	f.IntVar(&p.batchSize, "batch-size", 0, "take a random batch of this many rows in each step; under replace-one only, and costly: prefer --sampling-probability")
	f.IntVar(&p.parts, "parts", 0, "divide the rows once into this many random parts and take one in each step, in turn")
	f.IntVar(&p.steps, "steps", 0, fmt.Sprintf("gradient steps (default %d, %d beside whitened rows, %d with fine pairs, %d without privacy, or %d expected passes when sampling; %s has %d, %s by records and epsilon)", option.DefaultSteps, option.WhitenedSteps, option.FineSteps, option.BaselineSteps, option.DefaultEpochs, option.MethodZeroth, option.DefaultZerothSteps, option.MethodFrankWolfe))
	f.StringVar(&p.clipping, "clipping", request.ClippingMode, "how a record's gradient is bounded: gradient (each is clipped), example (each row is clipped, once), data-and-parameter (rows are clipped and the weights projected on a ball: for the squared loss), or declared-lipschitz (you declare the constant as --clipping-norm; what is beyond is cut)")
	f.Float64Var(&p.clippingNorm, "clipping-norm", 0, "largest norm of a record after clipping: L2, or of a coordinate with frank-wolfe (default: suits the loss)")
	f.Float64Var(&p.parameterRadius, "parameter-radius", 0, "radius of the ball of weights, with --clipping data-and-parameter")
	f.StringArrayVar(&p.transforms, "transform", nil, "public map of the encoded columns, `NAME` or NAME:key=value,...: "+strings.Join(feature.TransformNames(), ", ")+"; may be given again, in order (docs/features.md)")
	f.StringVar(&p.interactions, "interactions", training.AutoInteractions, "functions of columns and of pairs of columns, from declared bins: none, bins (numbers in bins, no pairs), all, pairs such as age*sex,hours*job, or auto (a rule from public numbers chooses); costs nothing (docs/features.md)")
	f.StringVar(&p.normalization, "row-normalization", "", "unit, clip or none (default unit; clip with --clipping example, where a row is one number, and for a numeric target with --unit person and levels or bins)")
	f.StringVar(&p.radius, "row-radius", "", "radius of --row-normalization clip: a number (default 1, or the clipping norm of examples), or private for the median norm of the rows, paid from the budget; intercept and clipping norm are then in units of it")
	f.Float64Var(&p.intercept, "intercept", 0, fmt.Sprintf("value of the constant feature, inside the clipped norm (default %v, %v with texts, %v beside whitened rows)", option.DefaultIntercept, option.TextIntercept, option.WhitenedIntercept))
	f.BoolVar(&p.noIntercept, "no-intercept", false, "no constant feature")
	f.StringVar(&p.center, "center", "auto", "subtract a private mean, paid from the budget: auto, yes or no")
	f.StringVar(&p.whiten, "whiten", "auto", "whiten by a private covariance, paid from the budget: auto, yes, no, or what it is taken to be: full, kronecker (channels and places of scattering), diagonal or frequencies (of cells)")
	f.BoolVar(&p.calibrate, "calibrate", false, "correct the predictions after the descent, because clipped gradients bias them; paid from the budget (default: by a rule from public numbers, --calibrate=false for never)")
	f.StringVar(&p.lossSpec.Name, "loss", "", "of 2 levels: logistic or hinge; of 2 or more: softmax, one-vs-rest or squared-classes; of a number: huber, squared, quantile or poisson (counts) (default: logistic, softmax or huber, as the target calls for)")
	f.Float64Var(&p.lossSpec.Width, "loss-width", 0, "width of the huber (default 0.25) or quantile (0.05) loss, in units of half the target's range, or of the hinge (0.5)")
	f.Float64Var(&p.lossSpec.Quantile, "quantile", 0, "which quantile the quantile loss predicts (default 0.5)")
	f.Float64Var(&p.learningRate, "learning-rate", 0, "step size (default: a rule from public numbers)")
	f.Float64Var(&p.momentum, "momentum", options.Momentum, "momentum, at least 0 and less than 1")
	f.Float64Var(&p.ridge, "ridge", 0, "strength of the penalty on squared weights")
	f.StringVar(&p.unit, "unit", "row", "what the guarantee protects: row, or person:COLUMN for all rows with one text in a column")
	f.IntVar(&p.maxRecordsPerPerson, "max-records-per-person", 0, "rows of a person that are used, with --unit person:COLUMN; further rows contribute nothing")
	f.IntVar(&p.featureBits, "feature-bits", options.FeatureBits, "round features to 16 bits, or to 8, which takes half of the memory and time; features that are 0 or 1 take one")
	p.descent.add(f, request, options)
	f.StringVar(&p.average, "average", "auto", "average the last iterates: auto, yes or no; of a network also "+join(option.Averages())+" (auto is "+string(averages["auto"])+")")
}

// request returns the request that the flags describe.
func (p *planFlags) request(nonPrivate bool) (train.Request, train.Options, error) {
	r := train.Request{Epsilon: p.epsilon, Delta: p.delta, SamplingProbability: p.samplingProbability, BatchSize: p.batchSize, Parts: p.parts, Steps: p.steps, ClippingMode: p.clipping, ClippingNorm: p.clippingNorm, ParameterRadius: p.parameterRadius,
		Normalization: feature.Normalization(p.normalization), Intercept: p.intercept, Calibrate: p.calibrate}
	o := train.Options{LearningRate: p.learningRate, Momentum: p.momentum, Ridge: p.ridge, FeatureBits: p.featureBits}
	p.descent.apply(&r, &o)
	var err error
	if r.Neighboring, err = privacy.ParseNeighboring(p.neighboring); err != nil {
		return r, o, err
	}
	if r.Transforms, err = training.Transforms(p.interactions, p.transforms); err != nil {
		return r, o, err
	}
	if r.Center, err = choice("center", p.center); err != nil {
		return r, o, err
	}
	if err = p.preparation(&r); err != nil {
		return r, o, err
	}
	training.Settle(&r, &o, p.flags.Changed("momentum"))
	if r.Person, err = p.person(); err != nil {
		return r, o, err
	}
	if err = p.chooseLoss(&r); err != nil {
		return r, o, err
	}
	if p.noIntercept || p.intercept == 0 && p.flags.Changed("intercept") {
		r.Intercept = -1 // 0 is the plan's own
	}
	return r, o, p.budget(&r, nonPrivate)
}

// preparation reads the flags of the statistics of rows.
func (p *planFlags) preparation(r *train.Request) error {
	var err error
	if slices.Contains(option.Structures(), p.whiten) {
		r.Whiten, r.Structure = train.Yes, p.whiten
	} else if r.Whiten, err = choice("whiten", p.whiten); err != nil {
		return fmt.Errorf("--whiten is %q, want auto, yes, no, full, kronecker, diagonal or frequencies", p.whiten)
	}
	switch p.radius {
	case "":
	case "private":
		r.PrivateRadius = true
	default:
		if r.Radius, err = strconv.ParseFloat(p.radius, 64); err != nil || !(r.Radius >= 0) || math.IsInf(r.Radius, 1) {
			return fmt.Errorf("--row-radius is %q, want a finite number of at least 0, or private", p.radius)
		}
	}
	return nil
}

// person reads the unit of privacy.
func (p *planFlags) person() (*train.PersonUnit, error) {
	column, person := strings.CutPrefix(p.unit, "person:")
	switch {
	case p.unit == "row" && p.maxRecordsPerPerson == 0:
		return nil, nil
	case !person || column == "":
		return nil, fmt.Errorf("--unit is %q with --max-records-per-person %d, want row alone, or person:COLUMN with a number of rows", p.unit, p.maxRecordsPerPerson)
	case p.maxRecordsPerPerson < 1:
		return nil, fmt.Errorf("--max-records-per-person is %d with --unit %s, want the number of rows of a person to use, such as 10; choose it without looking at the records", p.maxRecordsPerPerson, p.unit)
	}
	return &train.PersonUnit{Column: column, MaxRows: p.maxRecordsPerPerson}, nil
}

// budget checks which of the three ways to state the budget was used.
func (p *planFlags) budget(r *train.Request, nonPrivate bool) error {
	perStep := p.flags.Changed("epsilon-per-step")
	switch {
	case perStep && p.flags.Changed("epsilon"):
		return fmt.Errorf("--epsilon and --epsilon-per-step are both given, want one of them")
	case nonPrivate && (perStep || p.flags.Changed("epsilon")):
		return fmt.Errorf("--non-private is given with a budget, want one of them")
	case nonPrivate:
		r.Epsilon = math.Inf(1)
	case perStep:
		r.Epsilon, r.PerStep = p.epsilonPerStep, true
	}
	if !nonPrivate && math.IsInf(r.Epsilon, 1) {
		return fmt.Errorf("--epsilon is infinite, want a finite number; --non-private trains a baseline")
	}
	if !nonPrivate {
		if err := checkEpsilon(r.Epsilon, "--non-private trains a baseline that says so"); err != nil {
			return err
		}
	}
	if !slices.Contains(option.ClippingModes(), r.ClippingMode) {
		return fmt.Errorf("--clipping is %q, want one of %v", r.ClippingMode, option.ClippingModes())
	}
	return nil
}

func choice(name, text string) (train.Tristate, error) {
	switch text {
	case "auto":
		return train.Auto, nil
	case "yes":
		return train.Yes, nil
	case "no":
		return train.No, nil
	}
	return 0, fmt.Errorf("--%s is %q, want auto, yes or no", name, text)
}

// chooseLoss puts the requested loss into the request.
func (p *planFlags) chooseLoss(r *train.Request) (err error) {
	spec := p.lossSpec
	switch {
	case spec.Name != "":
	case spec.Quantile != 0:
		spec.Name = model.Quantile(spec.Quantile, spec.Width).Name()
	case spec.Width != 0:
		spec.Name = model.Huber(spec.Width).Name()
	default:
		return nil
	}
	if spec.Quantile != 0 && spec.Name != model.Quantile(spec.Quantile, spec.Width).Name() {
		return fmt.Errorf("--quantile is given with --loss %s, want --loss quantile", spec.Name)
	}
	r.Loss, err = spec.Loss()
	return err
}

// mostEpsilon is the largest budget that commands accept. A promise is empty far below it: at
// epsilon 20 a record may be nearly certain.
const mostEpsilon = 1e6

// checkEpsilon refuses a budget for which no accountant has an answer.
func checkEpsilon(epsilon float64, instead string) error {
	if epsilon > mostEpsilon {
		return fmt.Errorf("--epsilon is %g, want at most %g; so large a budget protects nobody: %s", epsilon, mostEpsilon, instead)
	}
	return nil
}
