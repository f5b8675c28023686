package train

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/release"
)

const (
	// Rows are kept sparse if fewer than one feature in sparseColumns is not 0. If all features are
	// 0 or 1, sparseBits takes its place.
	sparseColumns, sparseBits = 8, 32
)

// table is the encoded records. The mean is taken of them. Unless rows are whitened, descent works
// on them under another frame.
type table struct {
	rows    *release.Rows
	records int           // without the places that hold no record
	data    *data.Dataset // nil if the rows are or were in a file
	file    *rowsFile     // nil: the rows are in memory
	persons [][]int       // the rows of each person, if a record is a person
	// centered are the rows of a second moment with their limit, or nil.
	centered      *release.Rows
	centeredLimit int64
}

// encode puts the records of a data set on the grid, normalized by the rule of the plan. Places
// beyond the records hold zeros.
func (s Setup) encode(d *data.Dataset, featureBits int) (table, error) {
	places, err := s.slots(d.Records())
	if err != nil {
		return table{}, err
	}
	var persons [][]int
	if s.Plan.Person != nil {
		if persons, err = s.Plan.Person.persons(d); err != nil {
			return table{}, err
		}
	}
	rows, err := s.encodeRows(d, places, s.rowType(d, featureBits))
	return table{rows: rows, records: d.Records(), data: d, persons: persons}, err
}

// encodeRows puts the features of a data set on the grid of a type.
func (s Setup) encodeRows(d *data.Dataset, places int, kind release.RowType) (*release.Rows, error) {
	c := s.Features.Pipeline
	bound, _ := c.Bound()
	step := bound / float64(kind.Largest())
	if cells(c) {
		step = gridStep(bound) // the indicators of cells are then multiples of it
	}
	o := release.RowsOptions{Dim: c.Dim(), Type: kind, Step: step, Frame: frame(before(s.Features)), Labels: labels(s.Schema.Target, d, places)}
	if o.Type == release.Sparse {
		entries := entriesOf(c, d)
		return release.NewSparseRows(places, o, func(i int, index []uint32, x []float64) ([]uint32, []float64) {
			if i >= d.Records() {
				return index, x
			}
			return entries(i, index, x)
		})
	}
	scratches := sync.Pool{New: func() any { return c.NewScratch() }}
	return release.NewRows(places, o, func(dst []float64, first, n int) {
		there, row, scratch := max(0, min(n, d.Records()-first)), make([]float32, c.Encoder().Values()), scratches.Get().(*feature.PipelineScratch)
		clear(dst[there*c.Dim():])
		c.FeaturesOf(dst[:there*c.Dim()], there, scratch, func(r int) []float32 { return d.Row(row, first+r) })
		scratches.Put(scratch)
	})
}

// entriesOf returns a function that appends the features of a record that are not 0.
func entriesOf(c *feature.Pipeline, d *data.Dataset) func(i int, index []uint32, x []float64) ([]uint32, []float64) {
	e := c.Encoder()
	if of, _ := c.Entries(); of != nil {
		return func(i int, index []uint32, x []float64) ([]uint32, []float64) {
			return of(d.Row(make([]float32, e.Values()), i), index, x)
		}
	}
	if !d.Sparse() {
		return func(i int, index []uint32, x []float64) ([]uint32, []float64) {
			return e.Entries(d.Row(make([]float32, e.Values()), i), index, x)
		}
	}
	sparse := e.Sparse(d.Absent())
	return func(i int, index []uint32, x []float64) ([]uint32, []float64) {
		columns, values := d.Cells(i)
		return sparse.Entries(columns, values, index, x)
	}
}

// labels returns class indices, or targets scaled to [-1, 1]. Places without a record have NaN,
// which proposes zero.
func labels(t data.Target, d *data.Dataset, places int) []float32 {
	out := slices.Repeat([]float32{float32(math.NaN())}, places)
	for i, v := range d.Target() {
		out[i] = v
		if t.Regression() {
			out[i] = float32(encoder.ScaleTarget(t, float64(v)))
		}
	}
	return out
}

// targets returns the labels of rows. An error is noted.
func (t table) targets() []float32 {
	block, err := t.rows.Load(t.rows.First(), t.rows.Len(), release.Block{})
	if err != nil {
		t.file.note(err)
		return nil
	}
	return block.Labels()
}

// rowType returns the narrowest type for the declared schema and the format of the table. It does
// not depend on the records.
func (s Setup) rowType(d *data.Dataset, featureBits int) release.RowType {
	e := s.Features.Encoder()
	entries, most := s.Features.Entries()
	switch {
	case entries != nil && s.Features.Pipeline.Dim() >= sparseColumns*most:
		return release.Sparse
	case s.Features.Transforms() || e.Tokens() > 0:
		return release.Int16
	case d.Sparse() && sparseColumns*e.Sparse(d.Absent()).Defaults() <= e.Dim():
		return release.Sparse
	case e.Indicators() && e.Dim() < sparseBits*e.Columns():
		return release.Bit
	case e.Dim() >= sparseColumns*e.Columns():
		return release.Sparse
	case featureBits == 8:
		return release.Uint8
	}
	return release.Int16
}

// frame returns the frame under which a map sees encoded rows, without the map's whitening.
func frame(m *feature.Map) release.Standardization {
	way := map[feature.Normalization]release.Normalize{feature.NormNone: release.NormalizeNone, feature.NormClip: release.NormalizeClip, feature.NormUnit: release.NormalizeUnit}
	return release.Standardization{Normalize: way[m.Norm], Radius: m.Radius, Center: m.Center, Intercept: m.Intercept}
}

// descend returns the rows that descent works on.
func (s Setup) descend(t table, ready prepared) (*release.Rows, error) {
	m := ready.features
	if m.Whitening == nil || ready.framed && ready.whole != nil {
		f := frame(m)
		f.Whitening = ready.whole
		return t.rows.Standardized(f)
	}
	if scaledFeatures(m) {
		return t.scaled(m)
	}
	places := t.rows.Len()
	o := release.RowsOptions{Dim: s.Plan.Dim, Step: gridStep(m.CoordinateBound()), Labels: t.targets()}
	if err := t.file.error(); err != nil {
		return nil, err
	}
	if ready.whole != nil {
		return release.NewWholeRows(places, o, ready.whitening(o))
	}
	rows, err := release.NewRows(places, o, t.mapped(m))
	return rows, errors.Join(err, t.file.error())
}

// checkFeatureBits refuses a width that no type of rows has.
func checkFeatureBits(bits int) error {
	if bits != 0 && bits != 8 && bits != 16 {
		return fmt.Errorf("train: feature bits is %d, want 8 or 16", bits)
	}
	return nil
}
