package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAddGramIsExact(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, dim := range []int{1, 2, 5, 33, 127, 128, 129, 300} {
		for _, rows := range []int{0, 1, 2, 7, 300} {
			x := make([]float64, rows*dim)
			for i := range x {
				x[i] = float64(r.IntN(65535) - 32767)
			}
			got, want := make([]float64, dim*dim), make([]int64, dim*dim)
			for i := range got {
				want[i] = r.Int64N(1 << 50)
				got[i] = float64(want[i])
			}
			for i := range rows {
				for j := range dim {
					for k := range j + 1 {
						want[j*dim+k] += int64(x[i*dim+j]) * int64(x[i*dim+k])
					}
				}
			}
			AddGram(got, x, rows, dim)
			for j := range dim {
				for k := range j + 1 {
					if got[j*dim+k] != float64(want[j*dim+k]) {
						t.Fatalf("%d rows of %d: entry (%d, %d) is %v, want %d", rows, dim, j, k, got[j*dim+k], want[j*dim+k])
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

func BenchmarkAddGram(b *testing.B) {
	const rows, d = 512, 784
	x, dst := make([]float64, rows*d), make([]float64, d*d)
	for b.Loop() {
		AddGram(dst, x, rows, d)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(rows*d*d/2), "ns/multiply-add")
}
