package release

// AddTo adds the outer product of coefficients and the i-th row of the block, in its frame, to dst,
// of length coefficients × Dim, row-major. Gradient code sums so where several rows are one
// record's; a VectorSum then verifies that sum. row is working space of one number a coordinate.
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
	f.standardize(y[:own], row[:own], b.beta(i))
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

// Entries reports whether Block.AppendEntries may be called: rows are kept sparse, and no center,
// intercept or whitening makes other coordinates differ from 0.
func (r *Rows) Entries() bool {
	return r.kind == Sparse && r.frame.m == nil && r.frame.Intercept == 0 && r.frame.whitener == nil
}

// AppendEntries appends to index the coordinates of the i-th row of the block that are not 0,
// ascending. It appends to values their values, as AddTo gives them, and returns both. It is for
// rows whose Entries is true.
func (b *Block) AppendEntries(i int, index []uint32, values []float32) ([]uint32, []float32) {
	f := &b.rows.frame
	unit, scale := b.multiplier(i, f), float64(int64(1)<<f.bits)
	own, whole, _ := b.x.Read(i, nil)
	for _, v := range whole {
		values = append(values, float32(unit*scale*float64(v)))
	}
	return append(index, own...), values
}
