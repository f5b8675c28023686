// Package kernels compares sums that fast code of this processor makes with slow code that shares
// nothing with it. It also compares sums and scores of all levels of processor instructions.
package kernels

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/auditing"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// Outcome is the result of the computation at one level of processor instructions.
type Outcome struct {
	// Digest is a hash of all computed numbers. Equal numbers have equal digests.
	Digest string
	// Sums is the number of sums and scores that were compared with slow code. Wrong is the number
	// of them that differ.
	Sums, Wrong int
	// First names the first difference, if there is one.
	First string
}

// shape is a table under test.
type shape struct {
	kind               release.RowType
	dim, columns, rows int
}

// shapes are the tables: every way in which rows are kept, with lengths around the lengths of registers.
func shapes() []shape {
	var list []shape
	for _, kind := range []release.RowType{release.Int16, release.Uint8, release.Bit, release.Sparse} {
		for _, dim := range []int{1, 7, 16, 33, 64, 200, 785} {
			for _, columns := range []int{1, 2, 10} {
				list = append(list, shape{kind, dim, columns, 301})
			}
		}
	}
	return list
}

// Run computes sums and scores of public numbers at the level of this process.
func Run(ctx context.Context) (Outcome, error) {
	var out Outcome
	hash := sha256.New()
	for i, s := range shapes() {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		sums, scores, err := s.run(&out, &public{uint64(i)})
		if err != nil {
			return out, fmt.Errorf("kernels: %v of %d numbers: %w", s.kind, s.dim, err)
		}
		for _, v := range sums {
			_ = binary.Write(hash, binary.LittleEndian, math.Float64bits(v)) // a hash never fails
		}
		for _, v := range scores {
			_ = binary.Write(hash, binary.LittleEndian, math.Float32bits(v))
		}
	}
	out.Digest = hex.EncodeToString(hash.Sum(nil))
	return out, nil
}

// free pays for sums of public numbers.
type free struct{}

// Pay accepts every event.
func (free) Pay(mechanism.Event) error { return nil }

// public gives numbers that look random and are the same everywhere: a sequence of Weyl with mixed
// bits (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016,
// on SplitMix64). They stand for records that nobody has.
type public struct{ state uint64 }

// below returns a number below n.
func (p *public) below(n int) int {
	p.state += 0x9e3779b97f4a7c15
	z := p.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// step is the width of the grid of rows.
const step = 1.0 / 128

// run returns the sums of one table's rows times coefficients, without noise, and the scores of its
// rows. It compares the sums with slow ones.
func (s shape) run(out *Outcome, r *public) (sums []float64, scores []float32, err error) {
	values := make([]float64, s.rows*s.dim)
	for i := range values {
		values[i] = s.value(r)
	}
	rows, err := s.table(values)
	if err != nil {
		return nil, nil, err
	}
	coefficients := make([]float64, s.rows*s.columns)
	for i := range coefficients {
		coefficients[i] = float64(r.below(1<<11)-1<<10) / (1 << 20)
	}
	if sums, err = s.sum(rows, coefficients); err != nil {
		return nil, nil, err
	}
	s.compare(out, sums, values, coefficients)
	block, err := rows.Load(0, s.rows, release.Block{})
	if err != nil {
		return nil, nil, err
	}
	weights := make([]float64, s.dim*s.columns)
	for i := range weights {
		weights[i] = float64(r.below(1<<20)-1<<19) / (1 << 18)
	}
	scores = make([]float32, s.rows*s.columns)
	rows.Scorer(weights, s.columns).Scores(scores, block)
	s.compareScores(out, scores, values, weights)
	return sums, scores, nil
}

// value returns a number of a row: on the grid, of all the bits of its type, and mostly 0 in sparse rows.
func (s shape) value(r *public) float64 {
	switch s.kind {
	case release.Bit:
		return float64(r.below(2)) * step
	case release.Uint8:
		return float64(r.below(256)) * step
	case release.Sparse:
		if r.below(20) > 0 {
			return 0
		}
	}
	return float64(r.below(1<<16-1)-(1<<15-1)) * step
}

// table returns the rows.
func (s shape) table(values []float64) (*release.Rows, error) {
	o := release.RowsOptions{Dim: s.dim, Step: step, Type: s.kind}
	if s.kind != release.Sparse {
		return release.NewRows(s.rows, o, func(dst []float64, first, n int) { copy(dst, values[first*s.dim:(first+n)*s.dim]) })
	}
	return release.NewSparseRows(s.rows, o, func(i int, index []uint32, v []float64) ([]uint32, []float64) {
		for j, x := range values[i*s.dim : (i+1)*s.dim] {
			if x != 0 {
				index, v = append(index, uint32(j)), append(v, x)
			}
		}
		return index, v
	})
}

// sum returns the sums as releases without noise give them.
func (s shape) sum(rows *release.Rows, coefficients []float64) ([]float64, error) {
	sample, err := release.Draw(release.Full(), s.rows)
	if err != nil {
		return nil, err
	}
	sum, err := release.NewSum(sample, rows, release.SumOptions{Noise: mechanism.NonPrivate{}, Columns: s.columns, Bound: 64, MaxRecords: s.rows})
	if err != nil {
		return nil, err
	}
	block, err := rows.Load(0, s.rows, release.Block{})
	if err != nil {
		return nil, err
	}
	if err = sum.AddBlock(block, kernel.Contributions{Columns: s.columns, Coefficients: coefficients}); err != nil {
		return nil, err
	}
	noisy, err := release.Release(free{}, mechanism.NonPrivate{}, sum.Seal())
	return noisy.Values(), err
}

// compare adds up the same numbers one by one. Rows and coefficients have few bits, so that float64
// adds them exactly. The grid of a release moves a sum by less than 1e-9.
func (s shape) compare(out *Outcome, sums, values, coefficients []float64) {
	for c := range s.columns {
		for j := range s.dim {
			want := 0.0
			for i := range s.rows {
				want += values[i*s.dim+j] * coefficients[i*s.columns+c]
			}
			out.Sums++
			if got := sums[c*s.dim+j]; !(math.Abs(got-want) <= 1e-8) {
				if out.Wrong++; out.First == "" {
					out.First = fmt.Sprintf("number %d of column %d of %d, rows of type %v, is %v, want %v", j, c, s.columns, s.kind, got, want)
				}
			}
		}
	}
}

// compareScores computes the same scores in float64. Fast code rounds weights and scores. Its error
// stays below tolerance times the sum of the magnitudes.
func (s shape) compareScores(out *Outcome, scores []float32, values, weights []float64) {
	const tolerance = 1e-4
	for i := range s.rows {
		for c := range s.columns {
			want, size := 0.0, 0.0
			for j := range s.dim {
				product := values[i*s.dim+j] * weights[c*s.dim+j]
				want, size = want+product, size+math.Abs(product)
			}
			out.Sums++
			if got := float64(scores[i*s.columns+c]); !(math.Abs(got-want) <= tolerance*size) {
				if out.Wrong++; out.First == "" {
					out.First = fmt.Sprintf("the score of record %d in column %d of %d, rows of type %v, is %v, want %v", i, c, s.columns, s.kind, got, want)
				}
			}
		}
	}
}

// Section compares the outcomes of several levels on one processor. The map has them by name. The
// first level is that of the auditing process.
func Section(levels []string, outcomes map[string]Outcome) auditing.Section {
	s := auditing.Section{Group: "kernels", Name: "sums and scores", Claim: "every level of processor instructions gives the same bits, and the sums and scores of slow code",
		Confidence: 1, Verdict: auditing.NotRefuted, Power: "one wrong bit of any sum, one of any score that differs between levels, and a score that is off by 0.01 % of the sum of its terms' magnitudes"}
	for _, level := range levels {
		o := outcomes[level]
		s.Facts = append(s.Facts, auditing.Fact{Name: level, Value: fmt.Sprintf("%d of %d sums and scores differ from slow code; digest %.16s", o.Wrong, o.Sums, o.Digest)})
		if o.Wrong > 0 {
			s.Verdict, s.Note = auditing.Refuted, level+": "+o.First
		}
		if first := outcomes[levels[0]]; o.Digest != first.Digest && s.Verdict != auditing.Refuted {
			s.Verdict, s.Note = auditing.Refuted, level+" and "+levels[0]+" give different bits"
		}
	}
	return s
}
