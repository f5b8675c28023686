package train

import (
	"math"

	"github.com/ditherml/dither/internal/option"
)

// weightNoise returns a bound on the standard deviation of the noise in a released weight, or 0 where
// none is proven.
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
func (p Plan) weightNoise(o Options, result *Result) float64 {
	if p.NonPrivate || p.SamplingProbability > 0 || p.BatchSize > 0 || p.Parts > 0 || o.Optimizer != "" && o.Optimizer != option.OptimizerMomentum || o.L1 > 0 ||
		o.Schedule != "" && o.Schedule != option.ScheduleConstant || o.WarmUp > 0 || p.Clipping.ParameterRadius > 0 {
		return 0
	}
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
		first = steps - int(math.Ceil(tailAverageShare*float64(steps)-1e-9))
	case option.OutputUniformAverage: // it has the start and lacks the end
		return 0, steps - 1, float64(steps)
	default:
		first = steps - 1
	}
	return first, steps, float64(steps - first)
}
