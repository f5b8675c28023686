package account

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// TestLastIterateFormula compares with √((1-c^T)/(1+c^T)·(1+c)/(1-c))/z, the formula of Bok, Su & Altschuler
// 2024, theorem 4.1, evaluated in 200 bits: also where c is so close to 1 that float64 would lose the
// difference. The rounded vectors are of c = 0.99 at z = 10.
func TestLastIterateFormula(t *testing.T) {
	for steps, want := range map[int]float64{10: 0.316096, 100: 0.961014, 1000: 1.410613} {
		got, err := Mu(mechanism.LastIterate{NoiseMultiplier: 10, Contraction: 0.99, Steps: steps}, privacy.AddOrRemoveOne)
		if err != nil || math.Abs(got-want) > 1e-6 {
			t.Errorf("%d steps: μ is %v, %v, want %v", steps, got, err, want)
		}
	}
	for _, c := range []float64{0, 1e-9, 0.3, 0.9, 0.999999, 1 - 1.0/(1<<32), 1 - 1.0/(1<<50)} {
		for _, steps := range []int{1, 2, 7, 1000} {
			number := func(v float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(v) }
			power := number(1)
			for range steps {
				power.Mul(power, number(c))
			}
			square := new(big.Float).SetPrec(200).Quo(new(big.Float).Sub(number(1), power), new(big.Float).Add(number(1), power))
			square.Mul(square, new(big.Float).Add(number(1), number(c)))
			square.Quo(square, new(big.Float).Sub(number(1), number(c)))
			want, _ := square.Sqrt(square).Float64()
			for relation, moved := range map[privacy.Neighboring]float64{privacy.AddOrRemoveOne: 1, privacy.ReplaceOne: 2} {
				got, err := Mu(mechanism.LastIterate{NoiseMultiplier: 3, Contraction: c, Steps: steps}, relation)
				if err != nil || got < moved*want/3 || got > moved*want/3*(1+1e-9) {
					t.Errorf("c = %v, %d steps, %v: μ is %v, %v, want just above %v", c, steps, relation, got, err, moved*want/3)
				}
			}
		}
	}
}

// TestLastIterateCoversQuadratics takes recursions x ← H·x + force + noise with a diagonal H of entries
// within ±c, for which the last iterate is normal: neighbors that differ by a force of norm 1 are apart
// by Σ (1-h^T)/(1-h) of it in each direction, at deviation √((1-h^2T)/(1-h²)). Their μ, computed by the
// recursion itself, is at most the event's, and equal to it where all of the force is along h = c.
func TestLastIterateCoversQuadratics(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		c, steps, z := r.Float64(), 1+r.IntN(40), math.Exp(r.NormFloat64())
		priced, err := Mu(mechanism.LastIterate{NoiseMultiplier: z, Contraction: c, Steps: steps}, privacy.ZeroOut)
		if err != nil {
			t.Fatal(err)
		}
		force, along := make([]float64, 1+r.IntN(5)), 0.0
		for j := range force {
			force[j] = r.NormFloat64()
			along = math.Hypot(along, force[j])
		}
		exact := 0.0
		for j := range force {
			h := c * (2*r.Float64() - 1)
			if len(force) == 1 {
				h = c
			}
			apart, variance := 0.0, 0.0
			for range steps {
				apart, variance = h*apart+force[j]/along, h*h*variance+z*z
			}
			exact += apart * apart / variance
		}
		if got := math.Sqrt(exact); got > priced || len(force) == 1 && got < priced*(1-1e-9) {
			t.Errorf("c = %v, %d steps, z = %v: the exact μ is %v, priced %v", c, steps, z, got, priced)
		}
	}
}
