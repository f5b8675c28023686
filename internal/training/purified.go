package training

import (
	"math"
	"slices"
)

// mostRounds bounds the rounds of a split. A split takes at most splitWork multiplications, but a few rounds.
const (
	mostRounds, fewRounds, splitWork = 100, 4, 2e8
	// still is the largest change of a round after which a split ends.
	still = 1e-9
)

// split divides what a pair of columns does into what belongs to either column alone, and the rest. The rest has
// the mean 0 over the records of each state of either column, as far as the rounds went. So the map of a pair shows
// what is not in the figures of its columns. All parts together still add up to the score.
//
// This is the weighted functional analysis of variance of G. Hooker, "Generalized functional ANOVA diagnostics for high
// dimensional functions of dependent variables", Journal of Computational and Graphical Statistics 2007. For pairs it
// is an additive fit, which B. Lengerich, S. Tan, C.-H. Chang, G. Hooker and R. Caruana compute for models of cells in
// "Purifying interaction effects with the functional ANOVA", AISTATS 2020.
//
// A part is a row of features, as the rows of places are, so it follows the weights and has an interval.
type split struct {
	pair
	features []int
	places   []place
	rows     []sparse
	shares   []float64
	sides    [2][]place // across and up
	parts    [2][][]float64
	// shown are the sides of the map, and drawn its cells. Each place is in a cell, which larger tells.
	shown  [2][]place
	drawn  []place
	larger []int
}

// newSplit splits the rows of a pair by the shares of records in its places.
func newSplit(s *shaper, p pair) *split {
	out := &split{pair: p, features: s.byColumn[p.columns], sides: [2][]place{s.places(p.across, p.finest, true), s.places(p.up, p.finest, true)}}
	out.places = s.placesOf(p, out.sides)
	out.rows = s.rows(out.features, out.places)
	out.shares = s.shares(out.features, out.rows, p.finest)
	out.fit(weights(out.places, out.shares))
	out.shown = [2][]place{s.places(p.across, p.bins, true), s.places(p.up, p.bins, true)}
	out.drawn = s.placesOf(p, out.shown)
	across, up := within(out.shown[0], out.sides[0], p.across), within(out.shown[1], out.sides[1], p.up)
	for i := range out.places {
		out.larger = append(out.larger, up[i/len(across)]*len(out.shown[0])+across[i%len(across)])
	}
	return out
}

// within returns, for each place of a column, the larger place that holds it.
func within(larger, places []place, column int) (out []int) {
	for _, p := range places {
		out = append(out, nearest(larger, &p, float64(p.values[column])))
	}
	return out
}

// states returns the rest of a pair in its places.
func (s *split) states() drawing { return drawing{places: s.places, shares: s.shares, row: s.rest} }

// fit computes the parts. The columns take turns: the part of a state is the mean of what the part of the other column
// leaves. A state without records has the mean over the records of all states.
func (s *split) fit(weights []float64) {
	var of [2][][]float64 // by axis and state, weights of the states of the other column
	for axis := range of {
		of[axis] = s.conditional(weights, axis)
		s.parts[axis] = make([][]float64, len(s.sides[axis]))
		for k := range s.parts[axis] {
			s.parts[axis][k] = make([]float64, len(s.features))
		}
	}
	work := float64(len(s.places)) * float64(len(s.features))
	rounds := int(min(mostRounds, max(fewRounds, splitWork/work)))
	for range rounds {
		change := 0.0
		for axis := range of {
			for k, part := range s.parts[axis] {
				change = max(change, s.turn(part, axis, k, of[axis][k]))
			}
		}
		if change < still {
			return
		}
	}
}

// conditional returns, for each state of a column, the weights of the states of the other column in a mean.
func (s *split) conditional(weights []float64, axis int) [][]float64 {
	all, out := make([]float64, len(s.sides[1-axis])), make([][]float64, len(s.sides[axis]))
	for k := range out {
		out[k] = make([]float64, len(all))
		sum := 0.0
		for other := range all {
			w := weights[s.cell(axis, k, other)]
			out[k][other], all[other] = w, all[other]+w
			sum += w
		}
		for other := range all {
			if sum > 0 {
				out[k][other] /= sum
			}
		}
		if !(sum > 0) {
			out[k] = all // which is complete before it is read
		}
	}
	return out
}

// cell returns the place with a state of a column and a state of the other column.
func (s *split) cell(axis, state, other int) int {
	if axis == 0 {
		return other*len(s.sides[0]) + state
	}
	return state*len(s.sides[0]) + other
}

// turn sets the part of a state, and returns the largest change.
func (s *split) turn(part []float64, axis, state int, weights []float64) (change float64) {
	next := make([]float64, len(part))
	for other, w := range weights {
		if w == 0 {
			continue
		}
		for k, v := range s.parts[1-axis][other] {
			next[k] -= w * v
		}
		r := s.rows[s.cell(axis, state, other)]
		for k, at := range r.at {
			next[at] += w * r.x[k]
		}
	}
	for k, v := range next {
		change = max(change, math.Abs(v-part[k]))
	}
	copy(part, next)
	return change
}

// rest adds what is left of a place to x.
func (s *split) rest(i int, x []float64) {
	for axis, state := range [2]int{i % len(s.sides[0]), i / len(s.sides[0])} {
		for k, v := range s.parts[axis][state] {
			x[k] -= v
		}
	}
	s.rows[i].addTo(x)
}

// whole returns the features of a pair and of both columns alone, and the function that adds the features of a place. A
// column has its mean over the records in the place.
func (s *shaper) whole(p *split) (features []int, row func(i int, x []float64)) {
	features = p.features
	var alone [2][][]float64
	for axis, column := range [2]int{p.across, p.up} {
		own := s.own(column)
		features = slices.Concat(features, own.features)
		states := drawing{places: own.places, shares: own.shares, row: func(i int, x []float64) { own.rows[i].addTo(x) }}
		means := states.merged(p.sides[axis], within(p.sides[axis], own.places, column), len(own.features))
		for k := range p.sides[axis] {
			x := make([]float64, len(own.features))
			means.row(k, x)
			alone[axis] = append(alone[axis], x)
		}
	}
	return features, func(i int, x []float64) {
		p.rows[i].addTo(x)
		at := len(p.features)
		for axis, state := range [2]int{i % len(p.sides[0]), i / len(p.sides[0])} {
			for k, v := range alone[axis][state] {
				x[at+k] += v
			}
			at += len(alone[axis][state])
		}
	}
}

// of returns the part of a column in a place of the column alone, or nil if the pair is of other columns.
func (s *split) of(column int, p *place) []float64 {
	for axis, own := range [2]int{s.across, s.up} {
		if own == column {
			return s.parts[axis][nearest(s.sides[axis], p, float64(p.values[column]))]
		}
	}
	return nil
}

// nearest returns the place that has the state of another place of a column: its number, or its name. A declared level
// may have the name of the missing cells.
func nearest(places []place, p *place, v float64) (best int) {
	least := math.Inf(1)
	for k, q := range places {
		distance := math.Inf(1)
		switch {
		case q.number && p.number:
			distance = max(0, q.from-v, v-q.to)
		case q.number == p.number && q.aside == p.aside && q.name == p.name:
			distance = 0
		}
		if distance <= least { // of two places with one end, the upper one holds it
			best, least = k, distance
		}
	}
	return best
}

// addTo adds a row to a dense one.
func (r *sparse) addTo(x []float64) {
	for k, at := range r.at {
		x[at] += r.x[k]
	}
}
