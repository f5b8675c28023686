package kernel

import "math"

// Norm returns the L2 norm of x, summed in the order of x in float64. It is +Inf or NaN if a
// coordinate is.
func Norm(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += float64(v * v)
	}
	return math.Sqrt(s)
}

// MultiplyRows writes the products of rows of x, each of length d, with the symmetric d×d matrix m
// to dst. dst is row-major of shape rows × d. Every number is a sum in the order of the
// coordinates, without fused operations. A row's result therefore has the same bits whatever other
// rows are in x and on every machine.
func MultiplyRows(dst, x, m []float64, d int) {
	rows := len(x) / d
	r := 0
	for ; r+4 <= rows; r += 4 {
		multiply4(dst[r*d:(r+4)*d], x[r*d:(r+4)*d], m, d)
	}
	for ; r < rows; r++ {
		multiply1(dst[r*d:(r+1)*d], x[r*d:(r+1)*d], m, d)
	}
}

// multiply4 shares each pair of matrix rows among four vectors.
func multiply4(dst, x, m []float64, d int) {
	x0, x1, x2, x3 := x[:d], x[d:2*d], x[2*d:3*d], x[3*d:4*d]
	i := 0
	for ; i+2 <= d; i += 2 {
		p, q := m[i*d:(i+1)*d], m[(i+1)*d:(i+2)*d]
		q, x0, x1, x2, x3 = q[:len(p)], x0[:len(p)], x1[:len(p)], x2[:len(p)], x3[:len(p)]
		var a0, a1, a2, a3, b0, b1, b2, b3 float64
		for j, u := range p {
			v := q[j]
			a0 += float64(u * x0[j])
			a1 += float64(u * x1[j])
			a2 += float64(u * x2[j])
			a3 += float64(u * x3[j])
			b0 += float64(v * x0[j])
			b1 += float64(v * x1[j])
			b2 += float64(v * x2[j])
			b3 += float64(v * x3[j])
		}
		dst[i], dst[d+i], dst[2*d+i], dst[3*d+i] = a0, a1, a2, a3
		dst[i+1], dst[d+i+1], dst[2*d+i+1], dst[3*d+i+1] = b0, b1, b2, b3
	}
	for ; i < d; i++ {
		p := m[i*d : (i+1)*d]
		dst[i], dst[d+i], dst[2*d+i], dst[3*d+i] = dotInOrder(p, x0), dotInOrder(p, x1), dotInOrder(p, x2), dotInOrder(p, x3)
	}
}

// multiply1 multiplies four matrix rows at a time with one vector.
func multiply1(dst, x, m []float64, d int) {
	x = x[:d]
	i := 0
	for ; i+4 <= d; i += 4 {
		p0, p1, p2, p3 := m[i*d:(i+1)*d], m[(i+1)*d:(i+2)*d], m[(i+2)*d:(i+3)*d], m[(i+3)*d:(i+4)*d]
		p0, p1, p2, p3 = p0[:len(x)], p1[:len(x)], p2[:len(x)], p3[:len(x)]
		var s0, s1, s2, s3 float64
		for j, v := range x {
			s0 += float64(p0[j] * v)
			s1 += float64(p1[j] * v)
			s2 += float64(p2[j] * v)
			s3 += float64(p3[j] * v)
		}
		dst[i], dst[i+1], dst[i+2], dst[i+3] = s0, s1, s2, s3
	}
	for ; i < d; i++ {
		dst[i] = dotInOrder(m[i*d:(i+1)*d], x)
	}
}

func dotInOrder(a, b []float64) float64 {
	b = b[:len(a)]
	s := 0.0
	for j, v := range a {
		s += float64(v * b[j])
	}
	return s
}

// Dot returns Σ a[j]·b[j], summed in order without fused operations. The lengths must
// agree.
func Dot(a, b []float64) float64 { return dotInOrder(a, b) }
