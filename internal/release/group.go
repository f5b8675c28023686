package release

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/parallel"
	"github.com/ditherml/dither/internal/rows"
)

// Group is several sums over the same records that are filled in one pass. The sums belong to
// several models, each with its own standardization, columns, bound and noise. The contribution of
// a record to each sum is verified for that sum alone. Marking records and adding is done once for
// all sums. The sums are released separately. A Group is not safe for concurrent use. Each
// goroutine needs a separate Group: Empty returns one, and Merge adds it to another.
type Group struct {
	seenSet
	all    rows.Sum // of all sums, side by side
	sums   []*Sum   // each with its part of the total
	exact  []float64
	scales *scales // of a block's records, for all sums
}

// NewGroup returns the group of these sums. The sums must be empty, and their samples must contain
// all records. Their rows must have the same stored integers, as with Rows.Standardized. Afterwards
// records can be added to the group only.
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
		g.sums = append(g.sums, &Sum{seenSet: seenSet{sample: s.sample, sealed: true}, adder: part, rows: s.rows, columns: s.columns, bound: s.bound, limit: s.limit, grid: s.grid, notes: make([]uint64, s.columns)})
		at = end
	}
	return g
}

// Empty returns an empty group of the same kind, for another goroutine.
func (g *Group) Empty() *Group { return newGroup(g.sums) }

// AddBlock adds contributions to each sum of the group, as Sum.AddBlock does. It takes one block
// and one kernel.Contributions for each sum, and all blocks must have the same records. If an
// argument is invalid, AddBlock returns an error and adds nothing. If it returns ErrComputation, no
// sum of the group can be released.
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
		s.adder.(*rowAdder).roundBlock(own, 1, n, &blocks[i], c[i].Coefficients)
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

// sameRecords reports whether two blocks hold the same integers of the same records. Of a file they
// must be of one reading: what is verified with the one is added from the other.
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

// Merge adds the records of o to g and empties o. If the groups are not of the same sums, or have a
// record in common, Merge returns an error and changes nothing.
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

// Seal ends all sums of the group and returns them in order.
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
