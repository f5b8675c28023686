package release

import (
	"math"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// TestCoarseGridIsFineEnough holds the scale of a coarse grid against its definition, and the next coarser one.
func TestCoarseGridIsFineEnough(t *testing.T) {
	coarser := 0
	for _, z := range []float64{0.2, 1, 20, 333.3, 1e5} {
		for _, records := range []int{1, 1000, 60000, 1 << 26} {
			for largest, kind := range map[float64]RowType{1: Bit, 255: Uint8, 32767: Int16} {
				rows := &Rows{kind: kind, dim: 784}
				f := fit{maxRecords: records, norm: L2(), dim: 784, enough: rows.enough}
				g, err := fitNoise(mechanism.Gaussian{NoiseMultiplier: z}, f)
				if err != nil {
					t.Fatal(err)
				}
				fine, err := fitNoise(mechanism.Gaussian{NoiseMultiplier: z}, fit{maxRecords: records, norm: L2(), dim: 784})
				if err != nil || g.bits > fine.bits {
					t.Fatalf("z %v, %d records of %v: the coarse grid has %d bits, the finest %d: %v", z, records, largest, g.bits, fine.bits, err)
				}
				enough := func(b uint) bool {
					s := math.Ldexp(1, int(b))
					return float64(records)*largest/2 <= s/128 && s/z >= 4096*28*largest
				}
				if g.bits < fine.bits {
					coarser++
					if !enough(g.bits) || enough(g.bits-1) && g.bits > 10 {
						t.Errorf("z %v, %d records of %v: %d bits, want the fewest that are enough", z, records, largest, g.bits)
					}
				}
				if s := math.Ldexp(1, int(g.bits)) / float64(g.bound); s < z*(1-1e-15) || s > z*1.001 {
					t.Errorf("z %v, %d records of %v: executed multiplier %v", z, records, largest, s)
				}
			}
		}
	}
	if coarser < 20 {
		t.Errorf("only %d grids are coarser than the finest", coarser)
	}
}

// TestCoarseSumsLoseRoundingInTheNoise adds MaxRecords records that are rounded the same way by nearly half a
// step: the sum moves by less than 2^-7 standard deviations, and by more than 2^-10, so that the bound is not idle.
func TestCoarseSumsLoseRoundingInTheNoise(t *testing.T) {
	const n, z = 1000, 10
	rows, err := NewRows(n, RowsOptions{Dim: 1, Step: 1, Type: Uint8}, func(dst []float64, _, _ int) {
		for i := range dst {
			dst[i] = 255
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	sample, _ := Draw(Full(), n)
	worst := 0.0
	for _, fraction := range []float64{-0.49, -0.25, 0, 0.25, 0.49} {
		s, failed := NewSum(sample, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: z}, Columns: 1, Bound: 1, MaxRecords: n, Coarse: true})
		if failed != nil {
			t.Fatal(failed)
		}
		c := kernel.Contributions{Columns: 1, Coefficients: make([]float64, n)}
		for i := range c.Coefficients {
			c.Coefficients[i] = (math.Floor(adderOf(s).scale/300) + fraction) / adderOf(s).scale
		}
		if err = s.Add(0, c); err != nil {
			t.Fatal(err)
		}
		want := n * 255 * c.Coefficients[0]
		worst = max(worst, math.Abs(float64(s.Seal().state.values[0])/float64(s.grid.bound)-want)/z)
	}
	if !(worst < 1.0/128) || worst < 1.0/1024 {
		t.Errorf("rounding moves the sum by %v standard deviations, want less than 1/128, and more than 1/1024", worst)
	}
}

// TestCoarseGridOfFrames: rows that have long integers have a grid of their own, on which rounding moves what a usual row adds
// by at most 2^-16 of its bound, and the finest grid where that is coarser.
func TestCoarseGridOfFrames(t *testing.T) {
	identity := IntMatrix{Numbers: []int16{math.MaxInt16, 0, 0, math.MaxInt16}, Unit: 1}
	for _, f := range []Standardization{{Intercept: 0.5}, {Center: []float64{0.1, 0.2}}, {Normalize: NormalizeUnit, Center: []float64{0.1, 0.2}, Intercept: 1}, {Normalize: NormalizeUnit, Whitening: &identity}} {
		rows := typedRows(t, [][]float64{{1, 0.7}, {0.2, 0.5}}, Uint8, f, 0, 2)
		sample, _ := Draw(Full(), 2)
		for records, fine := range map[int]bool{2: false, 1 << 30: true} {
			for _, z := range []float64{0.7, 1, 30} {
				o := SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: z}, Columns: 1, Bound: 1, MaxRecords: records}
				finest, err := NewSum(sample, rows, o)
				if err != nil {
					t.Fatal(err)
				}
				o.Coarse = true
				coarse, err := NewSum(sample, rows, o)
				if err != nil || (coarse.grid == finest.grid) != fine {
					t.Fatalf("frame %+v, %d records: grids are %+v and %+v, want one: %v, %v", f, records, coarse.grid, finest.grid, fine, err)
				}
				if b := coarse.grid.bound; !fine && (b < 1<<framedBoundBits || b >= 2<<framedBoundBits) {
					t.Errorf("frame %+v: one record's bound is %d, want 2^%d to twice that", f, b, framedBoundBits)
				}
				for i := range rows.Len() {
					if moved := math.Sqrt(float64(rows.norm2(i))) / 2 / float64(coarse.limit); !fine && moved > 0x1p-16 {
						t.Errorf("frame %+v: rounding moves row %d by %v of its bound, want 2^-16 at most", f, i, moved)
					}
				}
			}
		}
	}
}
