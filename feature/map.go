package feature

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/kernel"
)

// Normalization is a rule that bounds the L2 norm of a row. The scaled row depends only on that
// row.
type Normalization string

const (
	// NormNone leaves rows unchanged. Pipeline.Bound bounds their coordinates.
	NormNone Normalization = "none"
	// NormClip scales a row down to the L2 norm Map.Radius if its norm is larger.
	NormClip Normalization = "clip"
	// NormUnit scales a row to the L2 norm 1. A zero row stays zero.
	NormUnit Normalization = "unit"
)

// Map turns a row of a data set into the input vector of a model. Its steps are, in order:
//
//   - compute the features with the Pipeline
//   - if there is an Evidence, move states without evidence to the means of their columns
//   - normalize the row
//   - if there is a Center, subtract it and normalize the result
//   - if there is a Whitening, multiply by it and normalize the result
//   - if Intercept is not 0, append it and, under NormUnit, scale the row to norm 1
//
// A Map is safe for concurrent use. It must not be changed after its first use.
type Map struct {
	*Pipeline
	// Norm is the rule by which a row is normalized.
	Norm Normalization
	// Radius is the L2 norm to which NormClip clips. Other rules ignore it.
	Radius float64
	// Center is subtracted from the normalized features, with one number for each feature. Nil
	// means that nothing is subtracted.
	Center []float64
	// Evidence has the share from 0 to 1 that each feature keeps of its value. Missing cells and unknown levels that
	// the records hardly show keep little. The rest becomes the mean of the column. All other features keep 1. Nil means
	// that all features do. It needs a Center, and a Pipeline without transforms and texts.
	Evidence []float64
	// Means are the features of the mean of each column, from 0 to 1, before normalization. An Evidence needs them, and
	// nothing else uses them.
	Means []float64
	// Whitening is the linear map that multiplies a row after centering. Nil means that rows are
	// not multiplied.
	Whitening *Whitening
	// Intercept is the value of a constant last coordinate. 0 means that there is no such
	// coordinate.
	Intercept float64
}

// Validate returns an error if the parts of the map do not fit together or contain NaN or ±Inf.
func (m *Map) Validate() error {
	d := m.Pipeline.Dim()
	switch {
	case m.Norm != NormNone && m.Norm != NormClip && m.Norm != NormUnit:
		return fmt.Errorf("feature: row normalization is %q, want none, clip or unit", m.Norm)
	case m.Norm == NormClip && (!(m.Radius > 0) || math.IsInf(m.Radius, 1)):
		return fmt.Errorf("feature: radius is %v, want positive and finite", m.Radius)
	case m.Center != nil && len(m.Center) != d:
		return fmt.Errorf("feature: center has %d numbers, want %d", len(m.Center), d)
	case m.Whitening != nil && m.Norm == NormNone:
		return fmt.Errorf("feature: whitening needs rows of bounded norm, want normalization clip or unit")
	case !(m.Intercept >= 0) || math.IsInf(m.Intercept, 1):
		return fmt.Errorf("feature: intercept is %v, want 0 or a positive finite number", m.Intercept)
	case !finite(m.Center):
		return fmt.Errorf("feature: center holds a number that is not finite")
	case m.Evidence == nil && m.Means != nil:
		return fmt.Errorf("feature: there are means without evidence, want both or none")
	case m.Evidence != nil:
		if err := m.validateEvidence(d); err != nil {
			return err
		}
	}
	if m.Whitening != nil {
		return m.Whitening.validate(d)
	}
	return nil
}

// validateEvidence returns an error if the shares do not fit the features.
func (m *Map) validateEvidence(d int) error {
	if m.Center == nil || m.Transforms() || m.Encoder().Signed() || len(m.Evidence) != d || len(m.Means) != d {
		return fmt.Errorf("feature: evidence has %d numbers and %d means, want %d of both with a center and without transforms and texts", len(m.Evidence), len(m.Means), d)
	}
	for j, n := range m.Names() {
		if s := m.Evidence[j]; !(s >= 0 && s <= 1) || s < 1 && !n.Aside {
			return fmt.Errorf("feature: evidence of feature %d is %v, want 0 to 1 for a missing cell or an unknown level, else 1", j+1, s)
		}
		if v := m.Means[j]; !(v >= 0 && v <= 1) {
			return fmt.Errorf("feature: evidence has the mean %v of feature %d, want 0 to 1", v, j+1)
		}
	}
	return nil
}

func finite(x []float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// Dim returns the length of a mapped row, including the intercept.
func (m *Map) Dim() int {
	if m.Intercept > 0 {
		return m.Pipeline.Dim() + 1
	}
	return m.Pipeline.Dim()
}

// RowBound returns a public bound on the L2 norm of a mapped row, up to rounding.
func (m *Map) RowBound() float64 {
	switch m.Norm {
	case NormUnit:
		return 1
	case NormClip:
		return math.Hypot(m.Radius, m.Intercept)
	}
	sum := m.Intercept * m.Intercept
	for j := range m.Pipeline.Dim() {
		v := m.coordinateBound(j)
		sum += v * v
	}
	return math.Sqrt(sum)
}

// CoordinateBound returns a public bound on the magnitude of every coordinate of a mapped row, up
// to rounding.
func (m *Map) CoordinateBound() float64 {
	if m.Norm != NormNone {
		return m.RowBound()
	}
	bound := m.Intercept
	for j := range m.Pipeline.Dim() {
		bound = max(bound, m.coordinateBound(j))
	}
	return bound
}

// coordinateBound returns a bound on a coordinate after the center is subtracted.
func (m *Map) coordinateBound(j int) float64 {
	bound, signed := m.Bound()
	if m.Center == nil {
		return bound
	}
	if signed {
		return bound + math.Abs(m.Center[j])
	}
	return max(math.Abs(m.Center[j]), math.Abs(bound-m.Center[j]))
}

// Scratch is the working space of Map.Apply. Each goroutine needs its own.
type Scratch struct {
	a, b, spare, stretch []float64
	chain                *PipelineScratch
}

// NewScratch returns working space for mapping this many rows at a time.
func (m *Map) NewScratch(rows int) *Scratch {
	d := rows * m.Pipeline.Dim()
	return &Scratch{make([]float64, d), make([]float64, d), make([]float64, rows), m.stretch(), m.Pipeline.NewScratch()}
}

// Apply maps several rows and writes the input vectors to dst, of length rows·Dim, one row after
// the other. The function row returns the values of row r in the form of Dataset.Row. Apply does
// not allocate. The input vector of a row does not depend on the other rows, not even in its last
// bit.
func (m *Map) Apply(dst []float64, rows int, s *Scratch, row func(r int) []float32) {
	d := m.Pipeline.Dim()
	x := s.a[:rows*d]
	m.FeaturesOf(x, rows, s.chain, row)
	m.ApplyFeatures(dst, x, rows, s)
}

// ApplyFeatures is Apply for rows whose features are already in x, one row after the other. It
// overwrites x.
func (m *Map) ApplyFeatures(dst, x []float64, rows int, s *Scratch) {
	d := m.Pipeline.Dim()
	for r := range rows {
		v := x[r*d : (r+1)*d]
		lacking, whitened := m.fill(v, s.stretch)
		spare := m.normalize(v, lacking)
		if m.Center != nil {
			for j, c := range m.Center {
				v[j] -= c
			}
			spare = m.normalize(v, spare)
		}
		if s.spare[r] = spare; lacking > 0 {
			s.spare[r] *= whitened / lacking
		}
	}
	if m.Whitening != nil {
		x = m.Whitening.apply(x, s.b[:rows*d], rows)
	}
	for r := range rows {
		m.finish(dst[r*m.Dim():(r+1)*m.Dim()], x[r*d:(r+1)*d], s.spare[r])
	}
}

// Fill applies the Evidence to the features x of a row, of length Pipeline.Dim, before they are normalized. It returns the
// square of the length that the row lacks then, which counts in its norm. The other result is this square after the
// Whitening. Apply and ApplyFeatures do so by themselves. Without an Evidence, x does not change, and nothing is lacking.
func (m *Map) Fill(x []float64) (lacking, whitened float64) { return m.fill(x, m.stretch()) }

func (m *Map) fill(x, stretch []float64) (lacking, whitened float64) {
	if m.Evidence == nil {
		return 0, 0
	}
	return encoder.Fill(x, m.Encoder().Names(), m.Evidence, m.Means, stretch)
}

// stretch returns a factor for each feature. The whitening multiplies the square of the distance of a level from the
// mean of its column by it, on average over the levels. It is 1 without a whitening, and nil without an Evidence. A column
// without means counts all its levels alike.
func (m *Map) stretch() []float64 {
	if m.Evidence == nil {
		return nil
	}
	d, names := m.Pipeline.Dim(), m.Encoder().Names()
	out, turned := make([]float64, d), make([]float64, d)
	for first, end := 0, 0; first < d; first = end {
		sum := 0.0
		for end = first; end < d && names[end].Column == names[first].Column; end++ {
			out[end], sum = 1, sum+m.Means[end]
		}
		if m.Whitening == nil || m.Whitening.Channels != nil {
			continue
		}
		clear(turned)              // the mean of the levels, whitened
		square, before := 0.0, 0.0 // Σ p·|x·W|² and Σ p·|x|², the latter less the square of the mean
		for k := first; k < end; k++ {
			p := 1 / float64(end-first)
			if sum > 0 {
				p = m.Means[k] / sum
			}
			before += p - p*p
			square += p * m.Whitening.addRow(turned, k, p)
		}
		for k := first; before > 0 && k < end; k++ {
			out[k] = max(0, square-kernel.Dot(turned, turned)) / before
		}
	}
	return out
}

// finish normalizes after whitening and appends the intercept.
func (m *Map) finish(dst, x []float64, spare float64) {
	if m.Whitening != nil {
		spare = m.normalize(x, spare)
	}
	copy(dst, x)
	if m.Intercept == 0 {
		return
	}
	dst[len(x)] = m.Intercept
	if m.Norm == NormUnit {
		m.normalize(dst, spare)
	}
}

// normalize scales x by Norm. The row has a further coordinate, whose square is spare. It returns the square of this
// coordinate after that. A row without a finite norm becomes zero.
func (m *Map) normalize(x []float64, spare float64) float64 {
	if m.Norm == NormNone {
		return spare
	}
	norm := kernel.Norm(x)
	if spare > 0 {
		norm = math.Hypot(norm, math.Sqrt(spare))
	}
	scale := m.Factor(norm)
	if scale == 0 {
		clear(x)
		return 0
	}
	for j := range x {
		x[j] *= scale
	}
	return spare * scale * scale
}

// PreparedBound returns a public bound on the L2 norm of a row after centering and normalization,
// before whitening and intercept.
func (m *Map) PreparedBound() float64 {
	plain := *m
	plain.Intercept = 0
	return plain.RowBound()
}
