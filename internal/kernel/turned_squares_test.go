package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// turnCase is a matrix with rows and what measures them.
type turnCase struct {
	matrix          []int16
	rows            [][]int16
	center, factors []float64
	scale           float64
}

// newTurnCase draws rows and a matrix whose products fit 32 bits, and integers beside them.
func newTurnCase(r *rand.Rand, side, rows int) turnCase {
	c := turnCase{make([]int16, side*side), make([][]int16, rows), make([]float64, side), make([]float64, rows), math.Ldexp(1, r.IntN(5))}
	most := int(math.Sqrt(math.MaxInt32 / float64(max(side, 1))))
	entry := func() int16 { return int16(r.IntN(2*min(most, math.MaxInt16)+1) - min(most, math.MaxInt16)) }
	for j := range c.matrix {
		c.matrix[j] = entry()
	}
	for i := range c.rows {
		c.rows[i], c.factors[i] = make([]int16, side), float64(r.IntN(1<<12))
		for j := range c.rows[i] {
			c.rows[i][j] = entry()
		}
	}
	for j := range c.center {
		c.center[j] = float64(r.IntN(1<<13) - 1<<12)
	}
	return c
}

// apart returns the rows a stride apart.
func (c turnCase) apart(stride int) []int16 {
	out := make([]int16, stride*len(c.rows))
	for i, row := range c.rows {
		copy(out[i*stride:], row)
	}
	return out
}

// exact returns the sum for a row, of integers but for its own additions.
func (c turnCase) exact(i int) float64 {
	sum := 0.0
	for k, m := range c.center {
		product := int64(0)
		for j, v := range c.rows[i] {
			product += int64(c.matrix[k*len(c.center)+j]) * int64(v)
		}
		y := float64(product*int64(c.scale) - int64(c.factors[i])*int64(m))
		sum += y * y
	}
	return sum
}

// products returns the products of a row with the matrix.
func (c turnCase) products(i int) []int32 {
	out := make([]int32, len(c.center))
	for k := range out {
		for j, v := range c.rows[i] {
			out[k] += int32(c.matrix[k*len(out)+j]) * int32(v)
		}
	}
	return out
}

// turn is NewTurn at a level.
func (c turnCase) turn(set instructions) *Turn { return newTurn(set, c.matrix, c.center, c.scale) }

// TestTurnSquares compares every level with the portable code, bit by bit, and that with exact integers, within
// the error that is stated.
func TestTurnSquares(t *testing.T) { eachSet(t, testTurnSquares) }

func testTurnSquares(t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(12, 3))
	sides, counts := []int{0, 1, 2, 15, 16, 17, 33, 100, 104, 256}, []int{0, 1, 23, 24, 25, 96, 97, 130}
	for _, side := range sides {
		for _, n := range counts {
			c := newTurnCase(r, side, n)
			got, want := make([]float64, n), make([]float64, n)
			turn, plain := c.turn(set), c.turn(portable)
			products := make([]int32, n*turn.Width())
			turn.Squares(got, products, c.apart(turn.Stride()), c.factors)
			plain.Squares(want, make([]int32, n*plain.Width()), c.apart(plain.Stride()), c.factors)
			if !slices.Equal(got, want) {
				t.Fatalf("%d rows of %d: got %v, want %v", n, side, got, want)
			}
			for i := range n {
				if own := products[i*turn.Width():]; !slices.Equal(own[:side], c.products(i)) {
					t.Fatalf("row %d of %d with %d coordinates: products are %v, want %v", i, n, side, own[:side], c.products(i))
				}
			}
			for i, v := range want {
				if exact := c.exact(i); math.Abs(v-exact) > float64(2*side+4)*0x1p-52*exact {
					t.Fatalf("row %d of %d with %d coordinates: got %v, want %v", i, n, side, v, exact)
				}
			}
		}
	}
}

// TestTurnSquaresWrap holds that products beyond 32 bits give the same numbers in every build and at every level.
func TestTurnSquaresWrap(t *testing.T) { eachSet(t, testTurnSquaresWrap) }

func testTurnSquaresWrap(t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(12, 4))
	c := newTurnCase(r, 40, 30)
	c.matrix = shorts(r, len(c.matrix))
	for i := range c.rows {
		c.rows[i] = shorts(r, len(c.rows[i]))
	}
	got, want := make([]float64, 30), make([]float64, 30)
	turn, plain := c.turn(set), c.turn(portable)
	products, wanted := make([]int32, 30*turn.Width()), make([]int32, 30*plain.Width())
	turn.Squares(got, products, c.apart(turn.Stride()), c.factors)
	plain.Squares(want, wanted, c.apart(plain.Stride()), c.factors)
	if !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	if !slices.Equal(products, wanted) {
		t.Fatalf("products are %v, want %v", products, wanted)
	}
}

// BenchmarkTurnSquares measures rows of 16 bits: nanoseconds of a row.
func BenchmarkTurnSquares(b *testing.B) {
	const n = 960
	for _, side := range []int{104, 784} {
		c := newTurnCase(rand.New(rand.NewPCG(12, 5)), side, n)
		for name, turn := range map[string]*Turn{"turn": c.turn(available), "portable": c.turn(portable)} {
			rows, dst, products := c.apart(turn.Stride()), make([]float64, n), make([]int32, n*turn.Width())
			b.Run(fmt.Sprintf("%s/side=%d", name, side), func(b *testing.B) {
				for b.Loop() {
					turn.Squares(dst, products, rows, c.factors)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
			})
		}
	}
}
