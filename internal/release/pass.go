package release

import "slices"

// Scan is one pass over all rows that several goroutines make together.
type Scan struct {
	rows  *Rows
	parts int
	size  int    // of a block
	turns *turns // of rows in a file
}

// Scan returns a pass in this many parts, at least 1, before it begins.
func (r *Rows) Scan(parts int) *Scan {
	p := &Scan{rows: r, parts: parts, size: r.BlockLen()}
	if r.file != nil {
		p.turns = r.file.newTurns(0, r.count)
	}
	return p
}

// LongPass is Scan with blocks of rows in memory that are twice as long, for those who do much with each.
func (r *Rows) LongPass(parts int) *Scan {
	p := r.Scan(parts)
	p.size *= 2
	return p
}

// Each calls do with the blocks of one of the parts, numbered from 0. Every row is in one part and
// in one block; each part is to be gone through once. Of rows in memory the parts are of one size;
// of rows in a file each goroutine takes the next block that nobody took. So the file is read from
// its beginning to its end. A block is only valid until do returns.
func (p *Scan) Each(part int, do func(Block) error) error {
	r := p.rows
	if p.turns == nil {
		from, to := part*r.count/p.parts, (part+1)*r.count/p.parts
		return r.eachOfMemory(r.first+from, to-from, p.size, do)
	}
	return r.file.each(r.form, p.turns, func(own *blockMemory, k int) error {
		b, err := r.blockOfFile(own, r.file.table.Blocks[k].First)
		if err != nil {
			return err
		}
		return do(b)
	})
}

// blockOfFile returns the block of the rows in own; the first of them is row at of r.
func (r *Rows) blockOfFile(own *blockMemory, at int) (Block, error) {
	m, err := r.measured(own, at)
	return Block{rows: r, x: own.x, first: r.first + at, labels: r.labelsIn(own), measures: m}, err
}

// labelsIn returns the labels in own, or nil if there are none.
func (r *Rows) labelsIn(own *blockMemory) []float32 {
	if !r.file.table.Labels {
		return nil
	}
	return own.labels
}

// measured returns the measures of the rows in own. The first of them is row at of r. They are the
// measures that are kept, or are taken of the integers as they stand in own.
func (r *Rows) measured(own *blockMemory, at int) (measures, error) {
	n := own.x.count()
	if r.measures.n2 != nil {
		return r.measures.part(at, n), nil
	}
	own.measures = r.frame.newMeasures(n, own.measures)
	return own.measures, r.measureSome(own.measures, own.x, at)
}

// eachOfFile is Each for rows in a file.
func (r *Rows) eachOfFile(first, n int, do func(Block) error) error {
	from := first - r.first
	if n < 0 || from < 0 || from > r.count-n {
		return errOutside
	}
	f := r.file
	return f.each(r.form, f.newTurns(from, from+n), func(own *blockMemory, k int) error {
		b := f.table.Blocks[k]
		start, end := max(from, b.First), min(from+n, b.First+b.Rows)
		own.x, own.labels = own.x.part(start-b.First, end-start), piece(r.labelsIn(own), start-b.First, end-start)
		part, err := r.blockOfFile(own, start)
		if err != nil {
			return err
		}
		return do(part)
	})
}

// loadFile reads rows that may lie in several blocks.
func (r *Rows) loadFile(at, n int, old Block) (Block, error) {
	records, places := make([]int, n), make([]int, n)
	for i := range records {
		records[i], places[i] = r.first+at+i, at+i
	}
	return r.loadFileAt(records, places, old)
}

// loadFileAt reads the blocks that have the rows that are listed, in the order of the list, each once
// where they stand together.
func (r *Rows) loadFileAt(records, at []int, old Block) (Block, error) {
	own, read := old.memory(), r.file.free.Get().(*blockMemory)
	defer r.file.free.Put(read)
	x, labels := r.form.take(own.x, nil), own.labels[:0]
	for from, to := 0, 0; from < len(at); from = to {
		k := r.file.blockOf(at[from])
		b := r.file.table.Blocks[k]
		if err := r.file.read(k, r.form, read, nil); err != nil {
			return Block{}, err
		}
		var inside []int
		for ; to < len(at) && at[to] >= b.First && at[to] < b.First+b.Rows; to++ {
			inside = append(inside, at[to]-b.First)
		}
		if err := r.enterListed(read, b.First, inside); err != nil {
			return Block{}, err
		}
		x = x.extend(read.x, inside)
		if r.file.table.Labels {
			for _, j := range inside {
				labels = append(labels, read.labels[j])
			}
		}
	}
	own.x, own.labels = x, labels
	own.measures = r.frame.newMeasures(len(at), own.measures)
	if err := r.measureListed(own, at); err != nil {
		return Block{}, err
	}
	return Block{rows: r, x: x, records: records, labels: r.labelsIn(own), measures: own.measures, own: own}, nil
}

// enterListed enters the rows of a block as they stand in it, before those that are listed are copied, unless they were
// entered: so that a copy of another row is found.
func (r *Rows) enterListed(read *blockMemory, first int, inside []int) error {
	missing := func(i int) bool { return !r.known.has(first + i) }
	if r.known == nil || !slices.ContainsFunc(inside, missing) {
		return nil
	}
	return r.measureSome(r.frame.newMeasures(read.x.count(), measures{}), read.x, first)
}

// measureListed fills the measures of the rows in own, which are the rows of r that at lists.
func (r *Rows) measureListed(own *blockMemory, at []int) error {
	if r.measures.n2 != nil {
		own.measures.pick(r.measures, at, 0)
		return nil
	}
	return r.measureAt(own.measures, own.x, func(i int) int { return at[i] })
}
