package pass

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
)

// free pays for everything and counts.
type free struct{ paid int }

func (f *free) Pay(mechanism.Event) error { f.paid++; return nil }

// broke pays for nothing.
type broke struct{}

func (broke) Pay(mechanism.Event) error { return errors.New("no money") }

func exact() Settings { return Settings{&free{}, mechanism.NonPrivate{}, 5000} }

func noisy(z float64) Settings {
	return Settings{&free{}, mechanism.Gaussian{NoiseMultiplier: z}, 5000}
}

func rowsOf(t *testing.T, n int, o release.RowsOptions) *release.Rows {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, n*o.Dim)
	for i := range n {
		norm := 0.0
		row := x[i*o.Dim : (i+1)*o.Dim]
		for j := range row {
			row[j] = r.NormFloat64()
			norm = math.Hypot(norm, row[j])
		}
		for j := range row {
			row[j] /= norm
		}
	}
	rows, err := release.NewRows(n, o, func(dst []float64, first, m int) { copy(dst, x[first*o.Dim:(first+m)*o.Dim]) })
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// at returns a copy of a row.
func at(rows *release.Rows, i int) []int16 {
	row := make([]int16, rows.Dim())
	if b, err := rows.Load(i, 1, release.Block{}); err == nil {
		b.CopyRow(row, 0)
	}
	return row
}

func TestExactAnswers(t *testing.T) {
	n, err := Count(exact(), 4321)
	if err != nil || math.Abs(n-4321) > 1e-6 {
		t.Errorf("count: got %v, %v, want 4321", n, err)
	}
	rows := rowsOf(t, 1000, release.RowsOptions{Dim: 4, Step: 1.0 / (1 << 14)})
	sum, err := Sum(exact(), rows, 1000, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range sum {
		want := 0.0
		for i := range 1000 {
			want += float64(at(rows, i)[j]) * rows.Step()
		}
		// A row whose rounded norm passes 1 is shortened, by at most 2^-13.
		if math.Abs(v-want) > 1000.0/(1<<13) {
			t.Errorf("sum %d: got %v, want %v", j, v, want)
		}
	}
}

// TestSamplesAreAddedOnce compares sums over samples, by one goroutine and several, with the records added one after the
// other; a proposal of another number of records ends with an error.
func TestSamplesAreAddedOnce(t *testing.T) {
	rows := rowsOf(t, 5000, release.RowsOptions{Dim: 40, Step: 1.0 / (1 << 14)})
	for _, q := range []float64{1e-4, 0.01, 0.3, 0.9} {
		sampling, err := release.Poisson(q)
		if err != nil {
			t.Fatal(err)
		}
		for _, processors := range []int{1, 2, 5} {
			sample, err := release.Draw(sampling, rows.Len())
			if err != nil {
				t.Fatal(err)
			}
			before := runtime.GOMAXPROCS(processors)
			addSampleTwice(t, rows, sample)
			runtime.GOMAXPROCS(before)
		}
	}
}

func addSampleTwice(t *testing.T, rows *release.Rows, sample release.Sample) {
	t.Helper()
	plain, sum, refused := sumOf(t, rows, sample), sumOf(t, rows, sample), sumOf(t, rows, sample)
	indices := sample.Indices()
	for _, i := range indices {
		b, err := rows.LoadAt([]int{i}, release.Block{})
		if err != nil {
			t.Fatal(err)
		}
		if err := plain.AddBlock(b, kernel.Contributions{Columns: 1, Coefficients: []float64{coefficientOf(i)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := Sample(sum, rows, sample, proposeCoefficients); err != nil {
		t.Fatal(err)
	}
	err := Sample(refused, rows, sample, func(c *kernel.Contributions, b release.Block) {
		proposeCoefficients(c, b)
		c.Coefficients = c.Coefficients[1:]
	})
	if (err == nil) != (len(indices) == 0) {
		t.Errorf("%d records: got error %v of a proposal that is too short, want one", len(indices), err)
	}
	joined, err := release.Join(sum.Seal(), plain.Seal())
	if err != nil {
		t.Fatal(err)
	}
	got, err := joined.Release(&free{})
	if err != nil || !slices.Equal(got[0].Values(), got[1].Values()) {
		t.Errorf("%d records: got another sum, error %v; want that of each record once", len(indices), err)
	}
}

// sumOf is an empty sum of one column that is exact.
func sumOf(t *testing.T, rows *release.Rows, sample release.Sample) *release.Sum {
	t.Helper()
	sum, err := release.NewSum(sample, rows, release.SumOptions{Noise: mechanism.NonPrivate{}, Columns: 1, Bound: 8, MaxRecords: rows.Len()})
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// coefficientOf is what the tests propose for a record.
func coefficientOf(record int) float64 { return 1 + float64(record%7) }

func proposeCoefficients(c *kernel.Contributions, b release.Block) {
	*c = kernel.Contributions{Columns: 1}
	for i := range b.Len() {
		c.Coefficients = append(c.Coefficients, coefficientOf(b.Record(i)))
	}
}

func TestSecondMomentIsSymmetricAndExact(t *testing.T) {
	const d, n = 5, 800
	terms := exact()
	o, err := release.MomentRows(terms.Noise, terms.MaxRecords, d, 1)
	if err != nil {
		t.Fatal(err)
	}
	rows := rowsOf(t, n, o)
	m, err := SecondMoment(terms, rows, n)
	if err != nil {
		t.Fatal(err)
	}
	trace := 0.0
	for i := range d {
		trace += m[i*d+i]
		for j := range d {
			want := 0.0
			for k := range n {
				want += float64(at(rows, k)[i]) * float64(at(rows, k)[j]) * rows.Step() * rows.Step()
			}
			if m[i*d+j] != m[j*d+i] || math.Abs(m[i*d+j]-want) > 1e-6 {
				t.Errorf("entry (%d, %d): got %v, want %v", i, j, m[i*d+j], want)
			}
		}
	}
	if math.Abs(trace-n) > 1 {
		t.Errorf("trace: got %v, want about %d", trace, n)
	}
}

// TestNoiseOfAnswers repeats each question 400 times: mean and variance of the error within 6
// standard errors (false alarms below 2e-9 each).
func TestNoiseOfAnswers(t *testing.T) {
	const z, runs, d = 9.0, 400, 6
	rows := rowsOf(t, 300, release.RowsOptions{Dim: d, Step: 1.0 / (1 << 14)})
	truth, err := Sum(exact(), rows, 300, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum, square, n := 0.0, 0.0, 0.0
	add := func(e float64) { sum, square, n = sum+e/z, square+e*e/(z*z), n+1 }
	for range runs {
		c, err := Count(noisy(z), 300)
		if err != nil {
			t.Fatal(err)
		}
		add(c - 300)
		s, err := Sum(noisy(z), rows, 300, 1)
		if err != nil {
			t.Fatal(err)
		}
		for j := range s {
			add(s[j] - truth[j])
		}
	}
	if m := sum / math.Sqrt(n); math.Abs(m) > 6 {
		t.Errorf("mean error: z-score %.2f", m)
	}
	if v := (square/n - 1) * math.Sqrt(n/2); math.Abs(v) > 6 {
		t.Errorf("variance of the error: z-score %.2f", v)
	}
}

func TestNothingIsAnsweredUnpaid(t *testing.T) {
	terms := noisy(3)
	terms.Payer = broke{}
	if v, err := Count(terms, 10); err == nil || v != 0 {
		t.Errorf("count: got %v, %v, want an error", v, err)
	}
	rows := rowsOf(t, 10, release.RowsOptions{Dim: 2, Step: 1.0 / (1 << 14)})
	if v, err := Sum(terms, rows, 10, 1); err == nil || v != nil {
		t.Errorf("sum: got %v, %v, want an error", v, err)
	}
	o, _ := release.MomentRows(terms.Noise, terms.MaxRecords, 2, 1)
	if v, err := SecondMoment(terms, rowsOf(t, 10, o), 10); err == nil || v != nil {
		t.Errorf("second moment: got %v, %v, want an error", v, err)
	}
}

func TestQuestionsAreRefused(t *testing.T) {
	terms := noisy(3)
	terms.MaxRecords = 5
	if _, err := Count(terms, 6); err == nil {
		t.Error("more records than max-records were counted")
	}
	rows := rowsOf(t, 3, release.RowsOptions{Dim: 2, Step: 1.0 / (1 << 14)})
	if _, err := Sum(noisy(3), rows, 4, 1); err == nil {
		t.Error("rows of another number of records were summed")
	}
	if _, err := SecondMoment(noisy(3), rows, 3); err == nil {
		t.Error("rows of another grid were taken")
	}
}

// TestAddAllSpeaksOfEveryRecordOnce checks proposals for parts, and a proposal of the wrong
// length.
func TestAddAllSpeaksOfEveryRecordOnce(t *testing.T) {
	for _, n := range []int{0, 1, 255, 256, 257, 2000} {
		numbers := make([]float32, n)
		for i := range numbers {
			numbers[i] = float32(i)
		}
		rows := rowsOf(t, n, release.RowsOptions{Dim: 1, Step: 1, Labels: numbers})
		sample, _ := release.Draw(release.Full(), n)
		sum, err := release.NewSum(sample, rows, release.SumOptions{Noise: mechanism.NonPrivate{}, Columns: 1, Bound: 1, MaxRecords: 5000})
		if err != nil {
			t.Fatal(err)
		}
		seen := make([]int32, n)
		err = All(sum, rows, func(c *kernel.Contributions, b release.Block) {
			c.Columns, c.Coefficients = 1, make([]float64, b.Len())
			for _, i := range b.Labels() {
				if b.Len() > 1 || n == 1 || seen[int(i)] == 0 { // and once more alone, if it is picked
					seen[int(i)]++
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range seen {
			if v != 1 && n != 1 || v == 0 {
				t.Fatalf("%d records: record %d was asked for %d times", n, i, v)
			}
		}
		if n > 0 && All(sum.Empty(), rows, func(c *kernel.Contributions, b release.Block) {
			c.Columns, c.Coefficients = 1, make([]float64, b.Len()+1)
		}) == nil {
			t.Errorf("%d records: a proposal that is too long was taken", n)
		}
	}
}

// TestCountInIntegers counts with exact discrete noise: the answers are integers about the truth, paid for
// as what they are.
func TestCountInIntegers(t *testing.T) {
	for _, n := range []mechanism.Noise{mechanism.DiscreteLaplace{Scale: 2, Sensitivity: 1}, mechanism.DiscreteGaussian{StandardDeviation: 2, Sensitivity: 1}} {
		p := &recorder{}
		seen := map[float64]bool{}
		for range 50 {
			got, err := Count(Settings{Payer: p, Noise: n, MaxRecords: 1000}, 321)
			if err != nil || got != math.Trunc(got) || math.Abs(got-321) > 100 {
				t.Fatalf("%v: counted %v, %v", n, got, err)
			}
			seen[got] = true
		}
		if len(seen) < 4 || p.last != n.String() {
			t.Errorf("%v: %d different answers, paid for %s", n, len(seen), p.last)
		}
	}
}

// recorder pays for everything and remembers the last event.
type recorder struct{ last string }

func (r *recorder) Pay(e mechanism.Event) error { r.last = e.String(); return nil }
