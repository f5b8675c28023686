package feature

import "math"

// sparseMap is a Map without whitening for rows of few entries. It maps rows without writing all
// coordinates. It is immutable.
type sparseMap struct {
	m       *Map
	center2 float64 // squared norm of the center
}

// Sparse returns a function that maps a row with few nonzero features. The function is nil if m has
// a whitening, an evidence or a transform. The function keeps a reference to m.
//
// The arguments of the function are the indices of the nonzero features, ascending, and their
// values. All other features are 0. The mapped row is scale·x - shift·Center, followed by
// intercept. It differs from the result of Map.Apply by rounding only. The difference is at most a
// few times 2^-53 relative to the norms of the row and the center. Equal arguments give equal bits.
// The time is proportional to the number of nonzero features.
func (m *Map) Sparse() func(index []uint32, x []float64) (scale, shift, intercept float64) {
	if m.Whitening != nil || m.Evidence != nil || m.Transforms() {
		return nil
	}
	s := &sparseMap{m: m}
	for _, c := range m.Center {
		s.center2 += c * c
	}
	return s.apply
}

// apply is the function that Map.Sparse returns.
func (s *sparseMap) apply(index []uint32, x []float64) (scale, shift, intercept float64) {
	m := s.m
	norm2 := 0.0
	for _, v := range x {
		norm2 += v * v
	}
	scale, intercept = m.Factor(math.Sqrt(norm2)), m.Intercept
	norm2 *= scale * scale
	if m.Center != nil {
		norm2 = s.centered(scale, index, x)
		shift = m.Factor(math.Sqrt(norm2))
		scale *= shift
		norm2 *= shift * shift
	}
	if m.Intercept > 0 && m.Norm == NormUnit {
		last := 1 / math.Sqrt(norm2+m.Intercept*m.Intercept)
		scale, shift, intercept = scale*last, shift*last, intercept*last
	}
	return scale, shift, intercept
}

// centered returns the squared norm of scale·x minus the center. For the absent features it uses
// the center's squared norm less that of the entries' coordinates.
func (s *sparseMap) centered(scale float64, index []uint32, x []float64) float64 {
	rest, sum := s.center2, 0.0
	for k, j := range index {
		c := s.m.Center[j]
		y := scale*x[k] - c
		sum += y * y
		rest -= c * c
	}
	return sum + max(0, rest)
}

// Factor returns the factor by which normalization multiplies a row of this L2 norm. Under NormNone
// the factor is 1. Under the other rules the factor is 0 if the norm is 0, NaN or +Inf.
func (m *Map) Factor(norm float64) float64 {
	if m.Norm == NormNone {
		return 1
	}
	scale := 1 / norm
	if m.Norm == NormClip {
		scale = min(1, m.Radius/norm)
	}
	if !(norm > 0) || math.IsInf(norm, 1) || math.IsInf(scale, 1) {
		return 0
	}
	return scale
}
