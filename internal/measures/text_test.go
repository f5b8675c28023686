package measures

import (
	"errors"
	"math"
	"strings"
	"testing"
	"unicode"

	"github.com/ditherml/dither/evaluate"
)

// undefined is a measure without a value.
var undefined = evaluate.Measure(math.NaN())

func TestWriteText(t *testing.T) {
	grouping := &evaluate.Grouping{Column: "sex\x1b[31m", Levels: []string{"woman", "man\u202e"}, Codes: []int32{0, 0, 1, 1}}
	c, err := evaluate.Classify([]string{"no", "yes\n"}, []int{0, 0, 1, 1}, []float64{.1, .4, .35, .8}, 0.5, grouping)
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
  average precision                    0.8333
  calibration error                    0.1375

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
	if err := WriteText(&b, &c, nil); err != nil {
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
	grouping := &evaluate.Grouping{Column: "g", Levels: []string{"a", "b"}, Codes: []int32{0, 0, 0}}
	r, err := evaluate.Regress([]float64{1e12, 2e12, 3e12}, []float64{1e12, 2e12, math.NaN()}, grouping)
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
	if err := WriteText(&b, nil, &r); err != nil {
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
	c, err := evaluate.Classify([]string{"no", "yes"}, []int{0, 1}, []float64{.1, .9}, 0.5, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 5, 20, 300} {
		if err := WriteText(&failing{left: room}, &c, nil); !errors.Is(err, errFull) {
			t.Errorf("got error %v with room for %d bytes, want %v", err, room, errFull)
		}
	}
}

// A count that noise has left below 1 is written like the other counts of its column.
func TestSmallCountsHaveNoExponent(t *testing.T) {
	for m, want := range map[evaluate.Measure]string{0.5978: "1", 0.1157: "0", 0: "0", 12.4: "12", 2e9: "2.000e+09"} {
		if got := fixed(m, 0); got != want {
			t.Errorf("%v is written %q, want %q", float64(m), got, want)
		}
	}
	if got := fixed(0.00001, 4); got != "1.000e-05" {
		t.Errorf("a small measure is written %q, want its digits", got)
	}
}

// TestMissingIntervalsAreSaid writes an estimate without an interval, and what the title then says.
func TestMissingIntervalsAreSaid(t *testing.T) {
	whole, lacking := evaluate.Estimate{Value: 0.5, Low: 0.25, High: 0.75}, evaluate.Estimate{Value: 0.5, Low: undefined, High: undefined}
	p := evaluate.Private{Classification: &evaluate.PrivateClassification{Records: whole, Accuracy: whole, MajorityAccuracy: lacking}}
	tables := privateTables(p)
	if got := tables[0].Rows[2]; got[1] != "50.00 %" || got[2] != "-" || !strings.HasSuffix(tables[0].Title, withoutInterval) {
		t.Errorf("got %q under %q", got, tables[0].Title)
	}
	p.Classification.MajorityAccuracy = whole
	if got := privateTables(p)[0]; got.Rows[2][2] != "25.00 % to 75.00 %" || strings.Contains(got.Title, withoutInterval) {
		t.Errorf("got %q under %q", got.Rows[2], got.Title)
	}
}

// TestEstimatesInWords writes an interval with a gap, one without a lower end, and both rates.
func TestEstimatesInWords(t *testing.T) {
	for want, e := range map[string]evaluate.Estimate{
		"25.00 % to 50.00 % or 62.50 % to 87.50 %": {Value: 0.75, Low: 0.25, High: 0.875, Gap: []evaluate.Measure{0.5, 0.625}},
		"up to 50.00 %":                      {Value: 0.25, Low: evaluate.Measure(math.Inf(-1)), High: 0.5},
		"-":                                  {Value: 0.5, Low: undefined, High: undefined},
		"20.00 % to 40.00 % (at least 95 %)": {Value: 0.25, Low: 0.2, High: 0.4, Rate: "at least 95 %"},
		"20.00 % to 50.00 %":                 {Value: 0.25, Low: 0.2, High: 0.5, Rate: "95 %"},
	} {
		if got := percents(e)[1]; got != want {
			t.Errorf("%+v is written %q, want %q", e, got, want)
		}
	}
}
