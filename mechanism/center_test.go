package mechanism

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/linalg"
)

const centerDim = 5

// centeredRows returns rows of 0 and 1 relative to a center, in blocks of these sizes.
func centeredRows(t *testing.T, x [][]float64, center []float64, sizes ...int) []*Rows {
	t.Helper()
	blocks, first := []*Rows(nil), 0
	for _, n := range sizes {
		rows, err := NewRows(n, RowsOptions{Dim: centerDim, Step: 1, First: first, Total: len(x), Center: center, CenterBits: 12}, func(dst []float64, at, k int) {
			for i := range k {
				copy(dst[i*centerDim:], x[first+at+i])
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		blocks, first = append(blocks, rows), first+n
	}
	return blocks
}

func bits01(r *rand.Rand, n int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, centerDim)
		for j := range x[i] {
			x[i][j] = float64(r.IntN(2))
		}
	}
	return x
}

// TestCenteredSumIsTheDenseSum holds the identity Σ a·(M·x-m) = M·Σ a·x - (Σ a)·m against big
// integers, in blocks of rows that are merged, with wild coefficients whose partial sums leave
// int64, and that every contribution keeps the bound exactly.
func TestCenteredSumIsTheDenseSum(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	center := []float64{0.25, 0.731, 1, 0, 0.5}
	x := bits01(r, 60)
	x[7] = []float64{0, 1, 1, 0, 1} // close to the center: a large coefficient
	blocks := centeredRows(t, x, center, 25, 35)
	sample, _ := Full().Draw(60)
	total, err := NewSum(sample, blocks[0], SumOptions{Noise: Gaussian{0.01}, Columns: 2, Bound: 3, MaxRecords: 60})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]*big.Int, 2*centerDim)
	for j := range want {
		want[j] = new(big.Int)
	}
	for b, rows := range blocks {
		part, failed := total.EmptyOf(rows)
		if failed != nil {
			t.Fatal(failed)
		}
		first := b * 25
		c := linalg.Contributions{Columns: 2}
		for i := range rows.count {
			p := []float64{r.NormFloat64() * 1e6, wildFloat(r)}
			c.Coefficients = append(c.Coefficients, p...)
			q := make([]int64, 2)
			part.verify(q, p, rows.norm2(first+i))
			checkCentered(t, want, q, rows, first+i, part.grid.bound)
		}
		if err = part.Add(first, c); err != nil {
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
}

// checkCentered adds q ⊗ (M·x - m) to want in big integers and holds its norm against the bound.
func checkCentered(t *testing.T, want []*big.Int, q []int64, rows *Rows, i int, bound int64) {
	t.Helper()
	norm := new(big.Int)
	for j, v := range rows.row(i) {
		y := int64(v)<<rows.center.bits - rows.center.m[j]
		for k, c := range q {
			term := new(big.Int).Mul(big.NewInt(c), big.NewInt(y))
			want[k*centerDim+j].Add(want[k*centerDim+j], term)
			norm.Add(norm, term.Mul(term, term))
		}
	}
	if limit := big.NewInt(bound); norm.Cmp(limit.Mul(limit, limit)) > 0 {
		t.Fatalf("record %d adds a norm beyond the bound", i)
	}
}

// TestCenteredRowsMultiply compares products and norms with those of dense rows.
func TestCenteredRowsMultiply(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	center := []float64{0.25, 0.75, 0.5, 0.125, 0}
	x := bits01(r, 9)
	rows := centeredRows(t, x, center, 9)[0]
	weights := make([]float64, 2*centerDim)
	for j := range weights {
		weights[j] = r.NormFloat64()
	}
	got, at := make([]float64, 18), make([]float64, 2)
	rows.Multiply(got, 0, 9, weights, 2)
	for i := range x {
		norm := 0.0
		for k := range 2 {
			want := 0.0
			for j, v := range x[i] {
				want += (v - center[j]) * weights[k*centerDim+j]
				if k == 0 {
					norm += (v - center[j]) * (v - center[j])
				}
			}
			rows.MultiplyAt(at, []int{i}, weights, 2)
			if math.Abs(got[i*2+k]-want) > 1e-12 || math.Abs(at[k]-want) > 1e-12 {
				t.Errorf("row %d column %d: got %v and %v, want %v", i, k, got[i*2+k], at[k], want)
			}
		}
		if math.Abs(rows.Norm(i)-math.Sqrt(norm)) > 1e-12 {
			t.Errorf("row %d: norm %v, want %v", i, rows.Norm(i), math.Sqrt(norm))
		}
	}
}

func TestCenterRefusals(t *testing.T) {
	good := RowsOptions{Dim: 2, Step: 0.5, Center: []float64{1, 2}, CenterBits: 4}
	for name, change := range map[string]func(*RowsOptions){
		"another length":  func(o *RowsOptions) { o.Center = []float64{1} },
		"NaN":             func(o *RowsOptions) { o.Center = []float64{1, math.NaN()} },
		"off the grid":    func(o *RowsOptions) { o.Center = []float64{1, 1e9} },
		"too many bits":   func(o *RowsOptions) { o.CenterBits = 15 },
		"with a limit":    func(o *RowsOptions) { o.Limit = 5 },
		"outside":         func(o *RowsOptions) { o.First, o.Total = 9, 10 },
		"before":          func(o *RowsOptions) { o.First, o.Total = -1, 10 },
		"more than total": func(o *RowsOptions) { o.Total = 1 },
	} {
		o := good
		change(&o)
		if _, err := NewRows(2, o, func([]float64, int, int) {}); err == nil {
			t.Errorf("%s: made", name)
		}
	}
	rows, err := NewRows(2, good, func([]float64, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	other, _ := made(t, [][]float64{{1, 1}, {1, 1}}, 0.5)
	sample, _ := Full().Draw(2)
	s := newTestSum(t, rows, sample, 1, 1, 2)
	if _, err = s.EmptyOf(other); err == nil {
		t.Error("rows without the center were taken into the sum")
	}
	if _, err = SecondMoment(sample, rows, Gaussian{1}, 2); err == nil {
		t.Error("a second moment of centered rows was made")
	}
	block, err := NewRows(1, RowsOptions{Dim: 2, Step: 0.5, First: 1, Total: 2}, func([]float64, int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	half := newTestSum(t, block, sample, 1, 1, 2)
	if err = half.Add(0, linalg.Contributions{Columns: 1, Coefficients: []float64{1}}); err == nil {
		t.Error("a record of another block was added")
	}
}
