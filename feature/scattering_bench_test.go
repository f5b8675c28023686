package feature

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkScattering(b *testing.B) {
	for _, shape := range []string{"28,28", "32,32,3"} {
		b.Run(shape, func(b *testing.B) {
			var in int
			n := map[string]int{"28,28": 784, "32,32,3": 3072}
			in = n[shape]
			s, err := newScattering(json.RawMessage(fmt.Sprintf(`{"shape":[%s]}`, shape)), in)
			if err != nil {
				b.Fatal(err)
			}
			x, dst, w := make([]float64, in), make([]float64, s.Out()), s.NewScratch()
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range x {
				x[i] = rng.Float64()
			}
			b.ReportAllocs()
			for b.Loop() {
				s.Apply(dst, x, w)
			}
		})
	}
}
