package report

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/figure"
)

// Pages that stand for what train writes. The numbers are made up, but of a
// size that occurs.
var examplePages = []struct {
	name string
	page Page
}{
	{"binary", binaryPage()},
	{"regression", regressionPage()},
	{"classes", classesPage()},
	{"nonprivate", nonPrivatePage()},
	{"least", Page{Title: "The least page", Guarantee: Guarantee{Epsilon: 0.25, Neighboring: "zero-out", Unit: "row"}}},
}

func binaryPage() Page {
	return Page{
		Title:     "A private model of any-visit",
		Generated: "2026-01-02 03:04:05 UTC",
		Table:     "visits.csv", Purpose: "planning of beds",
		Others: []string{"Before this run the ledger hospital counted 2 other releases."},
		Guarantee: Guarantee{
			Epsilon: 1, Delta: 1e-6, Neighboring: "add-or-remove-one", Unit: "one person-year row", Accountant: "gdp (exact Gaussian)",
			GroupRows: 5, GroupEpsilon: 5.4321, NoisePerRecord: "standard deviation 24.2 times the most that one record can contribute to a step", Records: 20000, MaxRecords: 32768,
		},
		Warnings: []string{"The table has several rows a person and no person id: the guarantee is for one row, and a person with five rows is protected by ε = 5.43."},
		Public: []Fact{
			{"schema", "12 columns, bounds and levels declared", "no bound or level was read from the records"},
			{"records", "20,000, declared", "the divisor of every mean"},
			{"at most", "32,768 records", "bounds every sum"},
		},
		Tainted:     []string{"The levels of column plan were copied out of the records by schema init --from-data."},
		Assumptions: []string{"One row is one person-year.", "The levels of column plan may be known (--assume-public)."},
		Model: []Fact{
			{"kind", "binary logistic regression", ""},
			{"features", "40, and an intercept inside the verified norm", ""},
			{"preparation", "row normalization, private mean", ""},
			{"steps", "60 of full-batch gradient descent", "fixed in advance"},
		},
		Events: []Event{
			{"mean of the features", "gaussian(72.9)", 1, .11},
			{"covariance of the features", "gaussian(51.6)", 1, .22},
			{"training", "repeat(60, gaussian(187.4))", 1, .67},
		},
		Coefficients: binaryCoefficients(),
		Shapes: []Shape{
			{Name: "age", Points: []figure.Point{{X: 0, Y: -0.5, Low: -0.7, High: -0.3}, {X: 40, Y: -0.5, Low: -0.7, High: -0.3}, {X: 40, Y: 0.4, Low: 0.2, High: 0.6}, {X: 90, Y: 0.4, Low: 0.2, High: 0.6}}, States: []Coefficient{{Feature: "missing", Value: 0.1, Half: 0.3}}},
			{Name: "sex", Effect: 0.3, Of: "the log-odds of yes", States: []Coefficient{{Feature: "woman", Value: 0.3, Half: 0.1}, {Feature: "man", Value: -0.3, Half: 0.1}}},
			{Name: "longitude × latitude", Pair: &Pair{Point: true, Across: Side{Name: "longitude", States: []string{"0 to 1", "1 to 2"}, Ends: []float64{0, 1, 2}}, Up: Side{Name: "latitude", Unit: "degrees", States: []string{"5 to 6", "missing"}, Ends: []float64{5, 6}, Aside: 1}},
				States: []Coefficient{{Feature: "0 to 1, 5 to 6", Value: 0.2, Half: 0.4}, {Feature: "1 to 2, 5 to 6", Value: -0.2, Half: 0.1}, {Feature: "0 to 1, missing", Value: 0.1}, {Feature: "1 to 2, missing", Value: 0.1}}},
			{Name: "sex × plan", Score: "yes", Weighted: true, Effect: 0.12345, Pair: &Pair{Across: Side{Name: "sex", States: []string{"woman", "a man of many words"}}, Up: Side{Name: "plan", States: []string{"free", "95 percent"}}}, Shares: []float64{0.5, 0.4, 0.1, 0},
				States: []Coefficient{{Feature: "woman, free", Value: 0.03, Half: 0.01}, {Feature: "a man of many words, free", Value: -0.17, Half: 0.01}, {Feature: "woman, 95 percent", Value: 0.3, Half: 0.5}, {Feature: "a man of many words, 95 percent", Value: 3, Half: 0.1}}},
			{Name: "age × plan", Pair: &Pair{}, States: []Coefficient{{Feature: "0 to 40, free", Value: 0.1, Half: 0.2}}},
		},
		BarWords: []string{"The line on a bar is an interval.", "A gray bar may be noise alone."},
		Metrics: &Metrics{
			Source: "the built-in test split",
			Tables: []Table{
				{Title: "All records", Columns: []string{"measure", "value"}, Rows: [][]string{{"records", "4038"}, {"accuracy", "72.14 %"}, {"accuracy of the most frequent level", "68.72 %"}, {"log-loss (nats)", "0.5731"}, {"area under the curve", "0.7012"}}},
				{Title: "By level", Columns: []string{"level", "precision", "recall"}, Rows: [][]string{{"no", "61.90 %", "28.42 %"}, {"yes", "73.97 %", "92.04 %"}}},
				{Title: "By sex", Columns: []string{"sex", "records", "accuracy", "most frequent level", "log-loss", "area under the curve"}, Rows: [][]string{{"woman", "2098", "74.88 %", "73.02 %", "0.5402", "0.6901"}, {"man", "1940", "69.18 %", "64.07 %", "0.6087", "0.6988"}}},
			},
			Confusion: &Confusion{Levels: []string{"no", "yes"}, Counts: [][]int{{359, 904}, {221, 2554}}},
		},
		Verify:     "dither verify --model ./model",
		Files:      []Fact{{"model.json", "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", ""}},
		Provenance: []Fact{{"version", "0.1.0", ""}, {"run", "k3v9-77aq", ""}},
	}
}

// binaryCoefficients are forty weights of falling size and mixed signs.
func binaryCoefficients() []Coefficient {
	names := []Coefficient{
		{Feature: "health", Level: "poor"}, {Feature: "age"}, {Feature: "coinsurance", Level: "95 percent, with a deductible for the individual"},
		{Feature: "chronic diseases"}, {Feature: "sex", Level: "woman"}, {Feature: "income (log1p)"}, {Feature: "intercept"},
	}
	var out []Coefficient
	for i := range 40 {
		c := Coefficient{Feature: fmt.Sprintf("feature%d", i), Value: 1.2345 * math.Pow(.9, float64(i)), Half: 0.4321}
		if i < len(names) {
			c.Feature, c.Level = names[i].Feature, names[i].Level
		}
		if i%3 == 2 {
			c.Value = -c.Value
		}
		out = append(out, c)
	}
	return out
}

func regressionPage() Page {
	p := binaryPage()
	p.Title = "A private model of median house value"
	p.Guarantee = Guarantee{Epsilon: 0.5, Delta: 1e-8, Neighboring: "replace-one", Unit: "one census block group", Accountant: "gdp (exact Gaussian)"}
	p.Warnings, p.Tainted = nil, nil
	p.Model = []Fact{{"kind", "linear regression with Huber loss", ""}}
	p.Coefficients = p.Coefficients[:9]
	p.Estimates = &Estimates{Intervals: []Interval{{"intercept", 3.02, 2.88, 3.16}, {"water", -1.99, -2.01, -1.97}, {"age", 0.1, -0.2, 0.4}, {"none", math.NaN(), 0, 1}}, Facts: []Fact{{"records, with noise", "15034", ""}}, Table: &Table{Title: "Coefficients with intervals of 95 %", Columns: []string{"coefficient", "estimate", "from", "to"}, Rows: [][]string{{"intercept", "3.02", "2.88", "3.16"}, {"water", "1.99", "1.97", "2.01"}}}}
	p.Metrics = &Metrics{Tables: []Table{{Title: "All records", Columns: []string{"measure", "value"}, Rows: [][]string{{"records", "4128"}, {"root mean squared error", "0.7801"}, {"mean absolute error", "0.5512"}, {"R²", "0.5402"}}}}}
	return p
}

func classesPage() Page {
	p := binaryPage()
	p.Title = "A private model of garment"
	p.BarWords, p.BarRefusal = nil, "each step took a random part of the records"
	p.Guarantee = Guarantee{Epsilon: 8, Delta: 1e-5, Neighboring: "add-or-remove-one", Unit: "one image", Accountant: "pld", MaxRecords: 60000}
	p.Warnings, p.Tainted, p.Coefficients = nil, nil, nil
	p.Estimates = &Estimates{Refusal: "the noise is too large"}
	p.Model = []Fact{{"kind", "softmax regression, 10 classes", ""}}
	levels := []string{"T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot"}
	counts := make([][]int, len(levels))
	for k, level := range levels {
		for i := range 4 {
			p.Coefficients = append(p.Coefficients, Coefficient{Feature: fmt.Sprintf("pixel %d", 97*i), Score: level, Value: float64((7*k+5*i)%11-5) / 10})
		}
		counts[k] = make([]int, len(levels))
		for guess := range levels {
			counts[k][guess] = (13*k + 7*guess) % 29
		}
		counts[k][k], counts[k][(k+3)%10] = 780-10*k, 110
	}
	p.Metrics = &Metrics{Source: "fashion-test.csv, declared public by --public-test", Confusion: &Confusion{levels, counts},
		Tables: []Table{{Title: "All records", Columns: []string{"measure", "value"}, Rows: [][]string{{"records", "10000"}, {"accuracy", "82.31 %"}}}}}
	return p
}

func nonPrivatePage() Page {
	p := binaryPage()
	p.Title = "A baseline model of any-visit"
	p.BarWords = nil
	for i := range p.Coefficients {
		p.Coefficients[i].Half = 0
	}
	p.Guarantee = Guarantee{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: "add-or-remove-one", Unit: "one person-year row", Accountant: "none"}
	p.Events = []Event{{"training", "repeat(60, non-private)", 1, math.NaN()}}
	return p
}
