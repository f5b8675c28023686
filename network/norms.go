package network

import (
	"fmt"
	"math"
	"slices"

	"github.com/ditherml/dither/internal/kernel"
)

// SquaredNorms adds to dst the squared L2 norm of each record's gradient for one block. The slice
// dst has one number for each record of f. The gradient is the matrix Σ_t right_t ⊗ left_t over the
// positions t, where right_t and left_t are the record's factors in f. The result for a record does
// not depend on the other records in f, not even in its last bit. A NaN in a record's factors makes
// only the result for that record NaN or +Inf.
//
// With one position the norm is the product of the norms of the two factors. With several positions
// the squared norm is computed as Σ_ts (left_t·left_s)·(right_t·right_s) if 2·Positions² ≤
// Left·Right. Otherwise it is the squared norm of the matrix itself, which is formed for one record
// at a time (Z. Bu, Y.-X. Wang, S. Zha and G. Karypis, "Scalable and efficient training of large
// convolutional neural networks with differential privacy", NeurIPS 2022, section 3.3). The matrix
// is also formed if the sum over t and s is very small compared with (Σ_t ‖left_t‖·‖right_t‖)².
// Such a sum may be mostly rounding error. In sparse factors, entries with equal indices are added
// up first.
//
// Products have type T, and sums that determine a norm are in float64. For float32 the relative
// error is usually at most about 1e-4. The error may have either sign. So code that guarantees a
// bound must verify the norm.
func (w *Workspace[T]) SquaredNorms(dst []float64, f kernel.Factors[T]) {
	if len(dst) != f.Records {
		panic(fmt.Sprintf("network: SquaredNorms: %d results for %d records, want one each", len(dst), f.Records))
	}
	for i := range dst {
		right := f.Rights[i*f.Positions*f.Right:][:f.Positions*f.Right]
		switch {
		case f.Index != nil && f.Positions == 1:
			dst[i] += w.squareBag(f, i) * square(right)
		case f.Index != nil:
			dst[i] += w.squareTokens(f, i, right)
		case f.Left == 0:
			dst[i] += w.squareOfSum(f, right)
		case f.Positions == 1:
			dst[i] += (square(f.Lefts[i*f.Left:][:f.Left]) + ones(f)) * square(right)
		default:
			dst[i] += w.squareShared(f, f.Lefts[i*f.Positions*f.Left:][:f.Positions*f.Left], right)
		}
	}
}

// ones returns the square of the number that follows a left factor: 1 with a bias.
func ones[T kernel.Float](f kernel.Factors[T]) float64 {
	if f.Bias {
		return 1
	}
	return 0
}

// squareOfSum returns ‖Σ_t right_t‖², the part of the biases. It returns 0 without biases.
func (w *Workspace[T]) squareOfSum(f kernel.Factors[T], right []T) float64 {
	if !f.Bias {
		return 0
	}
	sum := grown(&w.sum, f.Right)
	clear(sum)
	for len(right) > 0 {
		for j, v := range right[:f.Right] {
			sum[j] += float64(v)
		}
		right = right[f.Right:]
	}
	return square(sum)
}

// squareShared returns the squared norm of one record with several positions.
func (w *Workspace[T]) squareShared(f kernel.Factors[T], left, right []T) float64 {
	if 2*f.Positions*f.Positions <= f.Left*f.Right {
		norm, safe := w.ghost(f, left, right)
		if safe {
			return norm
		}
	}
	gradient := grown(&w.gradient, f.Right*f.Left)
	kernel.GemmSerial(kernel.NewMatrix(gradient, f.Right, f.Left), 1,
		kernel.NewMatrix(right, f.Positions, f.Right).Transposed(), kernel.NewMatrix(left, f.Positions, f.Left), 0)
	return square(gradient) + w.squareOfSum(f, right)
}

// ghost returns Σ_ts (left_t·left_s)·(right_t·right_s). It also reports whether the sum is too
// large, relative to its terms, to be rounding error.
func (w *Workspace[T]) ghost(f kernel.Factors[T], left, right []T) (norm float64, safe bool) {
	t := f.Positions
	lefts, rights := grown(&w.lefts, t*t), grown(&w.rights, t*t)
	gram(lefts, left, t, f.Left)
	gram(rights, right, t, f.Right)
	one := ones(f)
	var scale float64
	for i, v := range lefts {
		norm += (float64(v) + one) * float64(rights[i])
	}
	for i := 0; i < t*t; i += t + 1 {
		scale += math.Sqrt((float64(lefts[i]) + one) * float64(rights[i]))
	}
	return norm, norm >= guard[T]()*scale*scale
}

// guard returns the smallest safe ratio of a ghost norm to its terms. The error of the norm is a
// small multiple of the unit roundoff, 6e-8 or 1e-16, times the terms.
func guard[T kernel.Float]() float64 {
	var zero T
	if _, single := any(zero).(float32); single {
		return 1e-3
	}
	return 1e-4
}

// gram writes x·xᵀ for x of shape t × n.
func gram[T kernel.Float](dst, x []T, t, n int) {
	m := kernel.NewMatrix(x, t, n)
	kernel.GemmSerial(kernel.NewMatrix(dst, t, t), 1, m, m.Transposed(), 0)
}

// squareBag returns the squared norm of the left factor of a record with a bag of entries: Σ_v (Σ
// values at v)².
func (w *Workspace[T]) squareBag(f kernel.Factors[T], record int) float64 {
	first := record * f.Entries
	tokens := w.sorted(f.Index[first:][:f.Entries])
	var norm float64
	for i := 0; i < len(tokens); {
		var at float64
		token := tokens[i] >> 32
		for ; i < len(tokens) && tokens[i]>>32 == token; i++ {
			if f.Values == nil {
				at++
			} else {
				at += float64(f.Values[first+int(uint32(tokens[i]))])
			}
		}
		norm += at * at
	}
	return norm
}

// squareTokens returns the squared norm of a record with one entry at each position: Σ_v ‖Σ_{t at
// v} value·right_t‖².
func (w *Workspace[T]) squareTokens(f kernel.Factors[T], record int, right []T) float64 {
	first := record * f.Positions
	tokens := w.sorted(f.Index[first:][:f.Positions])
	sum := grown(&w.sum, f.Right)
	var norm float64
	for i := 0; i < len(tokens); {
		clear(sum)
		token := tokens[i] >> 32
		for ; i < len(tokens) && tokens[i]>>32 == token; i++ {
			t := int(uint32(tokens[i]))
			value := 1.0
			if f.Values != nil {
				value = float64(f.Values[first+t])
			}
			for j, v := range right[t*f.Right:][:f.Right] {
				sum[j] += value * float64(v)
			}
		}
		norm += square(sum)
	}
	return norm
}

// sorted returns the entries of a record with their places, token·2^32 + place, in ascending order.
// Entries that add nothing are left out.
func (w *Workspace[T]) sorted(index []uint32) []uint64 {
	tokens := grown(&w.tokens, len(index))[:0]
	for i, token := range index {
		if token != kernel.NoIndex {
			tokens = append(tokens, uint64(token)<<32|uint64(i))
		}
	}
	slices.Sort(tokens)
	return tokens
}
