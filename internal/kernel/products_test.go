package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// productShapes are the shapes of rows that whole columns take.
func productShapes[T IntEntry](r *rand.Rand) (shapes []rowShape) {
	for _, s := range append(rowShapes(r), rowShape{9, 4096, 3}, rowShape{9, 2047, 3}, rowShape{40, 64, 9}, rowShape{40, 32, 9}, rowShape{50, 784, 9}) {
		if s.rows > 0 && HasIntColumns[T](s.dim) {
			shapes = append(shapes, s)
		}
	}
	return shapes
}

// TestProductsAreExact compares every kernel with sums of integers, rounded by way of float64, which holds them.
func TestProductsAreExact(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) { productsAreExact[int16](t, set) })
		t.Run("uint8", func(t *testing.T) { productsAreExact[uint8](t, set) })
	})
}

func productsAreExact[T IntEntry](t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(51, 1))
	for _, s := range productShapes[T](r) {
		x, w := anyEntries[T](r, s.rows*s.dim), anySingles(r, s.columns*s.dim)
		c := RoundColumns[T](w, s.dim, s.columns)
		got := make([]float32, s.rows*s.columns+3)
		c.products(set, got[:s.rows*s.columns], x)
		want := wholeProducts(c, x, s)
		expectSame(t, fmt.Sprintf("%+v", s), got, append(want, 0, 0, 0))
	}
}

// wholeProducts are the products by their definition, in float64: every sum on the way is whole and below 2^53.
func wholeProducts[T IntEntry](c *IntColumns[T], x []T, s rowShape) (want []float32) {
	for i := range s.rows {
		for k := range s.columns {
			sum := 0.0
			for j := range s.dim {
				sum += float64(x[i*s.dim+j]) * float64(c.whole[k*s.dim+j])
			}
			want = append(want, float32(sum)*c.units[k])
		}
	}
	return want
}

// TestProductsAtTheirLargest takes the greatest entries with weights that take all the room there is: equal ones,
// one alone, and signs that make the lower limbs' sums largest.
func TestProductsAtTheirLargest(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		t.Run("int16", func(t *testing.T) {
			productsAtTheirLargest[int16](t, set, []int{1, 2, 129, 1000, 2047}, []int64{-32768, 32767})
		})
		t.Run("uint8", func(t *testing.T) {
			productsAtTheirLargest[uint8](t, set, []int{1, 2, 258, 259, 1000, 4096}, []int64{255})
		})
	})
}

func productsAtTheirLargest[T IntEntry](t *testing.T, set instructions, dims []int, extremes []int64) {
	r := rand.New(rand.NewPCG(52, 1))
	most := 0.0
	for _, dim := range dims {
		for _, extreme := range extremes {
			for kind := range 5 {
				s := rowShape{5, dim, 2}
				w := make([]float32, s.columns*dim)
				for j := range w {
					switch kind {
					case 0:
						w[j] = 1
					case 1:
						w[j] = -1
					case 2:
						w[j] = float32(1 + r.IntN(2)*2047)
					case 3:
						w[j] = float32(r.NormFloat64())
					case 4:
						w[j] = 1e-9
					}
				}
				if kind == 4 {
					w[dim/2] = -1
				}
				x := make([]T, s.rows*dim)
				for j := range x {
					x[j] = T(extreme)
				}
				c := RoundColumns[T](w, dim, s.columns)
				got := make([]float32, s.rows*s.columns)
				c.products(set, got, x)
				expectSame(t, fmt.Sprintf("kind %d, %d entries of %d", kind, dim, extreme), got, wholeProducts(c, x, s))
				most = max(most, math.Abs(float64(got[0]/c.units[0]/float32(extreme))))
			}
		}
	}
	if want := float64(map[int]int{1: byteWeights, 2: shortWeights}[strideOf[T](1)]); most < 0.99*want || most > want {
		t.Errorf("the largest sum of weights is %v, want nearly %v", most, want)
	}
}

// TestProductsAreNearTheWeights holds the stated error against the weights that were rounded.
func TestProductsAreNearTheWeights(t *testing.T) {
	t.Run("int16", productsAreNear[int16])
	t.Run("uint8", productsAreNear[uint8])
}

func productsAreNear[T IntEntry](t *testing.T) {
	r := rand.New(rand.NewPCG(53, 1))
	off := 0.0
	for _, s := range productShapes[T](r) {
		x, w := anyEntries[T](r, s.rows*s.dim), anySingles(r, s.columns*s.dim)
		c, got := RoundColumns[T](w, s.dim, s.columns), make([]float32, s.rows*s.columns)
		c.Products(got, x)
		for at, v := range got {
			i, k := at/s.columns, at%s.columns
			want, bound := 0.0, 0.0
			for j := range s.dim {
				want += float64(x[i*s.dim+j]) * float64(w[k*s.dim+j])
				bound += math.Abs(float64(x[i*s.dim+j])) * float64(c.Unit(k)) / 2
			}
			bound += math.Abs(float64(v))*0x1.01p-23 + 0x1p-149
			if !(math.Abs(float64(v)-want) <= bound*(1+1e-9)) {
				t.Fatalf("%+v, row %d, column %d: got %v, want %v within %v", s, i, k, v, want, bound)
			}
			off = max(off, math.Abs(float64(v)-want)/bound)
		}
	}
	if off < 0.1 {
		t.Errorf("products are off by %v of the bound at most: the test does not probe it", off)
	}
}

// TestUnitsAreFine holds that a unit is no larger than stated.
func TestUnitsAreFine(t *testing.T) {
	r := rand.New(rand.NewPCG(54, 1))
	for _, dim := range []int{1, 100, 784, 2047} {
		w := anySingles(r, dim)
		most, sum := 0.0, 0.0
		for _, v := range w {
			most, sum = max(most, math.Abs(float64(v))), sum+math.Abs(float64(v))
		}
		for bits, unit := range map[float64]float32{23: RoundColumns[uint8](w, dim, 1).Unit(0), 22: RoundColumns[int16](w, dim, 1).Unit(0)} {
			if want := math.Max(most*0x1p-15, sum*math.Exp2(-bits)); !(float64(unit) <= 1.05*want) {
				t.Errorf("%d entries: unit %v, want about %v", dim, unit, want)
			}
		}
	}
}

// TestProductsOfStrangeWeights: what is not finite is NaN, in its column only; zeros and the least numbers stay
// zeros.
func TestProductsOfStrangeWeights(t *testing.T) {
	infinite := float32(math.Inf(1))
	for name, c := range map[string]struct {
		w   float32
		nan bool
	}{"NaN": {float32(math.NaN()), true}, "infinite": {-infinite, true}, "zero": {0, false}, "least": {math.SmallestNonzeroFloat32, false}} {
		columns := RoundColumns[uint8]([]float32{0, c.w, 1, 2}, 2, 2)
		got := make([]float32, 2)
		columns.Products(got, []uint8{3, 4})
		if (got[0] != got[0]) != c.nan || !c.nan && got[0] != 0 || math.Abs(float64(got[1])-11) > 1e-3 {
			t.Errorf("%s: got %v, want NaN %v, or 0, beside 11", name, got, c.nan)
		}
	}
	if got := RoundColumns[int16]([]float32{math.MaxFloat32, math.MaxFloat32}, 2, 1); got.Unit(0) == got.Unit(0) {
		t.Errorf("weights whose sum passes float32: unit %v, want NaN", got.Unit(0))
	}
}

func TestProductsRefuseWrongLengths(t *testing.T) {
	columns, dst := RoundColumns[uint8](make([]float32, 6), 3, 2), []float32{9, 9, 9, 9}
	for name, call := range map[string]func(){
		"too long":         func() { RoundColumns[uint8](make([]float32, 4097), 4097, 1) },
		"too long, 16":     func() { RoundColumns[int16](make([]float32, 2048), 2048, 1) },
		"no entries":       func() { RoundColumns[int16](nil, 0, 1) },
		"weights short":    func() { RoundColumns[int16](make([]float32, 5), 3, 2) },
		"x short":          func() { columns.Products(dst, make([]uint8, 5)) },
		"x long":           func() { columns.Products(dst, make([]uint8, 7)) },
		"dst is not whole": func() { columns.Products(dst[:3], make([]uint8, 6)) },
	} {
		panicked := func() (panicked bool) {
			defer func() { panicked = recover() != nil }()
			call()
			return
		}()
		if !panicked || slices.ContainsFunc(dst, func(v float32) bool { return v != 9 }) {
			t.Errorf("%s: panicked %v, dst %v, want a panic before anything is written", name, panicked, dst)
		}
	}
}

// FuzzProducts compares the kernels with the definition, on entries of any bits.
func FuzzProducts(f *testing.F) {
	f.Add(uint16(20), uint8(3), uint64(1), make([]byte, 700))
	f.Add(uint16(65), uint8(9), uint64(2), slices.Repeat([]byte{0xff, 0x7f, 0, 0x80}, 300))
	f.Fuzz(func(t *testing.T, dim uint16, columns uint8, seed uint64, data []byte) {
		d, k := int(dim), 1+int(columns%40)
		if !HasIntColumns[int16](d) {
			return
		}
		r := rand.New(rand.NewPCG(seed, 1))
		short := make([]int16, len(data)/2/d*d)
		for j := range short {
			short[j] = int16(uint16(data[2*j]) | uint16(data[2*j+1])<<8)
		}
		fuzzProducts(t, r, short, d, k)
		fuzzProducts(t, r, data[:len(data)/d*d], d, k)
	})
}

func fuzzProducts[T IntEntry](t *testing.T, r *rand.Rand, x []T, dim, columns int) {
	t.Helper()
	s := rowShape{len(x) / dim, dim, columns}
	if s.rows == 0 {
		return
	}
	c := RoundColumns[T](anySingles(r, columns*dim), dim, columns)
	want := wholeProducts(c, x, s)
	for set := portable; set <= available; set++ {
		got := make([]float32, s.rows*columns)
		c.products(set, got, x)
		expectSame(t, fmt.Sprintf("%T, %v, %+v", x, set, s), got, want)
	}
}
