package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// singlesToRound returns numbers of all sizes: bits at random, what is near half an integer after scaling, ends of
// the range; with broken, infinite ones and NaN of any bits among them.
func singlesToRound(r *rand.Rand, n int, scale float32, broken bool) []float32 {
	x := make([]float32, n)
	for j := range x {
		switch r.IntN(4) {
		case 0:
			x[j] = math.Float32frombits(r.Uint32())
		case 1:
			x[j] = (float32(r.IntN(70000)-35000) + 0.5) / scale
		case 2:
			x[j] = float32(r.NormFloat64()) * 1000 / scale
		default:
			x[j] = []float32{0, float32(math.Copysign(0, -1)), math.MaxFloat32, -math.MaxFloat32, 1, 0x1p-149}[r.IntN(6)]
		}
		if !singleIsFinite(x[j]) && !broken {
			x[j] = 3
		}
	}
	if broken && n > 0 {
		x[r.IntN(n)] = []float32{float32(math.Inf(1)), float32(math.Inf(-1)), math.Float32frombits(0xff800001), math.Float32frombits(0x7fffffff)}[r.IntN(4)]
	}
	return x
}

func singleIsFinite(x float32) bool { return !math.IsNaN(float64(x)) && !math.IsInf(float64(x), 0) }

// roundedWhole is an entry of RoundInt in float64, where nothing below is rounded but the product.
func roundedWhole(x, scale float32, limit int16, nearest bool) int16 {
	p := float64(float32(x * scale))
	if math.IsNaN(p) {
		return 0
	}
	whole := math.Trunc
	if nearest {
		whole = math.RoundToEven
	}
	return int16(whole(math.Max(-float64(limit), math.Min(float64(limit), p))))
}

// TestRoundInt compares with roundings in float64, at every length to 100, with and without entries that are
// infinite or not numbers.
func TestRoundInt(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 1))
	for n := range 300 {
		n %= 100
		scale := []float32{1, 0.5, 3.7, 255, 1e-30, 1e30, -2, 0, float32(math.Inf(1)), float32(math.NaN())}[r.IntN(10)]
		limit := []int16{0, 1, 255, 32767}[r.IntN(4)]
		broken, nearest := r.IntN(2) == 0, r.IntN(2) == 0
		src := singlesToRound(r, n, 2.5, broken)
		eachSet(t, func(t *testing.T, set instructions) {
			dst := make([]int16, n+3)
			dst[n], dst[n+1], dst[n+2] = 77, 77, 77
			finite := roundWhole(set, dst, src, scale, limit, nearest)
			for j, x := range src {
				if want := roundedWhole(x, scale, limit, nearest); dst[j] != want {
					t.Fatalf("%d entries: %g·%g with limit %d, nearest %v, is %d, want %d", n, x, scale, limit, nearest, dst[j], want)
				}
			}
			if want := (!broken || n == 0) && singleIsFinite(scale); finite != want || dst[n] != 77 || dst[n+1] != 77 || dst[n+2] != 77 {
				t.Fatalf("%d entries, scale %g: finite is %v, want %v; behind them %v, want 77s", n, scale, finite, want, dst[n:])
			}
		})
	}
}

// TestRoundIntOfTies holds that halves go to the even number, or toward zero, and that the limit is reached and
// not passed.
func TestRoundIntOfTies(t *testing.T) {
	src := []float32{0.5, 1.5, 2.5, -0.5, -1.5, 6.5, 7.4, 1e9, -1e9, 0.49999997}
	for nearest, want := range map[bool][]int16{true: {0, 2, 2, 0, -2, 6, 7, 7, -7, 0}, false: {0, 1, 2, 0, -1, 6, 7, 7, -7, 0}} {
		eachSet(t, func(t *testing.T, set instructions) {
			dst := make([]int16, len(src))
			if finite := roundWhole(set, dst, src, 1, 7, nearest); !finite || !slices.Equal(dst, want) {
				t.Errorf("%v, nearest %v: got %v and finite %v, want %v and true", src, nearest, dst, finite, want)
			}
		})
	}
	dst := make([]int16, len(src))
	if finite := TruncateInt(dst, src, 1, 7); !finite || dst[1] != 1 {
		t.Errorf("TruncateWhole: %v and finite %v, want 1.5 to become 1", dst, finite)
	}
	if finite := RoundInt(dst, src, 1, 7); !finite || dst[1] != 2 {
		t.Errorf("RoundWhole: %v and finite %v, want 1.5 to become 2", dst, finite)
	}
}

// TestRoundIntRefuses holds that a short dst, even one with room, and a negative limit panic.
func TestRoundIntRefuses(t *testing.T) {
	for name, call := range map[string]func(dst []int16){
		"short": func(dst []int16) { RoundInt(dst[:3], []float32{1, 1, 1, 1}, 1, 5) },
		"limit": func(dst []int16) { RoundInt(dst, []float32{1, 1, 1, 1}, 1, -1) },
	} {
		dst := make([]int16, 4)
		func() {
			defer func() {
				if recover() == nil || dst[0] != 0 {
					t.Errorf("%s: want a panic and nothing written", name)
				}
			}()
			call(dst)
		}()
	}
}

// TestLargest compares with a plain loop at every length to 100.
func TestLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 2))
	for n := range 300 {
		n %= 100
		x := singlesToRound(r, n, 1, r.IntN(2) == 0)
		want := 0.0
		for _, v := range x {
			want = math.Max(want, math.Abs(float64(v)))
		}
		for _, v := range x {
			if v != v { // math.Max prefers infinity
				want = math.NaN()
			}
		}
		eachSet(t, func(t *testing.T, set instructions) {
			got := largest(set, x)
			if same := float64(got) == want || math.IsNaN(want) && math.Float32bits(got) == nanBits; !same {
				t.Fatalf("%d entries: got %v, want %v", n, got, want)
			}
		})
	}
}

func BenchmarkRoundInt(b *testing.B) {
	const n = 1000
	src, dst := make([]float32, n), make([]int16, n)
	r := rand.New(rand.NewPCG(36, 36))
	for j := range src {
		src[j] = float32(r.NormFloat64())
	}
	for set := portable; set <= available; set++ {
		b.Run(fmt.Sprintf("round/%v", set), func(b *testing.B) {
			b.SetBytes(4 * n)
			for b.Loop() {
				roundWhole(set, dst, src, 1000, 32767, true)
			}
		})
		b.Run(fmt.Sprintf("largest/%v", set), func(b *testing.B) {
			b.SetBytes(4 * n)
			for b.Loop() {
				largest(set, src)
			}
		})
	}
}
