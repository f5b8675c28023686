package release

import (
	"errors"
	"math"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// purse pays for a number of releases and remembers them.
type purse struct {
	left int
	paid []string
}

func (p *purse) Pay(e mechanism.Event) error {
	if p.left == 0 {
		return errors.New("empty")
	}
	p.left--
	p.paid = append(p.paid, e.String())
	return nil
}

func sealedSum(t *testing.T, n mechanism.Noise) Bounded {
	t.Helper()
	rows, sample := made(t, [][]float64{{1, 0}, {0.5, 0.5}}, 1.0/(1<<14))
	s, err := NewSum(sample, rows, SumOptions{Noise: n, Columns: 1, Bound: 1, MaxRecords: 10})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(0, kernel.Contributions{Columns: 1, Coefficients: []float64{0.5, 0.25}}); err != nil {
		t.Fatal(err)
	}
	return s.Seal()
}

func TestReleaseRefusals(t *testing.T) {
	b := sealedSum(t, mechanism.Gaussian{NoiseMultiplier: 2})
	for name, call := range map[string]func() (Noisy, error){
		"hand-made bounded":      func() (Noisy, error) { return Release(free{}, mechanism.Gaussian{NoiseMultiplier: 2}, Bounded{}) },
		"no payer":               func() (Noisy, error) { return Release(nil, mechanism.Gaussian{NoiseMultiplier: 2}, b) },
		"empty purse":            func() (Noisy, error) { return Release(&purse{}, mechanism.Gaussian{NoiseMultiplier: 2}, b) },
		"other noise":            func() (Noisy, error) { return Release(free{}, mechanism.Gaussian{NoiseMultiplier: 3}, b) },
		"non-private of private": func() (Noisy, error) { return Release(free{}, mechanism.NonPrivate{}, b) },
		"private of non-private": func() (Noisy, error) {
			return Release(free{}, mechanism.Gaussian{NoiseMultiplier: 2}, sealedSum(t, mechanism.NonPrivate{}))
		},
		"no noise": func() (Noisy, error) { return Release(free{}, nil, b) },
	} {
		if n, err := call(); err == nil || n.Values() != nil {
			t.Errorf("%s: got %v, %v, want an error and nothing", name, n, err)
		}
	}
}

func TestReleasePaysBeforeAndPriceIsTheNoise(t *testing.T) {
	p := &purse{left: 2}
	b := sealedSum(t, mechanism.Gaussian{NoiseMultiplier: 2})
	one, err := Release(p, mechanism.Gaussian{NoiseMultiplier: 2}, b)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Release(p, mechanism.Gaussian{NoiseMultiplier: 2}, b)
	if err != nil {
		t.Fatal(err)
	}
	if one.Values()[0] == two.Values()[0] {
		t.Error("two releases carry the same noise")
	}
	if len(p.paid) != 2 || p.paid[0] != "gaussian(2)" {
		t.Errorf("paid %v, want gaussian(2) twice", p.paid)
	}
}

func TestNonPrivateReleaseIsTheSum(t *testing.T) {
	n, err := Release(free{}, mechanism.NonPrivate{}, sealedSum(t, mechanism.NonPrivate{}))
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{0.625, 0.125}
	for j, v := range n.Values() {
		if math.Abs(v-want[j]) > 1e-7 {
			t.Errorf("entry %d: got %v, want %v", j, v, want[j])
		}
	}
}

// TestNoiseHasThePricedScale releases zero sums of 200000 numbers in all; the variance of
// noise/(z·bound) is 1 up to z-score 6 (false alarms below 2e-9).
func TestNoiseHasThePricedScale(t *testing.T) {
	const d, z, bound = 200000, 3.7, 0.6
	rows, err := NewRows(1, RowsOptions{Dim: d, Step: 1}, func([]float64, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	sample, _ := Draw(Full(), 1)
	s, err := NewSum(sample, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: z}, Columns: 1, Bound: bound, MaxRecords: 1})
	if err != nil {
		t.Fatal(err)
	}
	n, err := Release(free{}, mechanism.Gaussian{NoiseMultiplier: z}, s.Seal())
	if err != nil {
		t.Fatal(err)
	}
	sum, square := 0.0, 0.0
	for _, v := range n.Values() {
		sum += v / (z * bound)
		square += v * v / (z * z * bound * bound)
	}
	if m := sum / math.Sqrt(d); math.Abs(m) > 6 {
		t.Errorf("mean: z-score %.2f", m)
	}
	if v := (square/d - 1) * math.Sqrt(d/2.0); math.Abs(v) > 6 {
		t.Errorf("variance: z-score %.2f", v)
	}
}

func TestGridKeepsItsPromises(t *testing.T) {
	for _, z := range []float64{0.2, 0.5, 1, 1.1, 3, 48.448, 1e4, 1e7} {
		for _, records := range []int{1, 100, 45222, 1 << 20, 1 << 32} {
			g, err := fitNoise(mechanism.Gaussian{NoiseMultiplier: z}, fit{maxRecords: records, norm: L2()})
			if err != nil {
				if z < 1e7 || records < 1<<32 {
					t.Errorf("z %v, %d records: %v", z, records, err)
				}
				continue
			}
			s := math.Ldexp(1, int(g.bits))
			if s/float64(g.bound) < z*(1-1e-15) {
				t.Errorf("z %v: executed multiplier %v is smaller", z, s/float64(g.bound))
			}
			if s/float64(g.bound) > z*1.01 {
				t.Errorf("z %v: executed multiplier %v wastes more than 1%%", z, s/float64(g.bound))
			}
			if float64(records)*float64(g.bound)+16*s >= math.Ldexp(1, 60) {
				t.Errorf("z %v, %d records: sums and noise can pass 2^60", z, records)
			}
		}
	}
	if _, err := fitNoise(mechanism.Gaussian{NoiseMultiplier: 1}, fit{norm: L2()}); err == nil {
		t.Error("zero max records: got a grid")
	}
}

// TestSumAtItsLargest fills a sum with as many worst-case records as MaxRecords allows:
// no integer overflows, one record more is refused.
func TestSumAtItsLargest(t *testing.T) {
	const n = 4096
	x := make([][]float64, n)
	p := make([]float64, n)
	for i := range x {
		x[i], p[i] = []float64{1}, 1e9
	}
	rows, sample := made(t, x, 1)
	s, err := NewSum(sample, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 0.01}, Columns: 1, Bound: 1, MaxRecords: n})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(0, kernel.Contributions{Columns: 1, Coefficients: p}); err != nil {
		t.Fatal(err)
	}
	if got, want := float64(s.sums()[0]), float64(n)*float64(s.grid.bound); math.Abs(got/want-1) > 1e-6 || got > math.Ldexp(1, 62) {
		t.Errorf("sum of %d worst records: got %v, want about %v", n, got, want)
	}
	if _, err := NewSum(sample, rows, SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 0.01}, Columns: 1, Bound: 1, MaxRecords: n - 1}); err == nil {
		t.Error("one record beyond the bound was taken")
	}
}

func TestSecondMomentAgainstPlainSums(t *testing.T) {
	const n, d = 700, 11
	for _, noise := range []mechanism.Noise{mechanism.Gaussian{NoiseMultiplier: 20}, mechanism.NonPrivate{}} {
		o, err := MomentRows(noise, n, d, 1)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, d*d)
		rows, err := NewRows(n, o, func(dst []float64, first, count int) {
			for i := range count {
				for j := range d {
					dst[i*d+j] = math.Sin(float64((first+i)*(j+3))) / math.Sqrt(d)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if rows.n2[i] > o.Limit {
				t.Fatalf("row %d: squared norm %d passes %d", i, rows.n2[i], o.Limit)
			}
			for j, a := range rows.row(i) {
				for k, b := range rows.row(i) {
					want[j*d+k] += float64(a) * float64(b)
				}
			}
		}
		got := AllProducts().sum(rows)
		for j := range want {
			if float64(got[j]) != want[j] {
				t.Fatalf("%v entry %d: got %d, want %v", noise, j, got[j], want[j])
			}
		}
	}
}

func TestSecondMomentRefusesForeignRows(t *testing.T) {
	rows, sample := made(t, [][]float64{{1}}, 1)
	if _, err := SecondMoment(sample, rows, mechanism.Gaussian{NoiseMultiplier: 20}, 10); err == nil {
		t.Error("rows of another grid were taken")
	}
	if _, err := MomentRows(mechanism.Gaussian{NoiseMultiplier: 20}, 10, 1, math.NaN()); err == nil {
		t.Error("a NaN radius was taken")
	}
}

func TestRowsLimit(t *testing.T) {
	limit := int64(100 * 100)
	rows, err := NewRows(3, RowsOptions{Dim: 2, Step: 0.01, Limit: limit}, func(dst []float64, first, n int) {
		copy(dst, []float64{math.Sqrt(0.5), math.Sqrt(0.5), 5, 5, 0.6, 0.8}[2*first:2*(first+n)])
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{9800, 0, 10000} { // 71²·2 > limit, so 70²·2
		if rows.n2[i] != want {
			t.Errorf("row %d: squared norm %d, want %d", i, rows.n2[i], want)
		}
	}
}

// TestLongNoiseIsWhole holds that noise drawn in parts reaches every number, each once: the variance and
// the correlation of the parts have z-scores below 6.5 (false alarms below 1e-9).
func TestLongNoiseIsWhole(t *testing.T) {
	for _, n := range []int{0, 1, noisePart, noisePart + 1, 5*noisePart + 7} {
		g, err := fitNoise(mechanism.Gaussian{NoiseMultiplier: 1}, fit{maxRecords: 10, norm: L2()})
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]int64, n)
		if err = drawNoise(dst, g); err != nil {
			t.Fatal(err)
		}
		scale, square, product, zeros := math.Ldexp(1, -int(g.bits)), 0.0, 0.0, 0
		for i, v := range dst {
			x := float64(v) * scale
			square += x * x
			if v == 0 {
				zeros++
			}
			if i >= noisePart {
				product += x * float64(dst[i-noisePart]) * scale
			}
		}
		if n < 100 {
			continue
		}
		if z := (square/float64(n) - 1) * math.Sqrt(float64(n)/2); math.Abs(z) > 6.5 || zeros > 2 {
			t.Errorf("%d numbers: variance has z-score %.1f, %d are zero", n, z, zeros)
		}
		if z := product / math.Sqrt(float64(max(1, n-noisePart))); math.Abs(z) > 6.5 {
			t.Errorf("%d numbers: parts have correlation with z-score %.1f", n, z)
		}
	}
}

// TestLongReleasesAreNoisy releases zeros with noise in many pieces, and none, and holds the numbers to the variance of
// the noise and to no correlation with those of the piece before, in all (z-scores below 6.5, false alarms below 1e-9).
// No number is that of another piece.
func TestLongReleasesAreNoisy(t *testing.T) {
	for _, n := range []int{0, 1, releasePiece, 5*releasePiece + 7} {
		g, err := fitNoise(mechanism.Gaussian{NoiseMultiplier: 1}, fit{maxRecords: 10, norm: L2()})
		if err != nil {
			t.Fatal(err)
		}
		values, err := (&bounded{grid: g, values: make([]int64, n), unit: math.Ldexp(1, -int(g.bits))}).noisy()
		if err != nil || len(values) != n {
			t.Fatalf("got %d numbers, error %v, want %d", len(values), err, n)
		}
		square, product, same := 0.0, 0.0, 0
		for i, x := range values {
			if square += x * x; i < releasePiece {
				continue
			}
			if product += x * values[i-releasePiece]; x == values[i-releasePiece] {
				same++
			}
		}
		if n < 100 {
			continue
		}
		if z := (square/float64(n) - 1) * math.Sqrt(float64(n)/2); math.Abs(z) > 6.5 {
			t.Errorf("%d numbers: variance has z-score %.1f", n, z)
		}
		if z := product / math.Sqrt(float64(max(1, n-releasePiece))); math.Abs(z) > 6.5 || same > 2 {
			t.Errorf("%d numbers: pieces have correlation with z-score %.1f, and %d equal numbers", n, z, same)
		}
	}
}

// BenchmarkRelease releases a million numbers: noise on all processors, and the sum in floats.
func BenchmarkRelease(b *testing.B) {
	const d = 1 << 20
	sample, _ := Draw(Full(), 1)
	s, err := NewVectorSum(sample, VectorOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 2}, Norm: L2(), Dim: d, Bound: 1, MaxRecords: 1})
	if err != nil {
		b.Fatal(err)
	}
	sum := s.Seal()
	b.SetBytes(8 * d)
	for b.Loop() {
		if _, err = Release(free{}, mechanism.Gaussian{NoiseMultiplier: 2}, sum); err != nil {
			b.Fatal(err)
		}
	}
}
