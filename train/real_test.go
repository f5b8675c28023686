package train

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// realData returns a folder of the measuring data, or skips the test.
func realData(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("DITHER_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	dir = filepath.Join(dir, name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the folder %s is absent: set DITHER_DATA to the measuring data", name)
	}
	return dir
}

func read(t *testing.T, s *data.Schema, path string) *data.Dataset {
	t.Helper()
	d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func readSchema(t *testing.T, path string) *data.Schema {
	t.Helper()
	s, err := data.ReadSchema(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// predictions returns labels and predictions of a model on a dataset.
func predictions(m *model.Model, d *data.Dataset) (labels, p []float64) {
	k, scratch := m.Outputs(), m.NewScratch()
	values := make([]float32, len(m.Schema().Features()))
	p = make([]float64, d.Records()*k)
	for i := range d.Records() {
		labels = append(labels, float64(d.Target()[i]))
		m.Predict(p[i*k:(i+1)*k], d.Row(values, i), scratch)
	}
	return labels, p
}

func classify(t *testing.T, m *model.Model, d *data.Dataset) evaluate.Classification {
	t.Helper()
	labels, p := predictions(m, d)
	classes := make([]int, len(labels))
	for i, v := range labels {
		classes[i] = int(v)
	}
	c, err := evaluate.Classify(m.Schema().Target.Levels, classes, p, 0.5, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// run trains once and returns the model.
func run(t *testing.T, r Request, o Options, s *data.Schema, d *data.Dataset) *model.Model {
	t.Helper()
	setup, err := NewPlan(r, s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Fit(context.Background(), budget(t, math.Inf(1)), setup, d, o)
	if err != nil {
		t.Fatal(err)
	}
	return result.Model
}

// meanOver averages a figure of runs. The figures below are means of 20 or 50 runs whose
// spread is a small part of the distance to the floor (adult: standard deviation of a mean
// 0.0003, distance above 0.02; book: 0.0003, 0.005), so a false alarm is far rarer than 1e-6.
func meanOver(runs int, figure func() float64) float64 {
	sum := 0.0
	for range runs {
		sum += figure()
	}
	return sum / float64(runs)
}

func count(n int) int {
	if testing.Short() {
		return max(2, n/10)
	}
	return n
}

// TestAdultAccuracy holds the tool's defaults on UCI Adult with its declared schema. Means of two runs are 0.860 and 0.862 with a
// standard deviation of 0.0006 (8 means), so that more than ten of them lie above the floors.
func TestAdultAccuracy(t *testing.T) {
	if !thorough {
		t.Skip("many runs on a real table: run with -tags long")
	}
	dir := realData(t, "adult-raw")
	s := readSchema(t, "testdata/adult.yaml")
	train, test := read(t, s, filepath.Join(dir, "adult-train.csv.gz")), read(t, s, filepath.Join(dir, "adult-test.csv.gz"))
	for epsilon, floor := range map[float64]float64{0.5: 0.850, 1: 0.852} {
		r := ask()
		r.Epsilon = epsilon
		got := meanOver(count(20), func() float64 {
			return float64(classify(t, run(t, r, Options{Momentum: option.DefaultMomentum}, s, train), test).Accuracy)
		})
		t.Logf("adult, epsilon %v: mean accuracy %.4f", epsilon, got)
		if got < floor {
			t.Errorf("epsilon %v: mean accuracy is %.4f, want at least %.3f", epsilon, got, floor)
		}
	}
}

// TestBuiltinLosesLittle holds the private model of the first run against its own baseline. The mean of two AUCs is
// 0.0008 below it with a standard deviation of 0.0006 (15 such means), and the mean of 20, with the tag long, with
// less: the limit is 15 of them away.
func TestBuiltinLosesLittle(t *testing.T) {
	set, err := builtin.Open("randhie")
	if err != nil {
		t.Fatal(err)
	}
	s, err := set.Schema()
	if err != nil {
		t.Fatal(err)
	}
	train, err := set.ReadTrain(context.Background(), s, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	test, err := set.ReadTest(context.Background(), s, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	auc := func(r Request) float64 {
		return float64(classify(t, run(t, r, Options{Momentum: option.DefaultMomentum}, s, train), test).AUC)
	}
	baseline := ask()
	baseline.Epsilon = math.Inf(1)
	ceiling := auc(baseline)
	runs := 2
	if thorough {
		runs = 20
	}
	got := meanOver(count(runs), func() float64 { return auc(ask()) })
	t.Logf("randhie: mean AUC %.4f at epsilon 1, baseline %.4f", got, ceiling)
	if got < ceiling-0.01 {
		t.Errorf("mean AUC is %.4f at epsilon 1, want at least %.4f - 0.01", got, ceiling)
	}
}

// TestCaliforniaR2 holds Huber regression with the tool's defaults; every fifth row is for
// testing. The mean of two runs is 0.695 with a standard deviation of 0.002 (8 means).
func TestCaliforniaR2(t *testing.T) {
	if !thorough {
		t.Skip("many runs on a real table: run with -tags long")
	}
	dir := realData(t, "california-housing")
	s := readSchema(t, "testdata/california-housing.yaml")
	all := read(t, s, filepath.Join(dir, "housing.csv.gz"))
	train, test := everyFifth(t, all)
	got := meanOver(count(20), func() float64 {
		labels, p := predictions(run(t, ask(), Options{Momentum: option.DefaultMomentum}, s, train), test)
		r, err := evaluate.Regress(labels, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		return float64(r.R2)
	})
	t.Logf("california-housing, epsilon 1: mean R² %.4f", got)
	if got < 0.5 {
		t.Errorf("mean R² is %.4f, want at least 0.50", got)
	}
}

func everyFifth(t *testing.T, d *data.Dataset) (train, test *data.Dataset) {
	t.Helper()
	part := func(keep func(i int) bool) *data.Dataset {
		columns, target := make([][]float32, len(d.Schema().Features())), []float32{}
		for i := range d.Records() {
			if !keep(i) {
				continue
			}
			for j := range columns {
				columns[j] = append(columns[j], d.Column(j)[i])
			}
			target = append(target, d.Target()[i])
		}
		out, err := data.New(d.Schema(), columns, target)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	return part(func(i int) bool { return i%5 != 0 }), part(func(i int) bool { return i%5 == 0 })
}

// bookSchema declares the processed Adult matrix of Near & Abuah, Programming Differential
// Privacy: 104 numbers in [0, 1].
func bookSchema(t *testing.T) *data.Schema {
	t.Helper()
	s, err := (&data.Schema{Name: "adult-book", Row: "one person", Records: 36176, MaxRecords: 40000,
		Columns: []data.Column{{Name: "x", Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: 104}},
		Target:  data.Target{Column: "y", Levels: []string{"-1", "1"}}}).Expand()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// bookRequest is the chapter's setting: plain rows, no intercept, clipping norm 5.
func bookRequest(steps int) Request {
	return Request{Epsilon: math.Inf(1), Delta: 1e-5, Neighboring: privacy.AddOrRemoveOne, Steps: steps, ClippingNorm: 5,
		Normalization: feature.NormNone, Intercept: -1, Center: No, Whiten: No}
}

// TestBookRuns holds the baseline to the chapter's losses and accuracy, and 50 private runs
// of either clipping to its accuracy.
func TestBookRuns(t *testing.T) {
	if !thorough {
		t.Skip("many runs on a real table: run with -tags long")
	}
	dir := realData(t, "adult-book")
	s := bookSchema(t)
	all, err := data.Read(context.Background(), s, data.Source{Path: filepath.Join(dir, "adult_processed_x.npy.gz"), Labels: filepath.Join(dir, "adult_processed_y.npy")},
		data.ReadOptions{MaxRecords: 50000})
	if err != nil {
		t.Fatal(err)
	}
	train, test := all.Slice(0, 36176), all.Slice(36176, 45220)
	plain := Options{LearningRate: 1, Average: No}
	// The losses after each of five steps that the chapter prints.
	trainLoss := []float64{0.549109439168421, 0.5224689105514977, 0.5028090736020403, 0.4878874803989895, 0.47628573924997925}
	testLoss := []float64{0.5415350837580458, 0.5162665121068426, 0.49753785424732383, 0.48335633696635527, 0.4723742456095848}
	for i := range trainLoss {
		m := run(t, bookRequest(i+1), plain, s, train)
		for name, c := range map[string]struct {
			d    *data.Dataset
			want float64
		}{"training": {train, trainLoss[i]}, "test": {test, testLoss[i]}} {
			if got := float64(classify(t, m, c.d).LogLoss); math.Abs(got-c.want) > 1e-6 {
				t.Errorf("%s loss after step %d: got %.9f, want %.9f", name, i+1, got, c.want)
			}
		}
	}
	if got := float64(classify(t, run(t, bookRequest(10), plain, s, train), test).Accuracy) * 9044; math.Abs(got-0.7787483414418399*9044) > 2.5 {
		t.Errorf("right answers after 10 steps: got %v, want within 2 of %v", got, 0.7787483414418399*9044)
	}
	for _, mode := range []string{option.ClipGradient, option.ClipExample} {
		r := bookRequest(10)
		r.Epsilon, r.PerStep, r.ClippingMode = 0.1, true, mode
		if mode == option.ClipExample {
			r.Normalization = feature.NormClip
		}
		got := meanOver(count(50), func() float64 { return float64(classify(t, run(t, r, plain, s, train), test).Accuracy) })
		t.Logf("book, clipping %s: mean accuracy %.4f", mode, got)
		if got < 0.770 || got > 0.785 {
			t.Errorf("clipping %s: mean accuracy is %.4f, want 0.770 to 0.785", mode, got)
		}
	}
}
