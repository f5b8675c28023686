package linalg

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// extremeCoefficients hold the ends of the ranges that kernels split 64 bits into.
var extremeCoefficients = []int64{
	0, 1, -1, 1 << 52, -1 << 52, math.MaxInt64, -math.MaxInt64, math.MinInt64,
	1<<31 - 1, 1 << 31, -1 << 31, -1<<31 - 1, 1<<32 - 1, 1 << 32, -1 << 32, 1<<63 - 1<<31, 1<<63 - 1<<31 - 1,
}

var extremeEntries = []int16{0, 1, -1, 32767, -32767, -32768}

func anyCoefficient(r *rand.Rand) int64 {
	if r.IntN(2) == 0 {
		return extremeCoefficients[r.IntN(len(extremeCoefficients))]
	}
	return int64(r.Uint64()) >> r.IntN(64)
}

// anyRow returns n entries that begin at an arbitrary place of a longer slice.
func anyRow(r *rand.Rand, n int) []int16 {
	offset := r.IntN(33)
	x := make([]int16, offset+n)[offset:]
	for j := range x {
		if x[j] = int16(r.Uint32()); r.IntN(4) == 0 {
			x[j] = extremeEntries[r.IntN(len(extremeEntries))]
		}
	}
	return x
}

// eachSet runs a test with every set of instructions, and skips those that the
// processor or the build lacks.
func eachSet(t *testing.T, test func(t *testing.T, set instructions)) {
	for set := portable; set <= avx512; set++ {
		t.Run(set.String(), func(t *testing.T) {
			if set > available {
				t.Skipf("NOT RUN: the best set here is %v", available)
			}
			test(t, set)
		})
	}
}

// modulo returns before + Σ c[k]·x[k] modulo 2^64 by integers of any size.
func modulo(before int64, c []int64, x ...int16) int64 {
	sum := big.NewInt(before)
	for k, v := range x {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(c[k]), big.NewInt(int64(v))))
	}
	ring := new(big.Int).Lsh(big.NewInt(1), 64)
	return int64(sum.Mod(sum, ring).Uint64())
}

// TestAddScaledIsModulo2To64 multiplies every extreme coefficient with every extreme
// entry, in every place of a vector, and compares with math/big.
func TestAddScaledIsModulo2To64(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		const n = 27 // vectors of either kernel, in pairs and alone, and a rest
		for i, c := range extremeCoefficients {
			for shift := range extremeEntries {
				x, dst := make([]int16, n), make([]int64, n)
				for j := range x {
					x[j] = extremeEntries[(j+shift)%len(extremeEntries)]
					dst[j] = extremeCoefficients[(j+i)%len(extremeCoefficients)]
				}
				before := slices.Clone(dst)
				addScaled(set, dst, c, x)
				for j, v := range x {
					if want := modulo(before[j], []int64{c}, v); dst[j] != want {
						t.Fatalf("%d + %d·%d at %d: got %d, want %d", before[j], c, v, j, dst[j], want)
					}
				}
			}
		}
	})
}

// TestAddScaled4IsModulo2To64 compares sums of four with math/big.
func TestAddScaled4IsModulo2To64(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(6, 6))
		for range 300 {
			n := r.IntN(40)
			c := [4]int64{anyCoefficient(r), anyCoefficient(r), anyCoefficient(r), anyCoefficient(r)}
			x := [4][]int16{anyRow(r, n), anyRow(r, n), anyRow(r, n), anyRow(r, n)}
			dst := make([]int64, n)
			for j := range dst {
				dst[j] = anyCoefficient(r)
			}
			before := slices.Clone(dst)
			addScaled4(set, dst, c, x[0], x[1], x[2], x[3])
			for j := range dst {
				if want := modulo(before[j], c[:], x[0][j], x[1][j], x[2][j], x[3][j]); dst[j] != want {
					t.Fatalf("length %d, coefficients %d, entry %d: got %d, want %d", n, c, j, dst[j], want)
				}
			}
		}
	})
}

// sameAsPortable compares both kernels, and the exported functions, with the portable
// loops on rows of one length; dst begins at the given offset of an array whose other
// entries must stay.
func sameAsPortable(t *testing.T, set instructions, offset int, c [4]int64, x [4][]int16) {
	t.Helper()
	n := len(x[0])
	start := make([]int64, offset+n+9)
	for j := range start {
		start[j] = int64(uint64(j+1) * 0x9e3779b97f4a7c15)
	}
	one, four := slices.Clone(start), slices.Clone(start)
	addScaledPortable(one[offset:offset+n], c[0], x[0])
	addScaled4Portable(four[offset:offset+n], c, x[0], x[1], x[2], x[3])
	for _, run := range []struct {
		name string
		want []int64
		add  func(dst []int64)
	}{
		{"one row", one, func(dst []int64) { addScaled(set, dst, c[0], x[0]) }},
		{"four rows", four, func(dst []int64) { addScaled4(set, dst, c, x[0], x[1], x[2], x[3]) }},
		{"AddScaled", one, func(dst []int64) { AddScaled(dst, c[0], x[0]) }},
		{"AddScaled4", four, func(dst []int64) { AddScaled4(dst, c, x[0], x[1], x[2], x[3]) }},
	} {
		got := slices.Clone(start)
		run.add(got[offset:])
		for j := range got {
			if got[j] != run.want[j] {
				t.Fatalf("%s, length %d, offset %d, coefficients %d, entry %d: got %d, want %d", run.name, n, offset, c, j-offset, got[j], run.want[j])
			}
		}
	}
}

// TestAddScaledKernelsAreTheSame takes every length to 200 and some longer ones.
func TestAddScaledKernelsAreTheSame(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(7, 7))
		lengths := []int{784, 785, 4000, 4095}
		for n := range 201 {
			lengths = append(lengths, n, n)
		}
		for range 20 {
			lengths = append(lengths, 201+r.IntN(6000))
		}
		for _, n := range lengths {
			c := [4]int64{anyCoefficient(r), anyCoefficient(r), anyCoefficient(r), anyCoefficient(r)}
			x := [4][]int16{anyRow(r, n), anyRow(r, n), anyRow(r, n), anyRow(r, n)}
			sameAsPortable(t, set, r.IntN(9), c, x)
		}
	})
}

// TestAddScaledRefusesShortArguments holds that no kernel starts on slices that are too
// short for it: the call panics and dst is as it was.
func TestAddScaledRefusesShortArguments(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		long := slices.Repeat([]int16{1}, 64)
		short := long[:63:63]
		dst := make([]int64, 64)
		calls := map[string]func(){
			"short dst, one row":   func() { addScaled(set, dst[:63:63], 1, long) },
			"short dst, four rows": func() { addScaled4(set, dst[:63:63], [4]int64{1, 1, 1, 1}, long, long, long, long) },
			"short x1":             func() { addScaled4(set, dst, [4]int64{1, 1, 1, 1}, long, short, long, long) },
			"short x2":             func() { addScaled4(set, dst, [4]int64{1, 1, 1, 1}, long, long, short, long) },
			"short x3":             func() { addScaled4(set, dst, [4]int64{1, 1, 1, 1}, long, long, long, short) },
		}
		for name, call := range calls {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				call()
			}()
			if i := slices.IndexFunc(dst, func(v int64) bool { return v != 0 }); i >= 0 {
				t.Fatalf("%s: entry %d became %d before the panic", name, i, dst[i])
			}
		}
	})
}

// FuzzAddScaled compares the kernels on entries and coefficients of any bits.
func FuzzAddScaled(f *testing.F) {
	f.Add(int64(1<<52), int64(-1<<52), int64(math.MinInt64), int64(1<<31), uint8(1), make([]byte, 300))
	f.Add(int64(-1), int64(0), int64(math.MaxInt64), int64(-1<<31-1), uint8(0), []byte("\x00\x80\xff\x7f\x01\x80\xff\xff"))
	f.Fuzz(func(t *testing.T, c0, c1, c2, c3 int64, offset uint8, data []byte) {
		var x [4][]int16
		n := len(data) / 8
		for k := range x {
			x[k] = make([]int16, n)
			for j := range x[k] {
				x[k][j] = int16(binary.LittleEndian.Uint16(data[2*(k*n+j):]))
			}
		}
		for set := portable; set <= available; set++ {
			sameAsPortable(t, set, int(offset%16), [4]int64{c0, c1, c2, c3}, x)
		}
	})
}
