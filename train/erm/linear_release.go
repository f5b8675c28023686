package erm

import (
	"math"
	"sync"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
)

// records is a reader of the mapped rows and targets of a run. Several goroutines may read at the
// same time.
type records struct {
	f     *fitting
	rooms sync.Pool
	// data are the records whose features are used without rounding. If data is nil, features come
	// from the grid of the rows.
	data *data.Dataset
}

// room is the scratch memory of one goroutine.
type room struct {
	block   release.Block
	scratch *feature.Scratch
	raw     []int16
	values  []float32
	x       []float64
	mapped  []float64
}

func newRecords(f *fitting) *records {
	d, values := f.Features.Pipeline.Dim(), f.Features.Encoder().Values()
	return &records{f: f, rooms: sync.Pool{New: func() any {
		return &room{scratch: f.Features.NewScratch(1), raw: make([]int16, d), values: make([]float32, values), x: make([]float64, d), mapped: make([]float64, f.Features.Dim())}
	}}}
}

// unrounded returns the records of one pass with features that no grid has rounded. There are two
// exceptions. If the options ask for 8 bits, features come from the rounded rows. Transformed
// features also come from the rounded rows, because computing them again is costly.
func (f *fitting) unrounded() *records {
	r := newRecords(f)
	if !f.Features.Transforms() && f.options.FeatureBits != 8 {
		r.data = f.data
	}
	return r
}

// each calls do with the mapped row and the label of the records first … first+n-1. A row is valid
// until do returns.
func (r *records) each(first, n int, do func(i int, x []float64, label float32)) error {
	room := r.rooms.Get().(*room)
	defer r.rooms.Put(room)
	block, err := r.f.rows.Load(first, n, room.block)
	if err != nil {
		return err
	}
	room.block = block
	for i := range n {
		r.mapRow(room, i)
		do(i, room.mapped, block.Labels()[i])
	}
	return nil
}

// mapRow maps the i-th record of the block of a room.
func (r *records) mapRow(room *room, i int) {
	if r.data != nil {
		r.f.Features.Apply(room.mapped, 1, room.scratch, func(int) []float32 { return r.data.Row(room.values, room.block.Record(i)) })
		return
	}
	room.block.CopyRow(room.raw, i)
	for j, v := range room.raw {
		room.x[j] = float64(v) * r.f.rows.Step()
	}
	r.f.Features.ApplyFeatures(room.mapped, room.x, 1, room.scratch)
}

// joint writes z = (x, c·y), shortened to Radius. It writes zeros for a record without a label.
func (f *fitting) joint(dst, x []float64, label float32) {
	l := f.Plan.Linear
	if label != label {
		clear(dst)
		return
	}
	copy(dst, x)
	for k := range f.Plan.Columns {
		y := float64(label)
		if !f.Schema.Target.Regression() {
			y = encoder.ClassCoordinate(int(label), k, f.Plan.Columns)
		}
		dst[len(x)+k] = l.TargetScale * y
	}
	norm := 0.0
	for _, v := range dst {
		norm = math.Hypot(norm, v)
	}
	if norm <= l.Radius {
		return
	}
	for j := range dst {
		dst[j] *= l.Radius / norm
	}
}

// release pays for and returns the sums of products of the records.
func (f *fitting) release() (*Moments, error) {
	o := momentsOptions{Features: f.Plan.Dim, Targets: f.Plan.Columns, Scale: f.Plan.Linear.TargetScale, Equal: f.Plan.Linear.Laplace}
	if f.Features.Norm == feature.NormNone {
		o.Intercept = f.Features.Intercept
	}
	o.Deviation = f.Plan.Linear.NoiseMultiplier * f.Plan.Linear.Bound
	release := f.releaseTriangle
	if f.Plan.Linear.Laplace {
		o.Deviation *= math.Sqrt2
	} else if !f.Plan.triangle() {
		release = f.releaseFull
	}
	terms := pass.Settings{Payer: f.grant, Noise: f.Plan.linearNoise(), MaxRecords: f.Plan.MaxRecords}
	sums, unit, err := release(terms, o.Features+o.Targets)
	if err != nil {
		return nil, err
	}
	for i := range sums {
		sums[i] /= unit
	}
	o.Deviation /= unit
	return newMoments(sums, o)
}

// onGrid returns a factor of at most 1, near 1. After multiplication by the factor, the constant
// coordinate and the indicators lie on the grid, so they are not rounded. Rounding them would make
// the same error in every record.
func (f *fitting) onGrid(step float64) float64 {
	constant := f.Features.Intercept
	if f.Features.Norm != feature.NormNone || constant < step {
		return 1
	}
	return math.Floor(constant/step) * step / constant
}

// releaseFull releases the full matrix Σ z·zᵀ with independent noise, averaged with its transpose.
// The result unit is the factor by which the sums are too large.
func (f *fitting) releaseFull(terms pass.Settings, side int) (sums []float64, unit float64, err error) {
	o, err := release.MomentRows(terms.Noise, terms.MaxRecords, side, f.Plan.Linear.Radius)
	if err != nil {
		return nil, 0, err
	}
	source, shrink := f.unrounded(), f.onGrid(o.Step)
	rows, err := release.NewRows(f.rows.Len(), o, func(dst []float64, first, n int) {
		clear(dst)
		// Rows in memory never fail to load.
		_ = source.each(f.rows.First()+first, n, func(i int, x []float64, label float32) {
			z := dst[i*side : (i+1)*side]
			f.joint(z, x, label)
			for j := range z {
				z[j] *= shrink
			}
		})
	})
	if err != nil {
		return nil, 0, err
	}
	sums, err = pass.Products(terms, rows, release.AllProducts())
	return sums, shrink * shrink, err
}

// releaseTriangle releases the upper triangle of Σ z·zᵀ on integers of up to 52 bits. With Laplace
// noise, the triangle is unchanged and the norm is L1. With normal noise, the numbers off the
// diagonal are multiplied by √2 and the norm is L2. This vector is then as long as the whole
// matrix. After division by √2 again, the noise has the distribution of the noise of the full
// matrix averaged with its transpose. In both norms the vector of one record is at most Bound.
func (f *fitting) releaseTriangle(terms pass.Settings, side int) (sums []float64, unit float64, err error) {
	sample, err := release.Draw(release.Full(), f.rows.Len())
	if err != nil {
		return nil, 0, err
	}
	norm, off := release.L2(), math.Sqrt2
	if f.Plan.Linear.Laplace {
		norm, off = release.L1(), 1
	}
	numbers := side * (side + 1) / 2
	sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: terms.Noise, Norm: norm, Dim: numbers, Bound: f.Plan.Linear.Bound, MaxRecords: terms.MaxRecords})
	if err != nil {
		return nil, 0, err
	}
	source := f.unrounded()
	err = pass.Vectors(sum, sample, numbers, func(_ int, dst []float64, listed []int) error {
		z := make([]float64, side)
		for k, record := range listed {
			each := source.each(f.rows.First()+record, 1, func(_ int, x []float64, label float32) { f.joint(z, x, label) })
			if each != nil {
				return each
			}
			triangle(dst[k*numbers:], z, off)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	noisy, err := release.Release(terms.Payer, terms.Noise, sum.Seal())
	return mirrored(noisy.Values(), side, off), 1, err
}

// triangle writes the upper triangle of z·zᵀ, row by row. Numbers off the diagonal are multiplied
// by a factor.
func triangle(dst, z []float64, off float64) {
	at := 0
	for i, u := range z {
		dst[at] = u * u
		for j, v := range z[i+1:] {
			dst[at+1+j] = off * u * v
		}
		at += len(z) - i
	}
}

// mirrored returns the symmetric matrix whose upper triangle was written by triangle.
func mirrored(triangle []float64, side int, off float64) []float64 {
	out, at := make([]float64, side*side), 0
	if len(triangle) == 0 {
		return out
	}
	for i := range side {
		out[i*side+i] = triangle[at]
		for j := i + 1; j < side; j++ {
			v := triangle[at+j-i] / off
			out[i*side+j], out[j*side+i] = v, v
		}
		at += side - i
	}
	return out
}
