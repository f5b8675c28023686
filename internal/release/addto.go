package release

// AddTo adds to dst the outer product of coefficients and the i-th row of the block. The slice dst
// has length len(coefficients)·Dim, row-major. The row is standardized as the block's Rows are (see
// Standardization). Gradient code uses AddTo if several rows belong to one record; a VectorSum then
// verifies the record's sum. The argument row is working space with one number for each coordinate.
func (b *Block) AddTo(dst []float64, i int, coefficients []float64, row []int16) {
	b.x.CopyRow(row, i)
	f := &b.rows.frame
	if f.whitener != nil {
		b.addWhitened(dst, i, coefficients, row)
		return
	}
	unit, beta, tail := b.multiplier(i, f), float64(b.beta(i)), float64(b.tail(i))
	scale := float64(int64(1) << f.bits)
	dim := b.rows.Dim()
	for k, c := range coefficients {
		if c == 0 {
			continue
		}
		out := dst[k*dim : (k+1)*dim]
		c *= unit
		for j, v := range row[:b.rows.dim] {
			out[j] += c * scale * float64(v)
		}
		for j, m := range f.m {
			out[j] -= c * beta * float64(m)
		}
		if f.Intercept > 0 {
			out[dim-1] += c * tail
		}
	}
}

// addWhitened is AddTo for whitened rows; row holds the row's integers.
func (b *Block) addWhitened(dst []float64, i int, coefficients []float64, row []int16) {
	f, own, dim := &b.rows.frame, b.rows.dim, b.rows.Dim()
	y := make([]float64, dim)
	f.standardizeWhitened(y[:own], row[:own], b.beta(i))
	if f.Intercept > 0 {
		y[own] = float64(b.tail(i))
	}
	for k, c := range coefficients {
		c *= b.multiplier(i, f)
		for j, v := range y {
			dst[k*dim+j] += c * v
		}
	}
}

// Entries reports whether Block.AppendEntries may be called for these rows. It is true if the rows
// are stored sparse and if no center, intercept or whitening makes zero coordinates nonzero.
func (r *Rows) Entries() bool {
	return r.kind == Sparse && r.frame.m == nil && r.frame.Intercept == 0 && r.frame.whitener == nil
}

// AppendEntries appends the nonzero coordinates of the i-th row of the block. It appends their
// indices to index, ascending, and their values to values, and returns both slices. The values are
// standardized as in AddTo. Rows.Entries must be true.
func (b *Block) AppendEntries(i int, index []uint32, values []float32) ([]uint32, []float32) {
	f := &b.rows.frame
	unit, scale := b.multiplier(i, f), float64(int64(1)<<f.bits)
	own, whole, _ := b.x.Read(i, nil)
	for _, v := range whole {
		values = append(values, float32(unit*scale*float64(v)))
	}
	return append(index, own...), values
}
