package feature

import "math"

// SparseMap is a Map without whitening for rows of few entries: it says how they are mapped without
// writing all coordinates. It is immutable.
type SparseMap struct {
	m       *Map
	center2 float64 // squared norm of the center
}

// Sparse returns the map for rows of few entries, or nil when m whitens or transforms. It keeps m.
func (m *Map) Sparse() *SparseMap {
	if m.Whitening != nil || m.Transforms() {
		return nil
	}
	s := &SparseMap{m: m}
	for _, c := range m.Center {
		s.center2 += c * c
	}
	return s
}

// Mapped says where an encoded row goes: its features x become Scale·x - Shift·Center, and the
// intercept after them is Intercept.
type Mapped struct{ Scale, Shift, Intercept float64 }

// Apply says where the row with these features goes; all others are 0. Index ascends, and x stands
// next to it, as Encoder.Entries and Sparse.Entries give both. Its result is that of Map.Apply, up
// to rounding of a few units in 2^-53 of the norms of row and center. It has the same bits for the
// same entries. The time is proportional to the entries.
func (s *SparseMap) Apply(index []uint32, x []float64) Mapped {
	m := s.m
	norm2 := 0.0
	for _, v := range x {
		norm2 += v * v
	}
	first := m.Factor(math.Sqrt(norm2))
	out := Mapped{Scale: first, Intercept: m.Intercept}
	norm2 *= first * first
	if m.Center != nil {
		norm2 = s.centered(first, index, x)
		out.Shift = m.Factor(math.Sqrt(norm2))
		out.Scale *= out.Shift
		norm2 *= out.Shift * out.Shift
	}
	if m.Intercept > 0 && m.Norm == NormUnit {
		last := 1 / math.Sqrt(norm2+m.Intercept*m.Intercept)
		out.Scale, out.Shift, out.Intercept = out.Scale*last, out.Shift*last, out.Intercept*last
	}
	return out
}

// centered returns the squared norm of scale·x minus the center. The center's share of the absent
// features is what those of the entries leave of its norm.
func (s *SparseMap) centered(scale float64, index []uint32, x []float64) float64 {
	rest, sum := s.center2, 0.0
	for k, j := range index {
		c := s.m.Center[j]
		y := scale*x[k] - c
		sum += y * y
		rest -= c * c
	}
	return sum + max(0, rest)
}

// Factor returns what normalization multiplies a row of this norm by: 0 for a norm that is 0 or no number.
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
