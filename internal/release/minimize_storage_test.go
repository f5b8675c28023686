package release

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// changedRows is storage that changes rows when they are copied.
type changedRows struct {
	storage
	change func(dst []int16, i int)
}

func (c changedRows) CopyRow(dst []int16, i int) {
	c.storage.CopyRow(dst, i)
	c.change(dst, i)
}

// Part returns some of the rows, which change alike.
func (c changedRows) Part(first, n int) storage {
	return changedRows{c.storage.Part(first, n), func(dst []int16, i int) { c.change(dst, first+i) }}
}

// oneHot returns rows of two numbers that take turns to be 1, with labels.
func oneHot(t *testing.T, n int) *Rows {
	t.Helper()
	rows, err := NewRows(n, RowsOptions{Dim: 2, Step: 0x1p-14, Labels: slices.Repeat([]float32{1}, n)}, func(dst []float64, at, m int) {
		for i := range m {
			dst[2*i+(at+i)%2] = 1
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestMinimizersReadRowsThatEntered gives minimizers and descents storage that copies the row of another
// record, of the same norm, and storage that makes one number larger.
func TestMinimizersReadRowsThatEntered(t *testing.T) {
	p := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: 1, MaxRecords: 40}
	flat := p
	flat.Ridge = 0
	noise, steps := mechanism.Gaussian{NoiseMultiplier: 1}, GradientDescent{Problem: flat, Steps: 3}
	steps.Rate = steps.LargestRate()
	runs := map[string]func(rows *Rows) error{
		"minimizer": func(rows *Rows) error {
			_, err := p.Minimize(context.Background(), rows, noise, L2())
			return err
		},
		"descent": func(rows *Rows) error {
			_, err := steps.Run(context.Background(), rows, noise, L2())
			return err
		},
		"permuted descent": func(rows *Rows) error {
			_, err := PermutedDescent{Problem: p, Records: 40, Batch: 8, Passes: 2}.Run(context.Background(), rows, noise, L2())
			return err
		},
	}
	for name, run := range runs {
		if err := run(oneHot(t, 40)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for fault, change := range map[string]func(dst []int16, i int){
			"the row of another": func(dst []int16, i int) {
				if i == 7 {
					dst[0], dst[1] = dst[1], dst[0]
				}
			},
			"a larger number": func(dst []int16, i int) {
				if i == 7 {
					dst[1]++
				}
			},
		} {
			rows := oneHot(t, 40)
			rows.x = changedRows{rows.x, change}
			if err := run(rows); !errors.Is(err, ErrComputation) {
				t.Errorf("%s from storage that gives %s: got %v, want a refusal", name, fault, err)
			}
		}
		rows := oneHot(t, 40)
		rows.known = nil
		if run(rows) == nil {
			t.Errorf("%s took rows that did not enter", name)
		}
	}
}

// TestMinimizersRefuseNumbersNearTheEnds wants an error for radii, ridges, widths and rates that make
// roundings larger than the proofs count.
func TestMinimizersRefuseNumbersNearTheEnds(t *testing.T) {
	good := Problem{Loss: HuberLoss(1), Columns: 1, Radius: 1, Ridge: 1, MaxRecords: 100}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, extreme := range []float64{5e-324, 0x1p-301, 0x1p301, math.MaxFloat64, math.Inf(1), math.NaN()} {
		for k, p := range []Problem{good, good, good} {
			*[]*float64{&p.Radius, &p.Ridge, &p.Loss.width}[k] = extreme
			if p.Validate() == nil {
				t.Errorf("number %d of a problem may be %v", k, extreme)
			}
		}
	}
	flat := good
	flat.Ridge = 0
	for _, rate := range []float64{8.288e-309, 1.385e-308, 1e-320} {
		d := GradientDescent{Problem: flat, Rate: rate, Steps: 1}
		if _, err := d.Run(context.Background(), oneHot(t, 10), mechanism.Gaussian{NoiseMultiplier: 1}, L2()); err == nil {
			t.Errorf("a descent with rate %v has a grid", rate)
		}
	}
}

// TestDescentsRefuseWeightsThatAreNone wants no zeros in place of weights that are no numbers.
func TestDescentsRefuseWeightsThatAreNone(t *testing.T) {
	rows, problem := oneHot(t, 2), Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, MaxRecords: 2}
	m := newMinimization(problem, rows, nil, 0)
	grid, err := newPoint(rows, mechanism.Gaussian{NoiseMultiplier: 1}, L2(), extent{problem, 1, 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err = m.seal(grid, []float64{0, w}); !errors.Is(err, ErrComputation) {
			t.Errorf("weight %v: got %v, want a refusal", w, err)
		}
	}
	if _, err = m.seal(grid, []float64{0, 3}); err != nil {
		t.Error(err)
	}
}

// TestRecursionsReadRowsThatEntered gives the last iterate storage that copies a row with another sign,
// for a sum of the row that entered.
func TestRecursionsReadRowsThatEntered(t *testing.T) {
	for _, faulty := range []bool{false, true} {
		rows := rowsOf(t, []float64{0.5, 0.1, 0.3, -0.2, 0.4, 0.6}, []float32{1, 0, 1}, 2)
		if faulty {
			rows.x = changedRows{rows.x, func(dst []int16, i int) {
				if i == 1 {
					dst[0] = -dst[0]
				}
			}}
		}
		r, l := recursionOf(t, rows, usualRecursion(LogisticDerivative{}, 1), 5, 3)
		_, err := RunRecursion(free{}, l, r)
		if faulty && !errors.Is(err, ErrComputation) || !faulty && err != nil {
			t.Errorf("storage with a fault, %t: got %v", faulty, err)
		}
	}
}

// TestSearchesEndWhateverStorageGives searches over rows that change at each reading: each search ends,
// and nearly all end with a refusal. Storage stops a search that reads a record 10,000 times; over true
// rows these take a few hundred.
func TestSearchesEndWhateverStorageGives(t *testing.T) {
	const n, trials = 6, 60
	r := rand.New(rand.NewPCG(17, 18))
	for fault, change := range map[string]func(dst []int16, reading int64){
		"the row":                   nil,
		"the row or its opposite":   func(dst []int16, reading int64) { dst[0] *= int16(1 - 2*(reading%2)) },
		"the row without a number":  func(dst []int16, reading int64) { dst[reading%2] = 0 },
		"a number that is anything": func(dst []int16, reading int64) { dst[0] = int16(uint64(reading) * 0x9e3779b97f4a7c15 >> 49) },
		"the largest number":        func(dst []int16, reading int64) { dst[reading%2] = math.MaxInt16 },
	} {
		refused := 0
		for trial := range trials {
			c := toyLosses[trial%len(toyLosses)]
			p := Problem{Loss: c.loss, Columns: c.columns, Radius: 1, Ridge: math.Exp(6*r.Float64() - 6), MaxRecords: n}
			var records []toyRecord
			for range n {
				records = append(records, randomRecord(r, 2, c.loss, c.columns))
			}
			rows, readings := toyRows(t, 2, records), [n]atomic.Int64{}
			ctx, stop := context.WithCancel(t.Context())
			rows.x = changedRows{rows.x, func(dst []int16, i int) {
				reading := readings[i].Add(1)
				if reading > 1e4 {
					stop()
				}
				if change != nil {
					change(dst, reading)
				}
			}}
			_, err := p.Minimize(ctx, rows, mechanism.Gaussian{NoiseMultiplier: 100}, L2())
			if errors.Is(err, ErrComputation) {
				refused++
			} else if err != nil {
				t.Errorf("storage gives %s, %v, ridge %v: got error %v after %d readings", fault, c.loss, p.Ridge, err, readings[0].Load())
			}
			stop()
		}
		if change == nil && refused > 0 || change != nil && refused < trials-3 {
			t.Errorf("storage gives %s: %d of %d searches are refused", fault, refused, trials)
		}
	}
}

// TestStepsOfSearchesHaveTrueGradients gives a step of the search gradients that are wrong or infinite.
func TestStepsOfSearchesHaveTrueGradients(t *testing.T) {
	p := Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, Ridge: 1000, MaxRecords: 4}
	m := newMinimization(p, oneHot(t, 4), nil, p.Tolerance(2, 0))
	s := &newtonSearch{minimization: m, scores: make([]float64, 4)}
	for _, c := range []struct {
		name string
		w    []float64
		off  float64
		want bool
	}{
		{"true", []float64{0.5, -0.25}, 0, true},
		{"wrong", []float64{0.5, -0.25}, 1e-9, false},
		{"no number", []float64{0.5, -0.25}, math.NaN(), false},
		{"infinite", []float64{math.MaxFloat64, 1}, 0, false},
	} {
		g := s.gradient(c.w)
		g[1] += c.off
		if got := s.right(c.w, g); got != c.want {
			t.Errorf("gradient is %s: right is %v", c.name, got)
		}
	}
	if w, g := s.step([]float64{math.MaxFloat64, 1}, s.gradient([]float64{math.MaxFloat64, 1})); g != nil {
		t.Errorf("an infinite gradient led to weights %v and gradient %v", w, g)
	}
	s.sure = true
	if _, g := s.step([]float64{0, 0}, s.gradient([]float64{0, 0})); g == nil || s.sure {
		t.Errorf("a step of Newton's has gradient %v, which portable code computed: %v", g, s.sure)
	}
	s.sure = true // of a gradient so small that no half of Newton's step lowers it
	m.rows.x = changedRows{m.rows.x, func(dst []int16, _ int) { dst[0]++ }}
	if _, g := s.step([]float64{0, 0}, []float64{1e-200, 0}); g != nil {
		t.Errorf("a step of descent over rows that changed has gradient %v", g)
	}
}

// TestRowsThatDidNotEnterAreNotPaidFor gives all that sums rows, and the last iterate, rows that were
// refused when they were measured: it is an error, and nothing is paid.
func TestRowsThatDidNotEnterAreNotPaidFor(t *testing.T) {
	noise, paid := mechanism.Gaussian{NoiseMultiplier: 1}, 0
	moments, err := MomentRows(noise, 12, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	newton := NewtonStep{Gradient: []float64{1, 1}, Ridge: 1, Curvature: 1, MaxRecords: 12}
	usual := RowsOptions{Dim: 2, Step: recursionStep, Labels: make([]float32, 12)}
	for _, c := range []struct {
		name string
		o    RowsOptions
		run  func(rows *Rows) error
	}{
		{"last iterate", usual, func(rows *Rows) error {
			r, l := recursionOf(t, rows, usualRecursion(LogisticDerivative{}, 1), 5, 3)
			stop := errors.New("stopped")
			r.Before = func(int) error { return stop }
			_, err := RunRecursion(counting{&paid}, l, r)
			if errors.Is(err, stop) != (paid > 0) || err == nil {
				t.Errorf("paid %d times, and got error %v", paid, err)
			}
			if paid > 0 { // the recursion was taken
				return nil
			}
			return err
		}},
		{"sum", usual, func(rows *Rows) error {
			_, err := NewSum(fullSample(t, 12), rows, SumOptions{Noise: noise, Columns: 1, Bound: 1, MaxRecords: 12})
			return err
		}},
		{"choice", usual, func(rows *Rows) error {
			_, err := NewRowsWithMax(rows)
			return err
		}},
		{"second moment", moments, func(rows *Rows) error {
			_, err := SecondMoment(fullSample(t, 12), rows, noise, 12)
			return err
		}},
		{"Newton's step", newton.Rows(), func(rows *Rows) error {
			_, err := newton.Solve(rows, noise)
			return err
		}},
	} {
		for _, refused := range []bool{false, true} {
			rows, err := NewRows(12, c.o, func(dst []float64, _, _ int) { dst[0] = 0.5 })
			if err != nil {
				t.Fatal(err)
			}
			if refused {
				rows.known = nil
			}
			paid = 0
			if err = c.run(rows); (err != nil) != refused {
				t.Errorf("%s of rows that entered: %t: got error %v", c.name, !refused, err)
			}
		}
	}
}

// TestBlocksOfRowsThatDidNotEnterAreRefused adds a block of rows that another standardization refused
// to a sum of rows that entered.
func TestBlocksOfRowsThatDidNotEnterAreRefused(t *testing.T) {
	rows := oneHot(t, 3)
	refused, err := rows.Standardized(Standardization{})
	if err != nil {
		t.Fatal(err)
	}
	refused.known = nil
	for _, from := range []*Rows{refused, rows} {
		s := newTestSum(t, rows, fullSample(t, 3), 1, 1, 3)
		b, err := from.Load(0, 3, Block{})
		if err != nil {
			t.Fatal(err)
		}
		err = s.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: []float64{1, 1, 1}})
		if (err != nil) != (from == refused) || err == nil && s.empty() {
			t.Errorf("block of rows that did not enter, %t: got error %v", from == refused, err)
		}
	}
}

// TestRowsOfMinimizersAreCopies wants the row that is compared to be other memory than storage was lent.
func TestRowsOfMinimizersAreCopies(t *testing.T) {
	rows := oneHot(t, 4)
	var kept []int16
	rows.x = changedRows{rows.x, func(dst []int16, _ int) { kept = dst }}
	m := newMinimization(Problem{Loss: LogisticLoss(), Columns: 1, Radius: 1, MaxRecords: 4}, rows, nil, 0)
	p := m.newPart()
	m.row(p.x, p, 1)
	before := slices.Clone(p.narrow)
	for j := range kept {
		kept[j] = 77
	}
	if !slices.Equal(p.narrow, before) {
		t.Error("storage changes a row after it was copied")
	}
}

// TestRowsOfRecursionsAreCopies is TestRowsOfMinimizersAreCopies for the last iterate.
func TestRowsOfRecursionsAreCopies(t *testing.T) {
	rows := rowsOf(t, []float64{0.5, 0.1, 0.3, -0.2}, []float32{1, 0}, 2)
	var kept []int16
	rows.x = changedRows{rows.x, func(dst []int16, _ int) { kept = dst }}
	r, l := recursionOf(t, rows, usualRecursion(LogisticDerivative{}, 1), 5, 3)
	g, err := fitRecursion(l, r.RecursionOptions)
	if err != nil {
		t.Fatal(err)
	}
	b, err := rows.Load(0, 2, Block{})
	if err != nil {
		t.Fatal(err)
	}
	p := recursionPart{Recursion: r, grid: g, high: make([]int64, 2), low: make([]int64, 2), lent: make([]int16, 2), row: make([]int16, 2)}
	if !p.coefficients(make([]float64, 1), b, 1) || kept == nil {
		t.Fatal("a row that entered is refused, or was not read")
	}
	before := slices.Clone(p.row)
	kept[0]++
	if !slices.Equal(p.row, before) {
		t.Error("storage changes a row after it was copied")
	}
}
