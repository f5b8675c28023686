// Package shadow shows what clipping and noise did to the weights of a gradient descent, from released
// numbers only. It repeats a descent on made rows. No guarantee depends on it.
package shadow

import (
	"cmp"
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

const (
	// madeRows is the number of made rows, and mostScores the largest number of scores.
	madeRows, mostScores = 400, 10
	// rounds is the number of rounds in which the true weights are sought, and turnings the number of times that
	// the turns are.
	rounds, turnings = 6, 2
	// doubt is the standard deviation of what clipping did to a weight, as a share of its estimate.
	doubt = 0.75
	// shortTime is the largest total time of a descent on rows that are not whitened. Longer ones depend too
	// much on the assumed moment.
	shortTime = 2500
	// longest bounds the work of a shadow. A unit is about a nanosecond.
	longest = 5e8
	// missed is the probability that an interval misses, and reach the quantile that goes with it.
	missed, reach = 0.05, 1.959963984540054
)

// Spread says where the weights without noise and without clipping are.
type Spread struct {
	Directions
	// Clipped and Free are estimates of the weights of each score along the directions, with and without
	// clipping. Shift is what is added to the weights of the constant without clipping.
	Clipped, Free [][]float64
	Shift         []float64
	variances     [][]float64 // of Free
	constants     []float64   // weights of the constant with clipping
	bound         float64     // on the standard deviation of the noise in a weight
}

// descent repeats a descent on made rows whose targets follow the released model.
//
// Let the prepared rows have norm 1, a constant a, and moments m_i along the directions i. The sum of the
// moments is 1 - a². Then the scores W·x of a row have about the covariance W·M·Wᵀ. For normal rows, by Stein's lemma,
// the mean gradient E[r·xᵀ] is a combination of the weights and of the true weights. So a descent from 0
// stays in the few directions in which scores vary, and the made rows need no others.
type descent struct {
	loss                         model.Loss
	columns                      int // number of scores
	rate, momentum, ridge, clips float64
	steps, first                 int         // the iterates after the steps from first on are averaged
	noise                        []float64   // of each step: standard deviation in a number of the mean gradient
	rows                         [][]float64 // coordinates in the directions of the scores, then the constant
	width                        int
	bent                         float64 // mean second derivative of the loss, if no rows are made
	Directions
}

// Of returns where the weights of a run without noise and without clipping are. It returns nil if that is
// not known.
func Of(p train.Plan, o train.Options, result *train.Result) *Spread {
	f, weights := result.Unshrunk, result.Uncorrected
	if f == nil {
		f = result.Model.Features()
	}
	if weights == nil {
		weights = result.UnshrunkWeights
	}
	if weights == nil {
		weights = result.Model.Weights()
	}
	if s := newDescent(p, o, result, f); s != nil {
		return s.spread(weights, result.WeightNoise, cmp.Or(result.Stretch, 1))
	}
	return nil
}

// newDescent returns the shadow of a run, or nil if it has none.
func newDescent(p train.Plan, o train.Options, result *train.Result, f *feature.Map) *descent {
	loss := result.Model.Linear().Loss
	along, known := directionsOf(f, covarianceNoise(p, result.Divisor))
	tooFar := f.Whitening == nil && result.LearningRate*float64(p.Steps)/(1-o.Momentum) > shortTime
	if !known || tooFar || !shown(loss, result) || p.Person != nil || p.LastIterate != nil || p.Clipping.Mode != option.ClipGradient || p.Columns > mostScores {
		return nil
	}
	s := &descent{loss: loss, columns: p.Columns, rate: result.LearningRate, momentum: o.Momentum, ridge: o.Ridge, clips: p.Clipping.Bound, Directions: along}
	s.steps, s.first = p.Steps, p.Steps-1
	switch result.Output {
	case option.OutputTailAverage:
		s.first = int(float64(p.Steps) * 0.6)
	case option.OutputLast:
	default:
		return nil
	}
	if s.work() > longest {
		return nil
	}
	for t := range p.Steps {
		z := p.NoiseMultiplier
		if len(p.NoiseMultipliers) > 0 {
			z = p.NoiseMultipliers[t]
		}
		s.noise = append(s.noise, z*p.Clipping.Bound/result.Divisor)
	}
	switch loss.Name() {
	case model.Squared.Name():
		s.bent = 1
	case model.Huber(0).Name():
		s.bent = s.bentAlong(result.Path)
	}
	return s
}

// work returns about how many nanoseconds a shadow takes, from public and released numbers alone. Its factors were
// measured.
func (s *descent) work() float64 {
	steps, scores, directions := float64(s.steps), float64(s.columns), float64(len(s.Moments))
	product := 300 + 12*scores*scores // two products of matrices
	out := noiseLevels * steps * product
	switch {
	case s.loss.Name() == model.Huber(0).Name():
		out += steps * directions * (directions + 100)
	case s.loss.Name() != model.Squared.Name():
		out += steps * product * (noiseLevels + 2*turnings*float64(s.distinct()))
		out += s.predictions() * (30 + 20*scores + scores*scores)
	}
	return out
}

// predictions returns how many predictions for made rows a shadow makes, without the targets.
func (s *descent) predictions() float64 {
	return turnings * (rounds + 2) * madeRows * float64(s.steps)
}

// distinct returns the number of different moments that directions are taken to have.
func (s *descent) distinct() int {
	seen, weakest := make(map[float64]bool, len(s.Moments)), s.weakest()
	for _, m := range s.Moments {
		seen[max(m, weakest)] = true
	}
	return len(seen)
}

// shown reports whether a loss has a shadow.
func shown(l model.Loss, result *train.Result) bool {
	return ofLevels(l) || l.Name() == model.Squared.Name() || l.Name() == model.Poisson().Name() || l.Name() == model.Huber(0).Name() && result.Path != nil
}

// ofLevels reports whether a loss is the negative log-likelihood of a level.
func ofLevels(l model.Loss) bool {
	return l.Name() == model.Logistic.Name() || l.Name() == model.Softmax.Name()
}

// covarianceNoise returns the noise in a number of the diagonal of the covariance that a plan releases.
func covarianceNoise(p train.Plan, divisor float64) float64 {
	for _, s := range p.Preparation {
		if s.Kind == option.CovarianceStatistic {
			return s.NoiseMultiplier * s.Bound / divisor
		}
	}
	return 0
}

// spread returns where the weights of a run are. The bound is that of the noise in a weight. The weights
// were multiplied by the factor stretch afterwards.
func (s *descent) spread(weights []float64, bound, stretch float64) *Spread {
	k := s.columns
	out := &Spread{Directions: s.Directions, Shift: make([]float64, k), bound: bound}
	turns := make([]dense.Matrix, len(s.Moments)) // from weights with clipping to those without it
	for i := range turns {
		turns[i] = identity(k)
	}
	levels := ladder{[]float64{0}, []dense.Matrix{identity(k)}}
	for j := range levels.noise[0].Data {
		levels.noise[0].Data[j] *= bound * bound
	}
	if bends := s.straight(); bends != nil {
		levels = s.levels(bends)
	} else {
		weakest := s.weakest()
		for range turnings { // the second time the noise is known
			target, known := s.cast(weights, levels)
			if !known {
				return nil
			}
			clipped, free := s.pair(target)
			of := make(map[float64]dense.Matrix) // moments
			for i, m := range s.Moments {
				m = max(m, weakest)
				if _, done := of[m]; !done {
					of[m] = turnOf(s.grown(clipped.bends, m), s.grown(free.bends, m))
				}
				turns[i] = of[m]
			}
			for i := range k {
				at := (i+1)*s.width - 1
				out.Shift[i] = free.weights[at] - clipped.weights[at]
			}
			levels = s.levels(clipped.bends)
		}
	}
	out.fill(weights, turns, levels, stretch)
	return out
}

// path is the end of a descent on made rows, with the bends on its way.
type path struct {
	weights []float64
	bends   []bend
}

// pair returns the descents with and without clipping, from the true weights with which the first one ends
// at the target.
func (s *descent) pair(target []float64) (clipped, free path) {
	truth := slices.Clone(target)
	for range rounds {
		end, _ := s.descend(truth, s.clips, false)
		for j := range truth {
			truth[j] += target[j] - end[j]
		}
	}
	clipped.weights, clipped.bends = s.descend(truth, s.clips, true)
	free.weights, free.bends = s.descend(truth, math.Inf(1), true)
	return clipped, free
}

// fill computes the estimates. Along a direction whose moment is known, the estimate is the turned weight.
// Along others it is the weight as it is shown, and what the turn would change is a standard deviation. The
// mean of a row in a hidden direction also takes part in a shift of the constant. The square of the mean is
// at most the moment.
func (s *Spread) fill(weights []float64, turns []dense.Matrix, l ladder, stretch float64) {
	k := len(s.Shift)
	stride, d, leak := len(weights)/k, len(s.Moments), 0.0
	if s.Constant > 0 && !s.assumed {
		leak = s.weakest() / (s.Constant * s.Constant)
	}
	for j := range k {
		if s.Constant > 0 {
			s.constants = append(s.constants, weights[j*stride+d])
		}
		s.Clipped = append(s.Clipped, dense.Apply(s.Vectors, weights[j*stride:j*stride+d]))
		s.Free, s.variances = append(s.Free, make([]float64, d)), append(s.variances, make([]float64, d))
	}
	for i, m := range s.Moments {
		noise := l.at(m)
		if s.Hidden[i] {
			noise = l.noise[0]
		}
		crossed := dense.Product(turns[i], noise)
		turned := dense.Product(crossed, transposed(turns[i]))
		values := make([]float64, k)
		for j := range k {
			for c := range k {
				values[j] += turns[i].Data[j*k+c] * s.Clipped[c][i]
			}
		}
		for j, value := range values {
			at := j*k + j
			s.Free[j][i], s.variances[j][i] = value, turned.Data[at]
			if !s.Hidden[i] {
				continue
			}
			// change is the square of what the turn changes of a multiple of the weight, less what it changes of noise
			change := func(factor float64) float64 {
				return math.Pow(value-factor*s.Clipped[j][i], 2) - (turned.Data[at] - 2*factor*crossed.Data[at] + factor*factor*noise.Data[at])
			}
			s.Free[j][i] = stretch * s.Clipped[j][i]
			s.variances[j][i] = stretch*stretch*noise.Data[at] + max(0, change(stretch), doubt*doubt*change(1)) + leak*s.Shift[j]*s.Shift[j]
		}
	}
}

// Half returns half the length of the interval around the shown weight of a combination of features for a
// score.
func (s *Spread) Half(score int, features []int, x []float64, shown float64) float64 {
	value, variance, turned := 0.0, 0.0, 0.0
	for i, p := range s.factors {
		along := 0.0
		for k, j := range features {
			along += x[k] * s.Vectors.Data[i*len(s.factors)+j]
		}
		along *= p
		value += along * s.Free[score][i]
		variance += along * along * s.variances[score][i]
		if !s.Hidden[i] {
			turned += along * (s.Free[score][i] - s.Clipped[score][i])
		}
	}
	return half(shown-value, math.Sqrt(variance+doubt*doubt*turned*turned))
}

// Halves returns half the lengths of the intervals around the shown weights of all features and of the
// constant for a score.
func (s *Spread) Halves(score int, shown []float64) []float64 {
	out, unit := make([]float64, len(shown)), []float64{1}
	for j, w := range shown {
		if j < len(s.factors) {
			out[j] = s.Half(score, []int{j}, unit, w)
			continue
		}
		shift := s.Shift[score]
		out[j] = half(w-s.constants[score]-shift, math.Hypot(s.bound, doubt*shift))
	}
	return out
}

// half returns half the length of the interval around a shown weight. Let its target be normal with this
// standard deviation, around an estimate at this distance. The result is the quantile of the target's
// distance from the weight.
func half(distance, deviation float64) float64 {
	distance = math.Abs(distance)
	low, high := 0.0, distance+reach*deviation
	for range 60 {
		middle := (low + high) / 2
		inside := (math.Erf((middle-distance)/deviation/math.Sqrt2) + math.Erf((middle+distance)/deviation/math.Sqrt2)) / 2
		if inside < 1-missed {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
