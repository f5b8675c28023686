//go:build long

package training

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// scoredTable is a table with a target of two levels.
type scoredTable struct {
	name   string
	schema *data.Schema
	data   *data.Dataset
}

func scoredTables(t *testing.T) []scoredTable {
	folder := os.Getenv("DITHER_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the folder of real tables is absent: set DITHER_DATA to the measuring data")
	}
	read := func(name string, s *data.Schema, err error, path ...string) scoredTable {
		if err != nil {
			t.Fatal(err)
		}
		d, err := data.Read(context.Background(), s, data.Source{Path: filepath.Join(append([]string{folder}, path...)...)}, data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return scoredTable{name, s, d}
	}
	parsed := func(text string) (*data.Schema, error) {
		return data.ParseSchema("made.yaml", []byte("dither-schema: 1\nrow: one row\nmax-records: 50000\ndefaults: {missing: zero, out-of-range: clamp, unknown: other}\n"+text))
	}
	const wine = "fixed_acidity: {numeric: [3, 16]}, volatile_acidity: {numeric: [0, 2]}, citric_acid: {numeric: [0, 2]}, residual_sugar: {numeric: [0, 30]}, chlorides: {numeric: [0, 1]}, free_sulfur_dioxide: {numeric: [0, 300]}, total_sulfur_dioxide: {numeric: [0, 450]}, density: {numeric: [0.98, 1.01]}, pH: {numeric: [2, 5]}, sulphates: {numeric: [0, 2]}, alcohol: {numeric: [8, 15]}"
	adult, failed := data.ReadSchema(filepath.Join("..", "..", "train", "testdata", "adult.yaml"))
	color, missing := parsed("target: {column: colour, levels: [white, red]}\ncolumns: {" + wine + ", quality: {numeric: [3, 9]}}\n")
	nine, missingToo := parsed("target: {column: quality, above: 5.5, levels: [low, high]}\ncolumns: {colour: {levels: [red, white]}, " + wine + "}\n")
	cards, missingCards := parsed("target: {column: default.payment.next.month, levels: [\"0\", \"1\"]}\ncolumns: {ID: ignore, LIMIT_BAL: {numeric: [0, 1000000]}, SEX: {levels: [\"1\", \"2\"]}, EDUCATION: {levels: [\"1\", \"2\", \"3\"]}, MARRIAGE: {levels: [\"1\", \"2\"]}, AGE: {numeric: [20, 80]}, " +
		"PAY_0: {numeric: [-2, 8]}, PAY_2: {numeric: [-2, 8]}, PAY_3: {numeric: [-2, 8]}, PAY_4: {numeric: [-2, 8]}, PAY_5: {numeric: [-2, 8]}, PAY_6: {numeric: [-2, 8]}, BILL_AMT1: {numeric: [0, 200000]}, BILL_AMT2: {numeric: [0, 200000]}, BILL_AMT3: {numeric: [0, 200000]}, BILL_AMT4: {numeric: [0, 200000]}, BILL_AMT5: {numeric: [0, 200000]}, BILL_AMT6: {numeric: [0, 200000]}, " +
		"PAY_AMT1: {numeric: [0, 20000]}, PAY_AMT2: {numeric: [0, 20000]}, PAY_AMT3: {numeric: [0, 20000]}, PAY_AMT4: {numeric: [0, 20000]}, PAY_AMT5: {numeric: [0, 20000]}, PAY_AMT6: {numeric: [0, 20000]}}\n")
	set, err := builtin.Open("randhie")
	if err != nil {
		t.Fatal(err)
	}
	s, err := set.Schema()
	if err != nil {
		t.Fatal(err)
	}
	visits, err := set.ReadTrain(context.Background(), s, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return []scoredTable{
		read("adult", adult, failed, "adult-raw", "adult-train.csv.gz"),
		read("credit cards", cards, missingCards, "credit-default-taiwan", "UCI_Credit_Card.csv.gz"),
		read("colors of wines", color, missing, "small-classics", "winequality.csv.gz"),
		read("grades of wines", nine, missingToo, "small-classics", "winequality.csv.gz"),
		{"built-in", s, visits},
	}
}

// scores returns the labels and predictions of every second row by a model of the others, in an order of chance.
func (c scoredTable) scores(t *testing.T, r *rand.Rand) (labels []int, p []float64) {
	var kept []int
	for _, i := range r.Perm(c.data.Records()) {
		if !c.data.Dropped(i) {
			kept = append(kept, i)
		}
	}
	half := len(kept) / 2
	setup, err := train.NewPlan(train.Request{Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, c.schema)
	if err != nil {
		t.Fatal(err)
	}
	result, err := train.Fit(context.Background(), unlimited(t), setup, c.data.Take(kept[:half]), train.Options{Momentum: option.DefaultMomentum})
	if err != nil {
		t.Fatal(err)
	}
	values, scratch, out := make([]float32, len(c.schema.Features())), result.Model.NewScratch(), make([]float64, 1)
	for _, i := range kept[half:] {
		result.Model.Predict(out, c.data.Row(values, i), scratch)
		labels, p = append(labels, int(c.data.Target()[i])), append(p, out[0])
	}
	return labels, p
}

// TestScoresOfRealTablesCover draws 2000 rows with replacement from a real table, 400 times. It counts the intervals
// that hold the exact measure of the table. At a true rate of 95 % a share below 0.89 has a probability below 1e-6.
func TestScoresOfRealTablesCover(t *testing.T) {
	const rounds, rows, least = 400, 2000, 0.89
	r := rand.New(rand.NewPCG(24, 2))
	for _, c := range scoredTables(t) {
		labels, p := c.scores(t, r)
		exact, err := evaluate.Classify(c.schema.Target.Levels, labels, p, 0.5, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, epsilon := range []float64{0.5, 1, 3} {
			plan, err := evaluate.NewPlan(evaluate.Request{Epsilon: epsilon, Neighboring: privacy.AddOrRemoveOne}, c.schema)
			if err != nil {
				t.Fatal(err)
			}
			held := map[string]int{}
			width := map[string]float64{}
			for range rounds {
				records := evaluate.Records{}
				for range rows {
					i := r.IntN(len(p))
					records.Targets, records.Predictions = append(records.Targets, float64(labels[i])), append(records.Predictions, p[i])
				}
				grant, err := unlimited(t).Reserve(plan.Event(), "evaluation")
				if err != nil {
					t.Fatal(err)
				}
				numbers, err := evaluate.Release(grant, plan, records)
				if err != nil {
					t.Fatal(err)
				}
				m, err := evaluate.Measures(plan, numbers)
				if err != nil {
					t.Fatal(err)
				}
				of := m.Classification
				for name, e := range map[string]struct {
					evaluate.Estimate
					truth float64
				}{
					"area":              {of.AUC.Estimate, float64(exact.AUC)},
					"average precision": {*of.AveragePrecision, float64(exact.AveragePrecision)},
					"calibration error": {*of.CalibrationError, tableError(of.Calibration, labels, p)},
				} {
					if float64(e.Low) <= e.truth && e.truth <= float64(e.High) {
						held[name]++
					}
					width[name] += float64(e.High-e.Low) / rounds
				}
			}
			for _, name := range []string{"area", "average precision", "calibration error"} {
				share := float64(held[name]) / rounds
				t.Logf("%s, epsilon %v, %s: %.3f of the intervals, mean width %.3f", c.name, epsilon, name, share, width[name])
				if share < least {
					t.Errorf("%s, epsilon %v, %s: %.3f of the intervals hold the exact measure, want 0.95", c.name, epsilon, name, share)
				}
			}
		}
	}
}

// tableError is the exact calibration error over the rows of a table.
func tableError(rows []evaluate.Bin, labels []int, p []float64) float64 {
	sum := 0.0
	for k, row := range rows {
		wrong := 0.0
		for i, v := range p {
			if v > row.Low && v <= row.High || k == 0 && v == row.Low {
				wrong += float64(labels[i]) - v
			}
		}
		sum += math.Abs(wrong)
	}
	return sum / float64(len(p))
}
