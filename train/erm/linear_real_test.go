package erm

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/option"
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
	if !thorough {
		t.Skip("a large table: run with -tags long")
	}
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

// housingLimits are, for each alpha, the coefficients, the intercept last, and R² on the training rows, of scikit-learn
// 1.9.1 on the encoded features: numbers scaled to [-1/2, 1/2], the indicators of ocean_proximity, and of another level,
// which does not occur; the target to [-1, 1]. They are those of Ridge(alpha, solver="cholesky").fit(X, y) and, at
// alpha 0, of LinearRegression().fit(X[:, [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]], y), without the first indicator,
// whose coefficient is not determined beside the intercept and stands as 0.
var housingLimits = []struct {
	alpha        float64
	coefficients []float64
	r2           float64
}{
	{0, []float64{-1.24678778, -1.11174948, 0.21079224, -1.29695562, 2.14040523, -3.58580523, 2.10569508, 2.43914933, 0, -0.13974783,
		0.00103624, -0.02626528, 0.49803035, 0, 0.40366593940288675}, 0.6658432429140207},
	{10, []float64{-0.80630166, -0.70394032, 0.21058313, 0.15529668, 0.9383532, -1.73744713, 0.63185208, 2.15840711, 0.00325164, -0.21048135,
		0.03278093, 0.00592272, 0.16852607, 0, 0.26692056872993897}, 0.647817018713},
	{100, []float64{-0.2365182, -0.17310892, 0.13989698, 0.24618756, 0.16801906, -0.31078001, 0.11339287, 1.59388774, 0.05123595, -0.26373756,
		0.10048855, 0.08506659, 0.02694647, 0, 0.1694624903913925}, 0.582960412952},
	{1000, []float64{-0.06105937, -0.03197008, 0.03033503, 0.07025194, 0.02179508, -0.02902228, 0.02209104, 0.45772131, 0.08149469, -0.27829515,
		0.09335599, 0.10080435, 0.00264012, 0, -0.056302580224793466}, 0.365991446092},
}

// determined returns what least squares determine of the weights of the housing table: those of its numbers, of its
// levels over the first, and the prediction at that level.
func determined(w []float64) []float64 {
	out := append([]float64(nil), w[:8]...)
	for _, level := range w[9:13] {
		out = append(out, level-w[8])
	}
	return append(out, w[14]+w[8])
}

// TestLinearLimitsAreScikitLearn holds linear regression without noise to scikit-learn, with a declared ridge and with the
// rule of each method, whose ridge vanishes with the noise.
func TestLinearLimitsAreScikitLearn(t *testing.T) {
	s, train, _ := realTable(t, "california-housing.yaml", "california-housing", "housing.csv.gz")
	for _, method := range []string{option.MethodSufficientStatistics, "adassp"} {
		for _, c := range housingLimits {
			setup, err := NewSetup(Request{Method: method, Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, SumRidge: c.alpha}, s)
			if err != nil {
				t.Fatal(err)
			}
			result, err := Fit(context.Background(), newLedger(t, setup.Plan), setup, train, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := append([]float64(nil), result.Model.Weights()...), c.coefficients
			got[14] *= setup.Features.Intercept
			if c.alpha == 0 {
				got, want = determined(got), determined(want)
			}
			for j := range want {
				if math.Abs(got[j]-want[j]) > 1e-6 {
					t.Errorf("%s, alpha %v, coefficient %d: got %v, scikit-learn %v", method, c.alpha, j, got[j], want[j])
				}
			}
			if r2 := result.Inference.Determination; math.Abs(r2-c.r2) > 1e-8 {
				t.Errorf("%s, alpha %v, R²: got %.10f, scikit-learn %.10f", method, c.alpha, r2, c.r2)
			}
		}
	}
}
