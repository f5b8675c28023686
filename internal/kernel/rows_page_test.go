//go:build linux

package kernel

import (
	"math/rand/v2"
	"runtime/debug"
	"testing"
	"unsafe"
)

// endsAtGap returns n numbers that end where an unreadable page begins, and a function
// that returns the last of them.
func endsAtGap[T any](t *testing.T, n int) func(last int) []T {
	var zero T
	memory := beforeGap(t, n*int(unsafe.Sizeof(zero)))
	all := unsafe.Slice((*T)(unsafe.Pointer(&memory[0])), n)
	return func(last int) []T { return all[n-last:] }
}

// TestRowKernelsStayInside puts the end of every argument before an unreadable page: a
// kernel that reads or writes an entry too many faults.
func TestRowKernelsStayInside(t *testing.T) {
	forEntries(t, rowKernelStaysInside[float32], rowKernelStaysInside[int16], rowKernelStaysInside[uint8])
	t.Run("bits", func(t *testing.T) {
		const rows, dim, columns = 7, 200, 7
		x, w, dst := endsAtGap[uint64](t, rows*4), endsAtGap[float32](t, columns*dim), endsAtGap[float32](t, rows*columns)
		q, sum := endsAtGap[float64](t, rows*columns), endsAtGap[float64](t, columns*dim)
		eachShapeInside(t, func(set instructions, s rowShape) {
			marginsBits(set, dst(s.rows*s.columns), x(s.rows*BitWords(s.dim)), s.dim, w(s.columns*s.dim), s.columns)
			addWholeBits(set, sum(s.columns*s.dim), x(s.rows*BitWords(s.dim)), s.dim, q(s.rows*s.columns), s.columns)
		})
	})
}

// eachShapeInside calls test with every set and with shapes up to 7 rows, 200 entries and
// 7 columns.
func eachShapeInside(t *testing.T, test func(set instructions, s rowShape)) {
	eachSet(t, func(t *testing.T, set instructions) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		r := rand.New(rand.NewPCG(35, 1))
		for dim := 1; dim <= 200; dim++ {
			test(set, rowShape{1 + r.IntN(7), dim, 1 + r.IntN(7)})
		}
	})
}

// TestAddRowsByMarginStaysInside does the same for one pass, by parts of two rows.
func TestAddRowsByMarginStaysInside(t *testing.T) {
	const rows, dim = 7, 200
	x, w, dst, m := endsAtGap[float32](t, rows*dim), endsAtGap[float32](t, dim), endsAtGap[float32](t, dim), endsAtGap[float32](t, rows)
	eachShapeInside(t, func(set instructions, s rowShape) {
		if s.rows >= 2 {
			passOnce(set, 2)(dst(s.dim), x(s.rows*s.dim), s.dim, w(s.dim), m(s.rows), func([]float32, int) {})
		}
	})
}

func rowKernelStaysInside[T Entry](t *testing.T) {
	const rows, dim, columns = 7, 200, 7
	x, w, dst := endsAtGap[T](t, rows*dim), endsAtGap[float32](t, columns*dim), endsAtGap[float32](t, rows*columns)
	q, sum := endsAtGap[float64](t, rows*columns), endsAtGap[float64](t, columns*dim)
	eachShapeInside(t, func(set instructions, s rowShape) {
		rows, factors := x(s.rows*s.dim), dst(s.rows*s.columns)
		margins(set, factors, rows, s.dim, w(s.columns*s.dim), s.columns)
		addScaledRows(set, w(s.columns*s.dim), rows, s.dim, factors, s.columns)
		switch rows := any(rows).(type) {
		case []int16:
			addWhole(set, sum(s.columns*s.dim), rows, s.dim, q(s.rows*s.columns), s.columns)
			addColumns(set, sum(s.columns*s.dim), rows, s.dim, q(s.rows*s.columns), s.columns)
			c := RoundColumns[int16](w(s.columns*s.dim), s.dim, s.columns)
			c.products(set, factors, rows)
			c.productsByColumn(set, factors, rows)
		case []uint8:
			addWhole(set, sum(s.columns*s.dim), rows, s.dim, q(s.rows*s.columns), s.columns)
			addColumns(set, sum(s.columns*s.dim), rows, s.dim, q(s.rows*s.columns), s.columns)
			c := RoundColumns[uint8](w(s.columns*s.dim), s.dim, s.columns)
			c.products(set, factors, rows)
			c.productsByColumn(set, factors, rows)
		}
	})
}

// TestRecordKernelsStayInside does the same for numbers of records.
func TestRecordKernelsStayInside(t *testing.T) {
	const most = 100
	var doubles [3]func(int) []float64
	var singles [3]func(int) []float32
	whole, tails, betas := endsAtGap[int64](t, most), endsAtGap[int32](t, most), endsAtGap[int32](t, most)
	for i := range doubles {
		doubles[i] = endsAtGap[float64](t, most)
	}
	for i := range singles {
		singles[i] = endsAtGap[float32](t, most)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for n := range most {
		RoundBounded(doubles[0](n), doubles[1](n), doubles[2](n), whole(n), 1)
		ClipRows(doubles[0](n), doubles[1](n), 1)
		MeasureUnits(whole(n), singles[0](n), tails(n), UnitRows{Bits: 3, Most: 1e9, Intercept: 1, Rest: 1})
		ScaledNorms(doubles[0](n), whole(n), singles[0](n))
		ToFloat64(doubles[0](n), singles[0](n), 1)
		InterceptScores(singles[2](n), singles[0](n), singles[1](n), 1, AffineTerms{Tails: tails(n)})
		InterceptScores(singles[2](n), singles[0](n), singles[1](n), 1, AffineTerms{Tails: tails(n), Betas: betas(n)})
		DotRounded(doubles[0](n), tails(n))
		LessLabels(doubles[0](n), singles[0](n), singles[1](n))
		Multiply(singles[2](n), singles[0](n), singles[1](n))
	}
}

// TestPanelsStayInside does the same for products of sixteen columns at a time.
func TestPanelsStayInside(t *testing.T) {
	t.Run("int16", panelsStayInside[int16])
	t.Run("uint8", panelsStayInside[uint8])
}

func panelsStayInside[T IntEntry](t *testing.T) {
	const rows, dim, columns = 26, 36, 40
	x, w, dst := endsAtGap[T](t, rows*dim), endsAtGap[float32](t, columns*dim), endsAtGap[float32](t, rows*columns)
	for _, s := range panelShapes() {
		if s.rows <= rows && s.dim <= dim && s.columns <= columns {
			c := RoundColumns[T](w(s.columns*s.dim), s.dim, s.columns)
			c.productsByColumn(available, dst(s.rows*s.columns), x(s.rows*s.dim))
		}
	}
}
