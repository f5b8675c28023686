package train

import (
	"math"
	"sync"

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
	sum, err := pass.Sum(terms, t.rows, t.rows.Len(), statistic.Bound)
	if err == nil {
		out.learned(statistic, sum)
	}
	return err
}

// floor is the least frequency that a feature is taken to have.
func (m moment) floor() float64 {
	largest := 0.0
	for _, v := range m.mean {
		largest = max(largest, math.Abs(v))
	}
	return max(frequencyFloor*m.noise, leastFrequency*largest, math.SmallestNonzeroFloat64)
}

// scales returns the scales of features by their frequencies. The second moment of an indicator is its mean
// times its value, so each feature is divided by the square root of its mean. The largest scale is 1.
func (m moment) scales() []float64 {
	rarest, floor := math.Inf(1), m.floor()
	for _, v := range m.mean {
		rarest = min(rarest, math.Abs(v)+floor)
	}
	scales := make([]float64, len(m.mean))
	for j, v := range m.mean {
		scales[j] = math.Sqrt(rarest / (math.Abs(v) + floor))
	}
	return scales
}

// scaledFeatures reports whether rows are written again as sparse rows of scaled features.
func scaledFeatures(m *feature.Map) bool {
	entries, _ := m.Entries()
	return entries != nil && m.Whitening.Scales != nil && m.Center == nil && m.Norm == feature.NormUnit
}

// scaled returns sparse rows of scaled features. The scale of a whole row does not matter, because a
// frame scales it to norm 1.
func (t table) scaled(m *feature.Map) (*release.Rows, error) {
	if t.file != nil {
		return t.file.scale(t.rows, m)
	}
	block, err := t.rows.Load(t.rows.First(), t.rows.Len(), release.Block{})
	if err != nil {
		return nil, err
	}
	return t.file.scaledRows(block, t.rows.Step(), m)
}

// scaledRows returns the rows of a block with scaled features. The width of the block's grid is step. A
// nil f is for rows in memory.
func (f *rowsFile) scaledRows(b release.Block, step float64, m *feature.Map) (*release.Rows, error) {
	dim, scales := m.Pipeline.Dim(), m.Whitening.Scales
	bound, _ := m.Bound()
	rooms := sync.Pool{New: func() any { return newPacked(dim) }}
	o := release.RowsOptions{Dim: dim, Type: release.Sparse, Step: bound / math.MaxInt16, Frame: frame(m), Labels: append([]float32{}, b.Labels()...)}
	return release.NewSparseRows(b.Len(), o, func(i int, index []uint32, x []float64) ([]uint32, []float64) {
		p := rooms.Get().(*packed)
		b.CopyRow(p.row, i)
		for k, word := range p.words {
			if word == 0 {
				continue
			}
			for j := 4 * k; j < min(4*k+4, dim); j++ {
				if v := p.row[j]; v != 0 {
					index, x = append(index, uint32(j)), append(x, float64(v)*step*scales[j])
				}
			}
		}
		rooms.Put(p)
		return index, x
	})
}

// cells reports whether every feature is an indicator of a cell of columns, as the transform
// interactions makes them.
func cells(c *feature.Pipeline) bool {
	specs := c.Specs()
	return len(specs) == 1 && specs[0].Name == "interactions" && !hasTexts(c)
}
