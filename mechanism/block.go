package mechanism

import "fmt"

// Block is some rows in memory, for as long as one step works on them.
type Block struct {
	rows    *Rows
	x       payload
	first   int
	records []int // nil: first, first+1, …
}

// blockRows is how many rows Load gives at a time to those who go through all of them.
const blockRows = 256

// BlockLen returns how many rows to work on at a time: as many as stay near the processor.
func (r *Rows) BlockLen() int {
	bits := r.dim * map[RowType]int{Int16: 16, Uint8: 8, Bit: 1}[r.kind]
	if r.kind == Sparse {
		return blockRows
	}
	return min(blockRows, max(minBlockRows, blockBytes*8/bits))
}

const (
	// blockBytes of rows stay in the second cache between their scores and their sum.
	blockBytes = 1 << 17
	// minBlockRows share what is done once a block.
	minBlockRows = 16
)

// Load returns the rows first … first+n-1.
func (r *Rows) Load(first, n int) (Block, error) {
	if n < 0 || first < r.first || first > r.first+r.count-n {
		return Block{}, errOutside
	}
	return Block{rows: r, x: r.x.part(first-r.first, n), first: first}, nil
}

// LoadAt returns the rows that are listed. It may use the memory of old, a block that LoadAt made
// and that is not used any more, or the zero Block.
func (r *Rows) LoadAt(records []int, old Block) (Block, error) {
	at := make([]int, len(records))
	for k, i := range records {
		if i < r.first || i >= r.first+r.count {
			return Block{}, errOutside
		}
		at[k] = i - r.first
	}
	return Block{rows: r, x: r.x.take(old.x, at), records: records}, nil
}

var errOutside = fmt.Errorf("mechanism: records are asked for that the rows do not have, want some of theirs")

// Len returns the number of rows.
func (b Block) Len() int {
	if b.x == nil {
		return 0
	}
	return b.x.count()
}

// record returns the number of the block's i-th record.
func (b Block) record(i int) int {
	if b.records != nil {
		return b.records[i]
	}
	return b.first + i
}

// Norm returns the L2 norm of the i-th row of the block, as it is seen.
func (b Block) Norm(i int) float64 { return b.rows.Norm(b.record(i)) }

// Labels returns the entries of all, one for each record from the rows' first on, that belong to the
// block. The caller must not modify them.
func (b Block) Labels(all []float64) []float64 {
	if b.records == nil {
		from := b.first - b.rows.first
		return all[from : from+b.Len()]
	}
	labels := make([]float64, len(b.records))
	for k, i := range b.records {
		labels[k] = all[i-b.rows.first]
	}
	return labels
}

// eachBlock calls do with all rows, on all processors, a few at a time, and the place of the first of
// them.
func (r *Rows) eachBlock(do func(x payload, from int)) error {
	blocks := (r.count + blockRows - 1) / blockRows
	parallel(blocks, func(from, to int) {
		for b := from; b < to; b++ {
			do(r.x.part(b*blockRows, min(blockRows, r.count-b*blockRows)), b*blockRows)
		}
	})
	return nil
}
