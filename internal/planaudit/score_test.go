package planaudit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/option"
)

// TestScoresAreLikelihoodRatios compares scores with sums over all ways in which a record may take
// part.
func TestScoresAreLikelihoodRatios(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		steps := make([]float64, 6)
		for i := range steps {
			steps[i] = 3 * random.NormFloat64()
		}
		all := 0.0
		for _, v := range steps {
			all += v
		}
		poisson := 0.0
		for in := range 1 << len(steps) {
			term := 1.0
			for i, v := range steps {
				if in>>i&1 == 1 {
					term *= 0.3 * math.Exp(v)
				} else {
					term *= 0.7
				}
			}
			poisson += term
		}
		turns := (math.Exp(steps[0]+steps[2]+steps[4]) + math.Exp(steps[1]+steps[3]+steps[5])) / 2
		shuffled := 1.0
		for i := 0; i < len(steps); i += 2 {
			shuffled *= (math.Exp(steps[i]) + math.Exp(steps[i+1])) / 2
		}
		for _, c := range []struct {
			of   sampling
			want float64
		}{
			{sampling{option.SamplingFull, 1, 0}, all},
			{sampling{option.SamplingPoisson, 0.3, 0}, math.Log(poisson)},
			{sampling{option.SamplingPartition, 1, 2}, math.Log(turns)},
			{sampling{option.SamplingShuffle, 1, 2}, math.Log(shuffled)},
		} {
			if got := c.of.score(steps); !(math.Abs(got-c.want) <= 1e-9*(1+math.Abs(c.want))) {
				t.Errorf("%+v of %v: got %v, want %v", c.of, steps, got, c.want)
			}
		}
	}
	for _, q := range []float64{1e-9, 0.3, 1} {
		for _, v := range []float64{-1e6, -40, 29.999, 30.001, 1e6} {
			want := math.Log(q) + v
			if v < 100 {
				want = math.Log(1 - q + q*math.Exp(v))
			}
			if v < -30 && q == 1 {
				want = v
			}
			if got := mixture(q, v); !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
				t.Errorf("mixture(%v, %v) is %v, want %v", q, v, got, want)
			}
		}
	}
}

// TestDetectorsTakeOthersForNoise compares the ratios of a detector with the solution of the whole
// system for one canary, whose own part in the noise is left out.
func TestDetectorsTakeOthersForNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const n, numbers, present = 4, 12, 0.3
	g := &directions{}
	for range n {
		v := make([]float32, numbers)
		for j := range v {
			v[j] = float32(random.NormFloat64())
		}
		g.all = append(g.all, v)
	}
	g.products()
	sum := make([]float32, numbers)
	for j := range sum {
		sum[j] = float32(random.NormFloat64())
	}
	row := make([]float64, n)
	for i := range row {
		row[i] = dot(g.all[i], sum)
	}
	d, ok := newDetector(g.gram, present)
	if !ok {
		t.Fatal("no detector")
	}
	for i, got := range d.ratios(row) {
		if want := ratioAlone(g.all, sum, i, present); !(math.Abs(got-want) <= 1e-3*(1+math.Abs(want))) {
			t.Errorf("direction %d: got %v, want %v", i, got, want)
		}
	}
}

// ratioAlone is the log likelihood ratio of direction i in a sum with noise of deviation 1, where the
// other directions are normal noise with their means. It inverts the covariance by elimination.
func ratioAlone(all [][]float32, sum []float32, i int, present float64) float64 {
	d := len(sum)
	a := make([][]float64, d) // the covariance, then the sum less the means, then the direction
	for j := range a {
		a[j] = make([]float64, d+2)
		a[j][j] = 1
		a[j][d], a[j][d+1] = float64(sum[j]), float64(all[i][j])
		for k, other := range all {
			if k == i {
				continue
			}
			a[j][d] -= present * float64(other[j])
			for l := range d {
				a[j][l] += present * (1 - present) * float64(other[j]) * float64(other[l])
			}
		}
	}
	for j := range d {
		for k := range d {
			if k == j {
				continue
			}
			factor := a[k][j] / a[j][j]
			for l := j; l < d+2; l++ {
				a[k][l] -= factor * a[j][l]
			}
		}
	}
	dots, square := 0.0, 0.0
	for j := range d {
		dots += float64(all[i][j]) * a[j][d] / a[j][j]
		square += float64(all[i][j]) * a[j][d+1] / a[j][j]
	}
	return dots - square/2
}
