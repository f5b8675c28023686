package training

import (
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
)

// bars are intervals of the weights of a linear model around the released weights. They follow from
// the plan, the learning rate and the divisor, which are public or released. So they cost nothing.
type bars struct {
	// half is half the length of the interval of a weight of the map's rows. It is 0 if there are no
	// intervals.
	half float64
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
//
// Let e be the difference of the weights with and without noise, and n the noise of a step. To first
// order the steps of heavy-ball descent with rate η, momentum β and curvature H are v ← βv + He + n,
// e ← e - ηv. In a direction of curvature h, the noise of one step moves e, after j further steps,
// by -η·k_j(h) with
//
//	k_j(h) = Σ_{i=0}^{j} r^i·s^{j-i}, where r·s = β and r + s = 1 + β - ηh.
//
// For 0 ≤ ηh ≤ 2(1+β) the magnitudes of r and s are at most 1, and their product is β. So |k_j(h)|
// ≤ k_j(0), since a sum of x^i·(β/x)^{j-i} over i grows with |ln(x²/β)|. For the same reason k_j
// falls as h grows, until both roots are equal. So the covariance of e, or of an average of iterates,
// is at most that of the least curvature, which is the ridge. It is a multiple of the identity.
func descentBars(p train.Plan, o train.Options, result *train.Result) bars {
	if reason := descentRefusal(p, o); reason != "" || p.NonPrivate {
		return bars{refusal: reason}
	}
	deviation := noiseOfWeights(p, o, result)
	if !(deviation > 0) || math.IsInf(deviation, 1) {
		return bars{refusal: "the learning rate leaves no bound on the noise of a weight"}
	}
	return bars{half: normalReach * deviation, target: []string{
		"The line on a bar is an interval. With a probability of at least 95 % it contains the weight that the same steps would have given without noise, on the same prepared rows.",
		"Clipping and the number of steps shape a weight too. They would do so without noise, so the intervals say nothing about that. A gray bar may be noise alone.",
	}}
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
	case p.Calibration != nil:
		return "the weights were stretched after the descent to correct probabilities, by a factor that is not kept"
	}
	return ""
}

// prepares reports whether a plan releases a statistic before the descent.
func prepares(p train.Plan, kind string) bool {
	return slices.ContainsFunc(p.Preparation, func(s train.PreparationStep) bool { return s.Kind == kind })
}

// noiseOfWeights returns a bound on the standard deviation of the noise in a released weight.
func noiseOfWeights(p train.Plan, o train.Options, result *train.Result) float64 {
	steps, rate, momentum := p.Steps, result.LearningRate, o.Momentum
	if l := p.LastIterate; l != nil {
		momentum, o.Ridge = 0, l.Ridge
	}
	equal := 1 - math.Sqrt(momentum) // the roots are equal at this curvature's square root
	least := min(o.Ridge, equal*equal/rate)
	moves, velocity, place := make([]float64, steps+1), 0.0, 0.0 // moves[j] is the sum of k_0 … k_(j-1)
	for j := range steps {
		velocity = momentum*velocity + least*place
		if j == 0 {
			velocity = 1
		}
		place -= rate * velocity
		moves[j+1] = moves[j] + math.Abs(place)
	}
	first, end, count := averaged(result.Output, steps)
	variance := 0.0
	for s := range end { // the noise of step s moves the iterates after the steps s, s+1, …
		sum := (moves[end-s] - moves[max(0, first-s)]) / count
		z := p.NoiseMultiplier
		if len(p.NoiseMultipliers) > 0 {
			z = p.NoiseMultipliers[s]
		}
		variance += sum * sum * z * z
	}
	return math.Sqrt(variance) * p.Clipping.Bound / result.Divisor
}

// averaged returns which iterates the weights of an output rule average: those after the steps from
// first until before end, as a sum divided by count.
func averaged(rule string, steps int) (first, end int, count float64) {
	switch rule {
	case option.OutputTailAverage:
		first = steps - int(math.Ceil(tailShare*float64(steps)-1e-9))
	case option.OutputUniformAverage: // it has the start and lacks the end
		return 0, steps - 1, float64(steps)
	default:
		first = steps - 1
	}
	return first, steps, float64(steps - first)
}

// tailShare is the share of the last iterates that a tail average averages.
const tailShare = 0.4

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
