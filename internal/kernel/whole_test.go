package kernel

import (
	"math/rand/v2"
	"testing"
)

// TestDotInt compares sums of products and squares with plain loops at every level, at every length to 100 and
// longer ones, with entries at the ends of their range and in any place of a slice.
func TestDotInt(t *testing.T) { eachSet(t, testDotWhole) }

func testDotWhole(t *testing.T, set instructions) {
	r := rand.New(rand.NewPCG(17, 1))
	for n := range 140 {
		if n > 100 {
			n = 97*n - 9000
		}
		offset := r.IntN(17)
		short, bytes, m := make([]int16, offset+n)[offset:], make([]uint8, offset+n)[offset:], make([]int16, n+3)
		for j := range n {
			short[j], bytes[j], m[j] = anyEntry16(r), uint8(r.Uint32()), anyEntry16(r)
			if r.IntN(4) == 0 {
				bytes[j] = 255
			}
		}
		checkWhole(t, set, short, m)
		checkWhole(t, set, bytes, m)
	}
}

// anyEntry16 is a number from -32767 to 32767, often at an end.
func anyEntry16(r *rand.Rand) int16 {
	if r.IntN(3) == 0 {
		return []int16{32767, -32767, 0}[r.IntN(3)]
	}
	return int16(r.IntN(65535) - 32767)
}

func checkWhole[T IntEntry](t *testing.T, set instructions, x []T, m []int16) {
	t.Helper()
	var dot, square int64
	for j, v := range x {
		dot += int64(v) * int64(m[j])
		square += int64(v) * int64(v)
	}
	if got := dotWhole(set, x, m); got != dot {
		t.Fatalf("%d entries: product %d, want %d", len(x), got, dot)
	}
	if got := squareWhole(set, x); got != square {
		t.Fatalf("%d entries: squares %d, want %d", len(x), got, square)
	}
}

func TestDotIntRefusesShortArguments(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a short argument: no panic")
		}
	}()
	DotInt(make([]int16, 17), make([]int16, 16))
}

func BenchmarkDotInt(b *testing.B) {
	x, y, m := make([]int16, 784), make([]uint8, 784), make([]int16, 784)
	for name, run := range map[string]func() int64{
		"dot/int16": func() int64 { return DotInt(x, m) }, "dot/uint8": func() int64 { return DotInt(y, m) },
		"square/int16": func() int64 { return SquareInt(x) }, "square/uint8": func() int64 { return SquareInt(y) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
		})
	}
}
