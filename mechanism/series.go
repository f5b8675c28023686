package mechanism

import (
	"fmt"
	"math"
	"sync"

	"github.com/ditherml/dither/mechanism/internal/sample"
)

// Series is a run of releases with correlated noise that one event has paid for: BandedMatrix or
// TreeAggregation. With G_t the exact sum of step t, in integers, it releases C·G + Z, where C is a public
// lower-triangular matrix of whole numbers and Z is fresh rounded Gaussian noise on every row; neither G nor
// C·G leaves. What it hands out, an estimate of G_t, is computed from the released rows alone.
//
// Claim. Given what the event says of who takes part when, the whole run costs what the event is priced at.
// Let one record have the vectors g_t at the steps where it takes part, ‖g_t‖ ≤ Δ, which is what the sums
// verify.
//
//  1. The record's steps. Its group is drawn uniformly, for its place, and independently of all other
//     records (Rotation). So whether the record is added, replaced or made zero, the groups and samples of the
//     others have the same law on both neighbors, and may be given; a record and its replacement share group and
//     coins. Given its group, it takes part in steps a period apart, in each by an own coin of probability q
//     or less.
//  2. One participation at step t adds c_(s-t)·g_t to row s, for the rows of column t. In a banded matrix these
//     are b rows and the period is b, so that no two participations meet in a row; in a tree the record has
//     one step. The rows of a participation, given all rows before, are a function of those rows plus coin · c
//     ⊗ g_t plus noise: a Gaussian mechanism of sensitivity ‖c‖·Δ, released row by row, on a sample of
//     probability q. Under replace-one the two neighbors are moved by c ⊗ g_t and c ⊗ g'_t, as two bounds of the
//     relation. That later sums hang on earlier rows is the same on both neighbors.
//  3. The noise has the standard deviation S ≥ multiplier·‖c‖·Δ, where of a tree ‖c‖² is left to the event,
//     which counts the nodes above a leaf. Rows are integers, so that H + round(Z) = round(H + Z) is
//     post-processing of the continuous noise. So each participation costs one sampled Gaussian of the
//     event's multiplier, there are ⌈Steps/b⌉ of them, and they compose adaptively.
//
// (Choquette-Choo, Ganesh, McKenna, McMahan, Rush, Thakurta & Xu, "(Amplified) Banded Matrix
// Factorization", NeurIPS 2023, theorem 4, https://arxiv.org/abs/2306.08153; Kairouz, McMahan, Song, Thakkar,
// Thakurta & Xu, "Practical and Private (Deep) Learning without Sampling or Shuffling", ICML 2021, theorem
// 4.1, https://arxiv.org/abs/2103.00039.)
//
// A step is Draw, then a sum over that sample made for Noise, then Release.
type Series struct {
	event      Event
	multiplier float64
	matrix     matrix
	steps      int
	rotation   *Rotation

	mu sync.Mutex
	// What was released first; all others are of its kind. Nothing was while numbers is 0.
	grid    grid
	unit    float64
	numbers int
}

// matrix is C, row after row.
type matrix interface {
	// square is the squared norm of a column, as far as the event's multiplier is relative to it; weight the
	// largest sum of a row.
	square() int64
	weight() int64
	// rows takes the exact sum of the next step, keeps it, and returns the rows of C·G that end with it. The
	// caller does not modify either.
	rows(sum []int64) [][]int64
	// estimate takes the released rows of the next step and returns its estimated sum.
	estimate(released [][]float64) []float64
}

// SeriesOptions are the public numbers of a series.
type SeriesOptions struct {
	// Coefficients are the first column of a banded matrix, from the diagonal down: at most Bands whole
	// numbers, the first at least 1, none negative or above the one before, at most 2^20 in all. They decide
	// how the noise is correlated, not what it costs. A tree has none.
	Coefficients []int64
	// MaxRecords is the declared public bound on the number of records.
	MaxRecords int
}

// maxSeriesWeight bounds the sum of coefficients.
const maxSeriesWeight = 1 << 20

// Check returns the error with which Open would refuse the options before it pays.
func (b BandedMatrix) Check(o SeriesOptions) error {
	_, err := b.series(o)
	return err
}

// Open pays for the event and returns its series over this many records.
func (b BandedMatrix) Open(p Payer, records int, o SeriesOptions) (*Series, error) {
	s, err := b.series(o)
	if err != nil {
		return nil, err
	}
	return s.open(p, b.Bands, b.Probability, records, o.MaxRecords)
}

func (b BandedMatrix) series(o SeriesOptions) (*Series, error) {
	if err := CheckEvent(b); err != nil {
		return nil, err
	}
	if err := b.checkCoefficients(o.Coefficients); err != nil {
		return nil, err
	}
	s := &Series{event: b, multiplier: b.NoiseMultiplier, steps: b.Steps, matrix: newBanded(o.Coefficients)}
	return s, s.check(o.MaxRecords)
}

func (b BandedMatrix) checkCoefficients(c []int64) error {
	wrong := len(c) < 1 || len(c) > b.Bands || c[0] < 1 || c[0] > maxSeriesWeight
	sum := int64(0)
	for k, v := range c {
		if wrong = wrong || v < 0 || v > c[max(k-1, 0)]; wrong {
			break
		}
		sum += v
	}
	if wrong || sum > maxSeriesWeight {
		return fmt.Errorf("mechanism: %d coefficients of %v are not a column of it, want 1 to %d whole numbers that do not rise or fall below 0, of at most 2^20 in all", len(c), b, b.Bands)
	}
	return nil
}

// Check returns the error with which Open would refuse the options before it pays.
func (t TreeAggregation) Check(o SeriesOptions) error {
	_, err := t.series(o)
	return err
}

// Open pays for the event and returns its series over this many records, each of which takes part in one
// step. To go over the records again, open another.
func (t TreeAggregation) Open(p Payer, records int, o SeriesOptions) (*Series, error) {
	s, err := t.series(o)
	if err != nil {
		return nil, err
	}
	return s.open(p, t.Steps, 1, records, o.MaxRecords)
}

func (t TreeAggregation) series(o SeriesOptions) (*Series, error) {
	if err := CheckEvent(t); err != nil {
		return nil, err
	}
	if len(o.Coefficients) != 0 {
		return nil, fmt.Errorf("mechanism: %v has %d coefficients, want none; its matrix is a tree", t, len(o.Coefficients))
	}
	s := &Series{event: t, multiplier: t.NoiseMultiplier, steps: t.Steps, matrix: &tree{}}
	return s, s.check(o.MaxRecords)
}

// check refuses a series of no steps, or one for which there is no grid.
func (s *Series) check(maxRecords int) error {
	if s.steps < 1 {
		return fmt.Errorf("mechanism: number of steps of %v is %d, want at least 1", s.event, s.steps)
	}
	_, err := s.Noise().fit(fit{maxRecords: maxRecords, norm: L2(), dim: 1})
	return err
}

// open pays, then divides the records into parts.
func (s *Series) open(p Payer, parts int, q float64, records, maxRecords int) (*Series, error) {
	if records < 0 {
		return nil, errNegative
	}
	if records > maxRecords {
		return nil, fmt.Errorf("mechanism: there are more records than max records %d; raise the declared bound", maxRecords)
	}
	sampling, err := Cyclic(parts, q)
	if err != nil {
		return nil, err
	}
	sampling.kind = samplingSeries
	if p == nil {
		return nil, fmt.Errorf("mechanism: the series has no payer, want a grant of a ledger")
	}
	if err = p.Pay(s.event); err != nil {
		return nil, err
	}
	if s.rotation, err = sampling.Rotate(records); err != nil {
		return nil, err
	}
	return s, nil
}

// Draw draws the sample of the next step: of the records whose turn it is, as the event says.
func (s *Series) Draw() (Sample, error) {
	if drawn, _ := s.rotation.drawn(); drawn >= s.steps {
		return Sample{}, fmt.Errorf("mechanism: all %d steps of %v were drawn, want no more", s.steps, s.event)
	}
	return s.rotation.Draw()
}

// Noise is what the sums of the series are to be made for.
func (s *Series) Noise() Noise { return seriesNoise{s.event, s} }

// seriesNoise is the noise of the rows of a series. Only the series releases what is made for it.
type seriesNoise struct {
	Event
	series *Series
}

// fit takes the scale at which S ≥ multiplier·‖c‖·Δ and MaxRecords·Δ·Σc + 16·S < 2^62, so that no row
// overflows.
func (n seriesNoise) fit(f fit) (grid, error) {
	m, declared := n.series.matrix, f.maxRecords
	// Three roundings, each by a factor of at most 1 ± 2^-53, are made up for.
	multiplier := n.series.multiplier * math.Sqrt(float64(m.square())) * (1 + 0x1p-50)
	if f.norm != L2() || !positive(multiplier) || declared < 1 || declared > maxMaxRecords/int(m.weight()) {
		return grid{}, fmt.Errorf("mechanism: sum is in norm %v of at most %d records, for noise of multiplier %v, want norm %v, 1 to %d records and a finite multiplier", f.norm, declared, multiplier, L2(), maxMaxRecords/int(m.weight()))
	}
	f.maxRecords *= int(m.weight())
	g, err := newGrid(n, multiplier, f, sample.MaxGridBits)
	g.maxRecords = declared
	return g, err
}

func (n seriesNoise) draw(dst []int64, g grid) error { return Gaussian{}.draw(dst, g) }

// Release takes the sum over the sample of the step, made for Noise, and returns an estimate of it: Noisy
// values of the length of the sum, in its units, whose noise cancels over the steps. Estimates added up over
// steps, as gradient descent does, have far less noise than those of independent noise would; each by
// itself has more. All sums of a series are of one kind: same numbers, bound and max records. A step is
// released once.
func (s *Series) Release(b Bounded) (Noisy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.accept(b.state); err != nil {
		return Noisy{}, err
	}
	rows := s.matrix.rows(b.state.values)
	released := make([][]float64, len(rows))
	for k, row := range rows {
		noisy, err := (&bounded{grid: s.grid, values: row, unit: s.unit}).noisy()
		if err != nil {
			return Noisy{}, err
		}
		released[k] = noisy
	}
	return Noisy{s.matrix.estimate(released)}, nil
}

// accept refuses what is not the sum of the step, and notes that it is released.
func (s *Series) accept(b *bounded) error {
	if b == nil || b.grid.noise != s.Noise() {
		return fmt.Errorf("mechanism: the sum was not made for %v, want one made for the noise of this series", s.event)
	}
	if _, last := s.rotation.drawn(); b.sample.drawn != last {
		return fmt.Errorf("mechanism: the sum is not of the sample of this step, want the last one that the series drew")
	}
	if s.numbers == 0 {
		s.grid, s.unit, s.numbers = b.grid, b.unit, len(b.values)
	}
	if b.grid != s.grid || b.unit != s.unit || len(b.values) != s.numbers {
		return fmt.Errorf("mechanism: the sum has %d numbers or a bound unlike the first of the series, want sums of one kind, of %d numbers", len(b.values), s.numbers)
	}
	if b.sample.drawn.released.Swap(true) {
		return fmt.Errorf("mechanism: this step of the series was released, want each once")
	}
	return nil
}
