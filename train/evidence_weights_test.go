package train

import (
	"fmt"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/encoder"
)

// cellGrid is a grid of the columns x and y, or of one of them. The names of bins end in the name of their kind.
type cellGrid struct {
	columns  [2]string
	declared [2]int      // states of each column
	asides   [2][]string // follow the declared states
	bins     [2]string
	value    float64
	released []float64 // frequencies, by the state of the first column, then of the second
}

// names returns the meaning of the cells of a grid with a number.
func (g cellGrid) names(number int) (out []encoder.Name) {
	state := func(axis, k int) (level, aside string) {
		if k -= g.declared[axis]; k >= 0 {
			return g.asides[axis][k], g.asides[axis][k]
		}
		return fmt.Sprint("bin ", k+g.declared[axis], " of ", g.bins[axis]), ""
	}
	for i := range g.declared[0] + len(g.asides[0]) {
		level, aside := state(0, i)
		c := encoder.Cell{Grid: number, Columns: g.columns, States: [2]int{i}, Aside: [2]string{aside}, Value: g.value}
		if g.columns[1] == "" {
			out = append(out, encoder.Name{Column: g.columns[0], Level: level, Cell: c})
			continue
		}
		for j := range g.declared[1] + len(g.asides[1]) {
			second := ""
			c.States[1] = j
			second, c.Aside[1] = state(1, j)
			out = append(out, encoder.Name{Column: "x × y", Level: level + ", " + second, Cell: c})
		}
	}
	return out
}

// TestWeightsOfCells compares the weights of the last grid of some grids with those by hand. Grids of value 1e-6 have
// frequencies of 0. Noise is much larger than their weights, so they are divided as columns alone are.
func TestWeightsOfCells(t *testing.T) {
	pair, one := [2]string{"x", "y"}, func(n int) [2]int { return [2]int{1, n} }
	y := func(bins string, released ...float64) cellGrid {
		return cellGrid{columns: [2]string{"y"}, declared: [2]int{len(released)}, bins: [2]string{bins}, value: 1, released: released}
	}
	coarse := cellGrid{columns: pair, declared: one(2), value: 1, released: []float64{1000, 2000}}
	fine := cellGrid{columns: pair, declared: one(4), bins: [2]string{"", "equal width"}, value: 1e-6, released: make([]float64, 4)}
	apart := [2][]string{{"missing", "other"}, nil}
	for name, c := range map[string]struct {
		grids []cellGrid
		want  []float64
	}{
		"a negative frequency": {[]cellGrid{y("any", 500, -500)}, []float64{500, 0}},
		"shares of the second column": {[]cellGrid{y("equal width", 300, 100, 50, 150), coarse, fine}, []float64{
			750e-6, 250e-6, 500e-6, 1500e-6,
		}},
		"shares of the first column": {[]cellGrid{
			{columns: [2]string{"x"}, declared: [2]int{2}, bins: [2]string{"equal width"}, value: 1, released: []float64{100, 300}},
			{columns: pair, declared: one(1), value: 1, released: []float64{1000}},
			{columns: pair, declared: [2]int{2, 1}, bins: [2]string{"equal width", ""}, value: 1e-6, released: make([]float64, 2)},
		}, []float64{250e-6, 750e-6}},
		"other bins of the second column": {[]cellGrid{y("half-logarithmic", 300, 100, 50, 150), coarse, fine}, []float64{
			500e-6, 500e-6, 1000e-6, 1000e-6,
		}},
		"fewer bins of the second column": {[]cellGrid{y("equal width", 300, 100), coarse, fine}, []float64{
			500e-6, 500e-6, 1000e-6, 1000e-6,
		}},
		"missing and unknown states": {[]cellGrid{
			{columns: pair, declared: one(1), asides: apart, value: 1, released: []float64{4000, 1000, 2000}},
			{columns: pair, declared: one(2), asides: apart, value: 1e-6, released: make([]float64, 6)},
		}, []float64{2000e-6, 2000e-6, 500e-6, 500e-6, 1000e-6, 1000e-6}},
		"three grids": {[]cellGrid{
			y("any", 6000, 4000), y("any", 5000, 1000, 1000, 3000),
			{columns: [2]string{"y"}, declared: [2]int{8}, value: 1e-6, released: make([]float64, 8)},
		}, []float64{2500e-6, 2500e-6, 500e-6, 500e-6, 500e-6, 500e-6, 1500e-6, 1500e-6}},
	} {
		e := &cellEvidence{noise: 1, ofColumn: map[string][]int{}}
		for k, g := range c.grids {
			var grid []int
			for _, n := range g.names(k + 1) {
				grid, e.names = append(grid, len(e.names)), append(e.names, n)
			}
			if e.frequencies, e.grids = append(e.frequencies, g.released...), append(e.grids, grid); g.columns[1] == "" {
				e.ofColumn[g.columns[0]] = append(e.ofColumn[g.columns[0]], k)
			}
		}
		e.weights = make([]float64, len(e.names))
		e.weigh()
		for k, j := range e.grids[len(e.grids)-1] {
			if got := e.weights[j]; math.Abs(got-c.want[k]) > 1e-3*c.want[k] {
				t.Errorf("%s: %v has the weight %v, want %v", name, e.names[j], got, c.want[k])
			}
		}
	}
}
