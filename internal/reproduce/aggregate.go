package reproduce

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/experiment"
	"github.com/ditherml/dither/internal/figure"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/query"
)

func aggregate() experiment.Reproduction {
	return experiment.Reproduction{
		Name: "aggregate", Title: "Sample and aggregate: the slope of least squares, which has no bounded sensitivity",
		Source: bookSource + " (clipping in sample and aggregate). " + sectionSource + ", section 4.1 (the slope)", Minutes: 0.3, Linear: true, Run: runAggregate,
	}
}

// This is the declared range of a slope, in dollars of income per year of education.
const slopeLow, slopeHigh = -1000.0, 3000.0

// slopes are pairs of numbers.
type slopes struct{ x, y []float64 }

// slope returns the slope of least squares with an intercept. It is NaN for rows without two
// different x.
func (s slopes) slope(rows []int) float64 {
	n, sx, sy := float64(len(rows)), 0.0, 0.0
	for _, i := range rows {
		sx, sy = sx+s.x[i], sy+s.y[i]
	}
	xx, xy := 0.0, 0.0
	for _, i := range rows {
		xx, xy = xx+(s.x[i]-sx/n)*(s.x[i]-sx/n), xy+(s.x[i]-sx/n)*(s.y[i]-sy/n)
	}
	return xy / xx
}

// all lists the rows.
func (s slopes) all() []int {
	rows := make([]int, len(s.x))
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// readSlopes returns education and income of the rows that have both.
func readSlopes(ctx context.Context) (slopes, error) {
	schema, training, _, err := readIncome(ctx)
	if err != nil {
		return slopes{}, err
	}
	var s slopes
	for j, c := range schema.Features() {
		if c.Name != "education" {
			continue
		}
		for i, v := range training.Column(j) {
			if x, y := float64(v), float64(training.Target()[i]); !math.IsNaN(x) && !math.IsNaN(y) {
				s.x, s.y = append(s.x, x), append(s.y, y)
			}
		}
	}
	return s, nil
}

func runAggregate(ctx context.Context, l experiment.Environment) (experiment.Outcome, error) {
	s, err := readSlopes(ctx)
	if err != nil {
		return experiment.Outcome{}, err
	}
	var t table
	exact := s.slope(s.all())
	t.golden("slope of income on years of education, all rows: dollars a year", "", exact, 6, within(aggregateSlope, 1e-3), "not in the sources; numpy gives the same")
	near := slopes{}
	for range 1000 {
		near.x, near.y = append(near.x, 12), append(near.y, 10000)
	}
	near.x, near.y = append(near.x, 12.5), append(near.y, 30000)
	t.golden("slope of 1000 persons with 12 years and 10000 dollars, and one person with 12.5 years and 30000 dollars", "unbounded sensitivity", near.slope(near.all()), 6, within(40000, 1e-6), "no difference: this one person decides the slope, and as 12.5 approaches 12 the slope grows without limit")
	t.clipped()
	var curves [4][]figure.Point
	counts := []int{5, 10, 20, 50, 100, 200, 500}
	for i, blocks := range counts {
		for k, epsilon := range []float64{0.3, 1} {
			l.Report(fmt.Sprintf("%d blocks", blocks), float64(i)/float64(len(counts)))
			median, mean, failed := s.aggregated(blocks, epsilon, exact, repeats(l, 100))
			if failed != nil {
				return experiment.Outcome{}, failed
			}
			curves[2*k], curves[2*k+1] = append(curves[2*k], median.point(float64(blocks), 1)), append(curves[2*k+1], mean.point(float64(blocks), 1))
			if blocks == 100 {
				where := fmt.Sprintf("100 blocks, ε = %v, ", epsilon)
				t.random(where+"mean of the clipped slopes of the blocks plus Laplace noise: mean absolute error", "", mean, 1, "", "the chapter prints no number; its method clips each slope to a declared range, here -1000 to 3000")
				t.random(where+"private median of the slopes of the blocks: mean absolute error", "", median, 1, "", "not in the sources; dither's method (query.Aggregate), whose noise does not grow with the declared range")
			}
		}
	}
	return experiment.Outcome{Comparisons: t.rows, Figures: []figure.Figure{aggregateFigure(curves)}, Notes: []string{
		"The rows are divided into blocks, and each block has a slope. One record changes one block. Errors are distances from the slope of all rows, in dollars a year.",
		"With few blocks the noise is large. With many blocks each block has few rows, and the slopes scatter. The median or clipped mean of such slopes differs from the slope of all rows.",
	}}, nil
}

// aggregateSlope is the result of polyfit of numpy 1.24.
const aggregateSlope = 443.43890007

// clipped adds the chapter's sensitivity of a clipped answer.
func (t *table) clipped() {
	const b = 5
	most, mostSigned := 0.0, 0.0
	for u := -20.0; u <= 20; u += 0.5 {
		for v := -20.0; v <= 20; v += 0.5 {
			clip := func(v, low float64) float64 { return min(max(v, low), b) }
			most, mostSigned = max(most, math.Abs(clip(u, 0)-clip(v, 0))), max(mostSigned, math.Abs(clip(u, -b)-clip(v, -b)))
		}
	}
	t.golden("sensitivity of an answer clipped to [0, b], with b = 5", "b", most, 2, within(b, 0), "no difference; measured over a grid of pairs of answers")
	t.golden("sensitivity of an answer clipped to [-b, b], with b = 5", "b", mostSigned, 2, within(2*b, 0), "the sensitivity is 2b if the answer is replaced; the chapter's b holds for a sum to which a record is added, as in its gradient descent")
}

// aggregated returns distances from the exact slope: of the private median of slopes of blocks, and
// of the mean of clipped slopes with Laplace noise.
func (s slopes) aggregated(blocks int, epsilon, exact float64, runs int) (median, clipped sample, err error) {
	terms := query.AggregateTerms{Payer: free{}, Choice: mechanism.PermuteAndFlip{Epsilon: epsilon}, Lower: slopeLow, Upper: slopeHigh, Points: 2001, MaxRecords: 20000, Blocks: blocks}
	for range runs {
		v, failed := query.Aggregate(terms, len(s.x), s.slope)
		if failed != nil {
			return nil, nil, failed
		}
		median = append(median, math.Abs(v-exact))
		parts, failed := divided(len(s.x), blocks)
		if failed != nil {
			return nil, nil, failed
		}
		total := 0.0
		for _, rows := range parts {
			v := s.slope(rows)
			if math.IsNaN(v) {
				v = 0
			}
			total += min(max(v, slopeLow), slopeHigh) / float64(blocks)
		}
		noisy, failed := laplace(total, (slopeHigh-slopeLow)/float64(blocks)/epsilon)
		if failed != nil {
			return nil, nil, failed
		}
		clipped = append(clipped, math.Abs(noisy-exact))
	}
	return median, clipped, nil
}

// divided puts each of n rows into a block that is chosen independently of other rows.
func divided(n, blocks int) ([][]int, error) {
	random := make([]byte, 4*n)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	parts := make([][]int, blocks)
	for i := range n {
		at := uint64(binary.LittleEndian.Uint32(random[4*i:])) * uint64(blocks) >> 32
		parts[at] = append(parts[at], i)
	}
	return parts, nil
}

func aggregateFigure(curves [4][]figure.Point) figure.Figure {
	f := figure.Figure{Name: "error-over-blocks", Title: "A private slope by sample and aggregate", Command: "dither reproduce aggregate"}
	for k, title := range []string{"epsilon 0.3", "epsilon 1"} {
		f.Panels = append(f.Panels, figure.Panel{Title: title, X: figure.Axis{Label: "blocks", Log: true}, Y: figure.Axis{Label: "mean distance, dollars a year", Log: true},
			Series: []figure.Series{{Name: "private median of blocks", Points: curves[2*k]}, {Name: "clipped mean, Laplace noise", Points: curves[2*k+1]}}})
	}
	return f
}
