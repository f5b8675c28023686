package mechanism

import (
	"fmt"

	"github.com/ditherml/dither/linalg"
)

// Group is several sums over the same records that are filled in one pass: of several models, each with
// its own frame, columns, bound and noise. What a record adds to each of them is verified for that sum
// alone; only the additions are done together. The sums are sealed and released one by one. A Group is
// not safe for concurrent use; goroutines fill their own (Empty) and Merge.
type Group struct {
	sums    []*Sum
	columns int
	whole   []float64 // of all sums, as the rows' type has them
	exact   []float64 // working space
	total   []int64
	pending float64
}

// NewGroup returns the group of these sums, which must be empty. Their rows must be the same integers, as
// Rows.Seen gives them.
func NewGroup(sums ...*Sum) (*Group, error) {
	if len(sums) == 0 {
		return nil, fmt.Errorf("mechanism: there is no sum to group, want at least one")
	}
	g := &Group{sums: sums}
	for _, s := range sums {
		if !s.rows.shares(sums[0].rows) {
			return nil, errShare
		}
		g.columns += s.columns
	}
	n := g.columns * sums[0].rows.dim
	g.whole, g.total = make([]float64, n), make([]int64, n)
	return g, nil
}

var errShare = fmt.Errorf("mechanism: the rows are not the same integers, want rows that Seen gave of the same rows")

// shares reports whether two rows are the same integers.
func (r *Rows) shares(o *Rows) bool { return r.origin == o.origin }

// See returns the rows of a block as these rows see them; it is of rows that are the same integers. It may
// use the memory of old, a block that See made, or the zero Block.
func (r *Rows) See(b, old Block) (Block, error) {
	if b.rows == nil || !r.shares(b.rows) {
		return Block{}, errShare
	}
	n := b.Len()
	if b.rows = r; b.records == nil && r.measures.n2 != nil {
		b.measures = r.measures.part(b.first-r.first, n)
		return b, nil
	}
	own := old.memory()
	b.own = own
	own.measures = r.frame.newMeasures(n, own.measures)
	if b.measures = own.measures; r.measures.n2 == nil {
		r.frame.measureAll(b.measures, b.x)
		return b, nil
	}
	for i := range n {
		b.measures.copyFrom(i, r.measures, b.record(i)-r.first)
	}
	return b, nil
}

// Empty returns a group of the same kind with nothing in it, for another goroutine.
func (g *Group) Empty() *Group {
	sums := make([]*Sum, len(g.sums))
	for i, s := range g.sums {
		sums[i] = s.Empty()
	}
	n := len(g.whole)
	return &Group{sums: sums, columns: g.columns, whole: make([]float64, n), total: make([]int64, n)}
}

// AddBlock is Sum.AddBlock for each sum with its block, all of the same records, and its contributions.
func (g *Group) AddBlock(blocks []Block, c []linalg.Contributions) error {
	if len(blocks) != len(g.sums) || len(c) != len(g.sums) {
		return fmt.Errorf("mechanism: there are %d blocks and %d contributions, want one for each of %d sums", len(blocks), len(c), len(g.sums))
	}
	n := blocks[0].Len()
	for i, s := range g.sums {
		if !sameRecords(blocks[i], blocks[0]) || !s.rows.alike(blocks[i].rows) {
			return errOtherKind
		}
		if err := s.take(blocks[i], c[i]); err != nil {
			g.forget(i, blocks)
			return err
		}
	}
	g.exact = room(g.exact, n*g.columns)
	g.accumulate(blocks[0].x, n)
	return nil
}

// sameRecords reports whether two blocks hold the same integers of the same records.
func sameRecords(a, b Block) bool {
	if a.Len() != b.Len() || !a.rows.shares(b.rows) {
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

// forget undoes what the first sums took of a block that another one refused.
func (g *Group) forget(count int, blocks []Block) {
	for i, s := range g.sums[:count] {
		s.give(blocks[i])
	}
}

// give undoes take, of the block that was taken last.
func (s *Sum) give(b Block) {
	for i := range b.Len() {
		s.addFrame(s.q[i*s.columns:(i+1)*s.columns], b.beta(i), b.tail(i), -1)
	}
	s.unmark(b.record, b.Len())
}

// accumulate adds rows times the verified integers of all sums, row by row under the rule of
// Sum.accumulate.
func (g *Group) accumulate(x payload, n int) {
	largest := float64(g.sums[0].rows.kind.Largest())
	for from := 0; from < n; {
		to, sum := from, 0.0
		for ; to < n; to++ {
			most := g.gather(to) * largest
			if g.pending+sum+most >= wholeLimit {
				break
			}
			sum += most
		}
		switch {
		case to > from:
			x.part(from, to-from).addWhole(g.whole, g.exact[from*g.columns:to*g.columns], g.columns)
			g.pending += sum
		case g.pending > 0:
			g.flush()
		default:
			for _, s := range g.sums {
				x.addRow(s.total, from, s.q[from*s.columns:(from+1)*s.columns])
			}
			to++
		}
		from = to
	}
}

// gather puts the integers of record i for all sums side by side, and returns the largest magnitude.
func (g *Group) gather(i int) float64 {
	most, at := 0.0, i*g.columns
	for _, s := range g.sums {
		q := s.q[i*s.columns : (i+1)*s.columns]
		most = max(most, largestOf(q))
		for _, v := range q {
			g.exact[at] = float64(v)
			at++
		}
	}
	return most
}

// flush moves the whole numbers to the integers of each sum.
func (g *Group) flush() {
	g.sums[0].rows.form.flush(g.total, g.whole, g.columns)
	at := 0
	for _, s := range g.sums {
		for j := range s.total {
			s.total[j] += g.total[at+j]
		}
		at += len(s.total)
	}
	clear(g.total)
	g.pending = 0
}

// Merge adds what o holds and empties o. It errs unless the sums can be merged one by one; some of them
// may then have been.
func (g *Group) Merge(o *Group) error {
	if len(g.sums) != len(o.sums) {
		return errOtherKind
	}
	g.flush()
	o.flush()
	for i, s := range g.sums {
		if err := s.Merge(o.sums[i]); err != nil {
			return err
		}
	}
	return nil
}

// Seal ends all sums.
func (g *Group) Seal() []Bounded {
	g.flush()
	sealed := make([]Bounded, len(g.sums))
	for i, s := range g.sums {
		sealed[i] = s.Seal()
	}
	return sealed
}

// GroupScorer multiplies rows with the weights of several scorers in one pass.
type GroupScorer struct {
	scorers []*Scorer
	columns int
	weighed []float32
}

// NewGroupScorer returns a scorer of rows that are the same integers.
func NewGroupScorer(scorers ...*Scorer) (*GroupScorer, error) {
	g := &GroupScorer{scorers: scorers}
	var narrow []float32
	for _, s := range scorers {
		if !s.rows.shares(scorers[0].rows) {
			return nil, errShare
		}
		narrow = append(narrow, s.narrow...)
		g.columns += s.columns
	}
	if len(scorers) > 0 {
		g.weighed = scorers[0].rows.form.weigh(narrow, g.columns)
	}
	return g, nil
}

// Columns returns the number of scores of all models.
func (g *GroupScorer) Columns() int { return g.columns }

// Scores writes the scores of each model, as Scorer.Scores does, to its dst. Margins is working space of
// block length × Columns.
func (g *GroupScorer) Scores(dst [][]float32, blocks []Block, margins []float32) {
	if len(g.scorers) == 0 {
		return
	}
	blocks[0].x.margins(margins, g.weighed, g.columns)
	at := 0
	for m, s := range g.scorers {
		for i := range blocks[m].Len() {
			copy(dst[m][i*s.columns:(i+1)*s.columns], margins[i*g.columns+at:])
		}
		s.finish(dst[m], blocks[m])
		at += s.columns
	}
}
