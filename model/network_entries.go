package model

import (
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/network"
)

// entriesOf returns the map of rows for a network that takes the nonzero features. It returns nil
// if the first layer or the map is for whole rows.
func entriesOf(n *network.Network, m *feature.Map) sparseMap {
	if !n.TakesEntries() || m.Center != nil || m.Intercept > 0 {
		return nil
	}
	return m.Sparse()
}

// begin removes the rows that were added.
func (s *networkScratch) begin() {
	e := &s.entries
	e.Start, e.Index, e.Values = append(e.Start[:0], 0), e.Index[:0], e.Values[:0]
}

// add maps a row of entries and appends it.
func (s *networkScratch) add(m sparseMap, index []uint32, x []float64) {
	e := &s.entries
	scale, _, _ := m(index, x)
	for _, v := range x {
		e.Values = append(e.Values, float32(scale*v))
	}
	e.Index = append(e.Index, index...)
	e.Start = append(e.Start, len(e.Index))
}

// scoreAdded writes the scores of n added rows to dst.
func (n *trained) scoreAdded(dst []float64, rows int, s *networkScratch) {
	for j, v := range s.tape.ForwardEntries(s.entries, rows, n.weights) {
		dst[j] = float64(v)
	}
}

// predictNetworkEntries is Predict for a network that takes entries.
func (m *Model) predictNetworkEntries(dst []float64, values []float32, s *Scratch) {
	s.index, s.entries = m.features.Encoder().Entries(values, s.index[:0], s.entries[:0])
	s.network.begin()
	s.network.add(m.trained.sparse, s.index, s.entries)
	m.trained.scoreAdded(dst, 1, s.network)
	m.finish(dst)
}

// scoreEntries is scoreRows for a network that takes entries.
func (r *Reader) scoreEntries(dst []float64, first, n int) {
	m, s := r.model, r.ahead.scratch
	s.begin()
	for i := first; i < first+n; i++ {
		if r.sparse != nil {
			columns, values := r.data.Cells(i)
			r.index, r.entries = r.sparse.Entries(columns, values, r.index[:0], r.entries[:0])
		} else {
			r.values = r.data.Row(r.values, i)
			r.index, r.entries = m.features.Encoder().Entries(r.values, r.index[:0], r.entries[:0])
		}
		s.add(m.trained.sparse, r.index, r.entries)
	}
	m.trained.scoreAdded(dst, n, s)
}
