package erm

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"gonum.org/v1/gonum/mat"
)

// baseline asks for the baseline of a loss on rows as they are, with an intercept of 1.
func baseline(l model.Loss, ridge float64) Request {
	return Request{Method: option.MethodLBFGS, Epsilon: math.Inf(1), Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Loss: l, Normalization: feature.NormNone, Intercept: 1, SumRidge: ridge}
}

// scattered are n rows of two columns in [0, 1] with the labels that target makes.
func scattered(t *testing.T, target data.Target, n int, label func(a, b, noise float64) float32) (*data.Schema, *data.Dataset) {
	t.Helper()
	target.Column = "y"
	s := &data.Schema{Name: "scattered", Row: "one row", MaxRecords: 2 * n, Target: target}
	for _, name := range []string{"a", "b"} {
		s.Columns = append(s.Columns, data.Column{Name: name, Kind: data.Numeric, Upper: 1, Missing: data.Zero, OutOfRange: data.Clamp})
	}
	r := rand.New(rand.NewPCG(8, 8))
	a, b, y := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range a {
		a[i], b[i] = float32(r.IntN(1024))/1024, float32(r.IntN(1024))/1024
		y[i] = label(float64(a[i]), float64(b[i]), r.NormFloat64())
	}
	d, err := data.New(s, [][]float32{a, b}, y)
	if err != nil {
		t.Fatal(err)
	}
	return s, d
}

// TestBaselineIsTheLeastSquares compares with the normal equations (XᵀX + Λ·I')w = Xᵀy, I' without the
// intercept.
func TestBaselineIsTheLeastSquares(t *testing.T) {
	const ridge = 3.0
	s, d := scattered(t, data.Target{Lower: -1, Upper: 1}, 500, func(a, b, noise float64) float32 { return float32(max(-1, min(1, a-b/2+noise/5))) })
	m := fitted(t, baseline(model.Squared, ridge), s, d)
	x, y := mat.NewDense(500, 3, nil), mat.NewVecDense(500, nil)
	for i := range 500 {
		x.SetRow(i, []float64{float64(d.Column(0)[i]), float64(d.Column(1)[i]), 1})
		y.SetVec(i, float64(d.Target()[i]))
	}
	var normal mat.Dense
	normal.Mul(x.T(), x)
	normal.Set(0, 0, normal.At(0, 0)+ridge)
	normal.Set(1, 1, normal.At(1, 1)+ridge)
	var right, want mat.VecDense
	right.MulVec(x.T(), y)
	if err := want.SolveVec(&normal, &right); err != nil {
		t.Fatal(err)
	}
	for j, w := range m.Weights() {
		if math.Abs(w-want.AtVec(j)) > 1e-4 {
			t.Errorf("weight %d: got %v, want %v (features are rounded to 16 bits)", j, w, want.AtVec(j))
		}
	}
}

// TestBaselineIsAMinimum holds every loss to a gradient of zero of the sum of losses and ridge, computed
// apart, and to being no worse than points about it.
func TestBaselineIsAMinimum(t *testing.T) {
	for _, l := range model.Losses() {
		classes := 0
		for k := 3; k > 1; k-- {
			if l.Columns(k) > 0 {
				classes = k
			}
		}
		target := data.Target{Lower: 0, Upper: 4}
		if classes > 0 {
			target = data.Target{Levels: []string{"p", "q", "r"}[:classes]}
		}
		s, d := scattered(t, target, 300, func(a, b, noise float64) float32 {
			if classes == 0 {
				return float32(max(0, min(4, 2+a-b+noise/2)))
			}
			return float32(max(0, min(float64(classes-1), math.Round(3*a-2*b+noise/3))))
		})
		m := fitted(t, baseline(l, 0.5), s, d)
		total := func(w []float64) float64 {
			sum, scores := 0.0, make([]float64, m.Linear().Columns)
			for i, y := range d.Target() {
				row := []float64{float64(d.Column(0)[i]), float64(d.Column(1)[i]), 1}
				label := float64(y)
				if classes == 0 {
					label = (label - 2) / 2
				}
				m.Linear().Scores(scores, row, w)
				sum += m.Linear().Loss.Value(scores, label)
			}
			for j, v := range w {
				if j%3 != 2 {
					sum += 0.25 * v * v
				}
			}
			return sum
		}
		least := total(m.Weights())
		for j := range m.Weights() {
			for _, move := range []float64{-0.01, 0.01} {
				w := append([]float64(nil), m.Weights()...)
				w[j] += move
				if at := total(w); at < least {
					t.Errorf("%s: the sum is %v where weight %d is moved by %v, less than %v", l.Name(), at, j, move, least)
				}
			}
		}
	}
}

func TestBaselineRefusals(t *testing.T) {
	s, _ := scattered(t, data.Target{Lower: -1, Upper: 1}, 4, func(a, _, _ float64) float32 { return float32(a) })
	r := baseline(nil, 1)
	r.Epsilon = 1
	if _, err := NewSetup(r, s); err == nil || !strings.Contains(err.Error(), "without privacy") {
		t.Errorf("a baseline with epsilon 1: got %v, want a refusal", err)
	}
	setup, err := NewSetup(baseline(nil, 1), s)
	if err != nil {
		t.Fatal(err)
	}
	setup.Plan.NonPrivate = false
	if setup.Plan.Validate() == nil {
		t.Error("a plan of the baseline that claims privacy is valid")
	}
}

// TestBaselineOfTheBook: on the first 1000 rows of the processed Adult matrix scikit-learn's
// LogisticRegression(), with tolerance 1e-10, is right about 0.8243034 of the test rows (Near and Abuah,
// "Programming Differential Privacy", chapter on machine learning, https://programming-dp.com), and on all
// training rows about 0.8448695, with these first coefficients and intercept (version 1.9).
func TestBaselineOfTheBook(t *testing.T) {
	if !thorough {
		t.Skip("a large table: run with -tags long")
	}
	dir := os.Getenv("DITHER_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	dir = filepath.Join(dir, "adult-book")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the folder adult-book is absent: set DITHER_DATA to the measuring data")
	}
	s, err := (&data.Schema{Name: "adult-book", Row: "one person", MaxRecords: 50000,
		Columns: []data.Column{{Name: "x", Kind: data.Numeric, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: 104}},
		Target:  data.Target{Column: "y", Levels: []string{"-1", "1"}}}).Expand()
	if err != nil {
		t.Fatal(err)
	}
	all, err := data.Read(context.Background(), s, data.Source{Path: filepath.Join(dir, "adult_processed_x.npy.gz"), Labels: filepath.Join(dir, "adult_processed_y.npy")}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	test := all.Slice(36176, 45220)
	if got := accuracy(fitted(t, baseline(nil, 1), s, all.Slice(0, 1000)), test); math.Abs(got-0.8243034) > 1e-6 {
		t.Errorf("1000 rows: accuracy %v, want 0.8243034", got)
	}
	m := fitted(t, baseline(nil, 1), s, all.Slice(0, 36176))
	if got := accuracy(m, test); math.Abs(got-0.8448695) > 2.5/9044 {
		t.Errorf("all rows: accuracy %v, want 0.8448695 but for two records", got)
	}
	for j, want := range map[int]float64{0: 0.715437, 1: 0.04307, 2: 0.206372, 3: 0.306176, 4: -0.346452, 5: -0.127399, 104: -7.19889981} {
		if got := m.Weights()[j]; math.Abs(got-want) > 1e-3 {
			t.Errorf("coefficient %d: got %v, want %v", j, got, want)
		}
	}
}
