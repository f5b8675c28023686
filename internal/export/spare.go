package export

import (
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
)

// spared is a feature map with a further feature for each column of levels or bins with states that are filled. It has
// the length that such a state lacks. No center and no weight belongs to it, and a whitening drops it. So the tables of
// columns tell the norms of rows.
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
	if w := m.Whitening; w != nil {
		padded.Whitening = &feature.Whitening{Scales: out.spread(w.Scales)}
		if w.Matrix != nil {
			padded.Whitening = &feature.Whitening{Matrix: make([]float64, out.dim*out.dim)}
			for j, place := range out.at {
				copy(padded.Whitening.Matrix[place*out.dim:], out.spread(w.Matrix[j*d:(j+1)*d]))
			}
		}
	}
	out.Map = &padded
	return out
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
	alone := make([]float64, len(x))
	for j := 0; j < len(x); {
		end := s.end(j)
		clear(alone)
		copy(alone[j:end], x[j:end])
		spare := s.own.Fill(alone)
		for k := j; k < end; k++ {
			dst[s.at[k]] = alone[k]
		}
		if place := s.further[j]; place >= 0 {
			dst[place] = math.Sqrt(spare)
		}
		j = end
	}
}
