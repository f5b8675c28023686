package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

func randomRow(r *rand.Rand, n int) []int16 {
	x := make([]int16, n)
	for j := range x {
		x[j] = int16(r.IntN(65535) - 32767)
	}
	return x
}

func TestAddScaled4IsFourAddScaled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 3, 8, 17, 105} {
		rows := [4][]int16{randomRow(r, n), randomRow(r, n), randomRow(r, n), randomRow(r, n)}
		c := [4]int64{r.Int64N(1 << 40), -r.Int64N(1 << 40), 0, 7}
		one, four := make([]int64, n), make([]int64, n)
		for k := range 4 {
			AddScaled(one, c[k], rows[k])
		}
		AddScaled4(four, c, rows[0], rows[1], rows[2], rows[3])
		for j := range one {
			if one[j] != four[j] {
				t.Fatalf("length %d entry %d: got %d, want %d", n, j, four[j], one[j])
			}
		}
	}
}

func TestMultiplyNarrowIsTheDotProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, columns := range []int{1, 2, 3, 10} {
		for _, dim := range []int{1, 2, 5, 16, 31} {
			const rows = 3
			x, w := randomRow(r, rows*dim), make([]float64, columns*dim)
			for j := range w {
				w[j] = r.NormFloat64()
			}
			got := make([]float64, rows*columns)
			MultiplyNarrow(got, x, w, dim, columns)
			for i := range rows {
				for k := range columns {
					want, size := 0.0, 0.0
					for j := range dim {
						term := float64(x[i*dim+j]) * w[k*dim+j]
						want += term
						size += math.Abs(term)
					}
					if v := got[i*columns+k]; math.Abs(v-want) > 1e-13*size {
						t.Fatalf("%d columns, dim %d: got %v, want %v", columns, dim, v, want)
					}
				}
			}
		}
	}
}

func TestSyrkPanelIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, d := range []int{1, 2, 3, 4, 5, 9, 16} {
		for _, rows := range []int{1, 2, 7, SyrkBlock} {
			x := randomRow(r, rows*d)
			for j := range x {
				if r.IntN(5) == 0 {
					x[j] = 32767 // the largest products
				}
			}
			panel, got := make([]float64, rows*d), make([]int64, d*d)
			PackPanel(panel, x, rows, d)
			SyrkPanel(got, panel, rows, d, 0, d/3)
			SyrkPanel(got, panel, rows, d, d/3, d)
			for i := range d {
				for j := range d {
					want := int64(0)
					for q := range rows {
						want += int64(x[q*d+i]) * int64(x[q*d+j])
					}
					if j > i {
						want = 0
					}
					if got[i*d+j] != want {
						t.Fatalf("d %d, %d rows, entry (%d, %d): got %d, want %d", d, rows, i, j, got[i*d+j], want)
					}
				}
			}
		}
	}
}

func TestMultiplyRowsHasTheSameBitsAloneAndTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, d := range []int{1, 2, 3, 4, 7, 12} {
		const rows = 7
		m, x := make([]float64, d*d), make([]float64, rows*d)
		for i := range d {
			for j := range i + 1 {
				v := r.NormFloat64()
				m[i*d+j], m[j*d+i] = v, v
			}
		}
		for j := range x {
			x[j] = r.NormFloat64()
		}
		together, alone := make([]float64, rows*d), make([]float64, d)
		MultiplyRows(together, x, m, d)
		for q := range rows {
			MultiplyRows(alone, x[q*d:(q+1)*d], m, d)
			for i := range d {
				want := 0.0
				for j := range d {
					want += m[i*d+j] * x[q*d+j]
				}
				if math.Float64bits(alone[i]) != math.Float64bits(together[q*d+i]) || math.Abs(alone[i]-want) > 1e-12 {
					t.Fatalf("d %d row %d entry %d: alone %v, together %v, plain %v", d, q, i, alone[i], together[q*d+i], want)
				}
			}
		}
	}
}

func TestNorm(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{{nil, 0}, {[]float64{3, -4}, 5}, {[]float64{math.Inf(1), 0}, math.Inf(1)}} {
		if got := Norm(c.x); got != c.want {
			t.Errorf("Norm(%v): got %v, want %v", c.x, got, c.want)
		}
	}
	if got := Norm([]float64{math.NaN()}); got == got {
		t.Errorf("Norm of NaN: got %v, want NaN", got)
	}
}

func TestContributionsRecords(t *testing.T) {
	if got := (Contributions{}).Records(); got != 0 {
		t.Errorf("zero value: got %d records, want 0", got)
	}
	if got := (Contributions{Columns: 3, Coefficients: make([]float64, 12)}).Records(); got != 4 {
		t.Errorf("twelve coefficients in threes: got %d records, want 4", got)
	}
}

func BenchmarkSyrkPanel(b *testing.B) {
	const d = 784
	r := rand.New(rand.NewPCG(5, 5))
	x, panel, dst := randomRow(r, SyrkBlock*d), make([]float64, SyrkBlock*d), make([]int64, d*d)
	PackPanel(panel, x, SyrkBlock, d)
	for b.Loop() {
		SyrkPanel(dst, panel, SyrkBlock, d, 0, d)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(SyrkBlock*d*d/2), "ns/multiply-add")
}
