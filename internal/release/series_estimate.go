package release

import "slices"

// estimator computes from the released rows of each step, and nothing else, what the sum of the
// step was: it is post-processing.
type estimator interface {
	// next takes the rows that end with the next step; it may keep and change them.
	next(released [][]float64) []float64
}

// bandedEstimates solves row t of C for the last sum: (y - Σ_(k≥1) c_k·Ĝ_(t-k))/c_0. Because the
// coefficients do not rise, 1/C does not blow errors up (Eneström & Kakeya: no root of Σ c_k·x^k is
// within the unit circle).
type bandedEstimates struct {
	coefficients []int64
	before       [][]float64 // the last one first
}

var _ estimator = (*bandedEstimates)(nil)

func (b *bandedEstimates) next(released [][]float64) []float64 {
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
	b.before = latest(y, b.before, len(b.coefficients)-1)
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

var _ estimator = (*treeEstimates)(nil)

func (t *treeEstimates) next(released [][]float64) []float64 {
	node, variance, level := released[0], 1.0, 0
	for ; t.steps>>level&1 == 1; level++ {
		own, least := released[level+1], 1/(1+1/(2*variance))
		for j, v := range node {
			own[j] = least*own[j] + (1-least)*(t.pending[level][j]+v)
		}
		node, variance, t.pending[level] = own, least, nil
	}
	t.pending = set(t.pending, level, node)
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
