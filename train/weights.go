package train

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/pass"
)

// These constants bound weights that follow from a noisy histogram.
const (
	// leastWeight is the smallest weight of a level; the largest is 1.
	leastWeight = 0.01
	// countFloor is the smallest count that is trusted, in standard deviations of the noise.
	countFloor = 3
)

// checkWeights refuses a request for weights that do not apply to the target.
func (r Request) checkWeights(levels int) error {
	switch {
	case r.ClassWeights == nil && !r.Balance:
		return nil
	case levels < 2:
		return fmt.Errorf("train: weights of levels are asked for with a target that is a number, want levels")
	case r.ClassWeights != nil && r.Balance:
		return fmt.Errorf("train: weights of levels are given and asked for by their frequencies, want one of the two")
	case r.Balance:
		return nil
	case len(r.ClassWeights) != levels:
		return fmt.Errorf("train: there are %d weights of levels, want %d, one a level", len(r.ClassWeights), levels)
	}
	return checkClassWeights(r.ClassWeights)
}

// checkClassWeights refuses weights that are not positive and finite.
func checkClassWeights(weights []float64) error {
	for k, w := range weights {
		if !positive(w) {
			return fmt.Errorf("train: weight %d of the levels is %v, want a positive finite number", k, w)
		}
	}
	return nil
}

// largestOne returns the weights divided by their largest, nil for none. A gradient that is
// multiplied by a weight of at most 1 keeps its bound, so weights change no sensitivity. They are
// applied before clipping all the same.
func largestOne(weights []float64) []float64 {
	if weights == nil {
		return nil
	}
	largest := 0.0
	for _, w := range weights {
		largest = max(largest, w)
	}
	out := make([]float64, len(weights))
	for k, w := range weights {
		out[k] = w / largest
	}
	return out
}

// balance returns the weights that give each level the same total, 1 for the rarest. A weight is
// the least count over the level's count. Noisy counts are raised to at least countFloor standard
// deviations of the noise. No weight is below leastWeight. The function reads released numbers
// only.
func balance(noisy []float64, deviation float64) (weights, counts []float64) {
	floor, least := max(1, countFloor*deviation), math.Inf(1)
	counts = make([]float64, len(noisy))
	for k, v := range noisy {
		counts[k] = max(floor, v)
		least = min(least, counts[k])
	}
	weights = make([]float64, len(noisy))
	for k, v := range counts {
		weights[k] = max(leastWeight, least/v)
	}
	return weights, counts
}

// learnLabels pays for the histogram of the target's levels and sets the weights. The divisor of
// the steps is then the total weight, so that each step follows a weighted mean.
func (statistic PreparationStep) learnLabels(terms pass.Settings, t table, out *prepared) error {
	if t.data == nil {
		return fmt.Errorf("train: weights by the frequencies of levels are asked for with rows in a file, want the rows in memory")
	}
	noisy, err := statistic.countLabels(terms, t)
	if err != nil {
		return err
	}
	weights, counts := balance(noisy, statistic.NoiseMultiplier*statistic.Bound)
	out.classWeights = weights
	total, weighted := 0.0, 0.0
	for k, n := range counts {
		total, weighted = total+n, weighted+n*weights[k]
	}
	out.meanWeight = weighted / total
	return nil
}

// countLabels pays for the histogram.
func (statistic PreparationStep) countLabels(terms pass.Settings, t table) ([]float64, error) {
	records := t.data.Records()
	if t.persons != nil {
		records = len(t.persons)
	}
	return pass.SumVectors(terms, records, statistic.Numbers, statistic.Bound, func(_ int, dst []float64, listed []int) error {
		for k, i := range listed {
			statistic.addLabels(dst[k*statistic.Numbers:(k+1)*statistic.Numbers], t, i)
		}
		return nil
	})
}

// addLabels adds the levels of one record's rows to a histogram. A row without a level adds
// nothing.
func (statistic PreparationStep) addLabels(dst []float64, t table, record int) {
	rows := []int{record}
	if t.persons != nil {
		rows = t.persons[record]
	}
	for _, i := range rows {
		if v := t.data.Target()[i]; v >= 0 && int(v) < len(dst) {
			dst[int(v)]++
		}
	}
}

// weight returns the mean weight of the records. It follows from a released histogram, or for
// declared weights from equally frequent levels.
func (p prepared) weight() float64 {
	switch {
	case p.classWeights == nil:
		return 1
	case p.meanWeight > 0:
		return p.meanWeight
	}
	sum := 0.0
	for _, w := range p.classWeights {
		sum += w
	}
	return sum / float64(len(p.classWeights))
}

// applyWeights multiplies the proposals of records by the weights of their levels, before clipping.
func (p *prepared) applyWeights(c *kernel.Contributions, labels []float32) {
	if p.classWeights == nil {
		return
	}
	for i, label := range labels {
		if !(label >= 0 && int(label) < len(p.classWeights)) { // NaN: the record proposes zero
			continue
		}
		w := p.classWeights[int(label)]
		residual := c.Coefficients[i*c.Columns : (i+1)*c.Columns]
		for k := range residual {
			residual[k] *= w
		}
	}
}
