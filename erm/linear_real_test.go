package erm

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// realTable returns the records of a table of the measuring data, every fifth for testing, or skips the test.
func realTable(t *testing.T, schema string, path ...string) (s *data.Schema, train, test *data.Dataset) {
	t.Helper()
	dir := os.Getenv("DITHER_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	file := filepath.Join(append([]string{dir}, path...)...)
	if _, err := os.Stat(file); err != nil {
		t.Skipf("the file %s is absent: set DITHER_DATA to the measuring data", path[len(path)-1])
	}
	s, err := data.ReadSchema(filepath.Join("testdata", schema))
	if err != nil {
		t.Fatal(err)
	}
	all, err := data.Read(context.Background(), s, data.Source{Path: file}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var rows [2][]int
	for i := range all.Records() {
		rows[min(1, i%5)] = append(rows[min(1, i%5)], i)
	}
	return s, all.Take(rows[1]), all.Take(rows[0])
}

// fitted trains once.
func fitted(t *testing.T, r Request, s *data.Schema, d *data.Dataset) *model.Model {
	t.Helper()
	setup, err := NewSetup(r, s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, d, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return result.Model
}

// predicted returns labels and predictions.
func predicted(m *model.Model, d *data.Dataset) (labels, p []float64) {
	k, reader := m.Outputs(), m.NewReader(d)
	p = make([]float64, d.Records()*k)
	for i := range d.Records() {
		labels = append(labels, float64(d.Target()[i]))
		reader.Predict(p[i*k:(i+1)*k], i)
	}
	return labels, p
}

func determination(t *testing.T, m *model.Model, d *data.Dataset) float64 {
	t.Helper()
	labels, p := predicted(m, d)
	r, err := evaluate.Regress(labels, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return float64(r.R2)
}

// TestLinearAccuracy holds means of 10 runs on every fifth row. A run deviates by less than 0.02 and
// a mean by 0.006; floors are 5 of these or more below the means that were measured.
func TestLinearAccuracy(t *testing.T) {
	for _, c := range []struct {
		schema, folder, file, method string
		epsilon, delta, floor        float64
	}{
		{"california-housing.yaml", "california-housing", "housing.csv.gz", "adassp", 1, 1e-5, 0.55},
		{"california-housing.yaml", "california-housing", "housing.csv.gz", "sufficient-statistics", 1, 1e-5, 0.58},
		{"california-housing.yaml", "california-housing", "housing.csv.gz", "sufficient-statistics", 1, 0, 0.5},
		{"diamonds.yaml", "diamonds", "diamonds.csv.gz", "adassp", 1, 1e-5, 0.88},
		{"diamonds.yaml", "diamonds", "diamonds.csv.gz", "sufficient-statistics", 1, 1e-5, 0.895},
		{"diamonds.yaml", "diamonds", "diamonds.csv.gz", "sufficient-statistics", 1, 0, 0.87},
	} {
		t.Run(c.method+" on "+c.folder, func(t *testing.T) {
			s, train, test := realTable(t, c.schema, c.folder, c.file)
			sum := 0.0
			const runs = 10
			for range runs {
				sum += determination(t, fitted(t, Request{Method: c.method, Epsilon: c.epsilon, Delta: c.delta, Neighboring: privacy.AddOrRemoveOne}, s, train), test)
			}
			t.Logf("epsilon %v, delta %v: mean R² %.4f", c.epsilon, c.delta, sum/runs)
			if !(sum/runs >= c.floor) {
				t.Errorf("mean R² is %.4f, want at least %v", sum/runs, c.floor)
			}
		})
	}
}

// diamondsRidge are the coefficients, the intercept last, and R² on the training rows of
// sklearn.linear_model.Ridge(alpha=10, solver="cholesky") of scikit-learn 1.9.1 on the encoded features: carat,
// the indicators of color and clarity, x; numbers scaled to [-1/2, 1/2], price to [-1, 1].
var diamondsRidge = []float64{3.72195029, 0.07692746, 0.05579219, 0.04706275, 0.03059817, -0.01409034, -0.05538306, -0.14090717, -0.38095902, -0.11592565,
	-0.02534073, 0.04180146, 0.07007097, 0.11711946, 0.12995282, 0.1632807, 0.50964973, 0.589365296445544}

const diamondsRidgeR2 = 0.9090498603947585

// TestWithoutNoiseEqualsScikitLearn holds the limit of no noise.
func TestWithoutNoiseEqualsScikitLearn(t *testing.T) {
	s, train, _ := realTable(t, "diamonds.yaml", "diamonds", "diamonds.csv.gz")
	setup, err := NewSetup(Request{Method: "sufficient-statistics", Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, SumRidge: 10}, s)
	if err != nil {
		t.Fatal(err)
	}
	m := exactSums(t, setup, train)
	w, err := m.Solve(Ridge{Penalty: 10})
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range diamondsRidge {
		got := w[j]
		if j == len(w)-1 {
			got *= setup.Features.Intercept
		}
		if math.Abs(got-want) > 1e-4 {
			t.Errorf("coefficient %d: got %v, scikit-learn %v", j, got, want)
		}
	}
	if got := m.Determination(0, w); math.Abs(got-diamondsRidgeR2) > 1e-6 {
		t.Errorf("R²: got %.9f, scikit-learn %.9f", got, diamondsRidgeR2)
	}
}
