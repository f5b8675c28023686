package train

import (
	"math"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
)

// frequencyFloor is the least frequency that a feature is taken to have, in standard deviations of
// the noise. A feature that noise hides is scaled as one of this frequency.
const frequencyFloor = 3

// leastFrequency is the least frequency that a feature is taken to have, relative to the largest.
// Without noise it keeps the scales far above the steps of the grid of rows.
const leastFrequency = 0x1p-14

// learnFrequencies pays for the mean of rows that are not centered.
func (statistic PreparationStep) learnFrequencies(terms pass.Settings, t *table, out *prepared) error {
	if t.inFile {
		return errWhitening
	}
	sum, err := pass.Sum(terms, t.rows, t.rows.Len(), statistic.Bound)
	if err == nil {
		out.learned(statistic, sum)
	}
	return err
}

// scales returns the whitening by frequencies. The second moment of an indicator is its mean times
// its value, so each feature is divided by the square root of its mean. The largest scale is 1.
func (m moment) scales() *feature.Whitening {
	rarest, largest := math.Inf(1), 0.0
	for _, v := range m.mean {
		largest = max(largest, math.Abs(v))
	}
	floor := max(frequencyFloor*m.noise, leastFrequency*largest, math.SmallestNonzeroFloat64)
	for _, v := range m.mean {
		rarest = min(rarest, math.Abs(v)+floor)
	}
	scales := make([]float64, len(m.mean))
	for j, v := range m.mean {
		scales[j] = math.Sqrt(rarest / (math.Abs(v) + floor))
	}
	return &feature.Whitening{Scales: scales}
}

// scaledFeatures reports whether rows can stay sparse while their features are scaled.
func (t table) scaledFeatures(m *feature.Map) bool {
	entries, _ := m.Entries()
	return entries != nil && t.data != nil && m.Whitening.Scales != nil && m.Center == nil && m.Norm == feature.NormUnit
}

// scaled returns sparse rows of scaled features. The scale of a whole row does not matter, because a
// frame scales it to norm 1.
func (s Setup) scaled(t table, m *feature.Map) (*release.Rows, error) {
	bound, _ := m.Bound()
	entries, scales := entriesOf(m.Pipeline, t.data), m.Whitening.Scales
	o := release.RowsOptions{Dim: m.Pipeline.Dim(), Type: release.Sparse, Step: bound / math.MaxInt16, Frame: frame(m), Labels: t.targets()}
	return release.NewSparseRows(t.rows.Len(), o, func(i int, index []uint32, x []float64) ([]uint32, []float64) {
		if i >= t.records {
			return index, x
		}
		first := len(index)
		index, x = entries(i, index, x)
		for k := first; k < len(index); k++ {
			x[k] *= scales[index[k]]
		}
		return index, x
	})
}

// cells reports whether every feature is an indicator of a cell of columns, as the transform
// interactions makes them.
func cells(c *feature.Pipeline) bool {
	specs := c.Specs()
	return len(specs) == 1 && specs[0].Name == "interactions" && !hasTexts(c)
}
