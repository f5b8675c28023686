package train

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/pass"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// plainPictures are 300 pictures of 8×8 pixels: one bright pixel, one shade, or noise. Rows 3k, 3k+1 and 3k+2
// are of one person, and alike as often as not.
func plainPictures(t *testing.T, s *data.Schema, r *rand.Rand) *data.Dataset {
	t.Helper()
	const n = 300
	columns, target := make([][]float32, 64), make([]float32, n)
	for j := range columns {
		columns[j] = make([]float32, n)
	}
	for i := range n {
		target[i] = float32(r.IntN(2))
		kind, bright := r.IntN(3), r.IntN(64)
		alike := i%3 > 0 && r.IntN(4) > 0
		for j := range columns {
			switch {
			case alike:
				columns[j][i], target[i] = columns[j][i-1], target[i-1]
			case kind == 0 && j == bright, kind == 1:
				columns[j][i] = 255
			case kind == 2:
				columns[j][i] = float32(r.IntN(256))
			}
		}
	}
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// exactSums is what a statistic sums before noise.
func exactSums(t *testing.T, s Setup, statistic PreparationStep, d *data.Dataset, persons [][]int) []float64 {
	t.Helper()
	rows := s
	rows.Plan.Person = nil
	tab, err := rows.encode(d, 0)
	if err != nil {
		t.Fatal(err)
	}
	tab.persons = persons
	m := *s.Features
	out := prepared{setup: s, divisor: 1, features: &m, moments: map[string]moment{}}
	terms := pass.Settings{Payer: payEverything{}, Noise: mechanism.NonPrivate{}, MaxRecords: s.Plan.MaxRecords}
	var sums []float64
	switch statistic.Kind {
	case option.LabelsStatistic:
		sums, err = statistic.countLabels(terms, tab)
	case option.RadiusStatistic:
		_, sums, err = statistic.countNorms(terms, &tab, &out)
	default:
		learn := statistic.learn
		if persons != nil {
			learn = statistic.learnOfPersons
		}
		err = learn(terms, &tab, &out)
		switch statistic.Kind {
		case option.CountStatistic:
			sums = []float64{out.divisor}
		case option.MeanStatistic:
			sums = m.Center
		default:
			sums = out.moments[statistic.Kind].mean
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(sums)
}

// neighborsOf draws a table of at least one record and the same with one more: a row, or three rows of a person.
func neighborsOf(r *rand.Rand, d *data.Dataset, persons bool) (without, with *data.Dataset, listed [][]int) {
	var rows []int
	records := 2 + r.IntN(2)
	for range records {
		first := 3 * r.IntN(d.Records()/3)
		rows = append(rows, first)
		if persons {
			listed = append(listed, []int{len(rows) - 1, len(rows), len(rows) + 1})
			rows = append(rows, first+1, first+2)
		}
	}
	return d.Take(rows[:len(rows)/records*(records-1)]), d.Take(rows), listed
}

// TestNeighborsMoveEveryStatisticByAtMostItsBound takes every statistic of the preparation (the plans below
// must have each of Kinds) where a record is a row, and where it is a person with three rows: the sums before noise
// of 150 random pairs of tables (30 where that is slow; 1000 of each with the tag long), of which one has
// a record more, are apart by at most the bound in the L2 norm, up to the grids of the rows, 1e-3, and some pair by
// 0.95 of it.
//
// Bounds, bins and levels of columns are no sums: that one record is one value there is held by
// TestOneRecordIsOneValue, and what one value moves by the tests of package query and mechanism.
func TestNeighborsMoveEveryStatisticByAtMostItsBound(t *testing.T) {
	if testing.Short() && !everyPair {
		t.Skip("many neighbors, which the ordinary run holds")
	}
	r := rand.New(rand.NewPCG(21, 4))
	schema, _ := pictures(t, 1)
	d := plainPictures(t, schema, r)
	columns := map[string]bool{option.BoundsStatistic: true, option.BinsStatistic: true, option.LevelsStatistic: true}
	for _, persons := range []bool{false, true} {
		tested := maps.Clone(columns)
		for _, change := range []func(q *Request){
			func(q *Request) { q.Whiten, q.Center, q.Balance = Yes, Yes, true },
			func(q *Request) { q.Whiten, q.Structure, q.Center = Yes, option.StructureDiagonal, No },
			func(q *Request) {
				q.Whiten, q.Structure, q.Transforms = Yes, option.StructureKronecker, scatteringOf8x8(t)
			},
			func(q *Request) { q.Whiten, q.Structure = Yes, option.StructureFrequencies },
			func(q *Request) { q.PrivateRadius, q.Whiten, q.Center = true, No, No },
		} {
			request := Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 2}
			if change(&request); persons {
				request.Person = &PersonUnit{Column: "who", MaxRows: 3}
			}
			s, err := NewPlan(request, schema)
			if err != nil {
				t.Fatal(err)
			}
			for _, statistic := range s.Plan.Preparation {
				most, pairs := 0.0, 1000
				switch slow := statistic.Numbers > 4000 || len(request.Transforms) > 0; {
				case tested[statistic.Kind]:
					continue
				case slow && !everyPair:
					pairs = 30
				case !everyPair:
					pairs = 150
				}
				tested[statistic.Kind] = true
				for range pairs {
					without, with, listed := neighborsOf(r, d, persons)
					a, b := exactSums(t, s, statistic, without, listed[:max(0, len(listed)-1)]), exactSums(t, s, statistic, with, listed)
					moved := 0.0
					for j := range b {
						moved = math.Hypot(moved, a[j]-b[j])
					}
					most = max(most, moved/statistic.Bound)
				}
				if most > 1+1e-3 || most < 0.95 {
					t.Errorf("%s, persons %v: a record moves the sums by %v of the bound, want nearly 1 and no more", statistic.Kind, persons, most)
				}
			}
		}
		for _, kind := range option.Statistics() {
			if !tested[kind] {
				t.Errorf("%s is not tested, persons %v", kind, persons)
			}
		}
	}
}
