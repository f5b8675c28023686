package release

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// admitted returns a sum after it admitted integers next to rows of these squared norms.
func admitted(t *testing.T, limit int64, columns int, n2 []int64, q []float64) (*Sum, error) {
	t.Helper()
	n := len(n2)
	rows, err := NewRows(n, RowsOptions{Dim: 1, Step: 1}, func(dst []float64, _, k int) {
		for i := range k {
			dst[i] = 1
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newTestSum(t, rows, fullSample(t, n), columns, 1, n)
	s.limit, rows.known.n2 = limit, n2
	b, err := rows.Load(0, n, Block{})
	if err != nil {
		t.Fatal(err)
	}
	return s, s.admit(q, columns, 1, &b)
}

// TestBoundIsExact hands admit integers that pass the bound by as little as float64 cannot see, and
// those that are next to them and hold it. The record stands in any place of many.
func TestBoundIsExact(t *testing.T) {
	type record struct {
		n2 int64
		q  []float64
	}
	const most = 1 << 53
	for _, c := range []struct {
		name          string
		limit         int64
		within, wrong record
	}{
		{"at the bound", 1 << 51, record{1, []float64{1 << 51}}, record{1, []float64{1<<51 + 1}}},
		{"one more in a second column", 1 << 51, record{1, []float64{-1 << 51, 0}}, record{1, []float64{-1 << 51, 1}}},
		{"many columns", 1 << 51, record{1, append(make([]float64, 99), 1<<51)}, record{1, append(slices.Repeat([]float64{-1}, 99), 1<<51)}},
		{"a norm that float64 rounds down", 1 << 51, record{1, []float64{1 << 24}}, record{1<<54 + 1, []float64{1 << 24}}},
		{"zeros next to a norm of 0", 1 << 51, record{0, []float64{0}}, record{0, []float64{1}}},
		{"zeros of two columns next to a norm of 0", 1 << 51, record{0, []float64{0, 0}}, record{0, []float64{0, -1}}},
		{"a limit of 0", 0, record{1, []float64{0}}, record{1, []float64{1}}},
		{"a norm below 0", 1 << 51, record{1, []float64{0}}, record{-1, []float64{0}}},
		{"integers of 53 bits", 1<<60 - 1, record{1, []float64{most - 1}}, record{1, []float64{most}}},
		{"integers of 53 bits in two columns", 1<<60 - 1, record{1, []float64{1, 1 - most}}, record{1, []float64{1, -most}}},
		{"NaN", 1 << 51, record{1, []float64{1}}, record{1, []float64{math.Inf(1)}}},
	} {
		columns := len(c.within.q)
		for _, n := range []int{1, 63, 64, 65, 200} {
			for _, at := range []int{0, n / 2, n - 1} {
				for _, wrong := range []bool{false, true} {
					one := c.within
					if wrong {
						one = c.wrong
					}
					n2, q := slices.Repeat([]int64{1}, n), make([]float64, n*columns)
					n2[at] = one.n2
					copy(q[at*columns:], one.q)
					if s, err := admitted(t, c.limit, columns, n2, q); errors.Is(err, ErrComputation) != wrong || s.faulty != wrong {
						t.Errorf("%s: %v next to norm %d as record %d of %d has error %v", c.name, one.q, one.n2, at, n, err)
					}
				}
			}
		}
	}
}

// TestBoundOfPell hands admit q and Δ with 3·q² = Δ² + 2 or Δ² - 1: no float64 tells these apart.
func TestBoundOfPell(t *testing.T) {
	for _, c := range []struct {
		q, limit int64
		within   bool
	}{{1, 1, false}, {1, 2, true}} { // 3·1 = 1 + 2 and 3·1 = 4 - 1
		for q, limit := c.q, c.limit; limit <= 1<<51; q, limit = 2*q+limit, 3*q+2*limit {
			if _, err := admitted(t, limit, 1, []int64{3}, []float64{float64(q)}); (err == nil) != c.within {
				t.Errorf("3·%d² next to %d² has error %v, want one: %v", q, limit, err, !c.within)
			}
		}
	}
}
