package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// anyWhole returns integers such that sums of rows products with entries to most
// stay below 2^53.
func anyWhole(r *rand.Rand, n, rows int, most float64) []float64 {
	limit := math.Floor(math.Min(0x1p52/(float64(max(rows, 1))*most), math.Exp2(5+30*r.Float64())))
	q := make([]float64, n)
	for j := range q {
		q[j] = math.Floor(limit * (2*r.Float64() - 1))
		switch r.IntN(6) {
		case 0:
			q[j] = limit
		case 1:
			q[j] = -limit
		case 2:
			q[j] = 0
		}
	}
	return q
}

// anySums returns integers to begin sums with, and some behind them that must stay.
func anySums(r *rand.Rand, n int) []float64 {
	dst := make([]float64, n+9)
	for j := range dst {
		dst[j] = float64(r.Int64N(1<<51) - 1<<50)
	}
	return dst
}

// TestAddIntKernelsAreTheSame compares every kernel with the portable definition.
func TestAddIntKernelsAreTheSame(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) { addWholeIsTheSame[int16](t, set, 0x1p15) })
		t.Run("uint8", func(t *testing.T) { addWholeIsTheSame[uint8](t, set, 255) })
		t.Run("bits", func(t *testing.T) {
			r := rand.New(rand.NewPCG(23, 1))
			for _, s := range rowShapes(r) {
				x, q, got := anyBits(r, s.rows, s.dim), anyWhole(r, s.rows*s.columns, s.rows, 1), anySums(r, s.columns*s.dim)
				want := slices.Clone(got)
				if s.rows > 0 && s.dim > 0 {
					addWholeBits(set, got[:s.columns*s.dim], x, s.dim, q, s.columns)
					addWholeBitsPortable(want[:s.columns*s.dim], x, s.dim, q, s.columns)
				}
				expectWhole(t, fmt.Sprintf("%+v", s), got, want)
			}
		})
	})
}

func addWholeIsTheSame[T IntEntry](t *testing.T, set instructions, most float64) {
	r := rand.New(rand.NewPCG(22, 1))
	for _, s := range rowShapes(r) {
		x, q, got := anyEntries[T](r, s.rows*s.dim), anyWhole(r, s.rows*s.columns, s.rows, most), anySums(r, s.columns*s.dim)
		want := slices.Clone(got)
		if s.rows > 0 && s.dim > 0 {
			addWhole(set, got[:s.columns*s.dim], x, s.dim, q, s.columns)
			addWholePortable(want[:s.columns*s.dim], x, s.dim, q, s.columns)
		}
		expectWhole(t, fmt.Sprintf("%+v", s), got, want)
	}
}

// TestAddIntIsExact compares with integers. Some sums reach 2^53 exactly, by factors
// that take all the room there is.
func TestAddIntIsExact(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) { addWholeIsExact[int16](t, set, -0x1p15) })
		t.Run("uint8", func(t *testing.T) { addWholeIsExact[uint8](t, set, 255) })
	})
}

func addWholeIsExact[T IntEntry](t *testing.T, set instructions, extreme float64) {
	r := rand.New(rand.NewPCG(28, 1))
	for turn := range 150 {
		s := rowShape{1 + r.IntN(70), 1 + r.IntN(100), 1 + r.IntN(12)}
		x, q := anyEntries[T](r, s.rows*s.dim), anyWhole(r, s.rows*s.columns, s.rows, math.Abs(extreme))
		if turn%3 == 0 { // as large as can be, all of one sign
			limit := math.Floor(0x1p53 / (float64(s.rows) * math.Abs(extreme)))
			for i := range x {
				x[i] = T(int64(extreme))
			}
			for i := range q {
				q[i] = limit
			}
		}
		got := make([]float64, s.columns*s.dim)
		addWhole(set, got, x, s.dim, q, s.columns)
		for at, v := range got {
			k, j, want := at/s.dim, at%s.dim, int64(0)
			for i := range s.rows {
				want += int64(q[i*s.columns+k]) * int64(x[i*s.dim+j])
			}
			if v != float64(want) || int64(v) != want {
				t.Fatalf("%+v, entry %d of column %d: got %v, want %d", s, j, k, v, want)
			}
		}
	}
}

// TestAddIntBitsIsExact compares with integers.
func TestAddIntBitsIsExact(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(29, 1))
		for range 100 {
			s := rowShape{1 + r.IntN(70), 1 + r.IntN(200), 1 + r.IntN(12)}
			x, q, words := anyBits(r, s.rows, s.dim), anyWhole(r, s.rows*s.columns, s.rows, 1), BitWords(s.dim)
			got := make([]float64, s.columns*s.dim)
			addWholeBits(set, got, x, s.dim, q, s.columns)
			for at, v := range got {
				k, j, want := at/s.dim, at%s.dim, int64(0)
				for i := range s.rows {
					want += int64(q[i*s.columns+k]) * int64(x[i*words+j/64]>>(j%64)&1)
				}
				if v != float64(want) {
					t.Fatalf("%+v, entry %d of column %d: got %v, want %d", s, j, k, v, want)
				}
			}
		}
	})
}

// TestAddScaledRowsIsWithinTheBound compares with sums in float64.
func TestAddScaledRowsIsWithinTheBound(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		forEntries(t,
			func(t *testing.T) { addScaledRowsIsWithinTheBound[float32](t, set) },
			func(t *testing.T) { addScaledRowsIsWithinTheBound[int16](t, set) },
			func(t *testing.T) { addScaledRowsIsWithinTheBound[uint8](t, set) })
	})
}

func addScaledRowsIsWithinTheBound[T Entry](t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(33, 1))
	for _, s := range rowShapes(r) {
		if s.rows == 0 || s.dim == 0 {
			continue
		}
		x, factors, dst := anyEntries[T](r, s.rows*s.dim), anySingles(r, s.rows*s.columns), anySingles(r, s.columns*s.dim+9)
		before := slices.Clone(dst)
		addScaledRows(set, dst[:s.columns*s.dim], x, s.dim, factors, s.columns)
		for at := range s.columns * s.dim {
			k, j := at/s.dim, at%s.dim
			want, size := float64(before[at]), math.Abs(float64(before[at]))
			for i := range s.rows {
				product := float64(factors[i*s.columns+k]) * float64(x[i*s.dim+j])
				want += product
				size += math.Abs(product)
			}
			n := float64(s.rows+1) * 0x1p-24
			bound := n/(1-n)*size + float64(s.rows)*(0x1p-149+0x1p-53*size)
			if off := math.Abs(float64(dst[at]) - want); !(off <= bound) {
				t.Fatalf("%+v, entry %d of column %d: got %v, want %v within %v", s, j, k, dst[at], want, bound)
			}
		}
		expectSame(t, fmt.Sprintf("%+v, what is behind", s), dst[s.columns*s.dim:], before[s.columns*s.dim:])
	}
}

// TestLargestDouble compares with a loop, with the largest at every place, of either sign, and with a NaN.
func TestLargestDouble(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 1))
	for n := range 70 {
		q := make([]float64, n)
		for j := range q {
			q[j] = float64(r.Int64N(1<<40) - 1<<39)
		}
		want := 0.0
		for _, v := range q {
			want = max(want, math.Abs(v))
		}
		if got := MaxAbs(q); got != want {
			t.Fatalf("%d numbers: got %v, want %v", n, got, want)
		}
		for j := range q {
			before := q[j]
			q[j] = [2]float64{1 << 50, -1 << 50}[j%2]
			if got := MaxAbs(q); got != 1<<50 {
				t.Fatalf("%d numbers, number %d is largest: got %v", n, j, got)
			}
			q[j] = math.NaN()
			if got := MaxAbs(q); got == got {
				t.Fatalf("%d numbers, number %d is NaN: got %v", n, j, got)
			}
			q[j] = before
		}
	}
}

// TestFlushInt moves integers of every size to integers.
func TestFlushInt(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(34, 1))
		for n := range 70 {
			dst, src := make([]int64, n+2), make([]float64, n)
			want := make([]int64, n+2)
			for j := range want {
				dst[j] = int64(r.Uint64())
				if want[j] = dst[j]; j < n {
					whole := (r.Int64N(1<<54+1) - 1<<53) >> r.IntN(54)
					if r.IntN(5) == 0 {
						whole = [2]int64{1 << 53, -1 << 53}[r.IntN(2)]
					}
					src[j] = float64(whole)
					want[j] += whole
				}
			}
			done := flushWhole(set, dst[:n], src)
			flushWholePortable(dst[done:n], src[done:])
			if !slices.Equal(dst, want) {
				t.Fatalf("%d numbers: got %d, want %d", n, dst, want)
			}
			if slices.ContainsFunc(src, func(v float64) bool { return v != 0 }) {
				t.Fatalf("%d numbers: some are left: %v", n, src)
			}
		}
	})
}

// FuzzAddInt compares the kernels with integers, on entries of any bits and factors of
// any size that the rows leave room for.
func FuzzAddInt(f *testing.F) {
	f.Add(uint8(20), uint8(3), uint64(1), make([]byte, 700))
	f.Add(uint8(9), uint8(9), uint64(2), slices.Repeat([]byte{0xff, 0x7f, 0, 0x80}, 300))
	f.Fuzz(func(t *testing.T, dim, columns uint8, seed uint64, data []byte) {
		d, k := int(dim), 1+int(columns%40)
		if d == 0 {
			return
		}
		r := rand.New(rand.NewPCG(seed, 1))
		short := make([]int16, len(data)/2/d*d)
		for j := range short {
			short[j] = int16(uint16(data[2*j]) | uint16(data[2*j+1])<<8)
		}
		fuzzWhole(t, r, short, d, k, 0x1p15)
		fuzzWhole(t, r, data[:len(data)/d*d], d, k, 255)
	})
}

func fuzzWhole[T IntEntry](t *testing.T, r *rand.Rand, x []T, dim, columns int, most float64) {
	t.Helper()
	rows := len(x) / dim
	if rows == 0 {
		return
	}
	q, want := anyWhole(r, rows*columns, rows, most), make([]float64, columns*dim)
	addWholePortable(want, x, dim, q, columns)
	for set := portable; set <= available; set++ {
		got := make([]float64, columns*dim)
		addWhole(set, got, x, dim, q, columns)
		expectWhole(t, fmt.Sprintf("%T, %v, dim %d, columns %d", x, set, dim, columns), got, want)
	}
}

// TestAddIntAtTheEndsOfShortLimbs does the same for rows of 16 bits and one to three limbs of 10 bits.
func TestAddIntAtTheEndsOfShortLimbs(t *testing.T) {
	factors := []int64{511, 512, -511, -512, 1000, -1022, 1000000, -1047550, 1000000000, 523775, 523776, -523775, -523776, 523264, 511<<10 - 512, 536346111, 536346112, -536346111, -536346112, 1 << 33, 1, 0}
	eachSet(t, func(t *testing.T, set instructions) {
		const rows, dim = 363, 100
		for _, extreme := range []int16{-32768, 32767} {
			x := slices.Repeat([]int16{extreme}, rows*dim)
			for i := range 8 * len(factors) {
				factor, columns := factors[i/8], 1+i%8
				var q []float64
				for k := range columns {
					q = append(q, float64(factor)*float64(1-2*(k%2)))
				}
				q = slices.Repeat(q, rows)
				got := make([]float64, columns*dim)
				addWhole(set, got, x, dim, q, columns)
				for j, v := range got {
					if want := q[j/dim] * float64(extreme) * rows; v != want {
						t.Fatalf("factor %d times %d, entry %d: got %v, want %v", factor, extreme, j, v, want)
					}
				}
			}
		}
	})
}

// TestAddIntAtTheEndsOfLimbs takes the factors at the ends of the range of two to four limbs
// of 8 bits, and those with the greatest lower limbs, with the greatest entries and so many
// rows that a kernel that added too many of them in 32 bits would be wrong, in one to eight columns
// of which each has a sign of its own.
func TestAddIntAtTheEndsOfLimbs(t *testing.T) {
	factors := []int64{0x7f7f, 0x7f80, -0x7f7f, -0x7f80, -0x7e80, 0x7e7f, 0x7f7f7f, 0x7f7f80, -0x7f7f7f, -0x7f7f80, -0x7e8080, 0x7f7f7f7f, 0x7f7f7f80, -0x7f7f7f7f, -0x7f7f7f80, -0x7e808080, 0x7e7f7f7f, 1 << 31, -1 << 31, 1 << 34, 128, -128, -129, 1, 0}
	eachSet(t, func(t *testing.T, set instructions) {
		const rows, dim = 603, 40
		x := slices.Repeat([]uint8{255}, rows*dim)
		for i := range 8 * len(factors) {
			factor, columns := factors[i/8], 1+i%8
			var q []float64
			for k := range columns {
				q = append(q, float64(factor)*float64(1-2*(k%2)))
			}
			q = slices.Repeat(q, rows)
			got := make([]float64, columns*dim)
			addWhole(set, got, x, dim, q, columns)
			for j, v := range got {
				if want := q[j/dim] * 255 * rows; v != want {
					t.Fatalf("factor %d, entry %d: got %v, want %v", factor, j, v, want)
				}
			}
		}
	})
}
