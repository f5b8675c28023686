package mechanism

// banded is a lower-triangular Toeplitz matrix: row t is Σ_k c_k·G_(t-k).
type banded struct {
	coefficients []int64
	past         [][]int64   // the latest sums, the last one first
	estimates    [][]float64 // of those before the step, the last one first
}

var _ matrix = (*banded)(nil)

func newBanded(c []int64) *banded { return &banded{coefficients: append([]int64(nil), c...)} }

func (b *banded) square() int64 {
	sum := int64(0)
	for _, c := range b.coefficients {
		sum += c * c
	}
	return sum
}

func (b *banded) weight() int64 {
	sum := int64(0)
	for _, c := range b.coefficients {
		sum += c
	}
	return sum
}

func (b *banded) rows(sum []int64) [][]int64 {
	b.past = latest(sum, b.past, len(b.coefficients))
	row := make([]int64, len(sum))
	for k, g := range b.past {
		c := b.coefficients[k]
		for j, v := range g {
			row[j] += c * v
		}
	}
	return [][]int64{row}
}

// estimate solves row t of C for the last sum: (y - Σ_(k≥1) c_k·Ĝ_(t-k))/c_0. Because the coefficients do not
// rise, 1/C does not blow errors up (Eneström & Kakeya: no root of Σ c_k·x^k is within the unit circle).
func (b *banded) estimate(released [][]float64) []float64 {
	y := released[0]
	for k, before := range b.estimates {
		c := float64(b.coefficients[k+1])
		for j, v := range before {
			y[j] -= c * v
		}
	}
	for j := range y {
		y[j] /= float64(b.coefficients[0])
	}
	b.estimates = latest(y, b.estimates, len(b.coefficients)-1)
	return append([]float64(nil), y...)
}

// latest puts v before the others and keeps at most so many.
func latest[T any](v []T, others [][]T, most int) [][]T {
	all := append([][]T{v}, others...)
	return all[:min(most, len(all))]
}

// tree is the binary tree over the steps: a row for each node, at the step that completes it.
type tree struct {
	steps   int
	pending [][]int64 // by level, the exact node that waits for its sibling

	// Estimates of the nodes that wait, and of all sums up to the last step.
	taken     int
	estimates [][]float64
	prefix    []float64
}

var _ matrix = (*tree)(nil)

// square is 1: that a record is in ⌈log2(Steps+1)⌉ nodes is counted by the event.
func (t *tree) square() int64 { return 1 }

// weight is 1: a record is in one sum.
func (t *tree) weight() int64 { return 1 }

func (t *tree) rows(sum []int64) [][]int64 {
	nodes, level := [][]int64{sum}, 0
	for ; t.steps>>level&1 == 1; level++ {
		node := make([]int64, len(sum))
		for j, v := range nodes[level] {
			node[j] = t.pending[level][j] + v
		}
		nodes = append(nodes, node)
		t.pending[level] = nil
	}
	t.pending = set(t.pending, level, nodes[level])
	t.steps++
	return nodes
}

// estimate returns how much the estimated sum of all steps has grown. A node's estimate weighs its own value
// with those of its children by their variances (Honaker, "Efficient Use of Differentially Private Binary
// Trees", TPDP 2015, section 3: the estimation from below).
func (t *tree) estimate(released [][]float64) []float64 {
	node, variance, level := released[0], 1.0, 0
	for ; t.taken>>level&1 == 1; level++ {
		own, next := released[level+1], 1/(1+1/(2*variance))
		for j, v := range node {
			own[j] = next*own[j] + (1-next)*(t.estimates[level][j]+v)
		}
		node, variance, t.estimates[level] = own, next, nil
	}
	t.estimates = set(t.estimates, level, node)
	t.taken++
	prefix := make([]float64, len(node))
	for _, e := range t.estimates {
		for j, v := range e {
			prefix[j] += v
		}
	}
	grown := append([]float64(nil), prefix...)
	for j, v := range t.prefix {
		grown[j] -= v
	}
	t.prefix = prefix
	return grown
}

// set puts v at a place, the next one at most.
func set[T any](all [][]T, at int, v []T) [][]T {
	if at == len(all) {
		return append(all, v)
	}
	all[at] = v
	return all
}
