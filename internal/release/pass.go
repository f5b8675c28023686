package release

import (
	"sync/atomic"

	"github.com/ditherml/dither/internal/rows"
)

// Scan is one pass over all rows that several goroutines make together. Each goroutine makes one
// part of the pass.
type Scan struct {
	rows  *Rows
	parts int
	size  int         // of a block
	turns *rows.Turns // of rows in a file
	// Of rows in a file, the parts that were not gone through, and the rows that nobody was given.
	open, left atomic.Int64
}

// Scan returns a pass over the rows in this number of parts, at least 1. The pass has not begun.
func (r *Rows) Scan(parts int) *Scan {
	p := &Scan{rows: r, parts: parts, size: r.BlockLen()}
	if r.file != nil {
		p.turns = r.file.NewTurns(0, r.count)
		p.open.Store(int64(parts))
		p.left.Store(int64(r.count))
	}
	return p
}

// LongPass does what Scan does, with blocks of twice the length for rows in memory. It suits passes
// that do much work with each block.
func (r *Rows) LongPass(parts int) *Scan {
	p := r.Scan(parts)
	p.size *= 2
	return p
}

// Each calls the function do for every block of one part of the pass. Parts are numbered from 0,
// and Each must be called once for each part. Every row is in exactly one part and one block. A
// block is valid only until the function returns.
//
// For rows in memory all parts have about the same size. For rows in a file each part takes the
// next block that no part has taken. So the file is read from its beginning to its end. The part
// that ends last returns an error if a row of the file was in no block.
func (p *Scan) Each(part int, do func(Block) error) error {
	r := p.rows
	if p.turns == nil {
		from, to := part*r.count/p.parts, (part+1)*r.count/p.parts
		return r.eachOfMemory(r.first+from, to-from, p.size, do)
	}
	err := r.eachOfTurns(p.turns, func(own *blockMemory, k int) error {
		block := r.file.Table.Blocks[k]
		b := r.blockOfFile(own, block.First, block.Rows, own.Labels)
		p.left.Add(-int64(b.n))
		return do(b)
	})
	if p.open.Add(-1) == 0 && err == nil && p.left.Load() != 0 {
		return ErrComputation
	}
	return err
}

// eachOfTurns calls do with the blocks of a file that this call takes, in memory that is used
// again, and their numbers.
func (r *Rows) eachOfTurns(t *rows.Turns, do func(own *blockMemory, k int) error) error {
	own := r.free.Get().(*blockMemory)
	defer r.free.Put(own)
	return r.file.Each(r.form, t, &own.Memory, func(k int) error {
		if err := r.holdLabels(k, own.Labels); err != nil {
			return err
		}
		return do(own, k)
	})
}

// blockOfFile returns the block of the n rows in own, which have these labels. The first of them is
// row at of r. Its measures are those that are kept, or are taken of the integers as they stand.
func (r *Rows) blockOfFile(own *blockMemory, at, n int, labels []float32) Block {
	b := Block{rows: r, x: own.X, n: n, first: r.first + at, labels: labels}
	if r.measures.n2 != nil {
		b.measures = r.measures.part(at, n)
		return b
	}
	own.measures = r.frame.newMeasures(n, own.measures)
	b.measures = own.measures
	r.measureAgain(b.measures, own.X, func(k int) int { return at + k })
	return b
}

// eachOfFile is Each for rows in a file.
func (r *Rows) eachOfFile(first, n int, do func(Block) error) error {
	from := first - r.first
	if n < 0 || from < 0 || from > r.count-n {
		return errOutside
	}
	f, left := r.file, n
	err := r.eachOfTurns(f.NewTurns(from, from+n), func(own *blockMemory, k int) error {
		b := f.Table.Blocks[k]
		start, end := max(from, b.First), min(from+n, b.First+b.Rows)
		own.X = own.X.Part(start-b.First, end-start)
		part := r.blockOfFile(own, start, end-start, piece(own.Labels, start-b.First, end-start))
		left -= part.n
		return do(part)
	})
	if err == nil && left != 0 {
		return ErrComputation
	}
	return err
}

// loadFile reads rows that may lie in several blocks.
func (r *Rows) loadFile(at, n int, old Block) (Block, error) {
	records, places := make([]int, n), make([]int, n)
	for i := range records {
		records[i], places[i] = r.first+at+i, at+i
	}
	return r.loadFileAt(records, places, old)
}

// loadFileAt reads the blocks that have the rows that are listed, in the order of the list, each
// once where they stand together.
func (r *Rows) loadFileAt(records, at []int, old Block) (Block, error) {
	own, read := old.memory(), r.free.Get().(*blockMemory)
	defer r.free.Put(read)
	x := r.form.Take(own.X, nil)
	own.Labels = own.Labels[:0]
	for from, to := 0, 0; from < len(at); from = to {
		k := r.file.BlockOf(at[from])
		b := r.file.Table.Blocks[k]
		if err := r.file.Read(k, r.form, &read.Memory); err != nil {
			return Block{}, err
		}
		if err := r.holdLabels(k, read.Labels); err != nil {
			return Block{}, err
		}
		var inside []int
		for ; to < len(at) && at[to] >= b.First && at[to] < b.First+b.Rows; to++ {
			inside = append(inside, at[to]-b.First)
		}
		x = x.Extend(read.X, inside)
		if read.Labels != nil {
			for _, i := range inside {
				own.Labels = append(own.Labels, read.Labels[i])
			}
		}
	}
	own.X = x
	b := r.gather(own, records, r.first, nil, r.measures)
	if r.file.Table.Labels {
		b.labels = own.Labels
	}
	if r.measures.n2 == nil {
		r.measureAgain(b.measures, x, func(k int) int { return at[k] })
	}
	return b, nil
}
