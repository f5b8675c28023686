package release

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// Block is a number of rows in memory, while one step works on them.
type Block struct {
	rows    *Rows
	x       storage
	n       int // rows, whatever x says
	first   int
	records []int // nil: first, first+1, …
	labels  []float32
	measures
	own *blockMemory // what the block may be filled anew in, or nil
}

const (
	// blockBytes of rows stay in the second cache between their scores and their sum.
	blockBytes = 1 << 17
	// minBlockRows share what is done once a block; more than maxBlockRows gain nothing.
	minBlockRows, maxBlockRows = 16, 256
)

// BlockLen returns the number of rows that are best processed together. The number is small enough
// that the rows stay in the processor's cache, and a multiple of eight for the kernels.
func (r *Rows) BlockLen() int {
	if r.kind == Sparse {
		return maxBlockRows
	}
	return min(maxBlockRows, max(minBlockRows, blockBytes/r.kind.RowBytes(r.dim)&^7))
}

// Load returns a block of n consecutive rows. The argument first is the number of its first row. It
// may use the memory of old, which is a block of any rows that Load or LoadAt returned and that is
// no longer used. The zero Block is allowed too. It is an error if the rows are in a file that
// cannot be read or is damaged.
func (r *Rows) Load(first, n int, old Block) (Block, error) {
	if n < 0 || first < r.first || first > r.first+r.count-n {
		return Block{}, errOutside
	}
	if r.file != nil {
		return r.loadFile(first-r.first, n, old)
	}
	at := first - r.first
	return Block{rows: r, x: r.x.Part(at, n), n: n, first: first, labels: piece(r.labels, at, n), measures: r.measures.part(at, n)}, nil
}

// Prefetch prefetches what is kept of the listed rows next to their integers. It then arrives while
// LoadAt copies the integers. It reads nothing of it, and skips records that the rows do not have.
func (r *Rows) Prefetch(records []int) {
	kernel.Fetch(r.known.mixes, records, r.first)
	kernel.Fetch(r.n2, records, r.first)
	kernel.Fetch(r.multipliers, records, r.first)
	kernel.Fetch(r.betas, records, r.first)
	kernel.Fetch(r.tails, records, r.first)
	kernel.Fetch(r.labels, records, r.first)
}

// LoadAt returns a block of the listed rows. It otherwise behaves like Load.
func (r *Rows) LoadAt(records []int, old Block) (Block, error) {
	at := make([]int, len(records))
	for k, i := range records {
		if i < r.first || i >= r.first+r.count {
			return Block{}, errOutside
		}
		at[k] = i - r.first
	}
	if r.file != nil {
		return r.loadFileAt(records, at, old)
	}
	own := old.memory()
	own.X = r.x.Take(own.X, at)
	return r.gather(own, records, r.first, r.labels, r.measures), nil
}

// memory returns the block's own memory, or new memory.
func (b *Block) memory() *blockMemory {
	if b.own == nil {
		return &blockMemory{}
	}
	return b.own
}

// gather makes the block of listed records, whose integers stand in own, from labels and measures
// of the records first, first+1, ….
func (r *Rows) gather(own *blockMemory, records []int, first int, labels []float32, all measures) Block {
	n := len(records)
	own.measures = r.frame.newMeasures(n, own.measures)
	if all.n2 != nil {
		own.measures.pick(all, records, first)
	}
	b := Block{rows: r, x: own.X, n: n, records: records, measures: own.measures, own: own}
	if labels != nil {
		own.Labels = grow(own.Labels, n)
		pick(own.Labels, labels, records, first)
		b.labels = own.Labels
	}
	return b
}

var errOutside = fmt.Errorf("release: records are asked for that the rows do not have, want some of theirs")

// Len returns the number of rows in the block.
func (b *Block) Len() int { return b.n }

// OfSameRows reports whether two blocks are of the same rows, seen from one frame.
func (b *Block) OfSameRows(o *Block) bool { return b.rows == o.rows }

// Labels returns the label of each record in the block, or nil if there are no labels. The caller
// must not modify the slice.
func (b *Block) Labels() []float32 { return b.labels }

// Record returns the record number of the i-th row of the block.
func (b *Block) Record(i int) int { return b.record(i) }

// record returns the number of the block's i-th record.
func (b *Block) record(i int) int {
	return recordOf(b.first, b.records, i)
}

// recordOf returns the i-th of the records that are listed or, without a list, of first, first+1,
// ….
func recordOf(first int, records []int, i int) int {
	if records != nil {
		return records[i]
	}
	return first + i
}

// Norm returns the L2 norm of the i-th row of the block after standardization, with the precision
// of float32.
func (b *Block) Norm(i int) float64 {
	return math.Sqrt(float64(b.n2[i])) * b.multiplier(i, &b.rows.frame)
}

// OfNorm1 reports whether Block.Norms gives 1 for every row.
func (r *Rows) OfNorm1() bool { return r.frame.Normalize == NormalizeUnit }

// Norms fills dst, of length Len, with the L2 norms of the rows after standardization, with the
// precision of float32. Under NormalizeUnit all norms are 1. A row that contributes nothing then
// has norm 1 too.
func (b *Block) Norms(dst []float64) {
	if b.rows.OfNorm1() {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	if b.multipliers != nil {
		kernel.ScaledNorms(dst, b.n2, b.multipliers)
		return
	}
	var ones [64]float32
	for i := range ones {
		ones[i] = 1
	}
	unit := b.rows.frame.unit
	for n2 := b.n2[:len(dst)]; len(dst) > 0; {
		some := dst[:min(len(ones), len(dst))]
		kernel.ScaledNorms(some, n2[:len(some)], ones[:len(some)])
		for i := range some {
			some[i] *= unit
		}
		dst, n2 = dst[len(some):], n2[len(some):]
	}
}

// units fills dst with what one of the integers of each row stands for, times a factor.
func (b *Block) units(dst []float64, factor float64) {
	if b.multipliers != nil {
		kernel.ToFloat64(dst, b.multipliers, factor)
		return
	}
	unit := factor * b.rows.frame.unit
	for i := range dst {
		dst[i] = unit
	}
}

// Alone returns a block that contains only a copy of the i-th row and of its record's other data,
// and nothing of other records. It may use the memory of old, which is a block that Alone returned
// and that is no longer used, or the zero Block. Scores of such a row are computed in portable
// code. The error is ErrComputation if the row is not what entered. It is also ErrComputation if
// the last reading of a file measured the row wrongly.
func (b *Block) Alone(i int, old Block) (Block, error) {
	own, r, record := old.memory(), b.rows, b.record(i)
	own.X = b.x.Take(own.X, []int{i})
	var row reader
	square, mix := row.mix(own.X, 0, r.origin.secret[:r.dim])
	if mix >= prime || r.file == nil && mix != r.origin.mix[record-r.first] {
		return Block{}, ErrComputation
	}
	alone := r.gather(own, []int{record}, record-i, b.labels, b.measures)
	if r.file != nil && !r.explains(&alone.measures, record-r.first, square, mix, &row) {
		return Block{}, ErrComputation
	}
	return alone, nil
}

// explains reports whether the first measures of m are what the frame makes of the row that was
// read last. It also requires that this row adds what row i added when it entered. The arguments
// square and mix are the squared norm of the row and its product with the secret.
func (r *Rows) explains(m *measures, i int, square int64, mix uint64, row *reader) bool {
	f, seen := &r.frame, rowMeasures{beta: m.beta(0), tail: m.tail(0)}
	right := false
	if f.whitener == nil { // β of a row that adds nothing is 0, and none is kept
		seen = f.measure(square, row.dot(f.m))
		right = m.says(0, seen)
	} else {
		_, mix = row.mixRow(f.secret)
		right = f.explainsWhitened(m, 0, square, mix, row.times(f.whitener))
	}
	return right && f.mixOf(mix, seen.beta, seen.tail) == r.known.mixes[i]
}

// times returns W·x of the row x that was read last, in portable code. A row beyond the reach of
// the matrix may have other products modulo 2^32.
func (own *reader) times(t *whitener) []int32 {
	out, m := make([]int32, t.dim), make([]int64, t.dim)
	for k := range out {
		for j, w := range t.matrix[k*t.dim : (k+1)*t.dim] {
			m[j] = int64(w)
		}
		out[k] = int32(own.dot(m))
	}
	return out
}

// Squares fills dst, of length Len, with the squared L2 norms of the rows without standardization,
// in grid units.
func (b *Block) Squares(dst []int64) {
	if len(dst) > 0 {
		b.x.Norms2(dst)
	}
}

// CopyRow copies the i-th row of the block to dst, without standardization and in grid units. The
// slice dst has one number for each coordinate.
func (b *Block) CopyRow(dst []int16, i int) { b.x.CopyRow(dst, i) }

// Each calls the function do for blocks of n consecutive rows, one block after the other. The
// argument first is the number of the first row. A block is valid only until the function returns.
// Scan visits all rows on several goroutines.
func (r *Rows) Each(first, n int, do func(Block) error) error {
	if r.file != nil {
		return r.eachOfFile(first, n, do)
	}
	return r.eachOfMemory(first, n, r.BlockLen(), do)
}

// eachOfMemory is Each for rows in memory, in blocks of a size.
func (r *Rows) eachOfMemory(first, n, size int, do func(Block) error) error {
	for end := first + n; first < end || n < 0; first += size { // Load refuses n < 0
		b, err := r.Load(first, min(size, end-first), Block{})
		if err != nil {
			return err
		}
		if err = do(b); err != nil {
			return err
		}
	}
	return nil
}
