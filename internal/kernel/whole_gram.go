package kernel

import "fmt"

// AddGramInt adds xᵀx to the entries on and below the diagonal of dst, exactly: dst[j·dim+k] += Σ_i
// x[i·dim+j]·x[i·dim+k] for k ≤ j. x has shape rows × dim, row after row, and dst has shape dim ×
// dim. The entries above the diagonal are unspecified afterwards. The group is as in IntShape;
// GramGroup returns one.
//
// The call panics, and writes nothing, if a length does not match the shape or group is less than
// 1. It runs on the caller's processor only.
func AddGramInt(dst []int64, x []int16, dim, group int) {
	addGramWhole(available, dst, x, dim, group)
}

// addGramWhole is AddGramInt with the instructions of a set that the processor has.
func addGramWhole(set instructions, dst []int64, x []int16, dim, group int) {
	if dim < 1 || len(dst) != dim*dim || len(x)%dim != 0 || group < 1 {
		panic(fmt.Sprintf("kernel: AddGramInt: lengths are %d and %d for rows of %d in groups of %d, want those of the shapes and a group of at least 1", len(dst), len(x), dim, group))
	}
	s := IntShape{Rows: len(x) / dim, Left: dim, Right: dim, Group: group}
	if s.Rows == 0 || addGramVector(set, dst, x, s) {
		return
	}
	for i := range s.Rows {
		row := x[i*dim : (i+1)*dim]
		for j, v := range row {
			sums := dst[j*dim : j*dim+j+1]
			for k, u := range row[:j+1] {
				sums[k] += int64(v) * int64(u)
			}
		}
	}
}

// mostGramGroup is the largest group that GramGroup returns. Larger groups gain nothing.
const mostGramGroup = 256

// GramGroup returns a Group for AddGramInt of these rows of dim entries. In no such number of
// consecutive rows do the squares of their largest entries add up to 2^31. A row with an entry of
// -32768 counts like all.
func GramGroup(x []int16, dim int) int {
	rows := len(x) / dim
	squares := make([]int64, rows)
	for i := range squares {
		v := int64(LargestShort(x[i*dim : (i+1)*dim]))
		squares[i] = v * v
	}
	for group := mostGramGroup; group > 1; group /= 2 {
		sum, fits := int64(0), true
		for i, v := range squares {
			if sum += v; i >= group {
				sum -= squares[i-group]
			}
			fits = fits && sum < 1<<31
		}
		if fits {
			return group
		}
	}
	return 1
}
