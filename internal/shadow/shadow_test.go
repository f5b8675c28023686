package shadow

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/internal/dense"
	"github.com/ditherml/dither/model"
)

// TestNoise: the noise of the averaged weights is that of the recursion of the steps, worked out forwards.
func TestNoise(t *testing.T) {
	s := &descent{loss: model.Squared, columns: 1, rate: 1.5, momentum: 0.9, ridge: 0.002, steps: 100, first: 60, bent: 0.7}
	for step := range s.steps {
		s.noise = append(s.noise, 0.01*(1+float64(step)/100))
	}
	for _, moment := range []float64{0, 0.001, 0.05, 0.3} {
		want := 0.0
		for from := range s.steps {
			place, velocity, sum := 0.0, 0.0, 0.0
			for step := from; step < s.steps; step++ {
				velocity = s.momentum*velocity + (moment*s.bent+s.ridge)*place
				if step == from {
					velocity++
				}
				if place -= s.rate * velocity; step >= s.first {
					sum += place / float64(s.steps-s.first)
				}
			}
			want += sum * sum * s.noise[from] * s.noise[from]
		}
		if got := s.noiseIn(s.straight(), moment).Data[0]; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("moment %v: the variance is %v, want %v", moment, got, want)
		}
	}
}

// TestHalf compares with what is known: the quantile of a normal variable around 0 and far from 0.
func TestHalf(t *testing.T) {
	for _, c := range []struct{ distance, deviation, want float64 }{{0, 2, 2 * reach}, {100, 1, 100 + 1.6448536269514722}, {-100, 2, 100 + 2*1.6448536269514722}} {
		if got := half(c.distance, c.deviation); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("distance %v, deviation %v: got %v, want %v", c.distance, c.deviation, got, c.want)
		}
	}
	if got, want := half(3, 0), 3.0; got != want {
		t.Errorf("without noise: got %v, want %v", got, want)
	}
}

// TestBentAlong: paths of a squared loss times h show h. An estimate is above h in one of 44 paths, because it is less two
// standard deviations. Of 400 paths more than 45 are above with a probability below 1e-10, and the mean is not far below.
func TestBentAlong(t *testing.T) {
	const steps, h, trials = 120, 0.4, 400
	s := &descent{rate: 2, momentum: 0.9, steps: steps, Directions: Directions{Vectors: identity(3), Moments: []float64{0.3, 0.1, 0}, Hidden: []bool{false, false, true}}}
	for range steps {
		s.noise = append(s.noise, 0.05)
	}
	r, sum, above := rand.New(rand.NewPCG(4, 4)), 0.0, 0
	for range trials {
		w, v := make([]float64, 3), make([]float64, 3)
		var path [][]float64
		for step := range steps {
			for i, m := range s.Moments {
				v[i] = s.momentum*v[i] + m*h*(w[i]-1) + s.noise[step]*r.NormFloat64()
				w[i] -= s.rate * v[i]
			}
			path = append(path, append([]float64(nil), w...))
		}
		got := s.bentAlong(path)
		if sum += got / trials; got > h {
			above++
		}
	}
	t.Logf("mean %v, %d above", sum, above)
	if above > 45 || sum < 0.8*h {
		t.Errorf("%d of %d estimates are above %v, and their mean is %v, want few and little below", above, trials, h, sum)
	}
}

// TestTurnOf: a turn makes one matrix of another, and leaves alone what the other does not reach.
func TestTurnOf(t *testing.T) {
	a, b := dense.New(2, 2), dense.New(2, 2)
	copy(a.Data, []float64{1, 2, 3, 5})
	copy(b.Data, []float64{2, 0, 1, 1})
	got := dense.Product(turnOf(a, b), a)
	for j, want := range b.Data {
		if math.Abs(got.Data[j]-want) > 1e-2 {
			t.Errorf("number %d: got %v, want %v", j, got.Data[j], want)
		}
	}
	if got = turnOf(dense.New(2, 2), dense.New(2, 2)); got.Data[0] != 1 || got.Data[1] != 0 {
		t.Errorf("of nothing: got %v, want no change", got.Data)
	}
}

// TestMade: made rows have the means, the standard deviations and the constant that they are asked for.
func TestMade(t *testing.T) {
	rows := made([]float64{2, 0.5, 1}, 0.25)
	for j, want := range []float64{2, 0.5, 1} {
		sum, square := 0.0, 0.0
		for _, x := range rows {
			sum, square = sum+x[j], square+x[j]*x[j]/float64(len(rows))
		}
		if math.Abs(sum) > 1e-9 || math.Abs(math.Sqrt(square)/want-1) > 0.05 {
			t.Errorf("coordinate %d: mean %v, deviation %v, want 0 and %v", j, sum, math.Sqrt(square), want)
		}
	}
	if rows[0][3] != 0.25 || len(rows) != madeRows {
		t.Errorf("got the constant %v in %d rows", rows[0][3], len(rows))
	}
}

// TestBends compares derivatives with differences of the clipped slope: by the scores, and by the true scores.
func TestBends(t *testing.T) {
	for name, c := range map[string]struct {
		loss     model.Loss
		norm     float64
		own, far []float64
	}{
		"logistic, clipped":     {model.Logistic, 0.5, []float64{0.7}, []float64{-1.1}},
		"logistic, not clipped": {model.Logistic, 2, []float64{0.7}, []float64{-1.1}},
		"softmax, clipped":      {model.Softmax, 0.5, []float64{0.7, 0.1, -1}, []float64{-1.1, 0.3, 0.2}},
		"softmax, not clipped":  {model.Softmax, 2, []float64{0.7, 0.1, -1}, []float64{-1.1, 0.3, 0.2}},
	} {
		k := len(c.own)
		s := &descent{loss: c.loss, columns: k}
		at := func(own, far []float64) []float64 {
			p, q, out := append([]float64(nil), own...), append([]float64(nil), far...), make([]float64, k)
			c.loss.Predict(p)
			c.loss.Predict(q)
			s.slope(out, p, q, c.norm)
			return out
		}
		p, q := append([]float64(nil), c.own...), append([]float64(nil), c.far...)
		c.loss.Predict(p)
		c.loss.Predict(q)
		b := bend{make([]float64, k*k), make([]float64, k*k)}
		s.bend(b, c.own[0], p, q, c.norm, 1)
		const e = 1e-6
		for j := range k {
			moved := func(x []float64) []float64 {
				out := append([]float64(nil), x...)
				out[j] += e
				return out
			}
			here, own, far := at(c.own, c.far), at(moved(c.own), c.far), at(c.own, moved(c.far))
			for i := range k {
				if want := (own[i] - here[i]) / e; math.Abs(b.own[i*k+j]-want) > 1e-5 {
					t.Errorf("%s: derivative %d by score %d: got %v, want %v", name, i, j, b.own[i*k+j], want)
				}
				if want := -(far[i] - here[i]) / e; math.Abs(b.truth[i*k+j]-want) > 1e-5 {
					t.Errorf("%s: derivative %d by true score %d: got %v, want %v", name, i, j, b.truth[i*k+j], want)
				}
			}
		}
	}
}

// TestShownMoments: without noise the moments are those of the whitening. With noise, moments below the edge are 0, and
// others are smaller.
func TestShownMoments(t *testing.T) {
	const gamma = 0.1
	var factors []float64
	for _, v := range []float64{0.5, 0.2, 0.03, 0} {
		factors = append(factors, 1/math.Sqrt(v+gamma))
	}
	exact, noisy := shownMoments(factors, 0), shownMoments(factors, 0.02)
	for i, v := range []float64{0.5, 0.2, 0.03, 0} {
		if want := v / (v + gamma); math.Abs(exact[i]-want) > 1e-9 {
			t.Errorf("moment %d: got %v, want %v", i, exact[i], want)
		}
		if hidden := v < 0.05; hidden != (noisy[i] == 0) || noisy[i] > exact[i] {
			t.Errorf("moment %d with noise: got %v of %v", i, noisy[i], exact[i])
		}
	}
}
