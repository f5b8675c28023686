package release

import (
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/internal/release/internal/estimate"
	"github.com/ditherml/dither/internal/release/internal/sample"
	"github.com/ditherml/dither/mechanism"
)

// Series is a sequence of releases with correlated noise, which is paid for by one event:
// mechanism.BandedMatrix or mechanism.TreeAggregation. Let G_t be the exact integer sum of step t,
// and G the matrix with rows G_t. The series releases C·G + Z. Here C is a public lower-triangular
// matrix of integers, and every row of Z is new rounded Gaussian noise. G and C·G are never
// released. Each step returns an estimate of G_t, which is computed from released rows alone.
//
// Claim: the whole series costs what the event costs. Let g_t be the vector of one record at step
// t, if it takes part. The sums verify that ‖g_t‖ ≤ Δ. Let c be a column of C.
//
//  1. The record's steps. The record's group is drawn uniformly, for the record's place in the data
//     set, and independently of all other records (see Rotation). So the groups and samples of the
//     other records have the same distribution for both neighbors, and we may condition on them.
//     This holds whether the record is added, replaced or zeroed out. A record and its replacement
//     have the same group and coins. In its group, the record's turn comes once in each period. At
//     its turn it takes part by an independent coin with probability at most q.
//  2. One participation at step t adds c_(s-t)·g_t to row s, for the rows of column t. In a banded
//     matrix with b bands these are b rows, and the period is b. So no row has two participations.
//     In a tree a record has only one step. Given all earlier rows, the rows of a participation are
//     a function of those rows, plus coin·c ⊗ g_t, plus noise. This is a Gaussian mechanism of
//     sensitivity ‖c‖·Δ on a sample of probability q, released row by row. Under replace-one the
//     two neighbors are moved by c ⊗ g_t and c ⊗ g'_t, which the relation counts as two bounds.
//     Later sums depend on earlier rows in the same way for both neighbors.
//  3. The noise has the standard deviation S ≥ multiplier·‖c‖·Δ. For a tree the event accounts for
//     ‖c‖², because it counts the nodes above a leaf. Rows are integers, so H + round(Z) = round(H
//     + Z) for a row H of C·G. So the release is post-processing of the continuous noise. Each
//     participation costs one sampled Gaussian with the event's multiplier. There are ⌈Steps/b⌉
//     participations, and they compose adaptively.
//
// Sources: Choquette-Choo, Ganesh, McKenna, McMahan, Rush, Thakurta & Xu, "(Amplified) Banded
// Matrix Factorization", NeurIPS 2023, theorem 4, https://arxiv.org/abs/2306.08153. Kairouz,
// McMahan, Song, Thakkar, Thakurta & Xu, "Practical and Private (Deep) Learning without Sampling or
// Shuffling", ICML 2021, theorem 4.1, https://arxiv.org/abs/2103.00039.
//
// A step may release several sums of its sample. Sum k has the bound Δ_k and noise of standard
// deviation S_k ≥ m_k·‖c‖·Δ_k. The rows of a participation are then the rows of all sums, each in
// units of its S_k. One record moves them by at most √(Σ 1/m_k²) together, which is at most
// 1/multiplier.
//
// A step calls Draw, makes one sum over that sample for each Noise, and calls Release.
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
	estimate   estimate.Estimator
	// What was released first; all others are of its kind. Nothing was while numbers is 0.
	grid    grid
	numbers int
}

// Draw returns the sample of the next step. It is drawn from the records whose turn it is, as the
// event states.
func (s *Series) Draw() (Sample, error) { return s.rotation.Draw() }

// Noise returns the noise for which the k-th sum of each step must be made.
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

// Release takes the sums over the sample of the step and returns an estimate of each. The k-th sum
// must be made for Noise(k). An estimate has the length and the units of its sum. The noise of
// estimates partly cancels over the steps. So the sum of estimates over steps, as in gradient
// descent, has far less noise than with independent noise. A single estimate has more noise. In all
// steps the k-th sums must have the same length and the same MaxRecords. A step can be released
// only once.
func (s *Series) Release(sums ...Bounded) ([]Noisy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.accept(sums); err != nil {
		return nil, err
	}
	out := make([]Noisy, len(sums))
	for k, b := range sums {
		estimated, err := s.parts[k].release(b.state.values)
		if err != nil {
			return nil, err
		}
		for j := range estimated {
			estimated[j] *= b.state.unit
		}
		out[k] = Noisy{estimated}
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
	return p.estimate.Next(released), nil
}
