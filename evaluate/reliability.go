package evaluate

import (
	"cmp"
	"math"
	"slices"
)

// reliabilityBins is the number of bins of equal width of an exact calibration error.
const reliabilityBins = 15

// byScore returns the records in the order of falling probabilities of level 1.
func (s *scores) byScore() []int {
	order := make([]int, len(s.labels))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(s.second(b), s.second(a)) })
	return order
}

// reliability returns the bins that have records, and the expected calibration error over them. The
// intervals of the rates allow for the sampling of the records. The argument order is byScore, so
// that the order of the records changes no bit of the sums.
func (s *scores) reliability(order []int) (bins []Bin, calibrationError Measure) {
	var of [reliabilityBins]struct{ records, ones, sum float64 }
	for _, i := range order {
		p := max(0, min(1, s.second(i)))
		b := &of[max(0, min(reliabilityBins-1, int(math.Ceil(p*reliabilityBins))-1))]
		b.records++
		b.ones += float64(s.labels[i])
		b.sum += p
	}
	wrong := 0.0
	for k, b := range of {
		if b.records == 0 {
			continue
		}
		wrong += math.Abs(b.ones - b.sum)
		bins = append(bins, Bin{Low: float64(k) / reliabilityBins, High: float64(k+1) / reliabilityBins, Prediction: Measure(b.sum / b.records),
			Records: around(b.records, 0, 0, b.records), Rate: spread{}.shares(rate(b.ones, b.records-b.ones, 0, 0, nil))})
	}
	return bins, Measure(wrong / float64(len(s.labels)))
}

// averagePrecision returns the mean of the precision over the records of level 1. Records of one
// score count together. It is undefined if a level is absent. The argument order is byScore.
func (s *scores) averagePrecision(order []int) Measure {
	sum, ones, before := 0.0, 0, 0
	for k, i := range order {
		ones += s.labels[i]
		if k+1 == len(order) || s.second(order[k+1]) != s.second(i) {
			sum += float64(ones-before) * float64(ones) / float64(k+1)
			before = ones
		}
	}
	if ones == 0 || ones == len(order) {
		return noMeasure()
	}
	return Measure(sum / float64(ones))
}
