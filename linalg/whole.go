package linalg

// DotWhole returns Σ x[j]·m[j], exactly: entries are at most 32767 in magnitude, so that a sum of
// fewer than 2^33 products is in the range of int64. The lengths must agree; the call panics when m is
// shorter than x, and leaves what m has beyond. An int16 of -32768 is not allowed, and makes the result
// unspecified.
func DotWhole[T WholeEntry](x []T, m []int16) (sum int64) {
	m = m[:len(x)]
	done := 0
	if n := len(x) &^ 15; n > 0 {
		sum, done = dotVector(available, x[:n], m[:n])
	}
	for j, v := range x[done:] {
		sum += int64(v) * int64(m[done+j])
	}
	return sum
}

// SquareWhole returns Σ x[j]², exactly, under the conditions of DotWhole.
func SquareWhole[T WholeEntry](x []T) (sum int64) {
	done := 0
	if n := len(x) &^ 15; n > 0 {
		sum, done = squareVector(available, x[:n])
	}
	for _, v := range x[done:] {
		sum += int64(v) * int64(v)
	}
	return sum
}
