package mechanism

// each calls do with every block that has rows from ≤ i < to, in memory that is reused, cut to those
// rows, and the place of the first of them. One block is read while do works on the one before.
func (f *rowsFile) each(r *Rows, from, to int, do func(own *blockMemory, at int) error) error {
	if from >= to {
		return nil
	}
	type filled struct {
		own *blockMemory
		k   int
		err error
	}
	free, ready, stop := make(chan *blockMemory, 2), make(chan filled, 1), make(chan struct{})
	defer close(stop)
	free <- &blockMemory{}
	free <- &blockMemory{}
	first, last := f.blockOf(from), f.blockOf(to-1)
	go func() {
		for k := first; k <= last; k++ {
			var own *blockMemory
			select {
			case own = <-free:
			case <-stop:
				return
			}
			next := filled{own, k, f.read(k, r.form, own)}
			select {
			case ready <- next:
			case <-stop:
				return
			}
		}
	}()
	for range last - first + 1 {
		next := <-ready
		if next.err != nil {
			return next.err
		}
		if err := f.cut(next.own, next.k, from, to, do); err != nil {
			return err
		}
		free <- next.own
	}
	return nil
}

// cut calls do with the rows of block k that are from ≤ i < to.
func (f *rowsFile) cut(own *blockMemory, k, from, to int, do func(own *blockMemory, at int) error) error {
	b := f.table.Blocks[k]
	start, end := max(from, b.First), min(to, b.First+b.Rows)
	if start == b.First && end == b.First+b.Rows {
		return do(own, start)
	}
	part := *own
	part.x, part.labels = own.x.part(start-b.First, end-start), piece(own.labels, start-b.First, end-start)
	return do(&part, start)
}

// eachOfFile is Each for rows in a file.
func (r *Rows) eachOfFile(first, n int, do func(Block) error) error {
	from := first - r.first
	if n < 0 || from < 0 || from > r.count-n {
		return errOutside
	}
	return r.file.each(r, from, from+n, func(own *blockMemory, at int) error {
		return do(Block{rows: r, x: own.x, first: r.first + at, labels: own.labels, measures: r.measured(own, at)})
	})
}

// measured returns the measures of the rows in own, the first of which stands at.
func (r *Rows) measured(own *blockMemory, at int) measures {
	n := own.x.count()
	if r.measures.n2 != nil {
		return r.measures.part(at, n)
	}
	own.measures = r.frame.newMeasures(n, own.measures)
	r.frame.measureAll(own.measures, own.x)
	return own.measures
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
	own := old.memory()
	own.measures = r.frame.newMeasures(len(at), own.measures)
	out := Block{rows: r, records: records, measures: own.measures, own: own}
	read, labels := &blockMemory{}, []float32(nil)
	out.x = r.form.take(own.x, nil)
	for from := 0; from < len(at); {
		k := r.file.blockOf(at[from])
		b := r.file.table.Blocks[k]
		if err := r.file.read(k, r.form, read); err != nil {
			return Block{}, err
		}
		all := r.measured(read, b.First)
		var inside []int
		for to := from; to < len(at) && at[to] >= b.First && at[to] < b.First+b.Rows; to++ {
			inside = append(inside, at[to]-b.First)
		}
		for i, j := range inside {
			own.measures.copyFrom(from+i, all, j)
			if read.labels != nil {
				labels = append(labels, read.labels[j])
			}
		}
		out.x = out.x.extend(read.x, inside)
		from += len(inside)
	}
	own.x, own.labels, out.labels = out.x, labels, labels
	return out, nil
}
