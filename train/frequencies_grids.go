package train

import (
	"math"

	"github.com/ditherml/dither/internal/encoder"
)

// typicalEnergy is the energy of a grid whose scales do not change; see balanceGrids.
const typicalEnergy = 6

// leastScale is the least scale, relative to the largest. It keeps scaled values far above the steps of
// the grid of rows.
const leastScale = 0x1p-8

// balanceGrids changes the scales of grids of cells such that columns count alike. Entry j of scales is
// the scale of the feature names[j]. Afterwards the largest scale is 1.
//
// The energy of a grid is the mean over the records of the square that the scaled indicator of a cell adds
// to a row. Without noise it is the number of cells with records. Cells that noise hides have the scale of
// the least frequency. So a column with nearly all records in one cell has little energy, and weights of its
// rare cells would be learned slowly.
//
// Grids of a number with several resolutions are divided by the square root of their energy, and other
// grids by the fourth root. The powers were chosen on validation parts (docs/features.md). The rule reads
// released frequencies and public names alone, so it costs nothing.
func (m moment) balanceGrids(scales []float64, names []encoder.Name) {
	grids, floor, largest := m.grids(names), m.floor(), 0.0
	for j := range scales {
		scales[j] *= grids[names[j].Cell.Grid].weight(floor)
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

// grids returns the grids by their numbers, which count from 1. The grids of a number have the mass of its
// coarsest grid, where the sum has the least noise.
func (m moment) grids(names []encoder.Name) []gridMoment {
	grids, floor := []gridMoment{{}}, m.floor()
	coarsest := map[string]int{} // grids by the names of single columns
	for j, n := range names {
		k := n.Cell.Grid
		if k == 0 { // a missing number, or no cell
			continue
		}
		for len(grids) <= k {
			grids = append(grids, gridMoment{})
		}
		g := &grids[k]
		if first, ok := coarsest[n.Cell.Columns[0]]; n.Cell.Columns[1] == "" && ok && first != k {
			grids[first].number, g.number, g.mass = true, true, grids[first].mass
		} else {
			g.mass += m.mean[j]
		}
		if g.value == 0 && n.Cell.Columns[1] == "" && !g.number {
			coarsest[n.Cell.Columns[0]] = k
		}
		g.value = n.Cell.Value
		if m.mean[j] > floor {
			g.seen, g.energy = g.seen+m.mean[j], g.energy+m.mean[j]/(m.mean[j]+floor)
		}
	}
	return grids
}
