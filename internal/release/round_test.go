package release

import (
	"errors"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
)

// TestIntegersOfNeighborsStopTheRun lets the kernel that rounds proposals give records the integers
// of their neighbors, which all are within the bound. Of the 2^13 records of a block one is picked,
// and so the sum is never released. Other blocks are picked too seldom for a test, and a kernel
// that is right stops none.
func TestIntegersOfNeighborsStopTheRun(t *testing.T) {
	const n = 1 << 13
	for _, f := range []Standardization{{}, {Normalize: NormalizeUnit, Intercept: 1}} {
		x, p := make([][]float64, n), make([]float64, n)
		for i := range x {
			x[i], p[i] = []float64{1}, float64(1+i%2)/8
		}
		rows := typedRows(t, x, Int16, f, 0, n)
		for _, wrong := range []bool{false, true} {
			one, group := newTestSum(t, rows, fullSample(t, n), 1, 1, n), newTestSum(t, rows, fullSample(t, n), 1, 1, n)
			g, err := NewGroup(group)
			if err != nil {
				t.Fatal(err)
			}
			if wrong {
				adderOf(one).kernel, adderOf(g.sums[0]).kernel = roundedOfNeighbors, roundedOfNeighbors
			}
			b, err := rows.Load(0, n, Block{})
			if err != nil {
				t.Fatal(err)
			}
			c := kernel.Contributions{Columns: 1, Coefficients: p}
			for name, err := range map[string]error{"sum": one.AddBlock(b, c), "group": g.AddBlock([]Block{b}, []kernel.Contributions{c})} {
				if wrong != errors.Is(err, ErrComputation) || !wrong && err != nil {
					t.Errorf("%s of rows with %+v: error %v, want that of a check: %v", name, f, err, wrong)
				}
			}
			for name, sealed := range map[string]Bounded{"sum": one.Seal(), "group": g.Seal()[0]} {
				if stops(t, sealed, nil) != wrong {
					t.Errorf("%s of rows with %+v: is stopped: %v, want %v", name, f, !wrong, wrong)
				}
			}
		}
	}
}

// roundedOfNeighbors is a kernel that exchanges the integers of neighbors.
func roundedOfNeighbors(dst, v, scales []float64, n2 []int64, bound int64) bool {
	all := kernel.RoundBounded(dst, v, scales, n2, bound)
	for i := 0; i+1 < len(dst); i += 2 {
		dst[i], dst[i+1] = dst[i+1], dst[i]
	}
	return all
}
