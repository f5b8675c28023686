package export

import (
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
)

// spared is a feature map with a further feature for each column of levels or bins with states that are filled. It has
// the length that such a state lacks. No center and no weight belongs to it, and a whitening multiplies it alone. So the
// tables of columns tell the norms of rows.
type spared struct {
	*feature.Map // with the further features in center and whitening
	own          *feature.Map
	columns      []string // by feature, empty without evidence
	at           []int    // the place of each feature of the own map
	further      []int    // by feature: the place of its column's further feature, or -1
	dim          int
}

// newSpared returns the map of a model with further features.
func newSpared(m *feature.Map) *spared {
	d := m.Pipeline.Dim()
	out := &spared{own: m, at: make([]int, d), further: slices.Repeat([]int{-1}, d)}
	if m.Evidence == nil {
		for j := range out.at {
			out.at[j] = j
		}
		out.Map, out.dim = m, d
		return out
	}
	names := m.Names()
	for _, n := range names {
		out.columns = append(out.columns, n.Column)
	}
	for j := 0; j < d; {
		end := out.end(j)
		filled, number := false, false
		for k := j; k < end; k++ {
			out.at[k] = out.dim
			out.dim++
			filled, number = filled || m.Evidence[k] < 1, number || names[k].Level == ""
		}
		if filled && !number {
			for k := j; k < end; k++ {
				out.further[k] = out.dim
			}
			out.dim++
		}
		j = end
	}
	padded := *m
	padded.Center = out.spread(m.Center)
	if w := m.Whitening; w != nil && w.Scales != nil {
		padded.Whitening = &feature.Whitening{Scales: out.spread(w.Scales)}
		for j, place := range out.further {
			if place >= 0 && m.Evidence[j] < 1 {
				padded.Whitening.Scales[place] = max(padded.Whitening.Scales[place], out.stretch(j))
			}
		}
	} else if w != nil {
		padded.Whitening = &feature.Whitening{Matrix: make([]float64, out.dim*out.dim)}
		for j, place := range out.at {
			copy(padded.Whitening.Matrix[place*out.dim:], out.spread(w.Matrix[j*d:(j+1)*d]))
		}
		for j, place := range out.further {
			if place >= 0 && m.Evidence[j] < 1 {
				v := &padded.Whitening.Matrix[place*out.dim+place]
				*v = max(*v, out.stretch(j))
			}
		}
	}
	out.Map = &padded
	return out
}

// stretch returns the factor by which the whitening multiplies what a state lacks, or 0 if it lacks nothing.
func (s *spared) stretch(state int) float64 {
	x := make([]float64, len(s.at))
	x[state] = 1
	lacking, whitened := s.own.Fill(x)
	if !(lacking > 0) {
		return 0
	}
	return math.Sqrt(whitened / lacking)
}

// end returns the end of the features of the column whose first feature is j.
func (s *spared) end(j int) int {
	column := s.columns[j]
	for j < len(s.columns) && s.columns[j] == column {
		j++
	}
	return j
}

// spread returns numbers of features at their places, with 0 at further places. It returns nil for nil.
func (s *spared) spread(x []float64) []float64 {
	if x == nil || s.dim == len(x) {
		return x
	}
	out := make([]float64, s.dim)
	for j, place := range s.at {
		out[place] = x[j]
	}
	return out
}

// fill writes the features x of the own map, filled, and the further ones to dst.
func (s *spared) fill(dst, x []float64) {
	clear(dst)
	if s.own.Evidence == nil {
		copy(dst, x)
		return
	}
	filled := slices.Clone(x)
	s.own.Fill(filled)
	for j, place := range s.at {
		dst[place] = filled[j]
		if further := s.further[j]; further >= 0 { // the difference of two squares, for now
			dst[further] += x[j]*x[j] - filled[j]*filled[j]
		}
	}
	for j := 0; j < len(x); j = s.end(j) {
		if further := s.further[j]; further >= 0 {
			dst[further] = math.Sqrt(max(0, dst[further]))
		}
	}
}
