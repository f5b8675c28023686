package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// sumNumbers is the number of scaled right factors that AddSum holds at a time.
const sumNumbers = 1 << 20

// AddSum adds to dst the weighted sum of the records' gradients for one block. The weight of record
// i is weights[i], and the factors of its gradient are in f. The slice dst has the size of the
// block. AddSum forms no gradient of a single record: it computes one matrix product, or a few
// products for many records. A record of weight 0 is skipped, even if its factors are NaN. AddSum
// does not verify the factors, and its results are rounded. So use AddSum only for training without
// privacy and for tests. The order of the additions is unspecified. AddSum panics if lengths
// disagree.
func (w *Workspace[T]) AddSum(dst []T, f kernel.Factors[T], weights []T) {
	if len(dst) != f.Numbers() || len(weights) != f.Records {
		panic(fmt.Sprintf("network: AddSum: %d numbers and %d weights, want %d and %d", len(dst), len(weights), f.Numbers(), f.Records))
	}
	most := max(1, sumNumbers/max(1, f.Positions*f.Right))
	for first := 0; first < f.Records; {
		if weights[first] == 0 {
			first++
			continue
		}
		end := first + 1
		for end < f.Records && end < first+most && weights[end] != 0 {
			end++
		}
		w.addRecords(dst, f, weights, first, end)
		first = end
	}
}

// addRecords adds the contributions of consecutive records.
func (w *Workspace[T]) addRecords(dst []T, f kernel.Factors[T], weights []T, first, end int) {
	each := f.Positions * f.Right
	scaled := grown(&w.scaled, (end-first)*each)
	for i := first; i < end; i++ {
		weight := weights[i]
		to := scaled[(i-first)*each:][:each]
		for j, v := range f.Rights[i*each:][:each] {
			to[j] = weight * v
		}
	}
	if f.Index != nil {
		addSparse(dst, f, scaled, first, end)
		return
	}
	rows, width := (end-first)*f.Positions, f.Width()
	if f.Left > 0 {
		lefts := f.Lefts[first*f.Positions*f.Left:][:rows*f.Left]
		multiply(w.Serial, kernel.Matrix[T]{Data: dst, Rows: f.Right, Columns: f.Left, RowStride: width, ColumnStride: 1}, 1,
			kernel.NewMatrix(scaled, rows, f.Right).Transposed(), kernel.NewMatrix(lefts, rows, f.Left), 1)
	}
	if f.Bias {
		w.addBiases(dst, f, scaled)
	}
}

// addBiases adds the sum of scaled right factors to the last column of the block.
func (w *Workspace[T]) addBiases(dst []T, f kernel.Factors[T], scaled []T) {
	sum := grown(&w.column, f.Right)
	clear(sum)
	for len(scaled) > 0 {
		for j, v := range scaled[:f.Right] {
			sum[j] += float64(v)
		}
		scaled = scaled[f.Right:]
	}
	for j, v := range sum {
		dst[j*f.Width()+f.Left] += T(v)
	}
}

// addSparse adds scaled right factors to the rows of dst, of shape Left × Right, that their entries
// name.
func addSparse[T kernel.Float](dst []T, f kernel.Factors[T], scaled []T, first, end int) {
	entries := f.Positions * f.Entries
	for i := first; i < end; i++ {
		for e := i * entries; e < (i+1)*entries; e++ {
			if f.Index[e] == kernel.NoIndex {
				continue
			}
			value := T(1)
			if f.Values != nil {
				value = f.Values[e]
			}
			position := (i-first)*f.Positions + (e-i*entries)/f.Entries
			to := dst[int(f.Index[e])*f.Right:][:f.Right]
			for j, v := range scaled[position*f.Right:][:f.Right] {
				to[j] += value * v
			}
		}
	}
}
