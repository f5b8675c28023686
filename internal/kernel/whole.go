package kernel

// DotInt returns Σ x[j]·m[j], exactly, for rows of fewer than 2^33 entries. The call panics if m is
// shorter than x, and ignores the entries of m beyond. A -32768 in m makes the result unspecified;
// in x it is allowed.
func DotInt[T IntEntry](x []T, m []int16) (sum int64) { return dotWhole(available, x, m) }

// dotWhole is DotInt with a set of instructions that the processor has.
func dotWhole[T IntEntry](set instructions, x []T, m []int16) (sum int64) {
	m = m[:len(x)]
	done := 0
	if n := len(x) &^ 15; n > 0 {
		sum, done = dotVector(set, x[:n], m[:n])
	}
	for j, v := range x[done:] {
		sum += int64(v) * int64(m[done+j])
	}
	return sum
}

// SquareInt returns Σ x[j]², exactly, for rows of fewer than 2^33 entries of any value.
func SquareInt[T IntEntry](x []T) (sum int64) { return squareWhole(available, x) }

// squareWhole is SquareInt with a set of instructions that the processor has.
func squareWhole[T IntEntry](set instructions, x []T) (sum int64) {
	done := 0
	if n := len(x) &^ 15; n > 0 {
		sum, done = squareVector(set, x[:n])
	}
	for _, v := range x[done:] {
		sum += int64(v) * int64(v)
	}
	return sum
}

// DotRows writes Σ x[i·dim+j]·m[j] of each row i to dst, exactly, under the conditions of DotInt.
// The call panics unless len(x) is len(dst)·dim, and if m is shorter than dim.
func DotRows[T IntEntry](dst []int64, x []T, dim int, m []int16) {
	wantLength("x", len(x), len(dst), dim)
	dotRows(available, dst, x, dim, m[:dim])
}

// dotRows is DotRows with a set of instructions that the processor has.
func dotRows[T IntEntry](set instructions, dst []int64, x []T, dim int, m []int16) {
	if len(x) == 0 {
		clear(dst)
		return
	}
	for i := dotRowsVector(set, dst, x, m[:dim]); i < len(dst); i++ {
		dst[i] = dotWhole(set, x[i*dim:(i+1)*dim], m)
	}
}

// SquareRows writes Σ x[i·dim+j]² of each row i to dst, exactly, for entries of any value. The call
// panics unless len(x) is len(dst)·dim.
func SquareRows[T IntEntry](dst []int64, x []T, dim int) {
	wantLength("x", len(x), len(dst), dim)
	squareRows(available, dst, x, dim)
}

// squareRows is SquareRows with a set of instructions that the processor has.
func squareRows[T IntEntry](set instructions, dst []int64, x []T, dim int) {
	if len(x) == 0 {
		clear(dst)
		return
	}
	for i := squareRowsVector(set, dst, x, dim); i < len(dst); i++ {
		dst[i] = squareWhole(set, x[i*dim:(i+1)*dim])
	}
}
