package evaluate

import (
	"encoding/json"
	"math"
	"testing"
)

func TestMeasureJSON(t *testing.T) {
	tests := []struct {
		name    string
		measure Measure
		want    string
	}{
		{"fraction", .1, "0.1"},
		{"NaN", noMeasure(), "null"},
		{"infinity", Measure(math.Inf(-1)), "null"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, err := json.Marshal(test.measure)
			if err != nil || string(text) != test.want {
				t.Fatalf("got %s, error %v; want %s", text, err, test.want)
			}
			back := Measure(7)
			if err := json.Unmarshal(text, &back); err != nil || back.Defined() != test.measure.Defined() ||
				(back.Defined() && back != test.measure) {
				t.Errorf("got %v back, error %v; want %v", back, err, test.measure)
			}
		})
	}
}

func TestJSONNames(t *testing.T) {
	grouping := &Grouping{Column: "g", Levels: []string{"a"}, Codes: []int32{-1}}
	c, err := Classify(yesNo, []int{0}, []float64{.5}, 0.5, grouping)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Regress([]float64{1}, []float64{math.NaN()}, grouping)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		value any
		want  string
	}{
		{"classification", c, `{"records":1,"accuracy":1,"majority-accuracy":1,"log-loss":0.6931471805599453,"auc":null,"average-precision":null,"calibration-error":0.5,` +
			`"reliability":[{"low":0.4666666666666667,"high":0.5333333333333333,"prediction":0.5,"records":{"value":1,"low":1,"high":1,"rate":"95 %"},` +
			`"rate":{"value":0,"low":0,"high":0.9453792444711268,"rate":"at least 95 %"}}],` +
			`"levels":["no","yes"],"confusion":[[1,0],[0,0]],"precision":[1,null],"recall":[1,null],"group-column":"g","groups":[` +
			`{"level":"a","records":0,"accuracy":null,"majority-accuracy":null,"log-loss":null,"auc":null},` +
			`{"level":"(missing)","records":1,"accuracy":1,"majority-accuracy":1,"log-loss":0.6931471805599453,"auc":null}]}`},
		{"regression", r, `{"records":1,"undefined":1,"rmse":null,"mae":null,"r2":null,"group-column":"g","groups":[` +
			`{"level":"a","records":0,"rmse":null,"mae":null,"r2":null},{"level":"(missing)","records":1,"rmse":null,"mae":null,"r2":null}]}`},
	}
	for _, test := range tests {
		got, err := json.Marshal(test.value)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, error %v; want %s", test.name, got, err, test.want)
		}
	}
}

// TestMissingIntervalJSON encodes an estimate without an interval.
func TestMissingIntervalJSON(t *testing.T) {
	if text, err := json.Marshal(without(0.5, 0, 1)); err != nil || string(text) != `{"value":0.5,"low":null,"high":null}` {
		t.Errorf("got %s, %v", text, err)
	}
}
