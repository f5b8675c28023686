package train

import (
	"math"

	"github.com/ditherml/dither/internal/encoder"
)

// typicalEnergy is the energy of a grid whose scales do not change; see balanceGrids.
const typicalEnergy = 6

// leastScale is the least scale, relative to the largest. It keeps scaled indicators of cells far above the
// steps of the grid of rows.
const leastScale = 0x1p-8

// A cell of a number with nearly all records of its coarser cell is a copy of this cell. In the coarsest
// grid it is a copy of the constant feature. Ordered levels count as numbers. Levels without an order have
// no copies, since a row may have none of them. Copies would crowd out other features, so their scales are
// divided by copyDivisor.
//
// A cell that noise does not hide counts as a copy by its released mean. This mean is at least copyShare of
// that of the coarser cell, less copySlack standard deviations of the noise.
const copyShare, copySlack, copyDivisor = 0.95, 1.5, 4

// balanceGrids changes the scales of grids of cells such that columns count alike. Entry j of scales is
// the scale of the feature names[j]. Afterwards the largest scale is 1.
//
// The energy of a grid is about the number of cells with enough records, divided by the value of their
// indicators. Cells that noise hides have the scale of the least frequency. So a column with nearly all
// records in one cell has little energy, and weights of its rare cells would be learned slowly.
//
// Grids of a number with several resolutions are divided by the square root of their energy, and other
// grids by the fourth root. The powers were chosen on validation parts (docs/features.md). The rule reads
// released frequencies and public names alone, so it costs nothing.
func (m moment) balanceGrids(scales []float64, names []encoder.Name) {
	grids, floor, largest := m.grids(names), m.floor(), 0.0
	for j := range scales {
		g, state := grids[names[j].Cell.Grid], names[j].Cell.States[0]
		scales[j] *= g.weight(floor)
		// The conversions forbid fused arithmetic: the same copies on every machine.
		least := float64(copyShare*g.coarser(m.mean, grids, state)) - float64(copySlack*m.noise)
		if m.mean[j] > floor && m.mean[j] >= least {
			scales[j] /= copyDivisor
		}
		largest = max(largest, scales[j])
	}
	for j := range scales {
		scales[j] = max(scales[j]/largest, leastScale)
	}
}

// gridMoment is what released frequencies say of a grid. The zero value is no grid.
type gridMoment struct {
	value  float64 // of the indicator of a cell
	number bool    // of a column with several grids
	first  int     // feature of the first cell
	before int     // the next coarser grid, or 0
	// mass is the sum of the frequencies of all cells. seen and energy are sums over the cells that noise
	// does not hide: of their frequencies and of their energies.
	mass, seen, energy float64
}

// weight returns the factor for the scales of the grid. floor is the least frequency.
func (g gridMoment) weight(floor float64) float64 {
	if g.value == 0 {
		return 1
	}
	// A smaller energy than that of one cell with all records is due to noise.
	energy := max(1, (g.energy+max(0, g.mass-g.seen)/floor)/g.value)
	root := math.Sqrt(energy / typicalEnergy)
	if !g.number {
		root = math.Sqrt(root)
	}
	return 1 / root
}

// coarser returns the released mean of the coarser cell that contains a cell of a number, or the mass of its
// coarsest grid. It is infinite for levels, for pairs and for features that are no cells.
func (g gridMoment) coarser(means []float64, grids []gridMoment, state int) float64 {
	switch {
	case !g.number:
		return math.Inf(1)
	case g.before == 0:
		return g.mass
	}
	return means[grids[g.before].first+state/2]
}

// grids returns the grids by their numbers, which count from 1. The grids of a number have the mass of its
// coarsest grid, where the sum has the least noise.
func (m moment) grids(names []encoder.Name) []gridMoment {
	grids, floor := []gridMoment{{}}, m.floor()
	coarsest, latest := map[string]int{}, map[string]int{} // grids by the names of single columns
	for j, n := range names {
		k, column := n.Cell.Grid, n.Cell.Columns[0]
		if k == 0 { // a missing number, or no cell
			continue
		}
		for len(grids) <= k {
			grids = append(grids, gridMoment{})
		}
		g := &grids[k]
		if g.value == 0 { // the first cell of the grid
			single := n.Cell.Columns[1] == ""
			g.value, g.first = n.Cell.Value, j
			if single && coarsest[column] == 0 {
				coarsest[column] = k
			} else if single {
				g.before, g.number, grids[coarsest[column]].number = latest[column], true, true
				g.mass = grids[coarsest[column]].mass
			}
			if single {
				latest[column] = k
			}
		}
		if g.before == 0 {
			g.mass += m.mean[j]
		}
		if m.mean[j] > floor {
			g.seen, g.energy = g.seen+m.mean[j], g.energy+m.mean[j]/(m.mean[j]+floor)
		}
	}
	return grids
}
