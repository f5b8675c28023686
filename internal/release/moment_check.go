package release

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ditherml/dither/internal/parallel"
)

// A sum of products is checked as a Sum is (check.go), with a secret of two independent sides r and
// s: rᵀ·(Σ y·yᵀ)·s is Σ (r·y)(s·y). One vector on both sides would not see errors E with Eᵀ = -E.
// Lemma 19 of docs/release-parts.md has the proof.

// momentCheck is what a sum of products over the rows of a full sample is to be. Goroutines may
// share it.
type momentCheck struct {
	products    Products
	dim         int
	limit       int64 // a row whose squared norm is beyond it adds nothing
	left, right []uint64
	lock        sync.Mutex
	seenSet
	records int
	mix     uint64 // the product of the sum with the secret
	faulty  bool   // a record was met twice, or had another row than the one that entered
}

func newMomentCheck(s Sample, p Products, dim int, limit int64) *momentCheck {
	side := p.Side(dim)
	r := uniform(2 * side)
	return &momentCheck{products: p, dim: dim, limit: limit, left: r[:side], right: r[side:], seenSet: newSeenSet(s)}
}

// note marks the records first, first+1, … and notes what their rows x add.
func (c *momentCheck) note(first int, x []int16) {
	n, mix, room := len(x)/c.dim, uint64(0), make([]int64, c.dim)
	side := make([]int16, len(c.left))
	for i := range n {
		mix = residue(mix + c.mixOf(x[i*c.dim:(i+1)*c.dim], room, side))
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	c.faulty = c.mark(first, nil, n) != nil || c.faulty
	c.records += n
	c.mix = residue(c.mix + mix)
}

// mixOf returns the product of what one row adds with the secret, in portable code.
func (c *momentCheck) mixOf(x []int16, room []int64, side []int16) (mix uint64) {
	square := int64(0)
	switch p := c.products; p.form {
	case squares:
		for j, v := range x {
			room[j] = int64(v) * int64(v)
			square += room[j]
		}
		mix = mixLong(room, c.left)
	case channelProducts:
		for at := range p.places {
			for k := range side {
				side[k] = x[k*p.places+at]
			}
			n2, product := c.mixPair(side)
			square, mix = square+n2, residue(mix+product)
		}
	default: // all coordinates are places of one channel
		for ; len(x) > 0; x = x[len(side):] {
			n2, product := c.mixPair(append(side[:0], x[:len(side)]...)) // of a copy: both are of one reading
			square, mix = square+n2, residue(mix+product)
		}
	}
	if square > c.limit {
		return 0
	}
	return mix
}

// mixPair returns |y|² and (r·y)(s·y) modulo the prime.
func (c *momentCheck) mixPair(y []int16) (square int64, mix uint64) {
	square, left := mixWhole(y, c.left)
	_, right := mixWhole(y, c.right)
	return square, timesResidue(int64(left), right)
}

// noteRows is note for copies of all rows in memory. It holds that each is the row that entered at
// its place.
func (c *momentCheck) noteRows(rows *Rows) {
	var others atomic.Int64
	parallel.Parts(rows.count, func(from, to int) {
		for first := from; first < to; first += gramRows {
			some := slices.Clone(shorts(rows)[first*c.dim : min(first+gramRows, to)*c.dim])
			for i := range len(some) / c.dim {
				if _, mix := mixWhole(some[i*c.dim:(i+1)*c.dim], rows.origin.secret[:c.dim]); mix != rows.origin.mix[first+i] {
					others.Add(1)
				}
			}
			c.note(first, some)
		}
	})
	c.faulty = c.faulty || others.Load() > 0
}

// agrees reports whether every record was noted once and the integers of the sum have the product
// with the secret that was.
func (c *momentCheck) agrees(values []int64) bool {
	if c.faulty || c.records != c.sample.drawn.records || len(values) != c.products.Numbers(c.dim) || !short(values) {
		return false
	}
	if c.products.form == squares {
		return mixLong(values, c.left) == c.mix
	}
	return mixMatrix(values, c.right, c.left) == c.mix
}
