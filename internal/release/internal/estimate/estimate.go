// Package estimate estimates the sums of a series of releases from the released rows. This is
// post-processing: the package imports nothing of this module, and sees released numbers alone.
package estimate

import "slices"

// Estimator computes what the sum of each step of a series was.
type Estimator interface {
	// Next returns the estimate for the next step. The argument has the released rows that end with
	// the step. Next may keep and change them.
	Next(released [][]float64) []float64
}

// Banded returns an Estimator for a banded matrix C with this first column, which it copies.
func Banded(coefficients []int64) Estimator {
	return &bandedEstimates{coefficients: slices.Clone(coefficients)}
}

// Tree returns an Estimator for a binary tree over the steps.
func Tree() Estimator { return &treeEstimates{} }

// bandedEstimates solves row t of C for the last sum: (y - Σ_(k≥1) c_k·Ĝ_(t-k))/c_0. Because the
// coefficients do not rise, 1/C does not blow errors up (Eneström & Kakeya: no root of Σ c_k·x^k is
// within the unit circle).
type bandedEstimates struct {
	coefficients []int64
	before       [][]float64 // the last one first
}

var _ Estimator = (*bandedEstimates)(nil)

func (b *bandedEstimates) Next(released [][]float64) []float64 {
	y := released[0]
	for k, before := range b.before {
		c := float64(b.coefficients[k+1])
		for j, v := range before {
			y[j] -= c * v
		}
	}
	for j := range y {
		y[j] /= float64(b.coefficients[0])
	}
	b.before = append([][]float64{y}, b.before...)
	b.before = b.before[:min(len(b.coefficients)-1, len(b.before))]
	return slices.Clone(y)
}

// treeEstimates gives how much the estimated sum of all steps grows. A node's estimate weighs its
// own value with those of its children by their variances (Honaker, "Efficient Use of
// Differentially Private Binary Trees", TPDP 2015, section 3: the estimation from below).
type treeEstimates struct {
	steps   int
	pending [][]float64 // estimates of the nodes that wait for their siblings
	prefix  []float64   // of the sum of all steps so far
}

var _ Estimator = (*treeEstimates)(nil)

func (t *treeEstimates) Next(released [][]float64) []float64 {
	node, variance, level := released[0], 1.0, 0
	for ; t.steps>>level&1 == 1; level++ {
		own, least := released[level+1], 1/(1+1/(2*variance))
		for j, v := range node {
			own[j] = least*own[j] + (1-least)*(t.pending[level][j]+v)
		}
		node, variance, t.pending[level] = own, least, nil
	}
	if level == len(t.pending) {
		t.pending = append(t.pending, nil)
	}
	t.pending[level] = node
	t.steps++
	prefix := make([]float64, len(node))
	for _, e := range t.pending {
		for j, v := range e {
			prefix[j] += v
		}
	}
	grown := slices.Clone(prefix)
	for j, v := range t.prefix {
		grown[j] -= v
	}
	t.prefix = prefix
	return grown
}
