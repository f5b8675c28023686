package feature

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Defaults of the parameters of coordinates, chosen on parts of training sets.
const (
	pointBins   = 64
	pointWeight = 1.5
)

// The finest resolution and the largest weight of cells of coordinates that the transform accepts.
const maxPointBins, maxPointWeight = 256, 4

// completed returns the parameters with the defaults for coordinates.
func (p interactionsParameters) completed() (interactionsParameters, error) {
	switch {
	case len(p.Coordinates) > 0:
		if p.CoordinateBins == 0 {
			p.CoordinateBins = pointBins
		}
		if p.CoordinateWeight == 0 {
			p.CoordinateWeight = pointWeight
		}
	case p.CoordinateBins != 0 || p.CoordinateWeight != 0:
		return p, errors.New("coordinate-bins or coordinate-weight is given without coordinates, want coordinates such as longitude*latitude beside them")
	default:
		return p, nil
	}
	if !powerOfTwo(p.CoordinateBins, maxPointBins) {
		return p, fmt.Errorf("coordinate-bins is %d, want a power of two, at least 2 and at most %d", p.CoordinateBins, maxPointBins)
	}
	if !(p.CoordinateWeight > 0 && p.CoordinateWeight <= maxPointWeight) {
		return p, fmt.Errorf("coordinate-weight is %v, want more than 0 and at most %d", p.CoordinateWeight, maxPointWeight)
	}
	return p, nil
}

// addPoints adds the cells of the points that pairs of columns are the coordinates of. They are finer
// than the cells of the same pair among the pairs, and are never hashed.
func (t *interactions) addPoints() error {
	t.pointsAt = t.dim
	if len(t.parameters.Coordinates) == 0 {
		return nil
	}
	pairs, err := t.places(pairNames{pairs: t.parameters.Coordinates})
	if err != nil {
		return fmt.Errorf("coordinates: %w", err)
	}
	for k, p := range pairs {
		a, b := t.flat[p[0]], t.flat[p[1]]
		if !a.number || !b.number {
			return fmt.Errorf("coordinates are %s, want two columns of numbers without declared bins", strings.Join(t.parameters.Coordinates[k], "*"))
		}
		own, least := pairedColumns{a: p[0], b: p[1]}, 4
		if slices.ContainsFunc(t.pairs, func(q pairedColumns) bool { return q.a == own.a && q.b == own.b }) {
			least = 2 * t.parameters.PairBins
		}
		for r := least; r <= t.parameters.CoordinateBins && (a.refines(r) || b.refines(r)); r *= 2 {
			own.bins, own.first = append(own.bins, r), append(own.first, t.dim-t.pointsAt)
			t.dim += a.cells(r) * b.cells(r)
		}
		if len(own.bins) == 0 && !t.parameters.complete {
			return t.withoutCells(k, least, max(a.finest, b.finest))
		}
		if t.dim > maxFeatures {
			return fmt.Errorf("coordinates have more than %d cells, want fewer of them, or a smaller coordinate-bins", maxFeatures)
		}
		t.points = append(t.points, own)
	}
	t.nameCells(t.points, t.parameters.CoordinateWeight)
	return nil
}

// withoutCells returns the error for coordinates that have no cells: the coarsest would have least bins, and the
// columns have at most finest.
func (t *interactions) withoutCells(k, least, finest int) error {
	remedy := "leave them out, since the columns are integers with few values"
	if finest >= least {
		remedy = fmt.Sprintf("give coordinate-bins=%d or more, or leave them out", least)
	}
	return fmt.Errorf("coordinates are %s with at most %d bins of a column, want at least %d, or they have no cells; %s",
		strings.Join(t.parameters.Coordinates[k], "*"), min(t.parameters.CoordinateBins, finest), least, remedy)
}

// appendPoints appends the features of points that are not 0, in ascending order.
func (t *interactions) appendPoints(x []float64, index []uint32, v []float64) ([]uint32, []float64) {
	for i := range t.points {
		p := &t.points[i]
		a, b := &t.flat[p.a], &t.flat[p.b]
		for k, r := range p.bins {
			if j, l := a.cell(x, r), b.cell(x, r); j >= 0 && l >= 0 {
				index, v = append(index, uint32(t.pointsAt+p.first[k]+j*b.cells(r)+l)), append(v, t.parameters.CoordinateWeight)
			}
		}
	}
	return index, v
}
