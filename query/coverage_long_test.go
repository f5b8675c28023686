//go:build long

package query

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ditherml/dither/internal/pick"
	"github.com/ditherml/dither/mechanism"
)

// TestIntervalsHoldTheTruthAtLength repeats every case 25000 times: 95 % are off by more than 0.7 points with a
// probability below 4e-7 (5.08 standard errors of 0.138 points). With DITHER_COVERAGE=k/n in the environment only every n-th
// case is repeated, from the k-th on, which counts from 0.
func TestIntervalsHoldTheTruthAtLength(t *testing.T) {
	part, parts := 0, 1
	if share := os.Getenv("DITHER_COVERAGE"); share != "" {
		if n, err := fmt.Sscanf(share, "%d/%d", &part, &parts); n != 2 || err != nil || part < 0 || part >= parts {
			t.Fatalf("DITHER_COVERAGE is %q, want k/n with k from 0 to n-1", share)
		}
	}
	for i, c := range coverageCases() {
		if i%parts != part {
			continue
		}
		t.Run(c.name+" "+c.noise.String(), func(t *testing.T) {
			t.Parallel()
			checkCoverage(t, c, 25000, 0.007)
		})
	}
}

// TestRankErrorsHoldAtLength chooses the median and an outer quantile of few and of many numbers 10000 times: the rank is
// wrong by at most rankError more than that of the best point in at least 95 % of them. That bound is for the worst numbers,
// and is said to hold at least so often: fewer than 93.9 % of 10000 have a probability below 1e-6 where 95 % hold.
func TestRankErrorsHoldAtLength(t *testing.T) {
	const runs, points = 10000, 101
	r := rand.New(rand.NewPCG(4, 4))
	grid, err := pick.NewGrid(0, 100, points)
	if err != nil {
		t.Fatal(err)
	}
	for _, records := range []int{40, 400} {
		x := make([]float64, records)
		for i := range x {
			x[i] = math.Round(100 * r.Float64() * r.Float64())
		}
		for _, choice := range []mechanism.Choice{mechanism.PermuteAndFlip{Epsilon: 1}, mechanism.Exponential{Epsilon: 1}} {
			for _, q := range []float64{0.5, 0.9} {
				held := 0.0
				for range runs {
					got, failure := pick.Quantiles(pick.QuantileTerms{Payer: &free{}, Choice: choice, Grid: grid, MaxRecords: 1000}, pick.EachRow(records), func(i int) float64 { return x[i] }, []float64{q})
					if failure != nil {
						t.Fatal(failure)
					}
					if rankLoss(x, got[0], q)-bestLoss(x, grid, q) <= pick.RankError(1, points, 1, q, 0.95) {
						held++
					}
				}
				t.Logf("%v-quantile of %d, %v: %.4f of %d", q, records, choice, held/runs, runs)
				if held/runs < 0.939 {
					t.Errorf("%v-quantile of %d with %v: the rank is within its bound in %.4f of the runs, want at least 0.95", q, records, choice, held/runs)
				}
			}
		}
	}
}

// rankLoss is by how many numbers the rank of a point is wrong: how many too many are below it, or above it.
func rankLoss(x []float64, at, q float64) float64 {
	below, above, n := 0.0, 0.0, float64(len(x))
	for _, v := range x {
		if v < at {
			below++
		}
		if v > at {
			above++
		}
	}
	return max(0, below-q*n, above-(1-q)*n)
}

// bestLoss is that of the best point.
func bestLoss(x []float64, grid pick.Grid, q float64) float64 {
	best := math.Inf(1)
	for _, at := range grid {
		best = min(best, rankLoss(x, at, q))
	}
	return best
}
