package release

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/mechanism"
)

var rowTypes = []RowType{Int16, Uint8, Bit, Sparse}

// frames are all ways to see rows of this many coordinates.
func frames(r *rand.Rand, dim int) []Standardization {
	var out []Standardization
	for _, way := range []Normalize{NormalizeNone, NormalizeClip, NormalizeUnit} {
		for variant := range 8 {
			f := Standardization{Normalize: way, Radius: 0.7}
			if variant >= 4 {
				if way != NormalizeUnit {
					break
				}
				f.Whitening = &IntMatrix{Unit: 1.0 / 500}
				for range dim * dim {
					f.Whitening.Numbers = append(f.Whitening.Numbers, int16(r.IntN(801)-400))
				}
			}
			if variant&1 == 1 {
				f.Intercept = 0.5
			}
			if variant&2 == 2 {
				f.Center = make([]float64, dim)
				for j := range f.Center {
					f.Center[j] = r.Float64() * 0.4
				}
			}
			out = append(out, f)
		}
	}
	return out
}

// coordinates returns records with values from 0 to 1: 0 and 1 alone for bits, many zeros for sparse
// rows, and some rows of zeros.
func coordinates(r *rand.Rand, kind RowType, n, dim int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, dim)
		for j := range x[i] {
			switch {
			case i%13 == 5 || kind == Sparse && r.IntN(3) > 0:
			case kind == Bit:
				x[i][j] = float64(r.IntN(2))
			default:
				x[i][j] = r.Float64()
			}
		}
	}
	return x
}

// typedRows returns the records first … first+n-1 of x.
func typedRows(t testing.TB, x [][]float64, kind RowType, f Standardization, first, n int) *Rows {
	t.Helper()
	dim := len(x[0])
	o := RowsOptions{Dim: dim, Step: 1 / float64(kind.Largest()), Type: kind, First: first, Total: len(x), Frame: f}
	rows, err := NewRows(n, o, func(dst []float64, at, k int) {
		for i := range k {
			copy(dst[i*dim:(i+1)*dim], x[first+at+i])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// eachFrame runs a test for every type of rows and every frame.
func eachFrame(t *testing.T, dim int, test func(t *testing.T, r *rand.Rand, kind RowType, f Standardization)) {
	all := frames(rand.New(rand.NewPCG(3, 0)), dim)
	for _, kind := range rowTypes {
		r := rand.New(rand.NewPCG(3, uint64(kind)))
		for i, f := range all {
			t.Run(fmt.Sprintf("%v/%d", kind, i), func(t *testing.T) { test(t, r, kind, f) })
		}
	}
}

// integers returns what row i adds to a sum for a coefficient of 1, by the definition of a frame.
func (r *Rows) integers(i int) []*big.Int {
	var y []*big.Int
	row := r.row(i)
	for j, x := range row {
		v := big.NewInt(int64(x))
		if w := r.frame.Whitening; w != nil {
			v.SetInt64(0)
			for l, other := range row {
				v.Add(v, big.NewInt(int64(w.Numbers[j*len(row)+l])*int64(other)))
			}
		}
		v.Lsh(v, r.frame.bits)
		if r.frame.m != nil {
			v.Sub(v, new(big.Int).Mul(big.NewInt(r.beta(i-r.first)), big.NewInt(r.frame.m[j])))
		}
		y = append(y, v)
	}
	if r.frame.Intercept > 0 {
		y = append(y, big.NewInt(r.tail(i-r.first)<<r.frame.shift))
	}
	return y
}

// TestFramedSumIsTheDenseSum holds the identity of Standardization against big integers for every type and
// frame, in blocks of rows that are merged, with wild coefficients whose partial sums leave int64,
// and that every contribution keeps the bound exactly.
func TestFramedSumIsTheDenseSum(t *testing.T) {
	const n, dim, columns = 60, 5, 2
	eachFrame(t, dim, func(t *testing.T, r *rand.Rand, kind RowType, f Standardization) {
		x := coordinates(r, kind, n, dim)
		blocks := []*Rows{typedRows(t, x, kind, f, 0, 25), typedRows(t, x, kind, f, 25, n-25)}
		sample, _ := Draw(Full(), n)
		total, err := NewSum(sample, blocks[0], SumOptions{Noise: mechanism.Gaussian{NoiseMultiplier: 0.01}, Columns: columns, Bound: 3, MaxRecords: n})
		if err != nil {
			t.Fatal(err)
		}
		want := make([]*big.Int, columns*blocks[0].Dim())
		for j := range want {
			want[j] = new(big.Int)
		}
		for _, rows := range blocks {
			part, failed := emptyOf(total, rows)
			if failed != nil {
				t.Fatal(failed)
			}
			c := kernel.Contributions{Columns: columns}
			for i := range rows.Len() {
				p := []float64{math.Abs(r.NormFloat64()) * 1e6, wildFloat(r)}
				c.Coefficients = append(c.Coefficients, p...)
				addWanted(t, want, part, rows, rows.First()+i, p)
			}
			if err = part.Add(rows.First(), c); err != nil {
				t.Fatal(err)
			}
			if err = total.Merge(part); err != nil {
				t.Fatal(err)
			}
		}
		for j, v := range total.Seal().state.values {
			if want[j].Cmp(big.NewInt(v)) != 0 {
				t.Errorf("entry %d: got %d, want %v", j, v, want[j])
			}
		}
	})
}

// addWanted adds what a proposal for row i becomes to want, and holds its norm against the bound.
func addWanted(t *testing.T, want []*big.Int, s *Sum, rows *Rows, i int, p []float64) {
	t.Helper()
	q := make([]int64, len(p))
	adderOf(s).roundWithin(q, p, rows.norm2(i), rows.multiplier(i))
	norm := new(big.Int)
	y := rows.integers(i)
	for j, v := range y {
		for k, c := range q {
			term := new(big.Int).Mul(big.NewInt(c), v)
			want[k*len(y)+j].Add(want[k*len(y)+j], term)
			norm.Add(norm, term.Mul(term, term))
		}
	}
	if limit := big.NewInt(s.grid.bound); norm.Cmp(limit.Mul(limit, limit)) > 0 {
		t.Fatalf("record %d adds a norm beyond the bound", i)
	}
}

// seen is the definition of a frame in float64.
func (f Standardization) seen(x []float64) []float64 {
	normalize := func(v []float64) {
		norm := kernel.Norm(v)
		for j := range v {
			switch {
			case f.Normalize == NormalizeUnit && norm > 0:
				v[j] /= norm
			case f.Normalize == NormalizeClip && norm > f.Radius:
				v[j] *= f.Radius / norm
			}
		}
	}
	out := append([]float64(nil), x...)
	normalize(out)
	if f.Center != nil {
		for j, c := range f.Center {
			out[j] -= c
		}
		normalize(out)
	}
	if w := f.Whitening; w != nil {
		moved := append([]float64(nil), out...)
		for k := range out {
			out[k] = 0
			for j, v := range moved {
				out[k] += float64(w.Numbers[k*len(out)+j]) * w.Unit * v
			}
		}
		normalize(out)
	}
	if f.Intercept > 0 {
		out = append(out, f.Intercept)
		if f.Normalize == NormalizeUnit {
			normalize(out)
		}
	}
	return out
}

// TestFramedRowsAreTheDefinition compares norms and scores with float64. The center is put on a grid
// of 2^-10 of its largest coordinate, and β rounded to integers.
func TestFramedRowsAreTheDefinition(t *testing.T) {
	const n, dim, columns = 30, 7, 3
	eachFrame(t, dim, func(t *testing.T, r *rand.Rand, kind RowType, f Standardization) {
		x := coordinates(r, kind, n, dim)
		rows := typedRows(t, x, kind, f, 0, n)
		weights := make([]float64, columns*rows.Dim())
		for j := range weights {
			weights[j] = r.NormFloat64()
		}
		got := make([]float32, n*columns)
		block, err := rows.Load(0, n, Block{})
		if err != nil {
			t.Fatal(err)
		}
		scorer := rows.Scorer(weights, columns)
		scorer.Scores(got, block)
		norms := make([]float64, n)
		block.Norms(norms)
		for i := range x {
			z := f.seen(onGrid(rows, i))
			if one := f.Normalize == NormalizeUnit && norms[i] == 1; norms[i] != rows.Norm(i) && !(one && (math.Abs(rows.Norm(i)-1) < 1e-5 || rows.norm2(i) == 0)) {
				t.Errorf("row %d: norm %v, want %v", i, norms[i], rows.Norm(i))
			}
			if norm := kernel.Norm(z); math.Abs(rows.Norm(i)-norm) > 2e-3 {
				t.Errorf("row %d: norm %v, want %v", i, rows.Norm(i), norm)
			}
			for k := range columns {
				want := kernel.Dot(z, weights[k*rows.Dim():(k+1)*rows.Dim()])
				if math.Abs(float64(got[i*columns+k])-want) > 5e-3 {
					t.Errorf("row %d column %d: got %v, want %v", i, k, got[i*columns+k], want)
				}
			}
		}
		scoresStandAlone(t, rows, scorer, got, columns)
	})
}

// onGrid returns the values that a row's integers stand for.
func onGrid(rows *Rows, i int) []float64 {
	var v []float64
	for _, x := range rows.row(i) {
		v = append(v, float64(x)*rows.Step())
	}
	return v
}

// scoresStandAlone holds that a row's scores keep their bits in a block of its own.
func scoresStandAlone(t *testing.T, rows *Rows, s *Scorer, want []float32, columns int) {
	t.Helper()
	var block Block
	got := make([]float32, columns)
	for i := range rows.Len() {
		var err error
		if block, err = rows.LoadAt([]int{i}, block); err != nil {
			t.Fatal(err)
		}
		s.Scores(got, block)
		for k, v := range got {
			if math.Float32bits(v) != math.Float32bits(want[i*columns+k]) {
				t.Fatalf("row %d column %d: %v alone, %v among others", i, k, v, want[i*columns+k])
			}
		}
	}
}

// TestSumsOfTypesAgree adds the same integers as every type that holds them, with coefficients so
// large that some leave float64's integers.
func TestSumsOfTypesAgree(t *testing.T) {
	const n, dim, columns = 300, 70, 2
	r := rand.New(rand.NewPCG(1, 9))
	x := coordinates(r, Bit, n, dim)
	p := make([]float64, n*columns)
	for i := range p {
		p[i] = r.NormFloat64() * math.Exp(5*r.NormFloat64())
	}
	var want []int64
	for _, kind := range rowTypes {
		rows, err := NewRows(n, RowsOptions{Dim: dim, Step: 1, Type: kind}, func(dst []float64, first, k int) {
			for i := range k {
				copy(dst[i*dim:(i+1)*dim], x[first+i])
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		sample, _ := Draw(Full(), n)
		s := newTestSum(t, rows, sample, columns, 40, n)
		if err = s.Add(0, kernel.Contributions{Columns: columns, Coefficients: p}); err != nil {
			t.Fatal(err)
		}
		if got := s.sums(); want == nil {
			want = got
		} else {
			for j := range got {
				if got[j] != want[j] {
					t.Fatalf("%v entry %d: got %d, want %d", kind, j, got[j], want[j])
				}
			}
		}
	}
}

// TestRowsOfTypes holds the ranges of the types.
func TestRowsOfTypes(t *testing.T) {
	x := [][]float64{{math.NaN(), -3, 0.4, 0.6, 1e9, math.Inf(-1)}}
	want := map[RowType][]int16{
		Int16: {0, -3, 0, 1, 32767, -32767}, Sparse: {0, -3, 0, 1, 32767, -32767}, Uint8: {0, 0, 0, 1, 255, 0}, Bit: {0, 0, 0, 1, 1, 0},
	}
	for _, kind := range rowTypes {
		rows, err := NewRows(1, RowsOptions{Dim: 6, Step: 1, Type: kind}, func(dst []float64, _, _ int) { copy(dst, x[0]) })
		if err != nil {
			t.Fatal(err)
		}
		n2 := int64(0)
		for j, v := range rows.row(0) {
			if n2 += int64(v) * int64(v); v != want[kind][j] {
				t.Errorf("%v: got %v, want %v", kind, rows.row(0), want[kind])
				break
			}
		}
		if rows.norm2(0) != n2 {
			t.Errorf("%v: squared norm %d, want %d", kind, rows.norm2(0), n2)
		}
	}
}

// TestSparseRowsSayTheirCoordinates compares rows made from entries with dense ones, and refuses
// entries out of order.
func TestSparseRowsSayTheirCoordinates(t *testing.T) {
	const n, dim = 500, 40
	r := rand.New(rand.NewPCG(6, 1))
	x := coordinates(r, Sparse, n, dim)
	dense := typedRows(t, x, Sparse, Standardization{}, 0, n)
	o := RowsOptions{Dim: dim, Step: dense.Step()}
	rows, err := NewSparseRows(n, o, func(i int, index []uint32, v []float64) ([]uint32, []float64) {
		for j, f := range x[i] {
			if f != 0 {
				index, v = append(index, uint32(j)), append(v, f)
			}
		}
		return index, v
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range x {
		for j, v := range rows.row(i) {
			if v != dense.row(i)[j] {
				t.Fatalf("row %d: got %v, want %v", i, rows.row(i), dense.row(i))
			}
		}
	}
	for name, index := range map[string][]uint32{"twice": {3, 3}, "descending": {3, 2}, "beyond": {3, dim}} {
		_, err = NewSparseRows(1, o, func(_ int, at []uint32, v []float64) ([]uint32, []float64) {
			return append(at, index...), append(v, 1, 1)
		})
		if err == nil {
			t.Errorf("coordinates %s were taken", name)
		}
	}
}

// TestEntriesAreWhatIsNotZero compares the entries of the rows of a block with what AddTo gives, under each
// normalization, and wants none where a center or an intercept adds to every coordinate.
func TestEntriesAreWhatIsNotZero(t *testing.T) {
	const n, dim = 50, 40
	x := coordinates(rand.New(rand.NewPCG(6, 2)), Sparse, n, dim)
	for _, f := range []Standardization{{}, {Normalize: NormalizeUnit}, {Normalize: NormalizeClip, Radius: 0.5}} {
		rows := typedRows(t, x, Sparse, f, 0, n)
		b, err := rows.LoadAt([]int{3, 1, 41}, Block{})
		if err != nil || !rows.Entries() {
			t.Fatal(rows.Entries(), err)
		}
		entries := 0
		for i := range b.Len() {
			want := make([]float64, dim)
			b.AddTo(want, i, []float64{1}, make([]int16, dim))
			index, values := b.AppendEntries(i, []uint32{7}, []float32{7})
			entries += len(index) - 1
			for k, j := range index[1:] {
				if got := values[k+1]; got != float32(want[j]) || got == 0 {
					t.Errorf("%+v, row %d: coordinate %d is %v, want %v", f, i, j, got, want[j])
				}
				want[j] = 0
			}
			for j, v := range want {
				if v != 0 {
					t.Errorf("%+v, row %d: coordinate %d is missing", f, i, j)
				}
			}
		}
		if entries == 0 {
			t.Error("no row has an entry")
		}
	}
	for _, rows := range []*Rows{typedRows(t, x, Sparse, Standardization{Intercept: 1}, 0, n), typedRows(t, x, Sparse, Standardization{Center: make([]float64, dim)}, 0, n), typedRows(t, x, Int16, Standardization{}, 0, n)} {
		if rows.Entries() {
			t.Errorf("rows of type %v with frame %+v have entries", rows.kind, rows.frame.Standardization)
		}
	}
}

func TestFrameRefusals(t *testing.T) {
	for name, o := range map[string]RowsOptions{
		"another length":    {Dim: 2, Step: 1, Frame: Standardization{Center: []float64{1}}},
		"NaN":               {Dim: 1, Step: 1, Frame: Standardization{Center: []float64{math.NaN()}}},
		"infinite":          {Dim: 1, Step: 1, Frame: Standardization{Normalize: NormalizeUnit, Center: []float64{math.Inf(1)}}},
		"off the grid":      {Dim: 1, Step: 1, Frame: Standardization{Center: []float64{1e9}}},
		"no radius":         {Dim: 1, Step: 1, Frame: Standardization{Normalize: NormalizeClip}},
		"no such way":       {Dim: 1, Step: 1, Frame: Standardization{Normalize: 9}},
		"negative":          {Dim: 1, Step: 1, Frame: Standardization{Intercept: -1}},
		"limit and frame":   {Dim: 1, Step: 1, Limit: 5, Frame: Standardization{Intercept: 1}},
		"limit and type":    {Dim: 1, Step: 1, Limit: 5, Type: Uint8},
		"no such type":      {Dim: 1, Step: 1, Type: 9},
		"outside":           {Dim: 1, Step: 1, First: 9, Total: 10},
		"before":            {Dim: 1, Step: 1, First: -1, Total: 10},
		"more than a total": {Dim: 1, Step: 1, Total: 1},
	} {
		if _, err := NewRows(2, o, func([]float64, int, int) {}); err == nil {
			t.Errorf("%s: got rows, want an error", name)
		}
	}
	rows := typedRows(t, [][]float64{{1}, {0}}, Bit, Standardization{Center: []float64{0.5}}, 0, 2)
	sample, _ := Draw(Full(), 2)
	s := newTestSum(t, rows, sample, 1, 1, 2)
	for name, other := range map[string]*Rows{
		"another center": typedRows(t, [][]float64{{1}, {0}}, Bit, Standardization{Center: []float64{0.25}}, 0, 2),
		"another type":   typedRows(t, [][]float64{{1}, {0}}, Uint8, Standardization{Center: []float64{0.5}}, 0, 2),
		"another total":  typedRows(t, [][]float64{{1}}, Bit, Standardization{Center: []float64{0.5}}, 0, 1),
	} {
		if _, err := emptyOf(s, other); err == nil {
			t.Errorf("%s: rows were taken", name)
		}
	}
}
