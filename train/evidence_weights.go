package train

import (
	"math"
	"strings"
)

// weigh sets the weights of all cells. In the coarsest grid of some columns, a frequency counts as far as it
// stands out of the noise. Each finer grid divides the weights of the next coarser one. A fine cell
// has few records, and the same noise as a coarse one. Of thousands of fine cells by themselves, those with the
// most noise would stand out.
func (e *cellEvidence) weigh() {
	coarser := map[[2]string][]int{}
	for _, grid := range e.grids {
		if len(grid) == 0 {
			continue
		}
		columns := e.names[grid[0]].Cell.Columns
		if before := coarser[columns]; before != nil {
			e.divide(before, grid)
		} else {
			for _, j := range grid {
				e.weights[j] = e.standing(j)
			}
		}
		coarser[columns] = grid
	}
}

// standing returns a frequency as far as it stands out of the noise.
func (e *cellEvidence) standing(j int) float64 {
	c := max(0, e.frequencies[j])
	return c * kept(c/e.noise, levelReach)
}

// divide divides the weights of a coarse grid among the cells of a fine one.
func (e *cellEvidence) divide(coarse, fine []int) {
	in, own := e.declared(coarse), e.declared(fine)
	ratio := e.names[fine[0]].Cell.Value / e.names[coarse[0]].Cell.Value
	shares := [2][]float64{e.shares(fine, 0, own[0], in[0]), e.shares(fine, 1, own[1], in[1])}
	weights, parts := map[[2]int]float64{}, map[[2]int][]int{}
	for _, j := range coarse {
		weights[placed(e.names[j].Cell.States, in, in)] = ratio * e.weights[j]
	}
	for _, j := range fine {
		states := e.names[j].Cell.States
		place := placed(states, own, in)
		parts[place] = append(parts[place], j)
		e.weights[j] = weights[place]
		for axis, state := range states {
			if state < own[axis] {
				e.weights[j] *= shares[axis][state]
			}
		}
	}
	for place, cells := range parts {
		e.part(cells, weights[place])
	}
}

// shares returns the shares of a column's states in the states of a coarser grid, by the weights of the column
// alone. They are equal where there are none. The grids have own and in declared states.
func (e *cellEvidence) shares(fine []int, axis, own, in int) []float64 {
	out, sums := make([]float64, own), make([]float64, in)
	weights := e.alone(fine, axis, own)
	for state, w := range weights {
		sums[state*in/own] += w
	}
	for state := range out {
		out[state] = float64(in) / float64(own)
		if sum := sums[state*in/own]; sum > 0 {
			out[state] = weights[state] / sum
		}
	}
	return out
}

// alone returns the weights of a column's declared states in the grid of the column alone that has the same bins.
// Without such a grid it returns nil: bins may be half-logarithmic in one of them.
func (e *cellEvidence) alone(fine []int, axis, states int) []float64 {
	first := e.names[fine[0]]
	for _, g := range e.ofColumn[first.Cell.Columns[axis]] {
		grid := e.grids[g]
		level, same := e.names[grid[0]].Level, false
		if axis == 0 {
			same = strings.HasPrefix(first.Level, level+", ")
		} else {
			same = strings.HasSuffix(first.Level, ", "+level)
		}
		if same && e.declared(grid)[0] == states {
			return e.masses(grid, 0)[:states]
		}
	}
	return nil
}

// declared returns the number of states of each column in a grid, without missing cells and unknown levels.
func (e *cellEvidence) declared(grid []int) (n [2]int) {
	for _, j := range grid {
		for axis, name := range e.names[j].Cell.Aside {
			if name == "" {
				n[axis] = max(n[axis], e.names[j].Cell.States[axis]+1)
			}
		}
	}
	return n
}

// placed returns the states of a cell in a coarser grid. The arguments own and in are the declared states of
// both grids. Other states count down from -1.
func placed(states, own, in [2]int) (out [2]int) {
	for axis, state := range states {
		if out[axis] = own[axis] - 1 - state; state < own[axis] {
			out[axis] = state * in[axis] / own[axis]
		}
	}
	return out
}

// part divides a weight among the cells of one coarser cell. The weights of the cells are those that columns
// alone give them. Each becomes the mean of a mass around it, given the frequency of the cell.
func (e *cellEvidence) part(cells []int, weight float64) {
	if len(cells) == 1 || !(weight > 0) {
		return
	}
	sum := 0.0
	for _, j := range cells {
		e.weights[j] = meanMass(e.frequencies[j], e.noise, e.weights[j])
		sum += e.weights[j]
	}
	for _, j := range cells {
		if sum > 0 {
			e.weights[j] *= weight / sum
		}
	}
}

// meanMass returns the mean of a mass that is at least 0, given a sum c of this mass and of normal noise. The mass
// has an exponential distribution with this mean before. Given c, the mass has a normal distribution around
// c - noise²/before, cut at 0. Let z be this center in units of the noise, φ the density and Φ the distribution
// function. Then the mean is noise·(z + φ(z)/Φ(z)).
func meanMass(c, noise, before float64) float64 {
	z := c/noise - noise/before
	if z < -30 { // the series of z + φ(z)/Φ(z), to 2e-5
		return noise / -z * (1 - 2/(z*z))
	}
	return noise * (z + math.Exp(-z*z/2)/math.Sqrt(2*math.Pi)/(math.Erfc(-z/math.Sqrt2)/2))
}
