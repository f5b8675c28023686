package contour

import (
	"math"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
)

// laplaceDelta is δ of n releases with Laplace noise of scale 1/pure, by convolution. The
// loss of one is pure with probability 1/2, -pure with e^{-pure}/2, and has the density
// e^{(l-pure)/2}/4 between. Given how many fell where, the sum of the k losses between has
// the density of k uniform draws, which is a B-spline, times e^{(sum-k·pure)/2}.
func laplaceDelta(pure float64, n int, epsilon float64) float64 {
	sum := 0.0
	for up := 0; up <= n; up++ {
		for down := 0; up+down <= n; down++ {
			k := n - up - down
			ways := math.Exp(logFactorial(n) - logFactorial(up) - logFactorial(down) - logFactorial(k))
			weight := ways * math.Pow(0.5, float64(up)) * math.Pow(0.5*math.Exp(-pure), float64(down))
			sum += weight * between0(pure, k, epsilon-float64(up-down)*pure)
		}
	}
	return sum
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n + 1))
	return v
}

// between0 integrates max(0, 1-e^{ε-s}) over the sum s of k losses between the atoms.
func between0(pure float64, k int, epsilon float64) float64 {
	if k == 0 {
		return math.Max(0, -math.Expm1(epsilon))
	}
	// s = pure·(2v - k) for a sum v of k uniform draws on [0, 1].
	from := (epsilon/pure + float64(k)) / 2
	total := 0.0
	for cell := range k {
		a, b := math.Max(float64(cell), from), float64(cell+1)
		if a >= b {
			continue
		}
		panels(a, b, 1, func(v, logWeight float64) {
			s := pure * (2*v - float64(k))
			total += math.Exp(logWeight+(s-float64(k)*pure)/2) * spline(k, v) * -math.Expm1(epsilon-s)
		})
	}
	return total * math.Pow(pure/2, float64(k))
}

// spline returns the density at v of the sum of k uniform draws, by the recursion of
// B-splines (de Boor, "A Practical Guide to Splines", 1978, chapter X).
func spline(k int, v float64) float64 {
	row := make([]float64, k+1)
	for j := range row {
		if w := v - float64(j); w >= 0 && w < 1 {
			row[j] = 1
		}
	}
	for order := 2; order <= k; order++ {
		for j := 0; j+order <= k; j++ {
			w := v - float64(j)
			row[j] = (w*row[j] + (float64(order)-w)*row[j+1]) / float64(order-1)
		}
	}
	return row[0]
}

func TestLaplaceAgreesWithConvolution(t *testing.T) {
	for _, c := range []struct {
		pure     float64
		n        int
		epsilons []float64
	}{{1, 30, []float64{2, 17.5, 18}}, {0.5, 60, []float64{5}}, {2, 60, []float64{90}}, {3, 30, []float64{60}}} {
		if !thorough && c.pure > 1 {
			continue
		}
		i := compose(t, pair.Shift(pair.Laplace, 1/c.pure), float64(c.n))
		for _, epsilon := range c.epsilons {
			got, err := i.Delta(epsilon)
			want := laplaceDelta(c.pure, c.n, epsilon)
			if err != nil || !near(got, want, 1e-9) {
				t.Errorf("%+v ε = %v: got δ = %v, %v, want %v", c, epsilon, got, err, want)
			}
		}
	}
}

// TestLaplaceMoment compares with the closed form
// M(t) = [(t+1)·e^{t·pure} + t·e^{-(t+1)·pure}]/(2t+1).
func TestLaplaceMoment(t *testing.T) {
	for _, pure := range []float64{0.05, 1, 6, 60} {
		i := compose(t, pair.Shift(pair.Laplace, 1/pure), 1)
		for _, order := range []float64{0.5, 1, 3, 20} {
			want := math.Log(((order+1)*math.Exp(order*pure) + order*math.Exp(-(order+1)*pure)) / (2*order + 1))
			if got := i.LogMoment(order); math.Abs(got-want) > 1e-13*math.Max(1, want) {
				t.Errorf("ε = %v, t = %v: got %v, want %v", pure, order, got, want)
			}
		}
	}
}
