package training

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/shadow"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// bars are intervals of the weights of a linear model around the released weights. They follow from
// the plan, the learning rate and the divisor, which are public or released. So they cost nothing.
type bars struct {
	// half is half the length of the interval of a weight of the map's rows. It is 0 if there are no
	// intervals.
	half float64
	// relative and constant lengthen the interval if predictions were corrected. Half of it is the
	// root of the squares of half and of relative times the weight. Of a weight of the constant
	// feature it is the sum of these and constant.
	relative, constant float64
	// unshrunk is the model before weights of states with little evidence were moved to the means of their
	// columns, or nil if none were moved. Half an interval is longer by the distance that a weight was moved.
	unshrunk *model.Model
	// spread estimates weights without noise and without clipping. It is nil if they are not known.
	spread *shadow.Spread
	// target says what the intervals contain. It is empty if there are no intervals.
	target []string
	// refusal says why there are no intervals. It is empty if there are intervals, and for models
	// that need none.
	refusal string
}

// The probability that an interval misses, and the normal quantile that goes with it.
const missed, normalReach = 0.05, 1.959963984540054

// barsOf returns the intervals of the weights of a run's model.
func (r *Run) barsOf(result *train.Result) bars {
	switch r.method.(type) {
	case descent:
		return descentBars(r.Setup.Plan, r.Options, result)
	case minimizer:
		return r.minimizerBars(result)
	}
	return bars{}
}

// descentBars returns the intervals for gradient descent. They contain the weights that the same
// steps would have given without noise, from the same prepared rows.
func descentBars(p train.Plan, o train.Options, result *train.Result) bars {
	if reason := descentRefusal(p, o); reason != "" || p.NonPrivate {
		return bars{refusal: reason}
	}
	deviation := result.WeightNoise
	if !(deviation > 0) || math.IsInf(deviation, 1) {
		return bars{refusal: "the learning rate leaves no bound on the noise of a weight"}
	}
	out := unclippedBars(p, o, result)
	if out.spread == nil {
		out = uncorrectedBars(deviation)
		if p.Calibration != nil {
			out = correctedBars(deviation, result)
		}
	}
	if out.unshrunk = unmoved(result); out.unshrunk != nil && out.refusal == "" {
		out.target = append(out.target, movedWords)
	}
	return out
}

// unclippedBars returns the intervals of weights without noise and without clipping, or none if these are not
// known.
func unclippedBars(p train.Plan, o train.Options, result *train.Result) bars {
	shown, loss := shadow.Of(p, o, result), result.Model.Linear().Loss
	if shown == nil {
		return bars{}
	}
	without, how := "without noise and without clipping", ""
	switch {
	case loss.Columns(2) > 0:
		how = "What clipping and the noise did to a weight is estimated from released numbers, as if the labels followed this model. If they do not, clipping may have done more."
	case loss.Name() == model.Huber(0).Name(): // which clipping makes narrower
		without = fmt.Sprintf("without noise, with the Huber loss of slopes up to %.3g of the declared range of the target,", min(p.Clipping.Norm, loss.Lipschitz(1))/2)
		how = "That loss is what clipping makes of the Huber loss. How fast noise dies out is estimated from released gradients."
	default:
		how = fmt.Sprintf("The intervals leave out what clipping did to records that the model misses by more than %.3g of the declared range of the target.", p.Clipping.Norm/2)
	}
	return bars{half: normalReach * result.WeightNoise, spread: shown, target: []string{
		"The line on a bar is an interval. With a probability of about 95 % it contains the weight that the same number of steps would have given " + without + " from all records, on the same prepared rows.",
		how + " The number of steps shapes a weight too. It would do so without noise, so the intervals say nothing about that. A gray bar may be noise alone.",
	}}
}

// uncorrectedBars returns the intervals of weights as the descent gave them.
func uncorrectedBars(deviation float64) bars {
	return bars{half: normalReach * deviation, target: []string{
		"The line on a bar is an interval. With a probability of at least 95 % it contains the weight that the same steps would have given without noise, on the same prepared rows.",
		"Clipping and the number of steps shape a weight too. They would do so without noise, so the intervals say nothing about that. A gray bar may be noise alone.",
	}}
}

// correctedBars returns the intervals of weights that were multiplied by a factor b to correct
// predictions. Such a weight is w' = b·w, where w is the descent's. The intervals contain b*·w*. Here
// w* is the weight without noise. The factor b* is what the last correction would give without noise in
// its sums of errors. By the delta method
//
//	b·w - b*·w* ≈ b·(w - w*) + (b - b*)·w.
//
// The two noises are independent. So the variance is b²·Var(w) + Var(b)·w², and w = w'/b. A weight of
// the constant feature is also moved by a number whose noise goes with that of b.
func correctedBars(deviation float64, result *train.Result) bars {
	if !(result.Stretch > 0) {
		return bars{refusal: "the correction of predictions turned the weights around, so the steps did not describe the records"}
	}
	return bars{half: normalReach * deviation * result.Stretch, relative: normalReach * result.StretchNoise / result.Stretch, constant: normalReach * result.ShiftNoise, target: []string{
		"The line on a bar is an interval. With a probability of about 95 % or more it contains the weight that the same steps and the same correction of predictions would have given without noise, on the same prepared rows and with the released spread of the predictions.",
		fmt.Sprintf("The correction multiplied the weights by %.3g ± %.2g. Clipping and the number of steps shape a weight too. They would do so without noise, so the intervals say nothing about that. A gray bar may be noise alone.", result.Stretch, normalReach*result.StretchNoise),
	}}
}

// movedWords says what the intervals do about weights that were moved.
const movedWords = "Weights of missing cells, unknown levels and rare levels with little evidence were moved to the mean of their column. The weight of the constant feature can be moved too, so that mean scores stay. Their lines are longer by this distance, so they contain the interval around the weight before it was moved."

// of returns half the length of the interval of each weight of a model, for each score. An interval of
// a weight that was moved contains the interval around the weight before that.
func (b bars) of(m *model.Model, weights [][]float64) [][]float64 {
	unmoved := b.before(m)
	f := unmoved.Features()
	out, factors := make([][]float64, len(weights)), spans(f)
	for k, before := range effective(unmoved) {
		if b.spread != nil {
			out[k] = b.spread.Halves(k, before)
		} else {
			out[k] = b.halves(before, factors, f.Intercept > 0)
		}
		for j, w := range weights[k] {
			out[k][j] += math.Abs(w - before[j])
		}
	}
	return out
}

// before returns the model before weights of states with little evidence were moved.
func (b bars) before(m *model.Model) *model.Model {
	if b.unshrunk != nil {
		return b.unshrunk
	}
	return m
}

// unmoved returns the model of a result before weights of states with little evidence were moved, or nil
// if no weights can have moved.
func unmoved(result *train.Result) *model.Model {
	if result.Unshrunk == nil {
		return nil
	}
	weights := result.UnshrunkWeights
	if weights == nil {
		weights = result.Model.Weights()
	}
	m, err := model.New(result.Model.Schema(), result.Unshrunk, result.Model.Linear().Loss, weights)
	if err != nil {
		return nil
	}
	return m
}

// halves returns half the length of the interval of each weight of one score. The argument spans has
// the factors of the features. If constant is true, the last weight is that of the constant feature.
func (b bars) halves(weights, spans []float64, constant bool) []float64 {
	out := make([]float64, len(weights))
	for j := range out {
		out[j] = math.Hypot(b.half*spans[j], b.relative*weights[j])
		if constant && j == len(out)-1 && b.constant > 0 {
			out[j] = b.half*spans[j] + b.relative*math.Abs(weights[j]) + b.constant
		}
	}
	return out
}

// descentRefusal returns the reason why a descent has no intervals, or "".
func descentRefusal(p train.Plan, o train.Options) string {
	switch {
	case p.NonPrivate:
		return ""
	case p.SamplingProbability > 0 || p.BatchSize > 0 || p.Parts > 0:
		return "each step took a random part of the records, and an interval of the noise alone would leave out the chance of these parts"
	case o.Optimizer != "" && o.Optimizer != option.OptimizerMomentum:
		return "the optimizer " + o.Optimizer + " changes the steps by what the noise did before, so the noise of a weight has no known size"
	case o.L1 > 0:
		return "the L1 penalty sets weights to 0, after which no interval is known"
	case o.Schedule != "" && o.Schedule != option.ScheduleConstant || o.WarmUp > 0:
		return "the learning rate changes over the steps, for which no bound on the noise of a weight is proven"
	case p.Clipping.ParameterRadius > 0:
		return "the weights are projected after each step, which mixes the noise of all weights"
	case p.ClassWeights != nil || p.SampleWeights != nil || prepares(p, option.LabelsStatistic):
		return "rows or levels have weights, and the intervals do not allow for them"
	case prepares(p, option.RadiusStatistic):
		return "the clipping norm is a multiple of a released radius, and the intervals do not allow for it"
	}
	return ""
}

// prepares reports whether a plan releases a statistic before the descent.
func prepares(p train.Plan, kind string) bool {
	return slices.ContainsFunc(p.Preparation, func(s train.PreparationStep) bool { return s.Kind == kind })
}

// minimizerBars returns the intervals for a method of package erm.
func (r *Run) minimizerBars(result *train.Result) bars {
	p := r.Other.Plan
	switch {
	case p.NonPrivate || result.Inference != nil: // which says more
		return bars{}
	case p.Method == option.MethodOutput:
		half, refusal := outputHalf(p.Output.Noise, p.Output.NoiseMultiplier*p.Output.Sensitivity*outputRounding, p.Dim*p.Columns)
		if refusal != "" {
			return bars{refusal: refusal}
		}
		what := "of the minimizer without noise, fitted to all records with the same ridge and the same prepared rows"
		if p.Output.Solver != nil {
			what = "at which the same descent ends without noise, on the same prepared rows"
		}
		return bars{half: half, target: []string{
			"The line on a bar is an interval. With a probability of 95 % it contains the weight " + what + ".",
			"No gradient is clipped, so clipping biases no weight. A gray bar may be noise alone.",
		}}
	case p.Method == option.MethodObjective:
		return bars{refusal: "the noise is in the objective, and how far it moves a weight depends on the curvature of the losses, which is not released"}
	}
	return bars{refusal: "no bound on the noise of a weight is known for the method " + p.Method}
}

// outputRounding is the largest factor by which the rounding of weights enlarges their noise.
const outputRounding = 1.01

// outputHalf returns half the length of an interval for one of d weights with this noise, or why
// there is none. The argument scale is the noise multiplier times the L2 sensitivity. Laplace noise
// in the norm L1 has a scale √d times as large, and exceeds x of it with probability e^-x.
func outputHalf(noise string, scale float64, d int) (half float64, refusal string) {
	switch noise {
	case option.NoiseGaussian:
		return normalReach * scale, ""
	case option.NoiseL1:
		return -math.Log(missed) * math.Sqrt(float64(d)) * scale, ""
	}
	return 0, "no interval is computed for noise of the norm " + noise
}

// spans returns a factor for each encoded feature, and 1 for the constant one. The interval of a
// feature is this factor times as long as the interval of a weight of the map's rows. The factor is
// the norm of the feature's row of the whitening.
func spans(m *feature.Map) []float64 {
	out := make([]float64, m.Dim())
	for j := range out {
		out[j] = 1
	}
	w, d := m.Whitening, m.Pipeline.Dim()
	switch {
	case w == nil:
	case w.Scales != nil:
		for j, s := range w.Scales {
			out[j] = math.Abs(s)
		}
	case w.Matrix != nil:
		copy(out, rowNorms(w.Matrix, d))
	default:
		places := rowNorms(w.Places, int(math.Sqrt(float64(len(w.Places)))))
		channels := rowNorms(w.Channels, d/len(places))
		for j := range d {
			out[j] = channels[j/len(places)] * places[j%len(places)]
		}
	}
	return out
}

// rowNorms returns the norms of the rows of a square matrix.
func rowNorms(values []float64, rows int) []float64 {
	out := make([]float64, rows)
	for i := range out {
		sum := 0.0
		for _, v := range values[i*rows : (i+1)*rows] {
			sum += v * v
		}
		out[i] = math.Sqrt(sum)
	}
	return out
}
