package evaluate

import (
	"math"
	"strings"
	"testing"
)

func TestRegress(t *testing.T) {
	nan, inf := noMeasure(), math.Inf(1)
	tests := []struct {
		name                string
		labels, predictions []float64
		rmse, mae, r2       Measure
		undefined           int
	}{
		// By hand: misses -0.5, 0.5, 0, 1; squared 1.5; deviation from 2.875: 29.1875.
		{"four records", []float64{3, -.5, 2, 7}, []float64{2.5, 0, 2, 8}, Measure(math.Sqrt(1.5 / 4)), .5, 1 - 1.5/29.1875, 0},
		{"perfect", []float64{1, 2}, []float64{1, 2}, 0, 0, 1, 0},
		{"the mean", []float64{1, 2, 3}, []float64{2, 2, 2}, Measure(math.Sqrt(2. / 3)), 2. / 3, 0, 0},
		{"worse than the mean", []float64{0, 2}, []float64{2, 0}, 2, 2, -3, 0},
		{"equal labels", []float64{4, 4}, []float64{4, 5}, Measure(math.Sqrt(.5)), .5, nan, 0},
		{"equal labels that round", []float64{.1, .1, .1, .1, .1, .1}, []float64{.1, .1, .1, .1, .1, .1}, 0, 0, nan, 0},
		{"one record", []float64{4}, []float64{3}, 1, 1, nan, 0},
		{"NaN prediction", []float64{1, 2}, []float64{1, math.NaN()}, nan, nan, nan, 1},
		{"infinite prediction", []float64{1, 2, 3}, []float64{inf, 2, -inf}, nan, nan, nan, 2},
		{"offset", []float64{1e9, 1e9 + 1, 1e9 + 2}, []float64{1e9, 1e9 + 1, 1e9 + 3}, Measure(math.Sqrt(1. / 3)), 1. / 3, .5, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := Regress(test.labels, test.predictions, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Records != len(test.labels) || r.Undefined != test.undefined {
				t.Errorf("got %d records, %d undefined; want %d, %d", r.Records, r.Undefined, len(test.labels), test.undefined)
			}
			if !near(r.RMSE, test.rmse) || !near(r.MAE, test.mae) || !near(r.R2, test.r2) {
				t.Errorf("got RMSE %v, MAE %v, R² %v; want %v, %v, %v", r.RMSE, r.MAE, r.R2, test.rmse, test.mae, test.r2)
			}
		})
	}
}

func TestRegressGroups(t *testing.T) {
	grouping := &Grouping{Column: "region", Levels: []string{"north", "south"}, Codes: []int32{0, 1, 0, -1}}
	r, err := Regress([]float64{1, 5, 3, 2}, []float64{2, 5, 2, math.NaN()}, grouping)
	if err != nil {
		t.Fatal(err)
	}
	nan := noMeasure()
	want := []RegressionGroup{{"north", 2, 1, 1, 0}, {"south", 1, 0, 0, nan}, {"(missing)", 1, nan, nan, nan}}
	if len(r.Groups) != len(want) || r.GroupColumn != "region" || r.Undefined != 1 {
		t.Fatalf("got %+v, want column region, groups %+v, 1 undefined", r, want)
	}
	for k, g := range r.Groups {
		w := want[k]
		if g.Level != w.Level || g.Records != w.Records || !near(g.RMSE, w.RMSE) || !near(g.MAE, w.MAE) || !near(g.R2, w.R2) {
			t.Errorf("got group %+v, want %+v", g, w)
		}
	}
}

func TestRegressErrors(t *testing.T) {
	tests := []struct {
		name                string
		labels, predictions []float64
		groups              *Grouping
		want                string
	}{
		{"empty", nil, nil, nil, "number of records is 0"},
		{"lengths differ", []float64{1, 2}, []float64{1}, nil, "1 predictions, want 2"},
		{"NaN label", []float64{1, math.NaN()}, []float64{1, 2}, nil, "label of record 1"},
		{"infinite label", []float64{math.Inf(1)}, []float64{1}, nil, "label of record 0"},
		{"short grouping", []float64{1}, []float64{1}, &Grouping{}, "0 codes, want 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Regress(test.labels, test.predictions, test.groups)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "evaluate: ") {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}
