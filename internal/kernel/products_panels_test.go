package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// panelShapes have every rest of rows, entries and columns that panels leave.
func panelShapes() (shapes []rowShape) {
	for dim := range 6 {
		for rows := range 26 {
			shapes = append(shapes, rowShape{1 + rows, 31 + dim, 16 + 7*(rows%5)})
		}
	}
	return append(shapes, rowShape{13, 4096, 16}, rowShape{13, 2047, 16}, rowShape{25, 130, 50})
}

// TestPanelsAreExact compares products of sixteen columns at a time with their definition.
func TestPanelsAreExact(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) { panelsAreExact[int16](t, set) })
		t.Run("uint8", func(t *testing.T) { panelsAreExact[uint8](t, set) })
	})
}

func panelsAreExact[T IntEntry](t *testing.T, set instructions) {
	r, largest := rand.New(rand.NewPCG(57, 1)), map[int]int64{1: math.MaxUint8, 2: math.MinInt16}[strideOf[T](1)]
	for _, s := range panelShapes() {
		if !HasIntColumns[T](s.dim) {
			continue
		}
		x, w := anyEntries[T](r, s.rows*s.dim), anySingles(r, s.columns*s.dim)
		if s.rows%2 == 0 { // the largest there are, of one sign
			for j := range x {
				x[j] = T(largest)
			}
			for j := range w {
				w[j] = float32(1 - 2*(j/s.dim%2))
			}
		}
		c, got, want := RoundColumns[T](w, s.dim, s.columns), make([]float32, s.rows*s.columns+3), make([]float32, s.rows*s.columns+3)
		Transpose(want[:s.rows*s.columns], wholeProducts(c, x, s), s.rows, s.columns)
		c.productsByColumn(set, got[:s.rows*s.columns], x)
		expectSame(t, fmt.Sprintf("%+v", s), got, want)
	}
}
