//go:build long

package training

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/encoder"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

// table is a table with the loss that fits it.
type table struct {
	name   string
	loss   model.Loss
	schema *data.Schema
	draw   func(again uint64) *data.Dataset
}

// simulated returns 20 tables: five for each loss, of 1000 to 30000 records. Every second one is uneven.
func simulated(t *testing.T) (out []table) {
	for seed, records := range []int{1000, 2000, 4000, 10000, 30000} {
		for _, c := range []struct {
			name   string
			levels int
			counts bool
			loss   model.Loss
		}{{"logistic", 2, false, nil}, {"softmax", 4, false, model.Softmax}, {"squared", 0, false, model.Squared}, {"Poisson", 0, true, model.Poisson()}} {
			make, kind := made, "even"
			if seed%2 == 0 {
				make, kind = uneven, "uneven"
			}
			s, d := make(t, 100+uint64(seed), records, c.levels, c.counts)
			out = append(out, table{fmt.Sprintf("%s, %s, %d records", c.name, kind, records), c.loss, s, func(uint64) *data.Dataset { return d }})
		}
	}
	return out
}

// realTables returns five tables whose records are drawn again with replacement.
func realTables(t *testing.T) []table {
	folder := os.Getenv("DITHER_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the folder of real tables is absent: set DITHER_DATA to the measuring data")
	}
	read := func(name string, loss model.Loss, s *data.Schema, err error, path ...string) table {
		if err != nil {
			t.Fatal(err)
		}
		d, err := data.Read(context.Background(), s, data.Source{Path: filepath.Join(append([]string{folder}, path...)...)}, data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return resampled(name, loss, s, d)
	}
	named := func(file string) (*data.Schema, error) {
		return data.ReadSchema(filepath.Join("..", "..", "train", "testdata", file))
	}
	parsed := func(text string) (*data.Schema, error) { return data.ParseSchema("made.yaml", []byte(text)) }
	const counts = "dither-schema: 1\nrow: one person-year\nmax-records: 25000\ntarget: {column: mdvis, bounds: [0, 77]}\ndefaults: {missing: zero, out-of-range: clamp}\n" +
		"columns: {lncoins: {numeric: [0, 5]}, idp: {numeric: [0, 1]}, lpi: {numeric: [0, 8]}, fmde: {numeric: [0, 9]}, physlm: {numeric: [0, 1]}, disea: {numeric: [0, 60]}, hlthg: {numeric: [0, 1]}, hlthf: {numeric: [0, 1]}, hlthp: {numeric: [0, 1]}}\n"
	const grades = "dither-schema: 1\nrow: one wine\nmax-records: 10000\ntarget: {column: quality, levels: [\"3.0\", \"4.0\", \"5.0\", \"6.0\", \"7.0\", \"8.0\", \"9.0\"]}\ndefaults: {missing: zero, out-of-range: clamp, unknown: other}\n" +
		"columns: {colour: {levels: [red, white]}, fixed_acidity: {numeric: [3, 16]}, volatile_acidity: {numeric: [0, 2]}, citric_acid: {numeric: [0, 2]}, residual_sugar: {numeric: [0, 30]}, chlorides: {numeric: [0, 1]}, free_sulfur_dioxide: {numeric: [0, 300]}, total_sulfur_dioxide: {numeric: [0, 450]}, density: {numeric: [0.98, 1.01]}, pH: {numeric: [2, 5]}, sulphates: {numeric: [0, 2]}, alcohol: {numeric: [8, 15]}}\n"
	adult, failed := named("adult.yaml")
	housing, failedToo := named("california-housing.yaml")
	visits, missing := parsed(counts)
	wines, missingToo := parsed(grades)
	set, err := builtin.Open("randhie")
	if err != nil {
		t.Fatal(err)
	}
	s, err := set.Schema()
	if err != nil {
		t.Fatal(err)
	}
	training, err := set.ReadTrain(context.Background(), s, data.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return []table{
		read("logistic, adult", nil, adult, failed, "adult-raw", "adult-train.csv.gz"),
		read("squared, california housing", model.Squared, housing, failedToo, "california-housing", "housing.csv.gz"),
		read("Poisson, visits", model.Poisson(), visits, missing, "small-classics", "randhie.csv.gz"),
		read("softmax, wines", model.Softmax, wines, missingToo, "small-classics", "winequality.csv.gz"),
		resampled("logistic, built-in", nil, s, training),
	}
}

// resampled returns a table whose records are drawn with replacement.
func resampled(name string, loss model.Loss, s *data.Schema, d *data.Dataset) table {
	return table{name, loss, s, func(again uint64) *data.Dataset {
		r := rand.New(rand.NewPCG(again, 7))
		places := make([]int, d.Records())
		for i := range places {
			places[i] = r.IntN(len(places))
		}
		return d.Take(places)
	}}
}

// TestDescentBarsCover measures how often intervals of gradient descent contain their targets, with the correction of
// probabilities that a training has by default. Numbers are also fitted with the default loss. Runs are independent.
func TestDescentBarsCover(t *testing.T) {
	tables := append(simulated(t), realTables(t)...)
	for _, c := range tables {
		if c.loss == model.Loss(model.Squared) {
			c.loss, c.name = nil, "Huber"+strings.TrimPrefix(c.name, "squared")
			tables = append(tables, c)
		}
	}
	const runs = 10
	total, byRows, ran := coverage{}, map[bool]*coverage{false: {}, true: {}}, 0
	for _, c := range tables {
		t.Run(c.name, func(t *testing.T) {
			of, misses, line := coverage{}, [2]float64{}, ""
			epsilons := []float64{0.5, 1, 3}
			for _, epsilon := range epsilons {
				at, rows := coverage{}, ""
				for again := range uint64(runs) {
					r := train.Request{Epsilon: epsilon, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Loss: c.loss}
					o := train.Options{Momentum: option.DefaultMomentum}
					if err := Improve(&r, o, c.schema, "none", true); err != nil {
						t.Fatal(err)
					}
					got := covered(t, r, o, c.schema, c.draw(again))
					at.add(got)
					byRows[got.whitened].add(got)
					if got.whitened {
						rows = " whitened"
					}
					of.unclipped = of.unclipped || got.unclipped
					misses[0] += got.missed() / float64(runs*len(epsilons))
					misses[1] += got.missedShapes() / float64(runs*len(epsilons))
				}
				of.add(at)
				line += fmt.Sprintf(" %.1f, %.1f%s |", 100*(1-at.missed()), 100*(1-at.missedShapes()), rows)
			}
			total.add(of)
			ran++
			t.Logf("| %s | %d |%s unclipped %v", c.name, of.weights, line, of.unclipped)
			if tooMany(misses[0], runs*len(epsilons)) || tooMany(misses[1], runs*len(epsilons)) {
				t.Errorf("%.1f %% of the intervals miss, and %.1f %% of those of shapes", 100*misses[0], 100*misses[1])
			}
		})
	}
	t.Logf("all: %.2f %% of %d, shapes %.2f %%", 100*(1-total.missed()), total.weights, 100*(1-total.missedShapes()))
	for whitened, c := range byRows {
		t.Logf("whitened %v: %.2f %% of %d, shapes %.2f %% of %d", whitened, 100*(1-c.missed()), c.weights, 100*(1-c.missedShapes()), c.places)
	}
	if n := runs * 3 * ran; tooMany(total.missed(), n) || tooMany(total.missedShapes(), n) {
		t.Errorf("%.2f %% of the intervals miss, and %.2f %% of those of shapes, want 5 %%", 100*total.missed(), 100*total.missedShapes())
	}
}

// TestPairBarsCover measures the same for functions of columns and pairs, which large tables have by default. Of so many
// weights the sum of squares is held to the limit of TestDescentBars. A false alarm has a probability below 1e-8.
func TestPairBarsCover(t *testing.T) {
	for _, c := range realTables(t)[:2] {
		for _, epsilon := range []float64{1, 3} {
			r := train.Request{Epsilon: epsilon, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}
			o := train.Options{Momentum: option.DefaultMomentum}
			if err := Improve(&r, o, c.schema, AutoInteractions, true); err != nil || r.Transforms == nil {
				t.Fatalf("%s has no pairs: %v", c.name, err)
			}
			got := covered(t, r, o, c.schema, c.draw(1))
			t.Logf("%s, epsilon %v: %.1f %% of %d weights, %.1f %% of %d places of shapes; %.1f %% without clipping", c.name, epsilon,
				100*(1-got.missed()), got.weights, 100*(1-got.missedShapes()), got.places, 100*float64(got.beyond)/float64(got.weights))
			r.Calibrate = false // the constant of the correction is not standardized
			rows, _ := distances(t, r, o, c.schema, c.draw(2))
			if _, high := chiLimits(len(rows), 20); sumOfSquares(rows) > high {
				t.Errorf("%s, epsilon %v: the sum of squares is %.4g times the bound, want at most %.4g", c.name, epsilon, sumOfSquares(rows), high)
			}
		}
	}
}

func (c *coverage) add(d coverage) {
	c.weights, c.inside, c.places, c.insideShapes = c.weights+d.weights, c.inside+d.inside, c.places+d.places, c.insideShapes+d.insideShapes
}

// TestOutputBarsCover measures the same for output perturbation, where the rate is 95 %. Over at least 2000 weights a
// rate beyond 92 or 98 % has a probability below 1e-7.
func TestOutputBarsCover(t *testing.T) {
	all, missedByAll := 0, 0
	for _, c := range append(simulated(t), realTables(t)...) {
		if c.schema.Target.Regression() {
			continue
		}
		misses, weights := 0, 0
		for again := uint64(0); weights < 2000; again++ {
			m, n := outputPair(t, erm.Request{Method: option.MethodOutput, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Loss: c.loss}, c.schema, c.draw(again))
			misses, weights = misses+m, weights+n
		}
		rate := 1 - float64(misses)/float64(weights)
		t.Logf("%s: %.2f %% of %d", c.name, 100*rate, weights)
		if math.Abs(rate-0.95) > 0.03 {
			t.Errorf("%s: %.2f %% of the intervals contain the weight without noise, want 95 %%", c.name, 100*rate)
		}
		all, missedByAll = all+weights, missedByAll+misses
	}
	t.Logf("all: %.2f %% of %d", 100*(1-float64(missedByAll)/float64(all)), all)
}

// TestNoiseByColumn measures the noise in weights of an uneven table whose rows are not whitened, in units of the bound.
// Empty columns reach the bound, and no kind of column exceeds it. A false alarm has a probability below 1e-6, for 24
// sums with two limits each.
func TestNoiseByColumn(t *testing.T) {
	const runs = 100
	kinds := kindsInUneven
	for _, c := range []struct {
		name   string
		levels int
		counts bool
		loss   model.Loss
	}{{"logistic", 2, false, nil}, {"softmax", 4, false, model.Softmax}, {"squared", 0, false, model.Squared}, {"Poisson", 0, true, model.Poisson()}} {
		s, d := uneven(t, 102, 4000, c.levels, c.counts)
		r := train.Request{Loss: c.loss, Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Whiten: train.No}
		o := train.Options{Momentum: option.DefaultMomentum}
		run, err := Descent(r, o, true, Tables{Schema: s})
		if err != nil {
			t.Fatal(err)
		}
		names := run.Setup.Features.Names()
		sums, counts := make([]float64, len(kinds)), make([]int, len(kinds))
		for range runs {
			_, features := distances(t, r, o, s, d)
			for j, z := range features {
				k := kindInUneven(names, j%(len(names)+1))
				sums[k], counts[k] = sums[k]+z*z, counts[k]+1
			}
		}
		line := ""
		for k, sum := range sums {
			line += fmt.Sprintf("; %s %.2f", kinds[k], sum/float64(counts[k]))
			if low, high := chiLimits(counts[k], 18); sum > high || k == 0 && sum < low {
				t.Errorf("%s, %s: the sum of %d squares is %.4g, want at most %.4g, and at least %.4g if empty", c.name, kinds[k], counts[k], sum, high, low)
			}
		}
		t.Logf("%s%s", c.name, line)
	}
}

// TestWhitenedNoiseByColumn measures the noise in weights of an uneven table whose rows are whitened, in units of what the
// intervals state. Empty columns reach it, and no kind of column exceeds it. Each run has its own whitening.
//
// A run adds the mean of the squares of a kind, which depend on each other. By convexity the moment generating function of
// this mean is at most that of one square. So the limits are those of a χ² variable with one degree of freedom for each
// run. Each of 14 limits is passed with a probability below 5e-8.
func TestWhitenedNoiseByColumn(t *testing.T) {
	const runs = 100
	for _, loss := range []model.Loss{model.Squared, nil} {
		s, d := uneven(t, 102, 4000, 0, false)
		sums := make([]float64, len(kindsInUneven))
		for range runs {
			means, names := whitenedNoise(t, train.Request{Loss: loss, Epsilon: 3, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, s, d)
			squares, counts := make([]float64, len(sums)), make([]float64, len(sums))
			for j, z := range means {
				k := kindInUneven(names, j)
				squares[k], counts[k] = squares[k]+z*z, counts[k]+1
			}
			for k, v := range squares {
				sums[k] += v / counts[k]
			}
		}
		line := ""
		for k, sum := range sums {
			line += fmt.Sprintf("; %s %.2f", kindsInUneven[k], sum/runs)
			if low, high := chiLimits(runs, rare); sum > high || k == 0 && sum < low {
				t.Errorf("%s: the sum of %d mean squares is %.4g, want at most %.4g, and at least %.4g if empty", kindsInUneven[k], runs, sum, high, low)
			}
		}
		t.Logf("Huber %v%s", loss == nil, line)
	}
}

// whitenedNoise returns the noise in each weight of a model of one score and whitened rows, divided by the stated standard
// deviation. It also returns the names of the features.
func whitenedNoise(t *testing.T, r train.Request, s *data.Schema, d *data.Dataset) ([]float64, []encoder.Name) {
	t.Helper()
	run, err := Descent(r, train.Options{Momentum: option.DefaultMomentum}, true, Tables{Schema: s})
	if err != nil {
		t.Fatal(err)
	}
	noisy, err := train.Fit(context.Background(), unlimited(t), run.Setup, d, run.Options)
	if err != nil {
		t.Fatal(err)
	}
	interval := run.barsOf(noisy)
	if interval.spread == nil || noisy.Model.Features().Whitening == nil {
		t.Fatal("want intervals without clipping, of whitened rows")
	}
	again, options := withoutNoise(run.Setup, run.Options, noisy, interval)
	exact, err := train.Fit(context.Background(), unlimited(t), again, d, options)
	if err != nil {
		t.Fatal(err)
	}
	before, wanted := effective(interval.before(noisy.Model))[0], effective(exact.Model)[0]
	out := interval.spread.Halves(0, before)
	for j, half := range out {
		out[j] = (before[j] - wanted[j]) / half * normalReach
	}
	return out, run.Setup.Features.Names()
}

// kindsInUneven are the kinds of features of an uneven table.
var kindsInUneven = []string{"empty", "two nearly equal numbers", "number that is nearly always 0", "other numbers", "levels that occur", "constant"}

// kindInUneven returns the kind of a feature of an uneven table. The feature after the names is the constant.
func kindInUneven(names []encoder.Name, j int) int {
	switch {
	case j == len(names):
		return 5
	case emptyInUneven(names[j]):
		return 0
	case names[j].Level != "":
		return 4
	case j < 2:
		return 1
	case names[j].Column == "x2":
		return 2
	}
	return 3
}
