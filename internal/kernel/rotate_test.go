package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestRotateRows compares every set of instructions with products of plane rotations by matrices, written out. Numbers of
// magnitude below 10 and 20 rotations of norm 1 leave rounding far below the tolerance. Rows behind the last stay.
func TestRotateRows(t *testing.T) {
	eachSet(t, func(t *testing.T, set instructions) {
		r := rand.New(rand.NewPCG(8, 8))
		for n := range 21 {
			z := make([]float64, (n+2)*RotatedColumns)
			for j := range z {
				z[j] = r.NormFloat64()
			}
			want, rotations := append([]float64(nil), z...), make([]Rotation, n)
			for k := range rotations {
				s, c := math.Sincos(7 * r.Float64())
				rotations[k] = Rotation{c, s}
				for j := range RotatedColumns {
					u, v := want[k*RotatedColumns+j], want[(k+1)*RotatedColumns+j]
					want[k*RotatedColumns+j], want[(k+1)*RotatedColumns+j] = c*u-s*v, s*u+c*v
				}
			}
			rotateRows(set, z, rotations)
			for j, v := range want {
				if !(math.Abs(z[j]-v) <= 1e-13) || j >= (n+1)*RotatedColumns && z[j] != v {
					t.Fatalf("%d rotations: number %d is %v, want %v", n, j, z[j], v)
				}
			}
		}
	})
	defer func() {
		if recover() == nil {
			t.Error("too few rows did not panic")
		}
	}()
	RotateRows(make([]float64, 2*RotatedColumns), make([]Rotation, 2))
}
