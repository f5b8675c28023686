package release

// The rows of a frame are entered as what they add: portable code computes that from the integers
// of a row and from public numbers, and refuses a row that kernels measured otherwise.

// framedRows are rows of a frame that a kernel measured. Row k of m is the next that is entered.
type framedRows struct {
	rows *Rows
	m    *measures
	k    int
	// whitened is what a kernel proposes as W·x, with a whitening.
	whitened []int32
	reader
}

// adds returns what row i adds.
func (v *framedRows) adds(i int) (n2 int64, mix uint64, right bool) {
	f, o := &v.rows.frame, v.rows.origin
	square, product := o.square[i], o.mix[i]
	if f.m != nil || f.whitener != nil { // x·m and W·x are of the same reading
		square, product = o.read(v.rows.x, i, v.rows.dim, &v.reader)
	}
	if f.whitener != nil && product < prime {
		_, product = v.mixRow(f.secret)
	}
	switch {
	case product >= prime:
		return 0, 0, false
	case f.whitener != nil:
		return v.m.n2[v.k], f.mixOf(product, v.m.beta(v.k), v.m.tail(v.k)), f.explainsWhitened(v.m, v.k, square, product, v.whitened)
	}
	sees := f.measure(square, v.dot(f.m))
	return sees.n2, f.mixOf(product, sees.beta, sees.tail), v.m.says(v.k, sees)
}

// mixOf returns the product with the secret of what a row adds, from the product of its integers.
// With a whitening, that is the product of the whitened integers.
func (f *frame) mixOf(mix uint64, beta, tail int64) uint64 {
	mix = times2(mix, f.bits)
	if f.m != nil {
		mix = residue(mix + timesResidue(-beta, f.mixCenter))
	}
	if f.Intercept > 0 {
		mix = residue(mix + timesResidue(tail<<f.shift, f.mixTail))
	}
	return mix
}

// keepSecrets computes what mixOf needs, for rows of this many coordinates.
func (f *frame) keepSecrets(dim int, r []uint64) {
	f.secret = r[:dim]
	if f.m != nil {
		f.mixCenter = mixLong(f.m, r)
	}
	if f.Intercept > 0 {
		f.mixTail = r[dim]
	}
	if f.whitener != nil {
		f.whitenedSecret, f.secret = r[:dim], f.whitener.secret(r[:dim])
		f.whitenedCenter = f.m
		if f.m == nil {
			f.whitenedCenter = make([]int64, dim)
		}
	}
}

// secret returns Wᵀ·r modulo the prime: its product with x is that of W·x with r.
func (t *whitener) secret(r []uint64) []uint64 {
	out := make([]uint64, t.dim)
	for k, v := range r {
		for j, w := range t.matrix[k*t.dim : (k+1)*t.dim] {
			out[j] = residue(out[j] + timesResidue(int64(w), v))
		}
	}
	return out
}
