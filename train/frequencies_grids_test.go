package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/option"
)

// gridNames returns the features of a number with grids of 2 and 4 cells and a missing cell, of a column of
// three levels, of their pair, and of one column that is no cell.
func gridNames() (names []encoder.Name) {
	add := func(grid, cells int, value float64, columns ...string) {
		for k := range cells {
			c := encoder.Cell{Grid: grid, States: [2]int{k}, Value: value}
			copy(c.Columns[:], columns)
			names = append(names, encoder.Name{Cell: c})
		}
	}
	add(1, 2, 1, "size")
	add(2, 4, 1, "size")
	add(0, 1, 1, "size")
	add(3, 3, 1, "kind")
	add(4, 12, 0.5, "size", "kind")
	return append(names, encoder.Name{Column: "plain"})
}

// TestGridsCountAlike compares the scales with the formulas of energies, for cells above the noise and
// below it.
func TestGridsCountAlike(t *testing.T) {
	names := gridNames()
	pair := slices.Repeat([]float64{0.03}, 11)
	found := moment{noise: 0.01, mean: slices.Concat(
		[]float64{0.47, 0.27}, []float64{0.37, 0.1, 0.02, -0.005}, []float64{0.001},
		[]float64{0.47, 0.17, 0.1}, append(pair, 0.07), []float64{0.2})}
	const floor = 0.03
	own := func(v float64) float64 { return v / (v + floor) }
	root := func(energy float64) float64 { return math.Sqrt(max(1, energy) / typicalEnergy) }
	weights := []float64{
		1,
		root(own(0.47) + own(0.27)),
		root(own(0.37) + own(0.1) + (0.74-0.47)/floor), // the mass is that of the coarser grid
		math.Sqrt(root(own(0.47) + own(0.17) + own(0.1))),
		math.Sqrt(root((own(0.07) + 11*0.03/floor) / 0.5)),
	}
	want, largest := make([]float64, len(names)), 0.0
	for j, v := range found.mean {
		want[j] = 1 / math.Sqrt(math.Abs(v)+floor) / weights[names[j].Cell.Grid]
		largest = max(largest, want[j])
	}
	got := found.scales()
	found.balanceGrids(got, names)
	for j := range want {
		if math.Abs(got[j]*largest/want[j]-1) > 1e-12 {
			t.Errorf("feature %d of grid %d has scale %v, want %v", j, names[j].Cell.Grid, got[j], want[j]/largest)
		}
	}
}

// TestCopiesOfCells divides the scales of cells that have nearly all records of their coarser cell, or of the
// table.
func TestCopiesOfCells(t *testing.T) {
	names := gridNames()
	for _, c := range []struct {
		name         string
		noise        float64
		coarse, fine []float64
		copies       []int
	}{
		{"a finer cell", 1e-4, []float64{0.5, 0.5}, []float64{0.48, 0.02, 0.25, 0.25}, []int{2}},
		{"of the second coarser cell", 1e-4, []float64{0.6, 0.4}, []float64{0.3, 0.3, 0.395, 0.005}, []int{4}},
		{"not quite", 1e-4, []float64{0.5, 0.5}, []float64{0.474, 0.026, 0.25, 0.25}, nil},
		{"noise may hide the rest", 0.01, []float64{0.5, 0.5}, []float64{0.461, 0.039, 0.25, 0.25}, []int{2}},
		{"the constant and its copies", 1e-4, []float64{0.99, 0.01}, []float64{0.985, 0.005, 0.004, 0.006}, []int{0, 2}},
		{"hidden cells", 0.1, []float64{0.29, 0.28}, []float64{0.29, 0, 0.28, 0}, nil},
	} {
		m := moment{noise: c.noise, mean: slices.Concat(c.coarse, c.fine, []float64{0, 0.3, 0.3, 0.4}, slices.Repeat([]float64{0.05}, 12), []float64{0.2})}
		got := m.scales()
		m.balanceGrids(got, names)
		factor := func(j int) float64 {
			return got[j] * math.Sqrt(math.Abs(m.mean[j])+m.floor()) / m.grids(names)[names[j].Cell.Grid].weight(m.floor())
		}
		whole := factor(len(names) - 1) // of the column that is no cell
		for j := range 6 {
			want := 1.0
			if slices.Contains(c.copies, j) {
				want = 1. / copyDivisor
			}
			if ratio := factor(j) / whole; math.Abs(ratio/want-1) > 1e-9 && got[j] > leastScale {
				t.Errorf("%s: the scale of cell %d has factor %v, want %v", c.name, j, ratio, want)
			}
		}
	}
}

// TestLevelsHaveNoCopies keeps the scale of a level that is alone in its grid: rows may have no level.
func TestLevelsHaveNoCopies(t *testing.T) {
	var names []encoder.Name
	for k := range 3 {
		names = append(names, encoder.Name{Cell: encoder.Cell{Grid: 1 + k, Columns: [2]string{string(rune('a' + k))}, Value: 1}})
	}
	m := moment{noise: 1e-4, mean: []float64{0.35, 0.35, 0.99}}
	got := m.scales()
	want := slices.Clone(got)
	m.balanceGrids(got, names)
	if math.Abs(got[0]/got[2]-want[0]/want[2]) > 1e-12 || got[0] != 1 {
		t.Errorf("scales are %v, want the ratios of %v", got, want)
	}
}

// TestScalesOfGridsAreRowsOfAGrid wants scales between 2^-8 and 1 for any released numbers, and the same
// scales for features in another order within each grid.
func TestScalesOfGridsAreRowsOfAGrid(t *testing.T) {
	names := gridNames()
	r := rand.New(rand.NewPCG(3, 9))
	for range 300 {
		m := moment{noise: []float64{0, 1e-9, 0.01, 1}[r.IntN(4)]}
		for range names {
			m.mean = append(m.mean, []float64{0, 1, -1, 1e-12}[r.IntN(4)]*r.Float64())
		}
		got := m.scales()
		m.balanceGrids(got, names)
		if slices.Max(got) != 1 || slices.Min(got) < 0x1p-8 {
			t.Fatalf("scales of %v are from %v to %v, want 2^-8 to 1", m, slices.Min(got), slices.Max(got))
		}
		turned := moment{noise: m.noise, mean: slices.Clone(m.mean)}
		turned.mean[2], turned.mean[3] = m.mean[3], m.mean[2]
		again := turned.scales()
		turned.balanceGrids(again, names)
		again[2], again[3] = again[3], again[2]
		for j := range got {
			if math.Abs(again[j]-got[j]) > 1e-12 {
				t.Fatalf("scale %d is %v with two cells exchanged, want %v", j, again[j], got[j])
			}
		}
	}
}

// TestGridsOfANumericTarget wants scales by frequencies alone for a numeric target, and others for levels.
func TestGridsOfANumericTarget(t *testing.T) {
	for _, numeric := range []bool{false, true} {
		setup, d := crossedSetup(t, ask(), `{"pairs": "all", "bins": 64}`, 300)
		encoded, err := setup.encode(d, 0)
		if err != nil {
			t.Fatal(err)
		}
		if numeric {
			changed := *setup.Schema
			changed.Target.Levels, changed.Target.Lower, changed.Target.Upper = nil, 0, 1
			setup.Schema = &changed
		}
		ready, err := setup.prepare(payEverything{}, encoded)
		if err != nil {
			t.Fatal(err)
		}
		if plain := slices.Equal(ready.features.Whitening.Scales, ready.moments[option.FrequencyStatistic].scales()); plain != numeric {
			t.Errorf("numeric target %v: scales follow from frequencies alone: %v", numeric, plain)
		}
	}
}
