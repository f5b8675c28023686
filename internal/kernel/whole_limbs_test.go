package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCommonUnit(t *testing.T) {
	bytes, signed := make([]float64, 300), make([]float64, 50)
	for i := range bytes {
		bytes[i] = float64(i%256) * (1.0 / 255)
	}
	for i := range signed {
		signed[i] = float64(i*i-100*i) * 0.0371
	}
	for name, c := range map[string]struct {
		x         []float64
		most      int
		tolerance float64
		want      float64
	}{
		"bytes":               {bytes, 4095, 1e-12, 1.0 / 255},
		"too few multiples":   {bytes, 254, 1e-12, 0},
		"of both signs":       {signed, 3000, 1e-12, 0.0371},
		"indicators":          {[]float64{0, 1, 1, 0}, 10, 0, 1},
		"one number":          {[]float64{-3.7}, 1, 1e-15, 3.7},
		"multiples of two":    {[]float64{0, 4, 6, -10}, 100, 0, 2},
		"no common one":       {[]float64{1, math.Sqrt2}, 32767, 1e-13, 0},
		"nearly":              {[]float64{1, 0.5 + 1e-4}, 10, 2e-4, 0.5},
		"not near enough":     {[]float64{1, 0.5 + 1e-4}, 10, 5e-5, 0},
		"zeros":               {make([]float64, 5), 10, 0, 1},
		"nothing":             {nil, 10, 0, 1},
		"NaN":                 {[]float64{1, math.NaN()}, 10, 1, 0},
		"infinite":            {[]float64{1, math.Inf(-1)}, 10, 1, 0},
		"no normal number":    {[]float64{5e-324, 1e-323}, 10, 0, 0},
		"last is no multiple": {append(slices.Clone(bytes), 0.1234), 4095, 1e-9, 0},
	} {
		got := CommonUnit(c.x, c.most, c.tolerance)
		if math.Abs(got-c.want) > 1e-14*c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// TestWhole rounds multiples and what is too far from them or too large.
func TestWhole(t *testing.T) {
	dst := make([]int16, 4)
	if !ToInt(dst, []float64{0, -2.5, 5.0001, 32767 * 2.5}, 2.5, 1e-3) || !slices.Equal(dst, []int16{0, -1, 2, 32767}) {
		t.Errorf("got %v, want 0, -1, 2 and 32767", dst)
	}
	for name, v := range map[string]float64{"far": 2.51, "large": 32768 * 2.5, "NaN": math.NaN(), "infinite": math.Inf(1)} {
		if ToInt(dst, []float64{v}, 2.5, 1e-3) {
			t.Errorf("%s: got true, want false", name)
		}
	}
}

// TestSplitInt puts limbs together again.
func TestSplitInt(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	const unit = 0x1p-26 * 3
	x := []float64{0, 3, -3, unit * LimbUnit / 2, -unit * LimbUnit / 2}
	for range 10000 {
		x = append(x, (2*r.Float64()-1)*3)
	}
	high, low := make([]int16, len(x)), make([]int16, len(x))
	if !SplitInt(high, low, x, unit) {
		t.Fatal("numbers of at most 2^26 units do not fit, want that they do")
	}
	for j, v := range x {
		got := float64(int(high[j])*LimbUnit+int(low[j])) * unit
		if math.Abs(got-v) > unit/2*(1+1e-9) || max(high[j], -high[j]) > LimbUnit || max(low[j], -low[j]) > LimbUnit/2 {
			t.Fatalf("got %d·%d + %d units for %v, want half a unit away at most", high[j], LimbUnit, low[j], v)
		}
	}
	for _, v := range []float64{3.0001, math.NaN(), math.Inf(-1)} {
		if SplitInt(high, low, []float64{v}, unit) {
			t.Errorf("%v in units of %v: got true, want false", v, unit)
		}
	}
}

// TestProductGroup makes columns that are as long, or as flat, as an extent allows: no sum over a group may pass 32 bits,
// and twice the group would be within a factor of 4 of doing so, or is more than pays.
func TestProductGroup(t *testing.T) {
	const rows = 300
	for _, entries := range [][2]int16{{255, 32767}, {32767, 32767}, {8192, 8192}, {1, 1}, {-32768, 32767}, {4095, 8192}} {
		for _, filled := range []int{1, 2, 20, rows} {
			a, b := make([]int16, rows), make([]int16, rows)
			for i := range filled {
				a[i], b[i] = entries[0], entries[1]
			}
			group, product := ProductGroup(ExtentOf(a), ExtentOf(b)), math.Abs(float64(entries[0])*float64(entries[1]))
			sum := product * float64(min(group, filled))
			if sum > math.MaxInt32 && group > 1 {
				t.Errorf("%v, %d entries: a group of %d has a sum of %v, want 32 bits", entries, filled, group, sum)
			}
			if group < wholeGroup && product*float64(min(2*group, filled)) <= math.MaxInt32/4 {
				t.Errorf("%v, %d entries: the group is %d, want a larger one", entries, filled, group)
			}
		}
	}
	short := IntExtent{3, 18}.With(IntExtent{5, 2})
	if short != (IntExtent{5, 18}) {
		t.Errorf("got %v, want the larger of both", short)
	}
}

// ExampleSplitInt writes a number in two limbs.
func ExampleSplitInt() {
	high, low := make([]int16, 1), make([]int16, 1)
	fmt.Println(SplitInt(high, low, []float64{100000}, 1), high, low, int(high[0])*LimbUnit+int(low[0]))
	// Output: true [12] [1696] 100000
}
