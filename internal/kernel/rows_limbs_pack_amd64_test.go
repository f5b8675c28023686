//go:build amd64 && !noasm

package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFactorsOfOneColumnArePacked compares the kernels that pack the factors of one column with portable code, at the
// largest factors of each number of limbs too.
func TestFactorsOfOneColumnArePacked(t *testing.T) {
	if available < avx512 {
		t.Skip("NOT RUN: there is no AVX-512 here")
	}
	r := rand.New(rand.NewPCG(81, 1))
	factors := func(n int, largest int64) []float64 {
		q := make([]float64, n)
		for i := range q {
			if q[i] = float64(r.Int64N(2*largest+1) - largest); r.IntN(4) == 0 {
				q[i] = float64(largest * int64(2*r.IntN(2)-1))
			}
		}
		return q
	}
	for range 50 {
		for _, n := range []int{16, 32, 112} {
			for _, largest := range []int64{twoLimbs, threeLimbs, fourLimbs, 5} {
				q := factors(n, largest)
				got, want := make([]uint32, n), make([]uint32, n)
				packOneByteAVX512(&got[0], &q[0], n)
				if packLimbs(want, q, n/4, 1, 1); !slices.Equal(got, want) {
					t.Fatalf("%d factors of bytes up to %d: got %x, want %x", n, largest, got, want)
				}
			}
			for limbs, largest := range []int64{0, oneShortLimb, twoShortLimbs, threeShortLimbs} {
				if limbs == 0 {
					continue
				}
				q := factors(n, largest)
				got, want := make([]uint32, 2*n), make([]uint32, 2*n)
				packOneShortAVX512(&got[0], &q[0], n)
				packShortLimbs(want, q, n/2, factorSteps{row: 1}, 1, limbs, shortLimbBits)
				for i := range want {
					if i%4 < limbs && got[i] != want[i] {
						t.Fatalf("%d factors of 16 bits up to %d, word %d: got %x, want %x", n, largest, i, got[i], want[i])
					}
				}
			}
		}
	}
}

// TestPackShortColumns compares the vector kernel with portable code, at both widths of limbs, for every rest of groups.
func TestPackShortColumns(t *testing.T) {
	if available < avx512VNNI {
		t.Skip("NOT RUN: the processor has no limbs")
	}
	r := rand.New(rand.NewPCG(77, 1))
	for bits, largest := range map[int]int64{fineLimbBits: twoFineLimbs, shortLimbBits: twoShortLimbs} {
		for groups := 1; groups <= 40; groups++ {
			rows, columns := 2*groups+r.IntN(5), 1+r.IntN(limbColumns)
			q := make([]float64, rows*columns)
			for i := range q {
				if q[i] = float64(r.Int64N(2*largest+1) - largest); r.IntN(8) == 0 {
					q[i] = float64(largest * int64(1-2*r.IntN(2)))
				}
			}
			f := columnFactors{q: q, rows: rows, columns: columns, limbs: 2, bits: bits}
			got, want := make([]uint32, 4*groups*columns), make([]uint32, 4*groups*columns)
			f.packShorts(got, q, groups, columns)
			if packShortLimbs(want, q, groups, factorSteps{row: 1, column: rows}, columns, 2, bits); !slices.Equal(got, want) {
				t.Fatalf("%d groups, %d columns, limbs of %d bits: got %x, want %x", groups, columns, bits, got, want)
			}
		}
	}
}
