package linalg

// SyrkBlock is how many rows SyrkPanel takes at most: 2^22 products below 2^30
// stay whole in float64.
const SyrkBlock = 256

// SyrkPanel adds xᵀx of rows×dim integers (row-major, magnitudes at most 32767) to
// the entries on and below the diagonal of the dim×dim matrix dst, exactly. It adds
// those rows i of dst with from ≤ i < to. At most SyrkBlock rows a call; panel holds
// the transposed integers as float64 (PackPanel).
func SyrkPanel(dst []int64, panel []float64, rows, dim, from, to int) {
	i := from
	for ; i+1 < to; i += 2 {
		a, b := panel[i*rows:(i+1)*rows], panel[(i+1)*rows:(i+2)*rows]
		j := 0
		for ; j+3 <= i; j += 4 {
			syrk2x4(dst, panel, a, b, rows, dim, i, j)
		}
		for ; j <= i+1; j++ {
			p := panel[j*rows : (j+1)*rows]
			if j <= i {
				dst[i*dim+j] += int64(dot(a, p))
			}
			dst[(i+1)*dim+j] += int64(dot(b, p))
		}
	}
	for ; i < to; i++ {
		a := panel[i*rows : (i+1)*rows]
		for j := 0; j <= i; j++ {
			dst[i*dim+j] += int64(dot(a, panel[j*rows:(j+1)*rows]))
		}
	}
}

// syrk2x4 adds eight dot products of rows i, i+1 with rows j … j+3 of the panel.
func syrk2x4(dst []int64, panel, a, b []float64, rows, dim, i, j int) {
	p0, p1 := panel[j*rows:(j+1)*rows], panel[(j+1)*rows:(j+2)*rows]
	p2, p3 := panel[(j+2)*rows:(j+3)*rows], panel[(j+3)*rows:(j+4)*rows]
	b, p0, p1, p2, p3 = b[:len(a)], p0[:len(a)], p1[:len(a)], p2[:len(a)], p3[:len(a)]
	var s0, s1, s2, s3, t0, t1, t2, t3 float64
	for r, u := range a {
		v := b[r]
		s0 += u * p0[r]
		s1 += u * p1[r]
		s2 += u * p2[r]
		s3 += u * p3[r]
		t0 += v * p0[r]
		t1 += v * p1[r]
		t2 += v * p2[r]
		t3 += v * p3[r]
	}
	d, e := dst[i*dim+j:i*dim+j+4], dst[(i+1)*dim+j:(i+1)*dim+j+4]
	d[0] += int64(s0)
	d[1] += int64(s1)
	d[2] += int64(s2)
	d[3] += int64(s3)
	e[0] += int64(t0)
	e[1] += int64(t1)
	e[2] += int64(t2)
	e[3] += int64(t3)
}

func dot(a, b []float64) float64 {
	b = b[:len(a)]
	s := 0.0
	for r, u := range a {
		s += u * b[r]
	}
	return s
}

// PackPanel writes the transpose of rows×dim integers to panel, of length
// rows·dim, as float64.
func PackPanel(panel []float64, x []int16, rows, dim int) {
	for r := range rows {
		row := x[r*dim : (r+1)*dim]
		for j, v := range row {
			panel[j*rows+r] = float64(v)
		}
	}
}
