package release

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ditherml/dither/mechanism"
)

// newtonRows puts rows on the grid of a step.
func newtonRows(t *testing.T, s NewtonStep, x [][]float64) *Rows {
	t.Helper()
	d := len(s.Gradient)
	rows, err := NewRows(len(x), s.Rows(), func(dst []float64, first, n int) {
		for i := range n {
			copy(dst[i*d:(i+1)*d], x[first+i])
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// newtonPoint returns the integers that noise would be added to, their grid's bound and what one stands for.
func newtonPoint(t *testing.T, s NewtonStep, x [][]float64) (values []int64, bound int64, unit float64) {
	t.Helper()
	b, err := s.Solve(newtonRows(t, s, x), mechanism.Gaussian{NoiseMultiplier: 3})
	if err != nil {
		t.Fatal(err)
	}
	return b.state.values, b.state.grid.bound, b.state.unit
}

func integerDistance(a, b []int64) float64 {
	sum := 0.0
	for j, v := range a {
		sum = math.Hypot(sum, float64(v-b[j]))
	}
	return sum
}

// randomNewton draws a step and rows of norms up to the bound.
func randomNewton(r *rand.Rand) (NewtonStep, [][]float64) {
	d := 1 + r.IntN(5)
	s := NewtonStep{Curvature: math.Exp(r.NormFloat64()), Ridge: math.Exp(2 * r.NormFloat64()), MaxRecords: 1000}
	for range d {
		s.Gradient = append(s.Gradient, r.NormFloat64()*10)
	}
	rows := make([][]float64, 1+r.IntN(6))
	for i := range rows {
		rows[i] = make([]float64, d)
		norm := 0.0
		for j := range rows[i] {
			rows[i][j] = r.NormFloat64()
			if i == 0 && r.IntN(2) == 0 { // along the gradient, where a record moves the step most
				rows[i][j] = s.Gradient[j]
			}
			norm = math.Hypot(norm, rows[i][j])
		}
		for j := range rows[i] {
			rows[i][j] *= math.Sqrt(s.Curvature) * (1 - 0x1p-20) / norm * min(1, 2*r.Float64())
		}
	}
	return s, rows
}

// TestNewtonStepMovesByAtMostTheBound looks at random neighbors: a record in or out, and one in place of
// another.
func TestNewtonStepMovesByAtMostTheBound(t *testing.T) {
	r, most, mostReplaced := rand.New(rand.NewPCG(31, 32)), 0.0, 0.0
	for range 1000 {
		s, x := randomNewton(r)
		all, bound, _ := newtonPoint(t, s, x)
		without, _, _ := newtonPoint(t, s, x[1:])
		most = max(most, integerDistance(all, without)/float64(bound))
		other := append([][]float64{make([]float64, len(x[0]))}, x[1:]...)
		for j, v := range x[0] {
			other[0][len(x[0])-1-j] = -v
		}
		replaced, _, _ := newtonPoint(t, s, other)
		mostReplaced = max(mostReplaced, integerDistance(all, replaced)/float64(bound))
	}
	if most > 1 || mostReplaced > 2 {
		t.Errorf("one record moves the step by %v bounds, another in its place by %v, want at most 1 and 2", most, mostReplaced)
	}
	if most < 0.8 {
		t.Errorf("the records that were tried move the step by at most %v bounds: they do not test it", most)
	}
}

// TestNewtonStepReachesTheBound constructs the pair that the bound is for: no records, and one along the
// gradient.
func TestNewtonStepReachesTheBound(t *testing.T) {
	s := NewtonStep{Gradient: []float64{3, -4}, Ridge: 0.7, Curvature: 2, MaxRecords: 1000}
	along := math.Sqrt(2) / 5 * (1 - 0x1p-20)
	one, bound, unit := newtonPoint(t, s, [][]float64{{3 * along, -4 * along}})
	none, _, _ := newtonPoint(t, s, nil)
	got := integerDistance(one, none) / float64(bound)
	if !(got > 0.95 && got <= 1) {
		t.Errorf("the pair moves by %v bounds, want 0.95 to 1", got)
	}
	if want := 5 * 2 / (0.7 * 2.7); math.Abs(float64(bound)*unit/want-1) > 0.02 {
		t.Errorf("the bound is %v, the theorem's %v", float64(bound)*unit, want)
	}
}

// TestNewtonStepSolves compares with elimination of the same system.
func TestNewtonStepSolves(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 200 {
		s, x := randomNewton(r)
		values, _, unit := newtonPoint(t, s, x)
		d := len(s.Gradient)
		for i := range d { // (H + ridge)·u is the gradient again
			sum := s.Ridge * float64(values[i]) * unit
			for _, row := range x {
				dot := 0.0
				for j, v := range row {
					dot += v * float64(values[j]) * unit
				}
				sum += row[i] * dot
			}
			// Rows are rounded to 32767 steps of their largest norm.
			if math.Abs(sum-s.Gradient[i]) > 1e-3*s.norm()*(1+s.Curvature/s.Ridge) {
				t.Fatalf("%+v: (H + ridge)·u is %v at %d, want %v", s, sum, i, s.Gradient[i])
			}
		}
	}
}

func TestNewtonStepRefuses(t *testing.T) {
	good := NewtonStep{Gradient: []float64{1, 2}, Ridge: 1, Curvature: 1, MaxRecords: 1000}
	rows := newtonRows(t, good, [][]float64{{0.1, 0.2}})
	if _, err := good.Solve(rows, mechanism.Gaussian{NoiseMultiplier: 3}); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*NewtonStep){
		"no ridge":           func(s *NewtonStep) { s.Ridge = 0 },
		"ridge in rounding":  func(s *NewtonStep) { s.Ridge = 1e-12 },
		"nan ridge":          func(s *NewtonStep) { s.Ridge = math.NaN() },
		"other rows":         func(s *NewtonStep) { s.Curvature = 0.5 },
		"nan gradient":       func(s *NewtonStep) { s.Gradient = []float64{math.NaN(), 1} },
		"too many records":   func(s *NewtonStep) { s.MaxRecords = 1 << 40 },
		"more than declared": func(s *NewtonStep) { s.MaxRecords = 0 },
	} {
		s := good
		change(&s)
		if _, err := s.Solve(rows, mechanism.Gaussian{NoiseMultiplier: 3}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// TestNewtonStepsAreOfTheCheckedSum changes what a row is taken for after it was made, so that the
// kernel leaves it out of the sum of products: the step is refused.
func TestNewtonStepsAreOfTheCheckedSum(t *testing.T) {
	s := NewtonStep{Gradient: []float64{1, 2}, Ridge: 1, Curvature: 1, MaxRecords: 4}
	rows := newtonRows(t, s, [][]float64{{0.5, 0.25}, {0.125, 0.75}})
	if _, err := s.Solve(rows, mechanism.Gaussian{NoiseMultiplier: 3}); err != nil {
		t.Fatal(err)
	}
	rows.n2[1] = rows.limit + 1
	if _, err := s.Solve(rows, mechanism.Gaussian{NoiseMultiplier: 3}); !errors.Is(err, ErrComputation) {
		t.Errorf("a sum without one of the rows: got error %v, want %v", err, ErrComputation)
	}
}
