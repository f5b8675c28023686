package release

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

// whitenedFrame is a frame with a whitening of a random matrix, and a center unless none is asked for.
func whitenedFrame(r *rand.Rand, dim int, largest int, center bool) Standardization {
	f := Standardization{Normalize: NormalizeUnit, Intercept: 0.5, Whitening: &IntMatrix{Unit: 1 / float64(largest)}}
	for range dim * dim {
		f.Whitening.Numbers = append(f.Whitening.Numbers, int16(r.IntN(2*largest+1)-largest))
	}
	if center {
		for range dim {
			f.Center = append(f.Center, 0.2*r.Float64())
		}
	}
	return f
}

// TestWhitenedNormsAreNotBelow holds what sums verify against the squared norms of the integers that they add, in exact
// numbers: not below, and above by no more than rounding up asks for. Most rows count.
func TestWhitenedNormsAreNotBelow(t *testing.T) {
	const n, dim = 100, 70
	for _, kind := range rowTypes {
		for _, center := range []bool{true, false} {
			for _, largest := range []int{3, 400, 1200} {
				r := rand.New(rand.NewPCG(31, uint64(kind)))
				rows := typedRows(t, coordinates(r, kind, n, dim), kind, whitenedFrame(r, dim, largest, center), 0, n)
				counted := 0
				for i := range n {
					square := new(big.Int)
					for _, y := range rows.integers(i) {
						square.Add(square, new(big.Int).Mul(y, y))
					}
					verified := new(big.Int).Lsh(big.NewInt(rows.norm2(i)), 2*whitenedShift)
					if rows.norm2(i) == 0 {
						continue
					}
					most := new(big.Int).Add(square, new(big.Int).Rsh(square, 29))
					most.Add(most, big.NewInt(1<<(2*whitenedShift)))
					if counted++; verified.Cmp(square) < 0 || verified.Cmp(most) > 0 {
						t.Fatalf("%v, entries of %d, center %v: row %d has squared norm %v, verified is %v", kind, largest, center, i, square, verified)
					}
				}
				if counted < n*9/10 {
					t.Errorf("%v, entries of %d: %d of %d rows count", kind, largest, counted, n)
				}
			}
		}
	}
}

// TestRowsBeyondTheReachOfAWhitening holds that a row whose product with the matrix may leave 32 bits adds nothing, and one just
// below it what the definition says. Here the first column and the first row are one long number.
func TestRowsBeyondTheReachOfAWhitening(t *testing.T) {
	const dim = 40
	w := &IntMatrix{Numbers: make([]int16, dim*dim), Unit: 1}
	for j := range dim {
		w.Numbers[j] = math.MaxInt16
	}
	x := make([][]float64, 2)
	for i, v := range []float64{math.MaxInt32 / float64(math.MaxInt16*dim), math.MaxInt32/float64(math.MaxInt16*dim) + 1} {
		x[i] = slices.Repeat([]float64{math.Floor(v) / math.MaxInt16}, dim)
	}
	rows := typedRows(t, x, Int16, Standardization{Normalize: NormalizeUnit, Whitening: w}, 0, len(x))
	y := rows.integers(0)[0]
	if y.BitLen() != 31 {
		t.Fatalf("the first product has %d bits, want 31", y.BitLen())
	}
	if want := y.Mul(y, y).Rsh(y, 2*whitenedShift); rows.norm2(0) < want.Int64() || rows.norm2(1) != 0 {
		t.Errorf("squared norms are %d and %d, want at least %v and 0", rows.norm2(0), rows.norm2(1), want)
	}
}

// TestWhitenedRowsAreSeen compares what gradient code adds of a row with the definition.
func TestWhitenedRowsAreSeen(t *testing.T) {
	const n, dim = 20, 7
	for _, kind := range rowTypes {
		r := rand.New(rand.NewPCG(33, uint64(kind)))
		f := whitenedFrame(r, dim, 400, true)
		x := coordinates(r, kind, n, dim)
		rows := typedRows(t, x, kind, f, 0, n)
		block, err := rows.Load(0, n, Block{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			want, added, room := f.seen(onGrid(rows, i)), make([]float64, 2*(dim+1)), make([]int16, dim)
			block.AddTo(added, i, []float64{1, -2}, room)
			for j, v := range want {
				if math.Abs(added[j]-v) > 2e-3 || math.Abs(added[dim+1+j]+2*v) > 4e-3 {
					t.Fatalf("%v, row %d, coordinate %d: added %v and %v, want %v and %v", kind, i, j, added[j], added[dim+1+j], v, -2*v)
				}
			}
		}
	}
}

// TestWhitenedSumHasItsUnit compares what a sum stands for with that of the rows by the definition, and with contributions
// that are clipped to the bound.
func TestWhitenedSumHasItsUnit(t *testing.T) {
	const n, dim, bound = 20, 7, 0.5
	for _, kind := range rowTypes {
		r := rand.New(rand.NewPCG(34, uint64(kind)))
		f := whitenedFrame(r, dim, 400, true)
		rows := typedRows(t, coordinates(r, kind, n, dim), kind, f, 0, n)
		sample, _ := Draw(Full(), n)
		s := newTestSum(t, rows, sample, 1, bound, n)
		want, c := make([]float64, dim+1), kernel.Contributions{Columns: 1}
		for i := range n {
			c.Coefficients = append(c.Coefficients, 2*r.Float64()-1)
			for j, v := range f.seen(onGrid(rows, i)) {
				want[j] += max(-bound, min(bound, c.Coefficients[i])) * v
			}
		}
		if err := s.Add(0, c); err != nil {
			t.Fatal(err)
		}
		sealed := s.Seal().state
		for j, v := range sealed.values {
			if got := float64(v) * sealed.unit; math.Abs(got-want[j]) > 0.02 {
				t.Errorf("%v: coordinate %d is %v, want %v", kind, j, got, want[j])
			}
		}
	}
}

func TestWhiteningRefusals(t *testing.T) {
	good := IntMatrix{Numbers: []int16{1, 0, 0, 1}, Unit: 1}
	for name, f := range map[string]Standardization{
		"clip":     {Normalize: NormalizeClip, Radius: 1, Whitening: &good},
		"none":     {Whitening: &good},
		"no unit":  {Normalize: NormalizeUnit, Whitening: &IntMatrix{Numbers: good.Numbers}},
		"infinite": {Normalize: NormalizeUnit, Whitening: &IntMatrix{Numbers: good.Numbers, Unit: math.Inf(1)}},
		"short":    {Normalize: NormalizeUnit, Whitening: &IntMatrix{Numbers: good.Numbers[:3], Unit: 1}},
		"center":   {Normalize: NormalizeUnit, Whitening: &good, Center: []float64{1}},
		"NaN":      {Normalize: NormalizeUnit, Whitening: &good, Center: []float64{1, math.NaN()}},
	} {
		if _, err := NewRows(1, RowsOptions{Dim: 2, Step: 1, Frame: f}, func([]float64, int, int) {}); err == nil {
			t.Errorf("%s: got rows, want an error", name)
		}
	}
	x := [][]float64{{1, 0}, {0, 1}}
	other := IntMatrix{Numbers: []int16{1, 0, 1, 1}, Unit: 1}
	seen := func(w *IntMatrix) *Rows {
		return typedRows(t, x, Uint8, Standardization{Normalize: NormalizeUnit, Whitening: w}, 0, 2)
	}
	sample, _ := Draw(Full(), 2)
	s := newTestSum(t, seen(&good), sample, 1, 1, 2)
	if _, err := emptyOf(s, seen(&other)); err == nil {
		t.Error("rows of another whitening were taken")
	}
	if _, err := emptyOf(s, seen(&IntMatrix{Numbers: slices.Clone(good.Numbers), Unit: 1})); err != nil {
		t.Errorf("rows of the same whitening: %v", err)
	}
	if _, err := NewRowsWithMax(seen(&good)); err == nil {
		t.Error("whitened rows were taken for scores of coordinates")
	}
	if typedRows(t, x, Sparse, Standardization{Normalize: NormalizeUnit, Whitening: &good}, 0, 2).Entries() {
		t.Error("whitened rows have entries")
	}
}

// TestSecondMomentOfRowsThatAreNotKept compares it with that of rows that are, and holds what is refused. A worker that writes a
// row beyond the limit adds nothing.
func TestSecondMomentOfRowsThatAreNotKept(t *testing.T) {
	const n, dim = 5000, 9
	sample, _ := Draw(Full(), n)
	o, err := MomentRowsOf(mechanism.Gaussian{NoiseMultiplier: 1}, n, dim, 1)
	if err != nil {
		t.Fatal(err)
	}
	worker := func() func(dst []int16, first, count int) {
		return func(dst []int16, first, count int) {
			for k := range count {
				r := rand.New(rand.NewPCG(5, uint64(first+k)))
				for j := range dim {
					if dst[k*dim+j] != 0 {
						panic("a worker got rows that hold numbers")
					}
					dst[k*dim+j] = int16(r.IntN(1<<11) - 1<<10)
				}
				if (first+k)%7 == 3 {
					dst[k*dim] = math.MaxInt16 // beyond the limit
				}
			}
		}
	}
	rows, err := NewWholeRows(n, o, worker)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int64, dim*dim)
	for i := range n {
		x := rows.row(i)
		for j, v := range x {
			for k, u := range x {
				want[j*dim+k] += int64(v) * int64(u)
			}
		}
	}
	got, err := SecondMomentOf(sample, o, mechanism.Gaussian{NoiseMultiplier: 1}, n, worker)
	if err != nil || got.state.faulty || !slices.Equal(got.state.values, want) || got.state.unit != o.Step*o.Step || got.state.grid.bound != o.Limit || o.Limit > maxPairBound {
		t.Fatalf("%v: the second moments differ, or their units or bounds", err)
	}
	sampled, err := Poisson(0.5)
	if err != nil {
		t.Fatal(err)
	}
	some, err := Draw(sampled, n)
	if err != nil {
		t.Fatal(err)
	}
	fine, err := MomentRows(mechanism.Gaussian{NoiseMultiplier: 1}, n, dim, 1)
	if err != nil {
		t.Fatal(err)
	}
	wide, bytes := o, o
	wide.Limit++
	bytes.Type, bytes.Limit = Uint8, 0
	for name, c := range map[string]struct {
		s    Sample
		o    RowsOptions
		most int
	}{"sampled": {some, o, n}, "no sample": {Sample{}, o, n}, "another limit": {sample, wide, n}, "rows to keep": {sample, fine, n}, "bytes": {sample, bytes, n}, "too many": {sample, o, n - 1}} {
		if _, err = SecondMomentOf(c.s, c.o, mechanism.Gaussian{NoiseMultiplier: 1}, c.most, worker); err == nil {
			t.Errorf("%s: got a second moment, want an error", name)
		}
	}
}

// BenchmarkWhitened sees rows of 784 pixels from a whitened frame.
func BenchmarkWhitened(b *testing.B) {
	const n, dim = 10000, 784
	r := rand.New(rand.NewPCG(1, 1))
	rows := typedRows(b, coordinates(r, Int16, n, dim), Int16, Standardization{}, 0, n)
	f := whitenedFrame(r, dim, 80, true)
	for b.Loop() {
		if _, err := rows.Standardized(f); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, fmt.Sprintf("ns/row-of-%d", dim))
}
