package training

import (
	"math"
	"runtime"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/train"
)

// These are costs measured on one core at about 3.6 GHz, in nanoseconds. featureCost and stepCost
// are for a feature of a step, forward and backward: once, and for each weight vector.
// sparseStepCost takes their place for features with few entries. covarianceCost is a multiply-add
// of covariance and whitening, noiseCost a draw of noise, and cellCost a cell to read.
const (
	featureCost     = 0.1
	stepCost        = 0.08
	sparseStepCost  = 0.7
	integerStepCost = 2.5 // of the last iterate alone, in integers
	covarianceCost  = 0.3
	noiseCost       = 5
	cellCost        = 25
)

// transformCosts are the same for a feature that a transform makes, by the transform's name.
var transformCosts = map[string]float64{"scattering": 140, "fourier": 200, "encoder": 200}

// textEntries is the assumed number of nonzero buckets of a text. Reading such a text takes as long
// as textCells cells of numbers.
const textEntries, textCells = 400, 4000

// manyFeatures is the number of features from which a table is likely to be sparse.
const manyFeatures = 1000

// estimate returns a guess of seconds and bytes from public numbers and the number of processors.
func estimate(s train.Setup) (seconds float64, memory int64) {
	parallel, serial, memory := costs(s)
	return parallel/float64(runtime.GOMAXPROCS(0)) + serial, memory
}

// costs returns guesses of the seconds of work that all processors share, the seconds of other
// work, and bytes.
func costs(s train.Setup) (parallel, serial float64, memory int64) {
	p := s.Plan
	records, steps := float64(p.MaxRecords), float64(p.Steps)
	if p.Records > 0 {
		records = float64(p.Records)
	}
	steps *= p.Share()
	dim, columns := float64(p.Dim), float64(len(s.Schema.Features())+1)
	bytes := 2*dim + 4*columns + 16
	if s.Schema.HasText() && !s.Features.Transforms() {
		dim = columns * textEntries
		bytes, columns = 14*dim, columns*textCells // as cells of the table and as features
	}
	of, most := s.Features.Entries()
	if of != nil { // rows of cells, before they are scaled and after
		dim = min(dim, float64(most))
		bytes = 2*6*dim + 4*columns + 16
	}
	perFeature := featureCost + stepCost*float64(p.Columns)
	switch {
	case p.LastIterate != nil:
		perFeature = integerStepCost * float64(p.Columns)
	case s.Schema.HasText() || of != nil:
		perFeature = sparseStepCost * float64(p.Columns)
	}
	work := perFeature * records * dim * steps
	for _, spec := range s.Features.Specs() {
		work += transformCosts[spec.Name] * records * dim
	}
	matrices := 0.0
	for _, statistic := range p.Preparation {
		switch statistic.Kind {
		case option.CovarianceStatistic, option.ChannelStatistic, option.PlaceStatistic:
			side := math.Sqrt(float64(statistic.Numbers))
			work += covarianceCost * records * dim * side
			matrices += 8 * 8 * side * side
		}
	}
	serial = noiseCost*float64(p.NoiseDraws()) + cellCost*records*columns
	// The garbage collector lets the heap grow to about twice the memory in use.
	return work / 1e9, serial / 1e9, int64(2*(records*bytes+matrices)) + 32<<20
}
