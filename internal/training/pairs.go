package training

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/report"
)

// pairPoints is the largest number of places of a number in the map of a pair, and mapPoints that of a coordinate.
const pairPoints, mapPoints = 16, 32

// mostIntegers is the largest number of integers that are states of a map. More are ranges, whose ends are labelled.
const mostIntegers = 16

// pair is two columns whose cells are shown as a map: one across and one up.
type pair struct {
	name       string
	columns    [2]string
	across, up int
	bins       int // of a number in the map, at most
	finest     int // of a number in the model, at most
}

// pairs lists the pairs of columns in the order of their declaration.
func (s *shaper) pairs() (out []pair) {
	for i, a := range s.columns {
		for j, b := range s.columns {
			columns := [2]string{a.Name, b.Name}
			if features := s.byColumn[columns]; i != j && features != nil {
				finest := s.finest(features)
				own := pair{name: quoted(a.Name) + " × " + quoted(b.Name), columns: columns, across: i, up: j, finest: finest, bins: min(finest, pairPoints)}
				if s.turned(i, j) {
					own.across, own.up = j, i
				}
				if s.coordinates(i, j) || s.coordinates(j, i) {
					own.bins = min(finest, mapPoints)
				}
				if !s.learned { // a rehearsal, in which all is 0
					own.finest = own.bins
				}
				out = append(out, own)
			}
		}
	}
	return out
}

// quoted returns a name of a column in a pair. It is quoted if it could be taken for a pair.
func quoted(name string) string {
	if strings.Contains(name, "×") {
		return strconv.Quote(name)
	}
	return name
}

// turned reports whether the first column of a pair goes up in a map. A northing goes up, and an easting across.
// Otherwise a number goes across, and of two columns with levels the one that has fewer.
func (s *shaper) turned(a, b int) bool {
	first, second := &s.columns[a], &s.columns[b]
	switch {
	case s.coordinates(a, b) || s.coordinates(b, a):
		return s.coordinates(b, a)
	case first.Kind == data.Categorical && second.Kind == data.Categorical:
		return len(first.Levels) > len(second.Levels)
	}
	return first.Kind == data.Categorical
}

// coordinates reports whether two columns are the easting and the northing of a point by their names.
func (s *shaper) coordinates(easting, northing int) bool {
	return slices.ContainsFunc(coordinatesOf(s.schema), func(names []string) bool {
		return names[0] == s.columns[easting].Name && names[1] == s.columns[northing].Name
	})
}

// finest returns the most bins that a number has in cells of these features, or 1 if no column is a number.
func (s *shaper) finest(features []int) int {
	most := 1
	for _, j := range features {
		cell := s.names[j].Cell
		for axis, column := range cell.Columns {
			if cell.Aside[axis] == "" && s.numbers[column] {
				most = max(most, cell.States[axis]+1)
			}
		}
	}
	return most
}

// placesOf lists the states of a pair row by row of its map.
func (s *shaper) placesOf(p pair, sides [2][]place) (out []place) {
	for _, u := range sides[1] {
		for _, a := range sides[0] {
			own := place{name: a.name + ", " + u.name, aside: a.aside || u.aside}
			if p.up < p.across {
				own.name = u.name + ", " + a.name
			}
			own.values = s.empty()
			own.values[p.across], own.values[p.up] = a.values[p.across], u.values[p.up]
			out = append(out, own)
		}
	}
	return out
}

// sidesOf describes the sides of the map of a pair.
func (s *shaper) sidesOf(p *split) *report.Pair {
	return &report.Pair{Across: s.side(p.across, p.shown[0]), Up: s.side(p.up, p.shown[1]), Point: s.coordinates(p.across, p.up)}
}

// side describes a side of a map by the places of a column.
func (s *shaper) side(column int, places []place) report.Side {
	c := &s.columns[column]
	out := report.Side{Name: c.Name, Unit: unitOf(c)}
	single := true
	for _, p := range places {
		out.States = append(out.States, p.name)
		switch {
		case p.aside:
			out.Aside++
		case p.number:
			single = single && p.integers && p.first == p.last
			out.Ends = append(out.Ends, p.from)
			if next := len(out.Ends); next == len(places) || places[next].aside {
				out.Ends = append(out.Ends, p.to)
			}
		}
	}
	if !single {
		return out
	}
	numbers := len(places) - out.Aside
	for k, p := range places[:numbers] { // an integer of its own is a state and no range, unless there are many
		if !p.number {
			return out
		}
		out.States[k], out.Ends[k] = strconv.FormatFloat(p.first, 'f', -1, 64), p.first
	}
	if numbers <= mostIntegers {
		out.Ends = nil
	} else {
		out.Ends[numbers] = places[numbers-1].last
	}
	return out
}

// shares returns the shares of the records in places whose features are these rows. They follow from the released
// frequencies of the cells that are as fine as places. The frequency of a cell is divided among the places in it.
// They are nil if no frequencies are known, or if none stands out of its noise.
func (s *shaper) shares(features []int, rows []sparse, bins int) []float64 {
	if s.frequencies == nil {
		return nil
	}
	grid := s.gridOf(features, bins)
	held := make([]float64, len(features)) // places in each cell
	for _, r := range rows {
		for k, at := range r.at {
			held[at] += r.x[k]
		}
	}
	out, sum := make([]float64, len(rows)), 0.0
	for i, r := range rows {
		for k, at := range r.at {
			j := features[at]
			if cell := s.names[j].Cell; cell.Value > 0 && (cell.Grid == grid || cell.Grid == 0) {
				out[i] += s.frequencies[j] / cell.Value * r.x[k] / held[at]
			}
		}
		sum += out[i]
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return nil
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// gridOf returns the finest grid among features in which a number has at most this many bins, or the coarsest one.
func (s *shaper) gridOf(features []int, bins int) int {
	sizes := map[int]int{} // by grid, the most bins of a number
	for _, j := range features {
		if g := s.names[j].Cell.Grid; g > 0 {
			sizes[g] = max(sizes[g], s.finest([]int{j}))
		}
	}
	best, most := 0, 0
	for g, size := range sizes {
		fits, better := size <= bins, size > most
		if most > bins {
			fits, better = true, size < most
		}
		if best == 0 || fits && better || size == most && g < best {
			best, most = g, size
		}
	}
	return best
}
