package train

import (
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/mechanism"
)

const (
	// sparseColumns: rows with fewer than one feature in so many that is not 0 are kept sparse, and
	// one in so many more where all are 0 or 1.
	sparseColumns, sparseBits = 8, 32
)

// encode puts the encoded records on the grid, normalized as the plan says: what the mean is taken of,
// and, seen from another frame, what descent works on unless rows are whitened. Places beyond the
// records hold zeros.
func (s Setup) encode(d *data.Dataset, places, featureBits int) (*mechanism.Rows, error) {
	e := s.Features.Encoder
	o := mechanism.RowsOptions{Dim: e.Dim(), Type: rowType(e, d, featureBits), Frame: frame(before(s.Features))}
	o.Step = 1 / float64(o.Type.Largest())
	values := func() []float32 { return make([]float32, e.Columns()) }
	if o.Type == mechanism.Sparse {
		return mechanism.NewSparseRows(places, o, func(i int, index []uint32, x []float64) ([]uint32, []float64) {
			if i >= d.Records() {
				return index, x
			}
			return e.Entries(d.Row(values(), i), index, x)
		})
	}
	return mechanism.NewRows(places, o, func(dst []float64, first, n int) {
		there, row := max(0, min(n, d.Records()-first)), values()
		clear(dst[there*e.Dim():])
		for r := range there {
			e.Encode(dst[r*e.Dim():(r+1)*e.Dim()], d.Row(row, first+r))
		}
	})
}

// rowType is the narrowest type for what the schema declares.
func rowType(e *feature.Encoder, d *data.Dataset, featureBits int) mechanism.RowType {
	switch {
	case e.Indicators() && e.Dim() < sparseBits*e.Columns():
		return mechanism.Bit
	case e.Dim() >= sparseColumns*e.Columns():
		return mechanism.Sparse
	case featureBits == 8:
		return mechanism.Uint8
	}
	return mechanism.Int16
}

// frame is where a map without whitening sees encoded rows from.
func frame(m *feature.Map) mechanism.Frame {
	way := map[feature.Normalization]mechanism.Normalize{feature.NormNone: mechanism.NormalizeNone, feature.NormClip: mechanism.NormalizeClip, feature.NormUnit: mechanism.NormalizeUnit}
	return mechanism.Frame{Normalize: way[m.Norm], Radius: m.Radius, Center: m.Center, Intercept: m.Intercept}
}

// descend returns the rows that descent works on.
func (s Setup) descend(encoded *mechanism.Rows, ready prepared, d *data.Dataset, places int) (*mechanism.Rows, error) {
	m := ready.features
	if m.Whitening == nil {
		return encoded.Seen(frame(m))
	}
	return mechanism.NewRows(places, mechanism.RowsOptions{Dim: s.Plan.Dim, Step: gridStep(m.CoordinateBound())}, mapRows(m, d))
}

// checkFeatureBits refuses a width that no row type has.
func checkFeatureBits(bits int) error {
	if bits != 0 && bits != 8 && bits != 16 {
		return fmt.Errorf("train: feature bits is %d, want 8 or 16", bits)
	}
	return nil
}
