package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAppendRowsCopiesRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for _, dim := range []int{1, 3, 63, 64, 65, 784} {
		for _, count := range []int{0, 1, rowsAhead - 1, rowsAhead, rowsAhead + 1, 40} {
			const n = 50
			x := make([]int16, n*dim)
			for j := range x {
				x[j] = int16(r.Uint32())
			}
			before := []int16{7, -7}
			want, rows := slices.Clone(before), make([]int, count)
			for k := range rows {
				rows[k] = r.IntN(n)
				want = append(want, x[rows[k]*dim:(rows[k]+1)*dim]...)
			}
			if got := AppendRows(slices.Clone(before), x, dim, rows); !slices.Equal(got, want) {
				t.Errorf("%d rows of %d: got %v, want %v", count, dim, got, want)
			}
		}
	}
}

func TestAppendRowsRefusesRowsThatAreNotThere(t *testing.T) {
	for name, call := range map[string]func(){
		"negative":       func() { AppendRows(nil, make([]uint8, 30), 3, []int{1, -1}) },
		"beyond":         func() { AppendRows(nil, make([]uint8, 30), 3, []int{10}) },
		"last is beyond": func() { AppendRows(nil, make([]uint8, 30), 3, append(make([]int, 20), 10)) },
		"no entries":     func() { AppendRows(nil, make([]uint8, 30), 0, []int{0}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: want a panic", name)
				}
			}()
			call()
		}()
	}
}

// TestFetchChangesNothing prefetches entries that are there, and others.
func TestFetchChangesNothing(t *testing.T) {
	x := []float32{1, 2, 3}
	Fetch(x, []int{9, 7, 9, 6, 10, -1}, 7)
	Fetch(x, nil, 0)
	Fetch[int64](nil, []int{7}, 0)
	if !slices.Equal(x, []float32{1, 2, 3}) {
		t.Errorf("got %v, want what was there", x)
	}
}

// BenchmarkAppendRows copies one row of a hundred of a table of the size of MNIST, in order.
func BenchmarkAppendRows(b *testing.B) {
	const n, dim = 60000, 784
	x := make([]uint8, n*dim)
	HugePages(x)
	for j := range x {
		x[j] = uint8(j)
	}
	r := rand.New(rand.NewPCG(4, 9))
	samples := make([][]int, 50)
	for s := range samples {
		for i := range n {
			if r.IntN(100) == 0 {
				samples[s] = append(samples[s], i)
			}
		}
	}
	var dst []uint8
	copied, step := 0, 0
	for b.Loop() {
		rows := samples[step%len(samples)]
		for len(rows) > 0 {
			k := min(80, len(rows))
			dst, rows = AppendRows(dst[:0], x, dim, rows[:k]), rows[k:]
			copied += k
		}
		step++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(copied), "ns/row")
}
