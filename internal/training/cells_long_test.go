//go:build long

package training

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// fitted returns a model by the defaults of the command, or the baseline without privacy for epsilon 0.
func fitted(t *testing.T, s *data.Schema, d *data.Dataset, epsilon float64, transforms ...feature.Spec) *model.Model {
	t.Helper()
	r, o := train.Request{Epsilon: epsilon, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Transforms: transforms}, train.Options{Momentum: option.DefaultMomentum}
	if epsilon == 0 {
		r.Epsilon = math.Inf(1)
		Converge(&r, &o, s, false)
	}
	run, err := Descent(r, o, true, Tables{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	fit, err := train.Fit(context.Background(), unlimited(t), run.Setup, d, run.Options)
	if err != nil {
		t.Fatal(err)
	}
	return fit.Model
}

// meanOf returns the mean prediction for a table, with the cells of a column emptied; -1 for none.
func meanOf(t *testing.T, m *model.Model, d *data.Dataset, column int) float64 {
	t.Helper()
	if column >= 0 {
		d = emptied(t, d, column)
	}
	sum, n := 0.0, 0
	err := m.PredictAll(context.Background(), d, func(_ int, p []float64) error {
		for _, v := range p {
			sum, n = sum+v, n+1
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sum / float64(n)
}

// emptied returns a table whose cells in a column are missing.
func emptied(t *testing.T, d *data.Dataset, column int) *data.Dataset {
	t.Helper()
	columns := make([][]float32, len(d.Schema().Features()))
	for j := range columns {
		columns[j] = d.Column(j)
	}
	columns[column] = make([]float32, d.Records())
	for i := range columns[column] {
		columns[column][i] = float32(math.NaN())
	}
	out, err := data.New(d.Schema(), columns, d.Target())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// everyEighth returns every eighth row of a table.
func everyEighth(d *data.Dataset) *data.Dataset {
	var rows []int
	for i := 0; i < d.Records(); i += 8 {
		rows = append(rows, i)
	}
	return d.Take(rows)
}

// areaOf returns the area under the curve of a model.
func areaOf(t *testing.T, m *model.Model, d *data.Dataset) float64 {
	t.Helper()
	c, _, err := measures.Under(m, d, "")
	if err != nil {
		t.Fatal(err)
	}
	return float64(c.AUC)
}

// indicated returns a table without missing cells, whose columns have an indicator of missing cells.
func indicated(t *testing.T, c scoredTable) scoredTable {
	t.Helper()
	s := *c.schema
	s.Columns = slices.Clone(s.Columns)
	for i := range s.Columns {
		s.Columns[i].Missing = data.Indicator
	}
	columns := make([][]float32, len(s.Features()))
	for j := range columns {
		columns[j] = c.data.Column(j)
	}
	d, err := data.New(&s, columns, c.data.Target())
	if err != nil {
		t.Fatal(err)
	}
	return scoredTable{c.name, &s, d}
}

// TestEmptyCells empties the cells of one column at a time in every eighth row, in models without and with interactions.
// Over the columns of a table, the root mean square of the moves of the mean prediction is at most 1.5 times that of the
// baseline, or 0.02 where that is more. With interactions it is at most 0.75 times that of the baseline. No column moves
// it by more than 1.5 times its move in the baseline and 0.06: below that it moves because a mean narrows scores.
//
// With -short there is one run with all pairs for each table, and the noise of one column is not averaged out. Then only
// the root mean square is held. In 10 such runs it was 0.0193 with a deviation of 0.0014 on Adult, which is nearest to its
// limit of 0.0358.
func TestEmptyCells(t *testing.T) {
	runs, forms, epsilons := 5, []string{"none", "bins", "all"}, []float64{0.5, 1, 3}
	if testing.Short() {
		runs, forms, epsilons = 1, []string{"all"}, []float64{1}
	}
	tables := scoredTables(t)[:2]
	for _, c := range []scoredTable{tables[0], indicated(t, tables[1])} {
		base, columns, rows := fitted(t, c.schema, c.data, 0), c.schema.Features(), everyEighth(c.data)
		start := meanOf(t, base, rows, -1)
		own, allowed := make([]float64, len(columns)), 0.0
		for j := range columns {
			own[j] = meanOf(t, base, rows, j) - start
			allowed += own[j] * own[j]
		}
		allowed = math.Sqrt(allowed / float64(len(columns)))
		for _, words := range forms {
			transforms, err := Transforms(words, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, epsilon := range epsilons {
				moves, area, all := make([]float64, len(columns)), 0.0, 0.0
				for range runs {
					m := fitted(t, c.schema, c.data, epsilon, transforms...)
					before := meanOf(t, m, rows, -1)
					area += areaOf(t, m, c.data) / float64(runs)
					for j := range columns {
						v := meanOf(t, m, rows, j) - before
						moves[j] += v * v / float64(runs)
					}
				}
				for j, column := range columns {
					all += moves[j]
					if most := 1.5*math.Abs(own[j]) + 0.06; !testing.Short() && math.Sqrt(moves[j]) > most {
						t.Errorf("%s, interactions %s, epsilon %v, %s: the mean moves by %.4f, want at most %.4f", c.name, words, epsilon, column.Name, math.Sqrt(moves[j]), most)
					}
				}
				all = math.Sqrt(all / float64(len(columns)))
				t.Logf("%s, interactions %s, epsilon %v: moves of %.4f, and of %.4f in the baseline; area %.5f", c.name, words, epsilon, all, allowed, area)
				most := max(1.5*allowed, 0.02)
				if words != "none" {
					most = 0.75 * allowed
				}
				if all > most {
					t.Errorf("%s, interactions %s, epsilon %v: the mean moves by %.4f, want at most %.4f", c.name, words, epsilon, all, most)
				}
			}
		}
	}
}

// TestEmptyCellsOfFewRows is TestEmptyCells for 2000 rows, which are not whitened. Over the columns, the root mean square of the moves is at most 1.5 times that of the baseline, or 0.02 where that
// is more. With weights of their own, missing cells had moved credit cards by 0.1 and more.
func TestEmptyCellsOfFewRows(t *testing.T) {
	tables := scoredTables(t)[:2]
	for _, c := range []scoredTable{tables[0], indicated(t, tables[1])} {
		few := *c.schema
		few.MaxRecords, few.Records = 2000, 0
		d, err := data.New(&few, firstRows(c.data, 2000), c.data.Target()[:2000])
		if err != nil {
			t.Fatal(err)
		}
		base, rows, columns := fitted(t, &few, d, 0), everyEighth(c.data), few.Features()
		start, allowed := meanOf(t, base, rows, -1), 0.0
		for j := range columns {
			v := meanOf(t, base, rows, j) - start
			allowed += v * v / float64(len(columns))
		}
		for _, epsilon := range []float64{0.5, 1, 3} {
			all := 0.0
			const runs = 5
			for range runs {
				m := fitted(t, &few, d, epsilon)
				if w := m.Features().Whitening; w != nil || m.Features().Evidence == nil {
					t.Fatalf("%s, epsilon %v: rows are whitened or have no evidence, want rows of the other kind", c.name, epsilon)
				}
				before := meanOf(t, m, rows, -1)
				for j := range columns {
					v := meanOf(t, m, rows, j) - before
					all += v * v / float64(len(columns)*runs)
				}
			}
			t.Logf("2000 rows of %s, epsilon %v: moves of %.4f, and of %.4f in the baseline", c.name, epsilon, math.Sqrt(all), math.Sqrt(allowed))
			if most := max(1.5*math.Sqrt(allowed), 0.02); math.Sqrt(all) > most {
				t.Errorf("2000 rows of %s, epsilon %v: the mean moves by %.4f, want at most %.4f", c.name, epsilon, math.Sqrt(all), most)
			}
		}
	}
}

// firstRows returns the first numbers of each column.
func firstRows(d *data.Dataset, n int) [][]float32 {
	out := make([][]float32, len(d.Schema().Features()))
	for j := range out {
		out[j] = d.Column(j)[:n]
	}
	return out
}
