package evaluate

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"unicode"
)

func TestMeasureJSON(t *testing.T) {
	tests := []struct {
		name    string
		measure Measure
		want    string
	}{
		{"fraction", .1, "0.1"},
		{"NaN", Undefined(), "null"},
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
	c, err := Classify(yesNo, []int{0}, []float64{.5}, grouping)
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
		{"classification", c, `{"records":1,"accuracy":1,"majority-accuracy":1,"log-loss":0.6931471805599453,"auc":null,` +
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

func TestWriteText(t *testing.T) {
	grouping := &Grouping{Column: "sex\x1b[31m", Levels: []string{"woman", "man\u202e"}, Codes: []int32{0, 0, 1, 1}}
	c, err := Classify([]string{"no", "yes\n"}, []int{0, 0, 1, 1}, []float64{.1, .4, .35, .8}, grouping)
	if err != nil {
		t.Fatal(err)
	}
	const want = `All records
  measure                              value
  records                              4
  accuracy                             75.00 %
  accuracy of the most frequent level  50.00 %
  log-loss (nats)                      0.4723
  area under the curve                 0.7500

By level
  level  precision  recall
  no     66.67 %    100.00 %
  yes�   100.00 %   50.00 %

By sex�[31m
  sex�[31m  records  accuracy  most frequent level  log-loss  area under the curve
  woman     2        100.00 %  100.00 %             0.3081    -
  man�      2        50.00 %   100.00 %             0.6365    -

Confusion (rows: true level, columns: predicted level)
        no  yes�
  no    2   0
  yes�  1   1
`
	var b strings.Builder
	if err := c.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	for _, r := range b.String() {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("got character %U, want none that a terminal obeys", r)
		}
	}
}

func TestWriteTextOfRegression(t *testing.T) {
	grouping := &Grouping{Column: "g", Levels: []string{"a", "b"}, Codes: []int32{0, 0, 0}}
	r, err := Regress([]float64{1e12, 2e12, 3e12}, []float64{1e12, 2e12, math.NaN()}, grouping)
	if err != nil {
		t.Fatal(err)
	}
	r.RMSE, r.MAE = 1.5e11, 1e-7
	const want = `All records
  measure                     value
  records                     3
  root mean squared error     1.500e+11
  mean absolute error         1.000e-07
  R²                          -
  records without a prediction  1

By g
  g  records  RMSE  MAE  R²
  a  3        -     -    -
  b  0        -     -    -
`
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("got\n%s\nwant, but for spaces,\n%s", got, want)
	}
}

// failing is a writer that takes a number of bytes and then fails.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWriteTextReportsAFailedWrite(t *testing.T) {
	c, err := Classify(yesNo, []int{0, 1}, []float64{.1, .9}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 5, 20, 300} {
		if err := c.WriteText(&failing{left: room}); !errors.Is(err, errFull) {
			t.Errorf("got error %v with room for %d bytes, want %v", err, room, errFull)
		}
	}
}

// A count that noise has left below 1 is written like the other counts of its column.
func TestSmallCountsHaveNoExponent(t *testing.T) {
	for m, want := range map[Measure]string{0.5978: "1", 0.1157: "0", 0: "0", 12.4: "12", 2e9: "2.000e+09"} {
		if got := m.fixed(0); got != want {
			t.Errorf("%v is written %q, want %q", float64(m), got, want)
		}
	}
	if got := Measure(0.00001).fixed(4); got != "1.000e-05" {
		t.Errorf("a small measure is written %q, want its digits", got)
	}
}

// TestMissingIntervalsAreSaid writes an estimate without an interval, and what the title then says.
func TestMissingIntervalsAreSaid(t *testing.T) {
	whole, lacking := Estimate{Value: 0.5, Low: 0.25, High: 0.75}, without(0.5, 0, 1)
	p := Private{Classification: &PrivateClassification{Records: whole, Accuracy: whole, MajorityAccuracy: lacking}}
	tables := p.Tables()
	if got := tables[0].Rows[2]; got[1] != "50.00 %" || got[2] != "-" || !strings.HasSuffix(tables[0].Title, withoutInterval) {
		t.Errorf("got %q under %q", got, tables[0].Title)
	}
	p.Classification.MajorityAccuracy = whole
	if got := p.Tables()[0]; got.Rows[2][2] != "25.00 % to 75.00 %" || strings.Contains(got.Title, withoutInterval) {
		t.Errorf("got %q under %q", got.Rows[2], got.Title)
	}
	if text, err := json.Marshal(lacking); err != nil || string(text) != `{"value":0.5,"low":null,"high":null}` {
		t.Errorf("got %s, %v", text, err)
	}
}
