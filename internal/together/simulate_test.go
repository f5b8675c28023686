package together_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/together/togethertest"
	"github.com/ditherml/dither/mechanism"
)

// costs are what a step of several ranks is made of, in seconds.
type costs struct {
	compute float64 // of all records, on one rank
	jitter  float64 // of a rank's work, relative
	hop     float64 // to seal, send, open and add one sum
	release float64 // to draw the noise at the root
}

// step simulates one step of some ranks: each sums its records, the sums travel up the binomial tree,
// and the noisy numbers travel down. It returns the time until the last rank has the numbers.
func (c costs) step(ranks int, r *rand.Rand) float64 {
	ready := make([]float64, ranks)
	for rank := range ready {
		ready[rank] = c.compute / float64(ranks) * (1 + c.jitter*math.Abs(r.NormFloat64()))
	}
	for bit := 1; bit < ranks; bit <<= 1 { // ranks with this lowest bit send to the rank without it
		for rank := bit; rank < ranks; rank += 2 * bit {
			above := rank - bit
			ready[above] = max(ready[above], ready[rank]) + c.hop
		}
	}
	end := ready[0] + c.release
	for bit := 1; bit < ranks; bit <<= 1 {
		end += c.hop
	}
	return end
}

// TestSimulatedRanks prints, with -v, how the time of a step falls with the number of ranks: from the
// cost of a step on this machine, of a sealed sum between two ranks in one process, and of a network with
// 30 µs and 1.25 GB/s. It holds that the simulation has no time of its own.
func TestSimulatedRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 64))
	for _, ranks := range []int{1, 2, 3, 8, 64} {
		if got, want := (costs{compute: 6}).step(ranks, r), 6/float64(ranks); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d ranks without costs of their own take %v, want %v", ranks, got, want)
		}
	}
	if got := (costs{hop: 1}).step(8, r); got != 6 {
		t.Errorf("8 ranks take %v hops, want 3 up and 3 down", got)
	}
	const dim, records = 100, 200_000
	perRow := stepSeconds(t, records, dim) / records
	hop := hopSeconds(t, dim+1) + 30e-6 + 8*(dim+1)/1.25e9
	t.Logf("a step takes %.1f ns a row of %d numbers; a sealed sum of %d numbers takes %.0f µs from one rank to another", 1e9*perRow, dim, dim+1, 1e6*hop)
	for _, rows := range []float64{1e6, 1e8, 1e9} {
		c := costs{compute: rows * perRow, jitter: 0.02, hop: hop, release: 10e-6}
		for _, ranks := range []int{1, 2, 4, 8, 16, 32, 64} {
			sum := 0.0
			const steps = 120
			for range steps {
				sum += c.step(ranks, r)
			}
			t.Logf("%.0e rows, %2d ranks: %9.4f s a step, %5.1f times one rank", rows, ranks, sum/steps, c.compute*steps/sum)
		}
	}
}

// stepSeconds is the time of one sum of gradients, on all cores.
func stepSeconds(t *testing.T, records, dim int) float64 {
	t.Helper()
	rows, err := release.NewRows(records, release.RowsOptions{Dim: dim, Step: 1.0 / (1 << 14)}, func(dst []float64, first, _ int) {
		for j := range dst {
			dst[j] = math.Sin(float64(first + j))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	best := math.Inf(1)
	for range 3 {
		sample, err := release.Draw(release.Full(), records)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := release.NewSum(sample, rows, release.SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 50}, Columns: 1, Bound: 1, MaxRecords: records, Coarse: true})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		scorer := rows.RoundedScorer(make([]float64, dim), 1)
		err = pass.All(sum, rows, func(c *kernel.Contributions, b release.Block) {
			scores := make([]float32, b.Len())
			scorer.Scores(scores, b)
			c.Columns, c.Coefficients = 1, c.Coefficients[:0]
			for _, s := range scores {
				c.Coefficients = append(c.Coefficients, 0.01+float64(s))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(begun).Seconds())
	}
	return best
}

// hopSeconds is half of the time in which two ranks release one sum: one message up, and one down.
func hopSeconds(t *testing.T, numbers int) float64 {
	t.Helper()
	const releases = 200
	seconds := 0.0
	for _, err := range togethertest.Run(2, "simulation", func(ctx context.Context, rank int) error {
		payer := together.Payer(ctx, free{})
		begun := time.Now()
		for range releases {
			sample, err := release.Draw(release.Full(), 1)
			if err != nil {
				return err
			}
			sum, err := release.NewVectorSum(sample, release.VectorOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 50}, Norm: release.L2(), Dim: numbers, Bound: 1, MaxRecords: 10})
			if err != nil {
				return err
			}
			if _, err = release.Release(payer, mechanism.Gaussian{NoiseMultiplier: 50}, sum.Seal()); err != nil {
				return err
			}
		}
		if rank == 0 {
			seconds = time.Since(begun).Seconds() / releases / 2
		}
		return nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	return seconds
}

type free struct{}

func (free) Pay(mechanism.Event) error { return nil }
