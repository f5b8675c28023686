package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sameRows holds that a row's results are what the definition gives for the row alone, in
// place or not, and that nothing beyond the rows is written.
func sameRows(t *testing.T, set instructions, x []float32, columns int) {
	t.Helper()
	n := len(x)
	got, inPlace, want := make([]float32, n+17), append([]float32(nil), x...), make([]float32, columns)
	for j := range got {
		got[j] = 12345
	}
	softmax(set, got, x, columns)
	softmax(set, inPlace, inPlace, columns)
	for i := 0; i < n; i += columns {
		softmaxRow(want, x[i:i+columns])
		if j := firstDifference(want, got[i:]); j >= 0 {
			t.Fatalf("row %v: got %v, alone %v", x[i:i+columns], got[i:i+columns], want)
		}
		if j := firstDifference(want, inPlace[i:]); j >= 0 {
			t.Fatalf("row %v: in place %v, alone %v", x[i:i+columns], inPlace[i:i+columns], want)
		}
	}
	for j, v := range got[n:] {
		if v != 12345 {
			t.Fatalf("%d entries in rows of %d: wrote %v at entry %d", n, columns, v, n+j)
		}
	}
}

func TestSoftmaxOfOneRowOrMany(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(32, 32))
		for columns := 1; columns < 70; columns++ {
			for _, rows := range []int{0, 1, 3, 4, 5, 9} {
				x := make([]float32, rows*columns)
				for j := range x {
					x[j] = float32(10 * r.NormFloat64())
				}
				sameRows(t, set, x, columns)
				sameRows(t, set, anyFloats(r, rows*columns), columns)
			}
		}
	})
}

// TestSoftmaxKeepsItsBound compares with float64, which is exact by comparison. The factor
// covers products of two errors.
func TestSoftmaxKeepsItsBound(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 33))
	for _, columns := range []int{1, 2, 3, 10, 16, 17, 100, 1000} {
		for _, scale := range []float64{0.01, 1, 30} {
			x, got := make([]float32, 5*columns), make([]float32, 5*columns)
			for j := range x {
				x[j] = float32(scale * r.NormFloat64())
			}
			Softmax(got, x, columns)
			for i := 0; i < len(x); i += columns {
				largest, sum := math.Inf(-1), 0.0
				for _, v := range x[i : i+columns] {
					largest = max(largest, float64(v))
				}
				for _, v := range x[i : i+columns] {
					sum += math.Exp(float64(v) - largest)
				}
				for j, v := range x[i : i+columns] {
					want := math.Exp(float64(v)-largest) / sum
					units := largest - float64(v) + math.Log(float64(columns)) + float64(columns)/16 + 10
					bound := 1.0001*want*0x1p-24*units + 0x1p-148
					if e := math.Abs(float64(got[i+j]) - want); !(e <= bound) {
						t.Fatalf("%d columns, entry %v below the largest: got %v, want %v within %v", columns, largest-float64(v), got[i+j], want, bound)
					}
				}
			}
		}
	}
}

func TestSoftmaxOfSpecialRows(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	zero := math.Float32frombits(signBit)
	eachSet(t, func(t *testing.T, set instructions) {
		for _, c := range []struct{ x, want []float32 }{
			{[]float32{5}, []float32{1}},
			{[]float32{0, zero}, []float32{0.5, 0.5}},
			{[]float32{1e38, -1e38, 1e38, -inf}, []float32{0.5, 0, 0.5, 0}},
			{[]float32{-inf, -inf}, []float32{nan, nan}},
			{[]float32{inf, 1, -inf}, []float32{nan, nan, nan}},
			{[]float32{2, nan, 1}, []float32{nan, nan, nan}},
			{[]float32{nan, 2, 1}, []float32{nan, nan, nan}},
		} {
			got := make([]float32, len(c.x))
			softmax(set, got, c.x, len(c.x))
			for j, v := range c.want {
				if v == v && got[j] != v || v != v && math.Float32bits(got[j]) != nanBits {
					t.Errorf("Softmax(%v): got %v, want %v", c.x, got, c.want)
				}
			}
		}
	})
}

func TestSoftmaxRefusesWrongShapes(t *testing.T) {
	x := make([]float32, 12)
	for name, call := range map[string]func(){
		"no whole rows":    func() { Softmax(x, x, 5) },
		"no columns":       func() { Softmax(x, x, 0) },
		"negative columns": func() { Softmax(x, x, -3) },
		"short dst":        func() { Softmax(x[:11:11], x, 3) },
	} {
		func() {
			defer func() {
				if recover() == nil || x[0] != 0 {
					t.Errorf("%s: want a panic and nothing written", name)
				}
			}()
			call()
		}()
	}
}
