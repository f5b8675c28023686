package query

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
)

const schemaText = `dither-schema: 1
row: one person
max-records: 500
target: {column: job, levels: ["no", "yes"]}
columns:
  age: {numeric: [18, 90], missing: indicator}
  rate: {numeric: [-2, 3], missing: zero, fill: 1}
  capital-gain: {numeric: [0, 10]}
  sex: {levels: [f, m], missing: indicator}
  "home town": {levels: [Ulm, "Bad Urach", "3"]}
  "not": {numeric: [0, 4]}
  note: ignore
defaults: {missing: zero, out-of-range: clamp, unknown: other}
`

const tableText = `age,rate,capital-gain,sex,home town,not,note,job
30,2,4,f,Ulm,1,a,yes
95,-9,0,m,Bad Urach,2,b,no
?,0.5,1,m,3,3,c,yes
50,?,10,?,Kiel,4,d,?
`

func schemaOf(t testing.TB, text string) *data.Schema {
	t.Helper()
	s, err := data.ParseSchema("schema", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tableOf(t testing.TB, s *data.Schema, text string, o data.ReadOptions) *data.Dataset {
	t.Helper()
	d, err := data.ReadFrom(context.Background(), s, "table", strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestOrderedLevels wants comparisons of ordered levels by position, with the column on either side.
func TestOrderedLevels(t *testing.T) {
	s := schemaOf(t, "dither-schema: 1\nrow: one person\nmax-records: 9\ntarget: {column: y, levels: [a, b]}\ncolumns:\n  size: {levels: [s, m, l], ordered: true, unknown: as-missing, missing: zero}\n")
	d, err := data.ReadFrom(context.Background(), s, "t", strings.NewReader("size\ns\nm\nl\nx\n"), data.ReadOptions{WithoutTarget: true})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"size > s": "[0 1 1 NaN]", "m <= size": "[0 1 1 NaN]", "size < m": "[1 0 0 NaN]", "size != m": "[1 0 1 NaN]"} {
		e, err := parseExpression(s, text)
		if err != nil {
			t.Fatal(err)
		}
		var got []float64
		value := e.on(d)
		for i := range 4 {
			got = append(got, value(i))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %s", text, got, want)
		}
	}
}

// TestExpressions reads expressions, with their values on the rows of a table and their bounds.
func TestExpressions(t *testing.T) {
	s := schemaOf(t, schemaText)
	with, without := tableOf(t, s, tableText, data.ReadOptions{}), tableOf(t, s, tableText, data.ReadOptions{WithoutTarget: true})
	nan := math.NaN()
	for _, c := range []struct {
		text         string
		lower, upper float64
		values       []float64
	}{
		{"age", 18, 90, []float64{30, 90, nan, 50}},
		{"rate", -2, 3, []float64{2, -2, 0.5, 1}},
		{"2 * age + 1", 37, 181, []float64{61, 181, nan, 101}},
		{"age - rate", 15, 92, []float64{28, 92, nan, 49}},
		{"age*rate", -180, 270, []float64{60, -180, nan, 50}},
		{"-rate", -3, 2, []float64{-2, 2, -0.5, -1}},
		{"capital-gain - 1", -1, 9, []float64{3, -1, 0, 9}},
		{"`capital-gain`*2.5e1", 0, 250, []float64{100, 0, 25, 250}},
		{"clamp(age, 20, 40)", 20, 40, []float64{30, 40, nan, 40}},
		{"clamp(rate, -1, -0.5)", -1, -0.5, []float64{-0.5, -1, -0.5, -0.5}},
		{"1 - 2 - rate", -4, 1, []float64{-3, 1, -1.5, -2}},
		{"(1 + 2) × rate − 1", -7, 8, []float64{5, -7, 0.5, 2}},
		{"age >= 50", 0, 1, []float64{0, 1, nan, 1}},
		{"age ≠ 30", 0, 1, []float64{0, 1, nan, 1}},
		{"30 = age", 0, 1, []float64{1, 0, nan, 0}},
		{"sex = f", 0, 1, []float64{1, 0, 0, nan}},
		{"f != sex", 0, 1, []float64{0, 1, 1, nan}},
		{"`home town` = 'Bad Urach'", 0, 1, []float64{0, 1, 0, 0}},
		{"`home town` = 3", 0, 1, []float64{0, 0, 1, 0}},
		{"`home town` != Ulm", 0, 1, []float64{0, 1, 1, 1}},
		{"not `not` = 2", 0, 1, []float64{1, 0, 1, 1}},
		{"not sex = f", 0, 1, []float64{0, 1, 1, nan}},
		{"age > 40 and sex = f", 0, 1, []float64{0, 0, 0, nan}},
		{"age > 40 or sex = m", 0, 1, []float64{0, 1, 1, 1}},
		{"not (age > 40) and rate = 2 or capital-gain < 1", 0, 1, []float64{1, 1, 0, 0}},
		{"(sex = m) * age", 0, 90, []float64{0, 90, nan, nan}},
		{"job = yes", 0, 1, []float64{1, 0, 1}},
	} {
		e, err := parseExpression(s, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		d := without
		if e.needsTarget() {
			d = with
		}
		if lower, upper := e.bounds(); lower != c.lower || upper != c.upper || d.Records() != len(c.values) || e.String() != c.text {
			t.Errorf("%s: got bounds %v to %v over %d rows, want %v to %v over %d", c.text, lower, upper, d.Records(), c.lower, c.upper, len(c.values))
			continue
		}
		value := e.on(d)
		for i, want := range c.values {
			if got := value(i); got != want && !(got != got && want != want) {
				t.Errorf("%s: got %v for row %d, want %v", c.text, got, i+1, want)
			}
		}
	}
}

func TestExpressionsAreRefused(t *testing.T) {
	s := schemaOf(t, schemaText)
	for text, want := range map[string]string{
		"":                          "position 1, want a column",
		"ages":                      `"ages" is no column of the schema, want one of age, rate`,
		"age +":                     "position 6, want a column",
		"age rate":                  "position 5, want the end",
		"age ? 3":                   "position 5, want a name",
		"(age":                      `position 5, want ")"`,
		"sex":                       "has levels, want a number",
		"sex + 1":                   "has levels, want a number",
		"sex < f":                   "without an order",
		"sex = x":                   `"x" at position 7 is no level of column "sex", want one of f, m`,
		"sex = f + 1":               `compared with an expression`,
		"sex = -1":                  `compared with an expression`,
		"'text'":                    "stands by itself",
		"age and sex = f":           "joins a number",
		"not age":                   "joins a number",
		"note":                      "declared ignore",
		"note = a":                  "declared ignore",
		"clamp(age, 5, 5)":          "want an ascending range",
		"clamp(age, 5)":             `want ","`,
		"clamp(age, rate, 5)":       "want a number",
		"1e99 * age * 1e99":         "not bounded",
		"1e400":                     "want a number",
		"1.2.3":                     "want a number",
		"'open":                     "want a name",
		strings.Repeat("(", 101):    "less nesting",
		strings.Repeat("-", 5000):   "at most 4096 bytes",
		"age\xff":                   "no text",
		"age < 3 < 4":               "want the end",
		strings.Repeat("not ", 120): "less nesting",
	} {
		if _, err := parseExpression(s, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want an error with %q", text, err, want)
		}
	}
	if _, err := parseCondition(s, "age"); err == nil || !strings.Contains(err.Error(), "want a condition") {
		t.Errorf("a number as a condition: %v", err)
	}
}

// TestBoundsHoldEveryValue draws random expressions and rows: no value is outside the bounds even before it
// is moved inside them, but for rounding.
func TestBoundsHoldEveryValue(t *testing.T) {
	s := schemaOf(t, schemaText)
	r := rand.New(rand.NewPCG(1, 4))
	var random func(depth int) string
	random = func(depth int) string {
		if depth == 0 {
			return []string{"age", "rate", "capital-gain", "2", "0.5", "(sex = m)"}[r.IntN(6)]
		}
		a, b := random(depth-1), random(depth-1)
		return []string{"(" + a + " + " + b + ")", "(" + a + " - " + b + ")", a + " * " + b, "-" + a, "clamp(" + a + ", -3, 7)"}[r.IntN(5)]
	}
	reached := 0
	for range 300 {
		e, err := parseExpression(s, random(1+r.IntN(3)))
		if err != nil {
			t.Fatal(err)
		}
		columns := make([][]float32, len(s.Features()))
		for j, c := range s.Features() {
			for range 50 {
				v := c.Lower + (c.Upper-c.Lower)*float64(r.IntN(3))/2
				if c.Kind == data.Categorical {
					v = float64(r.IntN(2))
				}
				columns[j] = append(columns[j], float32(v))
			}
		}
		d, err := data.New(s, columns, nil)
		if err != nil {
			t.Fatal(err)
		}
		value, lower, upper := e.value(d), e.lower, e.upper
		slack := 1e-9 * max(1, -lower, upper)
		for i := range 50 {
			v := value(i)
			if !(v >= lower-slack && v <= upper+slack) {
				t.Fatalf("%s is %v, want %v to %v", e, v, lower, upper)
			}
			if v == upper || v == lower {
				reached++
			}
		}
	}
	if reached < 500 {
		t.Errorf("bounds were reached %d times of 15000, want more: are they too wide?", reached)
	}
}

// FuzzParseExpression wants no panic, and bounds of whatever is taken.
func FuzzParseExpression(f *testing.F) {
	s := schemaOf(f, schemaText)
	for _, text := range []string{"age", "clamp(age, -1, 2) * -rate", "not (sex = f) and age ≥ 3", "`a b", "'x' = sex", "((1))", "1e5 − 2×rate", "capital-gain"} {
		f.Add(text)
	}
	d := tableOf(f, s, tableText, data.ReadOptions{})
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseExpression(s, text)
		if err != nil {
			return
		}
		lower, upper := e.bounds()
		value := e.on(d)
		for i := range d.Records() {
			if v := value(i); v == v && !(v >= lower && v <= upper) {
				t.Errorf("%q is %v, want %v to %v", text, v, lower, upper)
			}
		}
	})
}
