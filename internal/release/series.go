package release

import (
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// Series is a run of releases with correlated noise that one event has paid for: BandedMatrix or
// TreeAggregation. With G_t the exact sum of step t, in integers, it releases C·G + Z. C is a
// public lower-triangular matrix of integers, and Z is fresh rounded Gaussian noise on every row.
// Neither G nor C·G leaves. What it hands out, an estimate of G_t, is computed from the released
// rows alone.
//
// Claim. Given what the event says of who takes part when, the whole run costs what the event is
// priced at. Let one record have the vectors g_t at the steps where it takes part, ‖g_t‖ ≤ Δ, which
// is what the sums verify.
//
//  1. The record's steps. Its group is drawn uniformly, for its place, and independently of all
//     other records (Rotation). So the groups and samples of the others have the same distribution
//     on both neighbors, and may be given. This holds whether the record is added, replaced or made
//     zero. A record and its replacement share group and coins. Given its group, it takes part in
//     steps a period apart, in each by an own coin of probability q or less.
//  2. One participation at step t adds c_(s-t)·g_t to row s, for the rows of column t. In a banded
//     matrix these are b rows and the period is b. So no two participations meet in a row; in a
//     tree the record has one step. The rows of a participation, given all rows before, are a
//     function of those rows plus coin · c ⊗ g_t plus noise: a Gaussian mechanism of sensitivity
//     ‖c‖·Δ, released row by row, on a sample of probability q. Under replace-one the two neighbors
//     are moved by c ⊗ g_t and c ⊗ g'_t, as two bounds of the relation. That later sums depend on
//     earlier rows is the same on both neighbors.
//  3. The noise has the standard deviation S ≥ multiplier·‖c‖·Δ, where of a tree ‖c‖² is left to
//     the event, which counts the nodes above a leaf. Rows are integers, so that H + round(Z) =
//     round(H + Z) is post-processing of the continuous noise. So each participation costs one
//     sampled Gaussian of the event's multiplier, there are ⌈Steps/b⌉ of them, and they compose
//     adaptively.
//
// Sources: Choquette-Choo, Ganesh, McKenna, McMahan, Rush, Thakurta & Xu, "(Amplified) Banded
// Matrix Factorization", NeurIPS 2023, theorem 4, https://arxiv.org/abs/2306.08153. Kairouz,
// McMahan, Song, Thakkar, Thakurta & Xu, "Practical and Private (Deep) Learning without Sampling or
// Shuffling", ICML 2021, theorem 4.1, https://arxiv.org/abs/2103.00039.
//
// A step may release several sums of its sample, with bounds Δ_k and noise of standard deviations
// S_k ≥ m_k·‖c‖·Δ_k. The rows of a participation are then the rows of all sums, each in units of
// its S_k. Together they are moved by at most √(Σ 1/m_k²), which is at most 1/multiplier.
//
// A step is Draw, then a sum over that sample made for each Noise, then Release.
type Series struct {
	event    mechanism.Event
	steps    int
	rotation *Rotation

	mu    sync.Mutex
	parts []*seriesPart // of the sums of a step
}

// seriesPart is what is kept of one of the sums of the steps.
type seriesPart struct {
	multiplier float64
	matrix     matrix
	estimate   estimator
	// What was released first; all others are of its kind. Nothing was while numbers is 0.
	grid    grid
	numbers int
}

// Draw draws the sample of the next step: of the records whose turn it is, as the event says.
func (s *Series) Draw() (Sample, error) { return s.rotation.Draw() }

// Noise is what the k-th sum of each step is to be made for.
func (s *Series) Noise(k int) mechanism.Noise {
	return seriesNoise{mechanism.Gaussian{NoiseMultiplier: s.parts[k].multiplier}, s, k}
}

// seriesNoise is the noise of the rows of a series. Only the series releases what is made for it.
type seriesNoise struct {
	mechanism.Noise // that of a row
	series          *Series
	part            int
}

// String prints the event of the series, which is what its noise costs.
func (n seriesNoise) String() string { return n.series.event.String() }

// fit takes the scale at which S ≥ multiplier·‖c‖·Δ and MaxRecords·Δ·Σc + 16·S < 2^60, so that no
// row overflows.
func (n seriesNoise) fit(f fit) (grid, error) {
	p, declared := n.series.parts[n.part], f.maxRecords
	// Three roundings, each by a factor of at most 1 ± 2^-53, are made up for.
	multiplier := p.multiplier * math.Sqrt(float64(p.matrix.square())) * (1 + 0x1p-50)
	most := maxMaxRecords / int(p.matrix.weight())
	if f.norm != L2() || !positive(multiplier) || declared < 1 || declared > most {
		return grid{}, fmt.Errorf("release: sum is in norm %v of at most %d records, for noise of multiplier %v, want norm %v, 1 to %d records and a finite multiplier", f.norm, declared, multiplier, L2(), most)
	}
	f.maxRecords *= int(p.matrix.weight())
	g, err := newGrid(n, multiplier, f, sample.MaxGridBits)
	g.maxRecords = declared
	return g, err
}

// Release takes the sums over the sample of the step, the k-th made for Noise(k), and returns an
// estimate of each: Noisy values of the length of the sum, in its units, whose noise cancels over
// the steps. Estimates added up over steps, as gradient descent does, have far less noise than
// those of independent noise would; each by itself has more. The k-th sums of a series are of one
// kind: same numbers and max records. A step is released once.
func (s *Series) Release(sums ...Bounded) ([]Noisy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.accept(sums); err != nil {
		return nil, err
	}
	out := make([]Noisy, len(sums))
	for k, b := range sums {
		estimate, err := s.parts[k].release(b.state.values)
		if err != nil {
			return nil, err
		}
		for j := range estimate {
			estimate[j] *= b.state.unit
		}
		out[k] = Noisy{estimate}
	}
	return out, nil
}

// accept refuses what are not the sums of the step, and notes that it is released.
func (s *Series) accept(sums []Bounded) error {
	if len(sums) != len(s.parts) {
		return fmt.Errorf("release: the step has %d sums, want the %d of the series", len(sums), len(s.parts))
	}
	last := s.rotation.latest()
	for k, b := range sums {
		if b.state != nil && b.state.faulty {
			return ErrComputation
		}
		if b.state == nil || b.state.grid.noise != s.Noise(k) {
			return fmt.Errorf("release: sum %d was not made for %v, want one made for its noise in this series", k, s.event)
		}
		if last == nil || b.state.sample.drawn != last && b.state.sample.drawn.whole != last {
			return fmt.Errorf("release: sum %d is not of the sample of this step, want the last one that the series drew", k)
		}
		p := s.parts[k]
		if p.numbers == 0 {
			p.grid, p.numbers = b.state.grid, len(b.state.values)
		}
		if b.state.grid != p.grid || len(b.state.values) != p.numbers {
			return fmt.Errorf("release: sum %d has %d numbers or a grid unlike the first of the series, want sums of one kind, of %d numbers", k, len(b.state.values), p.numbers)
		}
	}
	if last.released.Swap(true) {
		return fmt.Errorf("release: this step of the series was released, want each once")
	}
	return nil
}

// release adds noise to the rows that end with a sum, and returns what is estimated from them, on
// the grid.
func (p *seriesPart) release(sum []int64) ([]float64, error) {
	rows := p.matrix.rows(sum)
	released := make([][]float64, len(rows))
	for k, row := range rows {
		noisy, err := (&bounded{grid: p.grid, values: row, unit: 1}).noisy()
		if err != nil {
			return nil, err
		}
		released[k] = noisy
	}
	return p.estimate.next(released), nil
}
