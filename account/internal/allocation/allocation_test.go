package allocation

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/account/internal/pair"
	"github.com/ditherml/dither/internal/special"
)

// pairsOf returns both bounds.
func pairsOf(t *testing.T, steps int, noise float64) (lower, upper Pairs) {
	t.Helper()
	lower, err := New(steps, noise, Lower)
	upper, failed := New(steps, noise, Upper)
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	return lower, upper
}

// delta is the profile of atoms at an epsilon.
func delta(t *testing.T, a pair.Atoms, epsilon float64) float64 {
	t.Helper()
	d, _, err := pair.Profile(a, epsilon)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// call is E(W + rest - strike)⁺ for W = e^X, X normal of mean -s²/2 and standard deviation s.
func call(strike, s float64) float64 {
	if strike <= 0 {
		return 1 - strike
	}
	d := -math.Log(strike)/s + s/2
	return special.NormalCDF(d) - strike*special.NormalCDF(d-s)
}

// trueDelta integrates the profile of the removal, and of the adding, of a record over the terms but one, for
// which there is a closed form. The trapezoidal rule is good to all digits for such integrands.
func trueDelta(steps int, noise, epsilon float64) (remove, add float64) {
	const reach = 9.0
	points := 6000
	if steps > 2 {
		points = 400
	}
	s, strike := 1/noise, float64(steps)*math.Exp(epsilon)
	over := func(strike float64) float64 { // E(W_1 + … + W_T - strike)⁺
		var sum func(left int, strike float64) float64
		sum = func(left int, strike float64) float64 {
			if left == 1 {
				return call(strike, s)
			}
			total := 0.0
			for i := range points {
				// The law tilted towards large W covers both tails.
				x := s/2 + 2*reach*(float64(i)/float64(points-1)-0.5)*1.2
				total += special.NormalDensity(x) * sum(left-1, strike-math.Exp(s*x-s*s/2))
			}
			return total * 2 * reach * 1.2 / float64(points-1)
		}
		return sum(steps, strike)
	}
	remove = over(strike) / float64(steps)
	// E(1-e^ε·S)⁺ = 1 - e^ε + E(e^ε·S-1)⁺.
	add = 1 - math.Exp(epsilon) + math.Exp(epsilon)*over(float64(steps)*math.Exp(-epsilon))/float64(steps)
	return remove, add
}

// TestAgainstIntegration holds both bounds of both directions against integrals over two and three terms.
func TestAgainstIntegration(t *testing.T) {
	for _, c := range []struct {
		steps            int
		noises, epsilons []float64
	}{{2, []float64{0.4, 1, 3}, []float64{0, 0.1, 0.5, 1, 2}}, {3, []float64{0.8}, []float64{0, 0.5}}} {
		for _, noise := range c.noises {
			lower, upper := pairsOf(t, c.steps, noise)
			for _, epsilon := range c.epsilons {
				remove, add := trueDelta(c.steps, noise, epsilon)
				for i, truth := range []float64{remove, add} {
					from, to := delta(t, []pair.Atoms{lower.Remove, lower.Add}[i], epsilon), delta(t, []pair.Atoms{upper.Remove, upper.Add}[i], epsilon)
					// The reference of the adding loses digits to a difference; both bounds are close to it.
					slack := 1e-11
					if from > truth+slack || to < truth-slack || to-from > 4e-3*truth+1e-9 {
						t.Errorf("%d steps, noise %v, ε %v, direction %d: bounds %v and %v, true %v", c.steps, noise, epsilon, i, from, to, truth)
					}
				}
			}
		}
	}
}

// TestAgainstSampling holds the bounds for ten steps against a mean over draws of them with the record, of which
// each differs from the truth by more than six standard errors with a probability of 2e-9.
func TestAgainstSampling(t *testing.T) {
	const steps, noise, draws = 10, 1.0, 100000
	lower, upper := pairsOf(t, steps, noise)
	random := rand.New(rand.NewPCG(1, 2))
	epsilons := []float64{0.1, 0.3, 0.6}
	sums, squares := make([]float64, 2*len(epsilons)), make([]float64, 2*len(epsilons))
	for range draws {
		with, without := 0.0, 0.0
		for k := range steps {
			x := random.NormFloat64() * noise
			without += math.Exp((2*x - 1) / (2 * noise * noise))
			if k == 0 {
				x++
			}
			with += math.Exp((2*x - 1) / (2 * noise * noise))
		}
		for i, epsilon := range epsilons {
			remove := max(0, 1-math.Exp(epsilon)*steps/with)
			add := max(0, 1-math.Exp(epsilon)*without/steps)
			sums[2*i], sums[2*i+1] = sums[2*i]+remove, sums[2*i+1]+add
			squares[2*i], squares[2*i+1] = squares[2*i]+remove*remove, squares[2*i+1]+add*add
		}
	}
	for i, epsilon := range epsilons {
		for k, bounds := range [][2]pair.Atoms{{lower.Remove, upper.Remove}, {lower.Add, upper.Add}} {
			mean := sums[2*i+k] / draws
			slack := 6 * math.Sqrt((squares[2*i+k]/draws-mean*mean)/draws)
			if from, to := delta(t, bounds[0], epsilon), delta(t, bounds[1], epsilon); from > mean+slack || to < mean-slack || mean == 0 {
				t.Errorf("ε %v, direction %d: bounds %v and %v, sampled %v ± %v", epsilon, k, from, to, mean, slack)
			}
		}
	}
}

// TestBoundsAreClose holds that bounds are in order and close to each other, and that both columns sum to 1, from few
// steps to many and from little noise to much.
func TestBoundsAreClose(t *testing.T) {
	for _, c := range []struct {
		steps int
		noise float64
	}{{2, 0.3}, {5, 1e5}, {63, 1}, {200, 0.5}} {
		lower, upper := pairsOf(t, c.steps, c.noise)
		for _, s := range []pair.Atoms{lower.Remove, lower.Add, upper.Remove, upper.Add} {
			p, q := 0.0, 0.0
			for _, v := range s {
				p, q = p+v.P, q+v.Q
			}
			if math.Abs(p-1) > 1e-10 || math.Abs(q-1) > 1e-10 {
				t.Errorf("%d steps, noise %v: atoms sum to %v and %v", c.steps, c.noise, p, q)
			}
		}
		// About the deviation of the loss.
		scale := math.Sqrt(min(4, math.Expm1(min(3, 1/(c.noise*c.noise)))/float64(c.steps)))
		for _, k := range []float64{0, 0.5, 1, 2, 4} {
			for i, bounds := range [][2]pair.Atoms{{lower.Remove, upper.Remove}, {lower.Add, upper.Add}} {
				from, to := delta(t, bounds[0], k*scale), delta(t, bounds[1], k*scale)
				if !(from <= to) || to > 1.1*from+1e-20 {
					t.Errorf("%d steps, noise %v, ε %v, direction %d: bounds %v and %v", c.steps, c.noise, k*scale, i, from, to)
				}
			}
		}
	}
}

// TestLogMoments holds the moments against sums over all choices of steps, and their bounds by atoms.
func TestLogMoments(t *testing.T) {
	for _, c := range []struct {
		steps int
		noise float64
	}{{1, 0.8}, {2, 1}, {3, 0.6}, {4, 3}} {
		const most = 6
		logs := LogMoments(c.steps, c.noise, most)
		counts := make([]int, c.steps)
		var sum func(left int) float64
		sum = func(left int) float64 {
			if left == 0 {
				growth := 0
				for _, k := range counts {
					growth += k*k - k
				}
				return math.Exp(float64(growth) / (2 * c.noise * c.noise))
			}
			total := 0.0
			for i := range counts {
				counts[i]++
				total += sum(left-1) / float64(c.steps)
				counts[i]--
			}
			return total
		}
		for order := 2; order <= most; order++ {
			if want := math.Log(sum(order)); logs[order] < want || logs[order] > want*(1+1e-9)+1e-10 {
				t.Errorf("%d steps, noise %v, order %d: got %v, want %v", c.steps, c.noise, order, logs[order], want)
			}
		}
	}
	lower, upper := pairsOf(t, 100, 1)
	for order, log := range LogMoments(100, 1, 12) {
		var least, most float64
		for _, v := range lower.Remove {
			least += v.Q * math.Pow(v.P/v.Q, float64(order))
		}
		for _, v := range upper.Remove {
			if v.Q > 0 {
				most += v.Q * math.Pow(v.P/v.Q, float64(order))
			}
		}
		if least > math.Exp(log)*(1+1e-6) || most < math.Exp(log)*(1-1e-6) {
			t.Errorf("order %d: moment %v, of the laws %v and %v", order, math.Exp(log), least, most)
		}
	}
}

// TestRoundingIsCounted holds that an upper law keeps its mean and has every profile larger by the share given, a lower
// one smaller, and that an upper pair knows of losses beyond all its nodes.
func TestRoundingIsCounted(t *testing.T) {
	const share = 1e-3
	exact := law{count: 3, d: []float64{-2, -0.5, 0.25, 4}, q: []float64{0.1, 0.4, 0.4, 0.075}}
	exact.q[0] = (0.4*-0.5 + 0.4*0.25 + 0.075*4) / 2
	profile := func(ratios []float64, a float64) float64 {
		sum := 0.0
		for i, v := range ratios {
			sum += exact.q[i] * max(0, v-a)
		}
		return sum
	}
	for _, kind := range []Kind{Upper, Lower} {
		signed := share
		if kind == Lower {
			signed = -share
		}
		exact.kind = kind
		moved := widened(exact, share, 1e-4)
		plain := make([]float64, len(moved))
		mean, total := 0.0, 0.0
		for i, d := range exact.d {
			plain[i] = 1 + d/exact.count
			mean, total = mean+exact.q[i]*moved[i], total+exact.q[i]
		}
		if math.Abs(mean-1) > 1e-12 || math.Abs(total-1) > 1e-12 {
			t.Errorf("kind %d: mean %v, total %v", kind, mean, total)
		}
		for _, a := range []float64{1, 1.05, 1.5, 2} {
			if got, want := profile(moved, a), profile(plain, a)*(1+signed); (got < want) == (kind == Upper) {
				t.Errorf("kind %d at %v: got %v, want %v", kind, a, got, want)
			}
		}
	}
	_, upper := pairsOf(t, 5, 1)
	if d := delta(t, upper.Remove, 600); !(d > 0 && d < 1e-40) {
		t.Errorf("at ε 600 δ is %v, want a little", d)
	}
}
