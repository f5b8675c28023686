package release

// matrix is C of a Series, row after row.
type matrix interface {
	// square is the squared norm of a column, as far as the event's multiplier is relative to it;
	// weight the largest sum of a row.
	square() int64
	weight() int64
	// rows takes the exact sum of the next step, keeps it, and returns the rows of C·G that end
	// with it. The caller does not modify either.
	rows(sum []int64) [][]int64
}

// banded is a lower-triangular Toeplitz matrix: row t is Σ_k c_k·G_(t-k).
type banded struct {
	coefficients []int64
	past         [][]int64 // the latest sums, the last one first
}

var _ matrix = (*banded)(nil)

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

// latest puts v before the others and keeps at most this many.
func latest[T any](v []T, others [][]T, most int) [][]T {
	all := append([][]T{v}, others...)
	return all[:min(most, len(all))]
}

// tree is the binary tree over the steps: a row for each node, at the step that completes it.
type tree struct {
	steps   int
	pending [][]int64 // by level, the exact node that waits for its sibling
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

// set puts v at a place, the next one at most.
func set[T any](all [][]T, at int, v []T) [][]T {
	if at == len(all) {
		return append(all, v)
	}
	all[at] = v
	return all
}
