package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMeasureUnits compares with the definition in big numbers: norms of all sizes, rows of zeros, too long ones, intercepts
// that are too large.
func TestMeasureUnits(t *testing.T) {
	r := rand.New(rand.NewPCG(77, 1))
	var counted, refused, empty int
	for range 200 {
		for _, n := range recordLengths {
			bits := uint(r.IntN(20))
			u := UnitRows{Bits: bits, Most: math.Ldexp(1, 58-2*int(bits)), Intercept: math.Ldexp(r.Float64(), r.IntN(8)-2), Rest: r.Float64()}
			n2 := make([]int64, n)
			for i := range n2 {
				if n2[i] = r.Int64() >> r.IntN(63); r.IntN(5) == 0 {
					n2[i] = []int64{0, 1, int64(u.Most), int64(u.Most) + 1024, math.MaxInt64}[r.IntN(5)]
				}
			}
			got, multipliers, tails := slices.Clone(n2), make([]float32, n), make([]int32, n)
			MeasureUnits(got, multipliers, tails, u)
			for i, was := range n2 {
				norm := math.Ldexp(math.Sqrt(float64(was)), int(bits))
				tail := math.RoundToEven(u.Intercept * norm)
				want := new(big.Int).Lsh(big.NewInt(was), 2*bits)
				switch {
				case float64(was) > u.Most || tail > 1<<30:
					want, tail = big.NewInt(0), 0
					refused++
				case was == 0:
					want, tail = big.NewInt(1), 1
					empty++
				default:
					want.Add(want, new(big.Int).Mul(big.NewInt(int64(tail)), big.NewInt(int64(tail))))
					counted++
				}
				multiplier := float32(0)
				if want.Sign() > 0 && was > 0 {
					multiplier = float32(u.Rest / norm)
				} else if want.Sign() > 0 {
					multiplier = 1
				}
				if !want.IsInt64() || got[i] != want.Int64() || tails[i] != int32(tail) || multipliers[i] != multiplier {
					t.Fatalf("squared norm %d seen by %+v: got %d, %v and %d, want %v, %v and %v", was, u, got[i], multipliers[i], tails[i], want, multiplier, tail)
				}
			}
		}
	}
	if counted < 10000 || refused < 10000 || empty < 1000 {
		t.Errorf("%d rows count, %d do not, %d are empty: the test does not see all", counted, refused, empty)
	}
}

// TestRecordProducts compares ScaledNorms, ToFloat64 and InterceptScores, with a center and without, with their definitions.
func TestRecordProducts(t *testing.T) {
	r := rand.New(rand.NewPCG(78, 1))
	for range 20 {
		for _, n := range recordLengths {
			n2, units, src := make([]int64, n), anySingles(r, n), anySingles(r, n)
			b := AffineTerms{Tails: make([]int32, n), Betas: make([]int32, n), Weight: r.NormFloat64(), Center: r.NormFloat64()}
			for i := range n2 {
				n2[i], b.Tails[i], b.Betas[i] = r.Int64()>>r.IntN(63), int32(r.Uint32()), int32(r.Uint32())
			}
			factor := r.NormFloat64()
			roots, wide, scores, centered := make([]float64, n), make([]float64, n), make([]float32, n), make([]float32, n)
			ScaledNorms(roots, n2, units)
			ToFloat64(wide, units, factor)
			InterceptScores(scores, src, units, factor, AffineTerms{Tails: b.Tails, Weight: b.Weight})
			InterceptScores(centered, src, units, factor, b)
			for i, unit := range units {
				u := float64(unit)
				own := u * factor
				own *= float64(src[i])
				beside, moved := float64(b.Tails[i])*b.Weight, float64(b.Betas[i])*b.Center
				without, with := u*beside, beside-moved
				with *= u
				for _, c := range []struct{ got, want float64 }{{roots[i], math.Sqrt(float64(n2[i])) * u}, {wide[i], factor * u},
					{float64(scores[i]), float64(float32(own + without))}, {float64(centered[i]), float64(float32(own + with))}} {
					if math.Float64bits(c.got) != math.Float64bits(c.want) && (c.got == c.got || c.want == c.want) {
						t.Fatalf("record %d of %d: got %v, want %v", i, n, c.got, c.want)
					}
				}
			}
			InterceptScores(src, src, units, factor, b)
			expectSame(t, fmt.Sprintf("%d records in place", n), src, centered)
		}
	}
}

// TestDotRounded compares with integers of 64 bits, which wrap.
func TestDotRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(79, 1))
	for range 20 {
		for _, n := range recordLengths {
			q, v, want := make([]float64, n), make([]int32, n), int64(0)
			for i := range q {
				q[i], v[i] = float64(r.Int64N(2<<52)-1<<52), int32(r.Uint32())
				want += int64(q[i]) * int64(v[i])
			}
			if got := DotRounded(q, v); got != want {
				t.Fatalf("%d records: got %d, want %d", n, got, want)
			}
		}
	}
}
