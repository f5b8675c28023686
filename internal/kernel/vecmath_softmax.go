package kernel

import "math"

// Softmax writes to dst the values e^(x_j - m) / Σ e^(x_i - m) for every row of x, where m is the
// largest entry of the row. Rows have the given number of columns, and the length of x must be a
// multiple of it. dst must be at least as long as x, and may be x. Otherwise the two must not
// overlap.
//
// The result is defined to the bit like the results of Exp: a row's result depends on this row
// only. The differences, Exp of them, their sum and the quotients are each rounded to float32. The
// sum has 16 parts: part l adds the terms j ≡ l (mod 16) in ascending order, beginning with 0. Then
// part l adds part l+8, for l < 8, then l+4, l+2 and l+1.
//
// The relative error of a result is below 2^-24·(m - x_j + ln columns + columns/16 + 10). A
// subnormal result may have an additional error of 2^-148. The difference has an error of 2^-24·(m
// - x_j), and Exp one of 1.1 ulp. In the sum the errors of the differences weigh Σ p_i·(m - x_i).
// This is the entropy of the results p less -log p_m, at most ln columns. A part of the sum has
// columns/16 roundings and the tree four.
//
// A row that holds a NaN or +Inf, or nothing but -Inf, becomes NaN throughout; another -Inf becomes
// 0. An empty x changes nothing; otherwise fewer than one column panics.
func Softmax(dst, x []float32, columns int) { softmax(available, dst, x, columns) }

// softmax is Softmax with the instructions of a set that the processor has.
func softmax(set instructions, dst, x []float32, columns int) {
	dst = dst[:len(x)]
	if len(x) == 0 {
		return
	}
	if columns < 1 || len(x)%columns != 0 {
		panic("kernel: Softmax: the entries do not fill rows")
	}
	if softmaxVector(set, dst, x, columns) {
		return
	}
	for i := 0; i < len(x); i += columns {
		softmaxRow(dst[i:i+columns], x[i:i+columns])
	}
}

// softmaxRow is the definition of Softmax for a row.
func softmaxRow(dst, x []float32) {
	largest := float32(math.Inf(-1))
	for _, v := range x {
		if v > largest {
			largest = v
		}
	}
	var sums [softmaxLanes]float32
	for j, v := range x {
		e := expOne(v - largest)
		dst[j] = e
		sums[j%softmaxLanes] += e
	}
	for half := softmaxLanes / 2; half > 0; half /= 2 {
		for l := range half {
			sums[l] += sums[l+half]
		}
	}
	for j, e := range dst {
		if e != e || sums[0] != sums[0] {
			dst[j] = math.Float32frombits(nanBits)
			continue
		}
		dst[j] = e / sums[0]
	}
}

// softmaxLanes is the number of parts of the sum of a row.
const softmaxLanes = 16
