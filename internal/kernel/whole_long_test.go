package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// longNumbers returns numbers of at most so many bits and a sign, often those at the ends of the range.
func longNumbers(r *rand.Rand, n, bits int) []int64 {
	x := make([]int64, n)
	for j := range x {
		x[j] = int64(r.Uint64()) >> (63 - bits)
		if r.IntN(4) == 0 {
			x[j] = []int64{1<<bits - 1, -1 << bits}[r.IntN(2)]
		}
	}
	return x
}

// TestSquareLong compares with integers of any length: numbers on both sides of where the kernels end, one
// large number among small ones, and blocks.
func TestSquareLong(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 1))
	for n := range 65 {
		if n >= 50 {
			n = 2*longBlock + n - 55
		}
		for _, size := range []int{0, 20, 31, 32, 47, 60} {
			x := longNumbers(r, n, size)
			if n > 0 && r.IntN(2) == 0 {
				x[r.IntN(n)] = []int64{1 << 31, 1<<31 + 5, -1<<31 - 1, math.MinInt64, 1 << 62}[r.IntN(5)]
			}
			checkSquareLong(t, x)
		}
	}
}

func checkSquareLong(t *testing.T, x []int64) {
	t.Helper()
	want := new(big.Int)
	for _, v := range x {
		want.Add(want, new(big.Int).Mul(big.NewInt(v), big.NewInt(v)))
	}
	want.And(want, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
	eachSet(t, func(t *testing.T, set instructions) {
		high, low := squareLong(set, x)
		got := new(big.Int).SetUint64(high)
		got.Add(got.Lsh(got, 64), new(big.Int).SetUint64(low))
		if got.Cmp(want) != 0 {
			t.Fatalf("%d numbers, the first %d: got %v, want %v", len(x), x[:min(len(x), 3)], got, want)
		}
	})
}

// TestSquareLongCarries takes numbers of which the upper halves of the squares add up to 2^32-1 and the lower ones to
// more than 2^32, so that their sum passes 64 bits by the last carry.
func TestSquareLongCarries(t *testing.T) {
	x := []int64{65535, 65535, 0, 0, 0, 0, 0}
	for _, k := range []int64{32767, 32767, 32767, 32767, 511, 31, 7, 2, 2} {
		x = append(x, k<<16)
	}
	checkSquareLong(t, x)
}

// TestAddLong compares with a plain loop at every length to 40, beyond which dst stays.
func TestAddLong(t *testing.T) {
	r := rand.New(rand.NewPCG(38, 2))
	for n := range 40 {
		src, before := longNumbers(r, n, 63), longNumbers(r, n+3, 63)
		want := slices.Clone(before)
		for j, v := range src {
			want[j] += v
		}
		eachSet(t, func(t *testing.T, set instructions) {
			got := slices.Clone(before)
			if addLong(set, got, src); !slices.Equal(got, want) {
				t.Fatalf("%d numbers: got %v, want %v", n, got, want)
			}
		})
	}
	defer func() {
		if recover() == nil {
			t.Error("a shorter dst with room: no panic")
		}
	}()
	AddLong(make([]int64, 3, 9), make([]int64, 4))
}

func BenchmarkLong(b *testing.B) {
	x, dst := longNumbers(rand.New(rand.NewPCG(38, 3)), 256*32, 23), make([]int64, 256*32)
	for set := portable; set <= available; set++ {
		b.Run(fmt.Sprintf("add/%v", set), func(b *testing.B) {
			b.SetBytes(8 * int64(len(x)))
			for b.Loop() {
				addLong(set, dst, x)
			}
		})
		b.Run(fmt.Sprintf("square/%v", set), func(b *testing.B) {
			b.SetBytes(8 * int64(len(x)))
			for b.Loop() {
				squareLong(set, x)
			}
		})
	}
}
