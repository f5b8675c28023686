package linalg

// DotNarrow returns Σ x[j]·w[j] of an integer row and float64 parameters. The
// lengths must agree.
func DotNarrow(x []int16, w []float64) float64 {
	w = w[:len(x)]
	var s0, s1, s2, s3 float64
	j := 0
	for ; j+4 <= len(x); j += 4 {
		s0 += float64(x[j]) * w[j]
		s1 += float64(x[j+1]) * w[j+1]
		s2 += float64(x[j+2]) * w[j+2]
		s3 += float64(x[j+3]) * w[j+3]
	}
	for ; j < len(x); j++ {
		s0 += float64(x[j]) * w[j]
	}
	return (s0 + s1) + (s2 + s3)
}

// MultiplyNarrow writes to dst, of length len(x)/dim × columns row-major, the
// products of rows of x (each of length dim) with the columns of w, which stands
// column after column, each of length dim.
func MultiplyNarrow(dst []float64, x []int16, w []float64, dim, columns int) {
	for i := 0; i*dim < len(x); i++ {
		row := x[i*dim : (i+1)*dim]
		k := 0
		for ; k+2 <= columns; k += 2 {
			dst[i*columns+k], dst[i*columns+k+1] = dotNarrow2(row, w[k*dim:(k+1)*dim], w[(k+1)*dim:(k+2)*dim])
		}
		if k < columns {
			dst[i*columns+k] = DotNarrow(row, w[k*dim:(k+1)*dim])
		}
	}
}

// dotNarrow2 shares the conversion of the row between two columns.
func dotNarrow2(x []int16, u, v []float64) (float64, float64) {
	u, v = u[:len(x)], v[:len(x)]
	var a0, a1, b0, b1 float64
	j := 0
	for ; j+2 <= len(x); j += 2 {
		p, q := float64(x[j]), float64(x[j+1])
		a0 += p * u[j]
		a1 += q * u[j+1]
		b0 += p * v[j]
		b1 += q * v[j+1]
	}
	for ; j < len(x); j++ {
		a0 += float64(x[j]) * u[j]
		b0 += float64(x[j]) * v[j]
	}
	return a0 + a1, b0 + b1
}
