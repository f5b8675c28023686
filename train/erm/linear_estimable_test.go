package erm

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// momentsOf are those of rows made by a function, with noise of a deviation.
func momentsOf(t *testing.T, noise float64, records, features int, row func(r *rand.Rand, x []float64)) *Moments {
	t.Helper()
	r := rand.New(rand.NewPCG(21, 22))
	p := newLinearProblem(r, records, features, 0.1)
	for i := range p.rows {
		row(r, p.rows[i])
	}
	return p.moments(t, r, noise, 1, false)
}

// TestEmptyAndDoubtful names empty features, and features that others make up; without them there are intervals.
func TestEmptyAndDoubtful(t *testing.T) {
	for name, c := range map[string]struct {
		noise           float64
		row             func(r *rand.Rand, x []float64)
		empty, doubtful []int // of several that make each other up, any one
	}{
		"all are determined":    {1, func(*rand.Rand, []float64) {}, nil, nil},
		"empty ones":            {1, func(_ *rand.Rand, x []float64) { x[1], x[3] = 0, 0 }, []int{1, 3}, nil},
		"empty, without noise":  {0, func(_ *rand.Rand, x []float64) { x[1] = 0 }, []int{1}, nil},
		"one that repeats":      {1, func(_ *rand.Rand, x []float64) { x[2] = 2 * x[0] }, nil, []int{0, 2}},
		"one that is a sum":     {0, func(_ *rand.Rand, x []float64) { x[0] = 3 * (x[1] - x[2]) }, nil, []int{0, 1, 2}},
		"the constant repeated": {1, func(_ *rand.Rand, x []float64) { x[3] = 0.5 }, nil, []int{3}},
	} {
		m := momentsOf(t, c.noise, 2000, 5, c.row)
		empty := m.Empty()
		if !slices.Equal(empty, c.empty) {
			t.Errorf("%s: got empty features %v, want %v", name, empty, c.empty)
		}
		kept, err := m.Keep(without(5, empty))
		if err != nil {
			t.Fatal(err)
		}
		doubtful, err := kept.Doubtful()
		if err != nil || len(doubtful) > 1 || (len(doubtful) > 0) != (c.doubtful != nil) || len(doubtful) == 1 && !slices.Contains(c.doubtful, doubtful[0]) {
			t.Fatalf("%s: got doubtful features %v (%v), want one of %v", name, doubtful, err, c.doubtful)
		}
		if kept, err = m.Keep(without(5, append(empty, doubtful...))); err != nil {
			t.Fatal(err)
		}
		if _, err = kept.Infer(0); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.empty == nil && c.doubtful == nil {
			continue
		}
		want := map[bool]string{true: "are not told from noise", false: "are not told apart"}[c.empty != nil]
		if _, err = m.Infer(0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error that says %q", name, err, want)
		}
	}
}

// without lists the numbers below n that are not among some.
func without(n int, some []int) []int {
	var out []int
	for j := range n {
		if !slices.Contains(some, j) {
			out = append(out, j)
		}
	}
	return out
}
