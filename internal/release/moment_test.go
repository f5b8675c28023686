package release

import (
	"github.com/ditherml/dither/mechanism"
	"math/rand/v2"
	"testing"
)

// TestSumAllProducts compares sums of products with the definition, over several goroutines and groups, and with rows beyond
// the limit, which are made by lowering it afterwards: they count as zero, and stay as they are.
func TestSumAllProducts(t *testing.T) {
	const n, dim = 2*gramRows + 300, 5
	r := rand.New(rand.NewPCG(12, 2))
	numbers := make([]int16, n*dim)
	for j := range numbers {
		numbers[j] = int16(r.IntN(1<<15) - 1<<14)
	}
	rows, err := NewWholeRows(n, RowsOptions{Dim: dim, Step: 1, Limit: maxMomentBound}, func() func(dst []int16, first, n int) {
		return func(dst []int16, first, _ int) { copy(dst, numbers[first*dim:]) }
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, limit := range map[string]int64{"all": maxMomentBound, "some": maxMomentBound / 3} {
		rows.limit = limit
		var want [dim * dim]int64
		counted := 0
		for i := range n {
			row, n2 := numbers[i*dim:(i+1)*dim], int64(0)
			for _, v := range row {
				n2 += int64(v) * int64(v)
			}
			if n2 > limit {
				continue
			}
			counted++
			for j, v := range row {
				for k, u := range row {
					want[j*dim+k] += int64(v) * int64(u)
				}
			}
		}
		if counted == 0 || counted == n && name == "some" {
			t.Fatalf("%s: %d of %d rows count, want others", name, counted, n)
		}
		got := sumAllProducts(rows)
		for j, v := range want {
			if got[j] != v {
				t.Fatalf("%s: number %d is %d, want %d", name, j, got[j], v)
			}
		}
	}
}

// TestMomentsRefuseBoundsBeyondTheirRows wants no second moment whose bound is beyond that of MomentRows: sums of such rows
// are not exact in float64.
func TestMomentsRefuseBoundsBeyondTheirRows(t *testing.T) {
	const n, dim = 2, 3
	for _, c := range []struct {
		noise   mechanism.Noise
		refused bool
	}{
		{mechanism.DiscreteGaussian{StandardDeviation: 1, Sensitivity: maxMomentBound}, false}, {mechanism.DiscreteGaussian{StandardDeviation: 1, Sensitivity: maxMomentBound + 1}, true},
		{mechanism.DiscreteLaplace{Scale: 1, Sensitivity: maxMomentBound}, false}, {mechanism.DiscreteLaplace{Scale: 1, Sensitivity: 1 << 50}, true},
	} {
		limit := int64(maxMomentBound)
		if c.refused {
			limit = 1 << 50
			if d, discrete := c.noise.(mechanism.DiscreteGaussian); discrete {
				limit = d.Sensitivity
			}
		}
		rows, err := NewRows(n, RowsOptions{Dim: dim, Step: 1, Limit: limit}, func([]float64, int, int) {})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = SumProducts(fullSample(t, n), rows, ChannelProducts(1, dim), c.noise, n); (err != nil) != c.refused {
			t.Errorf("%v: the error is %v, want one: %v", c.noise, err, c.refused)
		}
	}
}
