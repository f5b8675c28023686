package kernel

// AddRowsByMargin adds the rows of x to dst in one pass over x, each scaled by a factor made from
// its margin: dst[j] += Σ_i f_i·x[i*dim+j]. It is the sum of a gradient of one column of weights,
// where f_i is the derivative of a loss.
//
// margins has one number for each row. The call fills it with the result of Margins for x and w,
// bit for bit, a few rows at a time. It calls factors with each such part and the index of the
// part's first row. factors must replace the margins in the part by the factors of these rows. It
// is called for one part after another, from the first row to the last, on the caller's goroutine.
// The number of rows in a part is unspecified. After the call margins holds the factors.
//
// The sum is that of AddScaledRows: the same bound on the error, and no promised order of the
// additions.
//
// x has shape [rows, dim], row-major; dst and w have length dim. The call panics, and writes
// nothing, if the lengths disagree. dst and margins must not overlap each other, x or w. If factors
// panics, dst may hold the sum of some of the rows.
func AddRowsByMargin(dst, x []float32, dim int, w, margins []float32, factors func(part []float32, first int)) {
	wantLength("x", len(x), len(margins), dim)
	wantLength("w", len(w), 1, dim)
	wantLength("dst", len(dst), 1, dim)
	addRowsByMargin(available, dst, x, dim, w, margins, factors)
}

// twiceRows returns how many rows addRowsTwice takes together: 64 KiB, from 8 to 64 rows.
func twiceRows(dim int) int { return min(max(1<<14/max(dim, 1), 8), 64) }

// addRowsTwice is AddRowsByMargin for the rows from one on, with one kernel for the margins and one
// for the sums.
func addRowsTwice(set instructions, dst, x []float32, dim int, w, margins []float32, factors func(part []float32, first int), from int) {
	for rows, most := len(margins), twiceRows(dim); from < rows; from += most {
		to := min(from+most, rows)
		some, part := x[from*dim:to*dim], margins[from:to]
		measure(set, part, some, dim, w)
		factors(part, from)
		addFactored(set, dst, some, dim, part)
	}
}

// measure is Margins of one column, for at least one row.
func measure(set instructions, dst, x []float32, dim int, w []float32) {
	margins(set, dst, x, dim, w, 1)
}

// addFactored is AddScaledRows of one column, for at least one row.
func addFactored(set instructions, dst, x []float32, dim int, r []float32) {
	if dim > 0 {
		addScaledRows(set, dst, x, dim, r, 1)
	}
}
