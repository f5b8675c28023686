package train

import (
	"math"
	"slices"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/model"
)

// cellEvidence is what was released about the cells of interactions, whose scales follow from their
// frequencies.
//
// Let x be the value of a cell's indicator, s its scale and w its weight. Before a row is scaled to norm
// 1, the cell adds x·s·w to its score and (x·s)² to the square of its norm. These are the effect and the
// energy of the cell. A state without evidence gets the mean effect and the
// mean energy of the states that it takes the place of. They follow from released frequencies and
// weights.
type cellEvidence struct {
	names []encoder.Name
	// frequencies are the released means of the features, and noise is their standard deviation.
	frequencies []float64
	noise       float64
	// effects has one number for each score of a cell. Cells stand one after the other.
	effects  []float64
	energies []float64
	scores   int
	// weights are frequencies as far as they stand out of the noise.
	weights []float64
	// grids are the features of each grid, and ofColumn the grids of each column alone. asides are the
	// shares of their own effects that states keep, by column and name of the state.
	grids    [][]int
	ofColumn map[string][]int
	asides   map[[2]string]float64
}

// evidentCells changes the scales and weights of a model of interactions. In the new model, a missing
// cell or an unknown level that the records hardly show acts like the mean of the other states. So do
// its cells in pairs. Such a state keeps the share of its own effect that evident gives it. All
// numbers were released, so this costs nothing. The result also gets the weights of cells.
//
// Hashed pairs keep their weights, since their cells share features. So does a model with all its
// iterates, which must end in its weights, and a sample of a distribution over models.
func (ready *prepared) evidentCells(p Plan, o Options, result *Result) error {
	m := result.Model
	f := m.Features()
	if p.NonPrivate || !(ready.frequencies.noise > 0) || f.Whitening == nil || f.Whitening.Scales == nil {
		return nil
	}
	e := newCellEvidence(f, m, ready.frequencies)
	if len(e.grids) == 0 {
		return nil
	}
	result.CellFrequencies = e.found()
	if p.stateRule(f) != cellStates || o.servesTheDescent() {
		return nil
	}
	e.shrink()
	scales, weights := e.served(f, m)
	served := *f
	served.Whitening = &feature.Whitening{Scales: scales}
	out, err := model.New(m.Schema(), &served, m.Linear().Loss, weights)
	if err != nil {
		return err
	}
	out.Provenance = m.Provenance
	result.Model, result.Unshrunk, result.UnshrunkWeights = out, f, m.Weights()
	return nil
}

// found returns the weights of cells for others than shrink. A state that is a missing cell or an unknown level has
// weight as far as it has evidence.
func (e *cellEvidence) found() []float64 {
	out := slices.Clone(e.weights)
	for j := range out {
		cell := e.names[j].Cell
		for axis, column := range cell.Columns {
			if cell.Aside[axis] != "" {
				out[j] *= e.asides[[2]string{column, cell.Aside[axis]}]
			}
		}
	}
	return out
}

func newCellEvidence(f *feature.Map, m *model.Model, found moment) *cellEvidence {
	e := &cellEvidence{names: f.Names(), frequencies: found.mean, noise: found.noise, scores: m.Linear().Columns, ofColumn: map[string][]int{}, asides: map[[2]string]float64{}}
	e.effects, e.energies = make([]float64, len(e.frequencies)*e.scores), make([]float64, len(e.frequencies))
	e.weights = make([]float64, len(e.frequencies))
	scale, weights, stride := cellScale(e.names), m.Weights(), f.Dim()
	for j := range e.frequencies {
		cell := e.names[j].Cell
		if cell.Columns[0] == "" {
			continue
		}
		length := cell.Value * f.Whitening.Scales[j]
		e.energies[j] = length * length
		for k := range e.scores {
			e.effects[j*e.scores+k] = length * weights[k*stride+j]
		}
		if cell.Columns[1] == "" && cell.Aside[0] != "" {
			e.asides[[2]string{cell.Columns[0], cell.Aside[0]}] = occurs(e.frequencies[j], e.noise, cell.Value*scale)
		}
		for len(e.grids) < cell.Grid {
			e.grids = append(e.grids, nil)
		}
		if cell.Grid == 0 { // a missing number
			e.weights[j] = e.standing(j)
		} else {
			own := cell.Grid - 1
			if e.grids[own] = append(e.grids[own], j); cell.Columns[1] == "" && len(e.grids[own]) == 1 {
				e.ofColumn[cell.Columns[0]] = append(e.ofColumn[cell.Columns[0]], own)
			}
		}
	}
	e.weigh()
	return e
}

// shrink changes the effects and energies of states without evidence.
func (e *cellEvidence) shrink() {
	for j := range e.frequencies {
		cell := e.names[j].Cell
		if cell.Columns[0] == "" || cell.Columns[1] != "" || cell.Aside[0] == "" {
			continue
		}
		effect, energy := make([]float64, e.scores), 0.0
		for _, grid := range e.ofColumn[cell.Columns[0]] {
			more, length := e.mean(e.grids[grid], 0, func(other encoder.Cell) bool { return other.Aside[0] == "" }, e.masses(e.grids[grid], 0))
			for k := range effect {
				effect[k] += more[k]
			}
			energy += length
		}
		e.move(j, effect, energy, e.asides[[2]string{cell.Columns[0], cell.Aside[0]}])
	}
	for _, grid := range e.grids {
		if len(grid) > 0 && e.names[grid[0]].Cell.Columns[1] != "" {
			e.shrinkPair(grid, 0)
			e.shrinkPair(grid, 1)
		}
	}
}

// shrinkPair is shrink for the states of one column of a grid of two.
func (e *cellEvidence) shrinkPair(grid []int, axis int) {
	column, lines := e.masses(grid, axis), map[int][]int{} // by the state of the other column
	for _, j := range grid {
		other := e.names[j].Cell.States[1-axis]
		lines[other] = append(lines[other], j)
	}
	for _, line := range lines {
		effect, energy := e.mean(line, axis, func(cell encoder.Cell) bool { return cell.Aside[axis] == "" }, e.lineMasses(line, axis, column))
		for _, j := range line {
			if cell := e.names[j].Cell; cell.Aside[axis] != "" {
				e.move(j, effect, energy, e.asides[[2]string{cell.Columns[axis], cell.Aside[axis]}])
			}
		}
	}
}

// masses returns the weights of the states of a column in a grid, summed over the states of the other column.
func (e *cellEvidence) masses(grid []int, axis int) []float64 {
	var out []float64
	for _, j := range grid {
		state := e.names[j].Cell.States[axis]
		if state >= len(out) {
			out = append(out, make([]float64, state+1-len(out))...)
		}
		out[state] += e.weights[j]
	}
	return out
}

// lineMasses returns the masses of a column's states, for rows with one state of the other column. They
// are the weights of the cells of this line. The weights of the whole column are added, scaled
// to the sum of one standard deviation of the noise. So the whole column decides where the records show
// no cell of the line.
func (e *cellEvidence) lineMasses(line []int, axis int, column []float64) []float64 {
	out, all := e.masses(line, axis), 0.0
	for _, mass := range column {
		all += mass
	}
	if all > 0 {
		for state := range out {
			out[state] += e.noise * column[state] / all
		}
	}
	return out
}

// mean returns the mean effect and energy of those cells of a line that count. The masses are by state of
// the column axis, in which the cells may differ. If no state has a mass, the effect is 0 and every energy counts
// alike.
func (e *cellEvidence) mean(line []int, axis int, counts func(encoder.Cell) bool, masses []float64) (effect []float64, energy float64) {
	effect = make([]float64, e.scores)
	all, alike := 0.0, 0.0
	for _, j := range line {
		if cell := e.names[j].Cell; counts(cell) {
			mass := masses[cell.States[axis]]
			all += mass
			for k := range effect {
				effect[k] += mass * e.effects[j*e.scores+k]
			}
			energy += mass * e.energies[j]
			alike++
		}
	}
	switch {
	case all > 0:
		for k := range effect {
			effect[k] /= all
		}
		return effect, energy / all
	case alike == 0:
		return effect, 0
	}
	clear(effect)
	energy = 0
	for _, j := range line {
		if counts(e.names[j].Cell) {
			energy += e.energies[j] / alike
		}
	}
	return effect, energy
}

// move moves a cell to a mean. The cell keeps a share of its own.
func (e *cellEvidence) move(j int, effect []float64, energy, share float64) {
	for k, v := range effect {
		e.effects[j*e.scores+k] = share*e.effects[j*e.scores+k] + (1-share)*v
	}
	e.energies[j] = share*e.energies[j] + (1-share)*energy
}

// served returns the scales and weights that give the cells their effects and energies. The largest
// scale is 1, as in training.
func (e *cellEvidence) served(f *feature.Map, m *model.Model) (scales, weights []float64) {
	scales, weights = slices.Clone(f.Whitening.Scales), slices.Clone(m.Weights())
	for j := range scales {
		cell := e.names[j].Cell
		if cell.Aside[0] == "" && cell.Aside[1] == "" {
			continue
		}
		length := math.Sqrt(e.energies[j])
		if scales[j] = length / cell.Value; !(length > 0) {
			continue
		}
		for k := range e.scores {
			weights[k*f.Dim()+j] = e.effects[j*e.scores+k] / length
		}
	}
	if largest := slices.Max(scales); largest > 0 {
		for j := range scales {
			scales[j] /= largest
		}
	}
	return scales, weights
}
