package release

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/rows"
)

// Group is several sums over the same records that are filled in one pass: of several models, each with
// its own frame, columns, bound and noise. What a record adds to each of them is verified for that sum
// alone; the records are noted and the additions done once for all. The sums are released one by one. A
// Group is not safe for concurrent use; goroutines fill their own (Empty) and Merge.
type Group struct {
	seenSet
	all    rows.Sum // of all sums, side by side
	sums   []*Sum   // each with its part of the total
	exact  []float64
	scales *scales // of a block's records, for all sums
}

// NewGroup returns the group of these sums, which must be empty and of full samples; they take no records
// by themselves any more. Their rows must be the same integers, as Rows.Standardized gives them.
func NewGroup(sums ...*Sum) (*Group, error) {
	if len(sums) == 0 {
		return nil, fmt.Errorf("release: there is no sum to group, want at least one")
	}
	for _, s := range sums {
		if !s.rows.shares(sums[0].rows) {
			return nil, errShare
		}
		if s.sample.drawn.member != nil || s.sealed || !s.empty() {
			return nil, fmt.Errorf("release: a sum to group is of a part of the records, not empty, sealed or in a group, want new sums of full samples")
		}
		s.sealed = true
	}
	return newGroup(sums), nil
}

// newGroup returns an empty group with sums like these. All samples are full, and of the same
// number of records: one set of marks is for all.
func newGroup(like []*Sum) *Group {
	rows, columns := like[0].rows, 0
	for _, s := range like {
		columns += s.columns
	}
	g := &Group{seenSet: newSeenSet(like[0].sample), all: newWholeSum(rows, columns, make([]int64, columns*rows.dim)), scales: &scales{}}
	at := 0
	for _, s := range like {
		end := at + s.columns*rows.dim
		part := newRowAdder(s.rows, s.columns, s.bound, s.limit, g.all.Total[at:end], g.scales)
		g.sums = append(g.sums, &Sum{seenSet{sample: s.sample, sealed: true}, part, s.rows, s.columns, s.bound, s.limit, s.grid, make([]uint64, s.columns), false})
		at = end
	}
	return g
}

// Empty returns a group of the same kind with nothing in it, for another goroutine.
func (g *Group) Empty() *Group { return newGroup(g.sums) }

// AddBlock is Sum.AddBlock for each sum with its block, all of the same records, and its
// contributions. On an error of the caller nothing is added. After ErrComputation no sum of the
// group is released.
func (g *Group) AddBlock(blocks []Block, c []kernel.Contributions) error {
	if len(blocks) != len(g.sums) || len(c) != len(g.sums) {
		return fmt.Errorf("release: there are %d blocks and %d contributions, want one for each of %d sums", len(blocks), len(c), len(g.sums))
	}
	if g.sealed {
		return errSealed
	}
	for i, s := range g.sums {
		if err := s.check(&blocks[i], c[i]); err != nil {
			return err
		}
		if !sameRecords(&blocks[i], &blocks[0]) {
			return errOtherKind
		}
	}
	n := blocks[0].Len()
	if n == 0 {
		return nil
	}
	if err := g.mark(blocks[0].first, blocks[0].records, n); err != nil {
		return err
	}
	g.exact = grow(g.exact, n*g.all.Columns) // column after column
	g.scales.forget()
	at, noted := g.exact, blocks[0]
	for i, s := range g.sums {
		own := at[:n*s.columns]
		s.adder.(*rowAdder).verifyBlock(own, 1, n, &blocks[i], c[i].Coefficients)
		noted.rows = blocks[i].rows // under the records that were marked
		if err := s.admit(own, 1, n, &noted); err != nil {
			g.fail()
			return err
		}
		at = at[len(own):]
	}
	g.all.AddColumns(blocks[0].x, g.exact)
	return nil
}

// fail keeps all sums from being released: records of a block were noted in some of them alone.
func (g *Group) fail() {
	for _, s := range g.sums {
		s.faulty = true
	}
}

// sameRecords reports whether two blocks hold the same integers of the same records. Of a file they must be of one
// reading: what is verified with the one is added from the other.
func sameRecords(a, b *Block) bool {
	if a.Len() != b.Len() || !a.rows.shares(b.rows) || a.rows.file != nil && !a.x.Same(b.x) {
		return false
	}
	if a.records == nil && b.records == nil {
		return a.first == b.first
	}
	for i := range a.Len() {
		if a.record(i) != b.record(i) {
			return false
		}
	}
	return true
}

// Merge adds what o holds and empties o. It errs, and adds nothing, unless the groups are of the same sums
// and have no record in common.
func (g *Group) Merge(o *Group) error {
	if len(g.sums) != len(o.sums) {
		return errOtherKind
	}
	for i, s := range g.sums {
		if s.sample != o.sums[i].sample || !s.ofKind(o.sums[i]) {
			return errOtherKind
		}
	}
	if err := g.merge(&o.seenSet); err != nil {
		return err
	}
	g.all.Flush()
	o.all.Flush()
	for i, s := range g.sums {
		s.takeSums(o.sums[i])
	}
	return nil
}

// Seal ends all sums.
func (g *Group) Seal() []Bounded {
	g.sealed = true
	g.all.Flush()
	sealed := make([]Bounded, len(g.sums))
	parallel.Parts(len(g.sums), func(from, to int) {
		for i := from; i < to; i++ {
			sealed[i] = g.sums[i].bounded()
		}
	})
	return sealed
}
