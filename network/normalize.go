package network

import (
	"cmp"
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// GroupNorm is a layer that normalizes each record separately. It divides the features into parts,
// and the field Groups is the number of parts. The numbers of each part, over all positions of a
// record, are shifted and scaled to mean 0 and variance 1. Each feature is then multiplied by a
// trained scale, and a trained offset is added. Source: Y. Wu and K. He, "Group normalization",
// ECCV 2018.
type GroupNorm struct {
	// Groups is the number of parts into which the features are divided. With one part, all numbers
	// of a record are normalized together.
	Groups int `json:"groups"`
	// Stabilizer is a small number that is added to the variance before the division. 0 means 1e-5.
	Stabilizer float64 `json:"eps,omitempty"`
}

// LayerNorm is a layer that normalizes the features of each position separately. They are shifted
// and scaled to mean 0 and variance 1. Each feature is then multiplied by a trained scale, and a
// trained offset is added. Source: J. Ba, J. Kiros and G. Hinton, "Layer normalization",
// arXiv:1607.06450.
type LayerNorm struct {
	// Stabilizer is a small number that is added to the variance before the division. 0 means 1e-5.
	Stabilizer float64 `json:"eps,omitempty"`
}

// RMSNorm is a layer that divides the features of each position by the square root of their mean
// square. Each feature is then multiplied by a trained scale. Source: B. Zhang and R. Sennrich,
// "Root mean square layer normalization", NeurIPS 2019.
type RMSNorm struct {
	// Stabilizer is a small number that is added to the mean square before its square root is
	// taken. 0 means 1e-5.
	Stabilizer float64 `json:"eps,omitempty"`
}

var _, _, _ Layer = GroupNorm{}, LayerNorm{}, RMSNorm{}

// kind returns "group-norm".
func (GroupNorm) kind() string { return "group-norm" }

// kind returns "layer-norm".
func (LayerNorm) kind() string { return "layer-norm" }

// kind returns "rms-norm".
func (RMSNorm) kind() string { return "rms-norm" }

// output returns in.
func (l GroupNorm) output(in Shape) (Shape, error) {
	if l.Groups < 1 || in.features()%l.Groups != 0 {
		return nil, fmt.Errorf("groups are %d for %d features, want a positive number that divides them", l.Groups, in.features())
	}
	return in, checkStabilizer(l.Stabilizer)
}

// output returns in.
func (l LayerNorm) output(in Shape) (Shape, error) { return in, checkStabilizer(l.Stabilizer) }

// output returns in.
func (l RMSNorm) output(in Shape) (Shape, error) { return in, checkStabilizer(l.Stabilizer) }

func checkStabilizer(v float64) error {
	if !(v >= 0 && v < math.Inf(1)) {
		return fmt.Errorf("eps is %v, want a positive number, or 0 for 1e-5", v)
	}
	return nil
}

// blocks returns the scales and the offsets.
func (GroupNorm) blocks(in Shape) []Block {
	return []Block{vectorBlock("scale", in.features()), vectorBlock("offset", in.features())}
}

// blocks returns the scales and the offsets.
func (LayerNorm) blocks(in Shape) []Block { return GroupNorm{}.blocks(in) }

// blocks returns the scales.
func (RMSNorm) blocks(in Shape) []Block { return GroupNorm{}.blocks(in)[:1] }

// vectorBlock returns the block of a plain vector of numbers.
func vectorBlock(name string, numbers int) Block {
	return Block{Name: name, Right: numbers, Bias: true}
}

func (GroupNorm) initial(_ Shape, blocks [][]float32, _ float64, _ *generator) {
	for j := range blocks[0] {
		blocks[0][j] = 1
	}
	for _, b := range blocks[1:] {
		clear(b)
	}
}

func (LayerNorm) initial(in Shape, blocks [][]float32, gain float64, random *generator) {
	GroupNorm{}.initial(in, blocks, gain, random)
}

func (RMSNorm) initial(in Shape, blocks [][]float32, gain float64, random *generator) {
	GroupNorm{}.initial(in, blocks, gain, random)
}

func (l GroupNorm) worker32(in Shape, s *space) worker[float32] {
	return newNormalize[float32](in, s, in.Positions(), l.Groups, l.Stabilizer, true)
}
func (l GroupNorm) worker64(in Shape, s *space) worker[float64] {
	return newNormalize[float64](in, s, in.Positions(), l.Groups, l.Stabilizer, true)
}
func (l LayerNorm) worker32(in Shape, s *space) worker[float32] {
	return newNormalize[float32](in, s, 1, 1, l.Stabilizer, true)
}
func (l LayerNorm) worker64(in Shape, s *space) worker[float64] {
	return newNormalize[float64](in, s, 1, 1, l.Stabilizer, true)
}
func (l RMSNorm) worker32(in Shape, s *space) worker[float32] {
	return newNormalize[float32](in, s, 1, 1, l.Stabilizer, false)
}
func (l RMSNorm) worker64(in Shape, s *space) worker[float64] {
	return newNormalize[float64](in, s, 1, 1, l.Stabilizer, false)
}

// normalize is any of the three layers at work. A record is positions × features numbers. They are
// normalized in parts of together positions and features/groups features each. The normalized
// numbers are in hat, and the factor of each part is in inverse.
type normalize[T kernel.Float] struct {
	positions, together, features, groups int
	stabilizer                            float64
	centered, frozen                      bool
	scale, offset                         []T
	hat, inverse                          []T
	dScale, dOffset                       []T // records × features
}

func newNormalize[T kernel.Float](in Shape, s *space, together, groups int, stabilizer float64, centered bool) *normalize[T] {
	w := &normalize[T]{positions: in.Positions(), together: together, features: in.features(), groups: groups,
		stabilizer: cmp.Or(stabilizer, 1e-5), centered: centered, frozen: s.frozen,
		hat: make([]T, s.records*in.Size()), inverse: make([]T, s.records*in.Positions()/together*groups)}
	if !s.frozen {
		w.dScale, w.dOffset = make([]T, s.records*w.features), make([]T, s.records*w.features)
	}
	return w
}

func (w *normalize[T]) bind(blocks [][]T) {
	w.scale = blocks[0]
	if w.centered {
		w.offset = blocks[1]
	}
}

// each calls visit for every part of n records with the place of its first number.
func (w *normalize[T]) each(n int, visit func(part, first int)) {
	for rows := range n * w.positions / w.together {
		for g := range w.groups {
			visit(rows*w.groups+g, rows*w.together*w.features+g*(w.features/w.groups))
		}
	}
}

// forward computes hat = (x - mean)/√(variance + stabilizer) and y = scale·hat + offset.
func (w *normalize[T]) forward(y, x []T, n int) {
	w.each(n, func(part, first int) { w.normalizePart(x, part, first) })
	for at := 0; at < len(y); at += w.features {
		hat, to := w.hat[at:][:w.features], y[at:][:w.features]
		for j, v := range hat {
			to[j] = v * w.scale[j]
		}
		if w.centered {
			addTo(to, w.offset)
		}
	}
}

// normalizePart normalizes one part of x, with sums in float64.
func (w *normalize[T]) normalizePart(x []T, part, first int) {
	width := w.features / w.groups
	count := float64(w.together * width)
	var mean, variance float64
	if w.centered {
		for t := range w.together {
			for _, v := range x[first+t*w.features:][:width] {
				mean += float64(v)
			}
		}
		mean /= count
	}
	for t := range w.together {
		for _, v := range x[first+t*w.features:][:width] {
			variance += (float64(v) - mean) * (float64(v) - mean)
		}
	}
	inverse := 1 / math.Sqrt(variance/count+w.stabilizer)
	w.inverse[part] = T(inverse)
	for t := range w.together {
		at := first + t*w.features
		hat := w.hat[at:][:width]
		for j, v := range x[at:][:width] {
			hat[j] = T((float64(v) - mean) * inverse)
		}
	}
}

// backward computes dx = inverse·(d - mean(d) - hat·mean(d·hat)) over each part, with d = dy·scale.
// Without centering the mean of d is left out.
func (w *normalize[T]) backward(dx, dy []T, n int) {
	if !w.frozen {
		w.sums(dy, n)
	}
	if dx == nil {
		return
	}
	for at := 0; at < len(dy); at += w.features {
		to := dx[at:][:w.features]
		for j, v := range dy[at:][:w.features] {
			to[j] = v * w.scale[j]
		}
	}
	w.each(n, func(part, first int) { w.backwardPart(dx, part, first) })
}

// sums writes Σ_t dy·hat and Σ_t dy of each record.
func (w *normalize[T]) sums(dy []T, n int) {
	clear(w.dScale[:n*w.features])
	clear(w.dOffset[:n*w.features])
	for at := 0; at < len(dy); at += w.features {
		record := at / (w.features * w.positions) * w.features
		dScale, dOffset := w.dScale[record:][:w.features], w.dOffset[record:][:w.features]
		hat := w.hat[at:][:w.features]
		for j, v := range dy[at:][:w.features] {
			dScale[j] += v * hat[j]
			dOffset[j] += v
		}
	}
}

// backwardPart turns d into dx for one part.
func (w *normalize[T]) backwardPart(dx []T, part, first int) {
	width := w.features / w.groups
	count := float64(w.together * width)
	var mean, product float64
	for t := range w.together {
		at := first + t*w.features
		hat := w.hat[at:][:width]
		for j, v := range dx[at:][:width] {
			mean += float64(v)
			product += float64(v) * float64(hat[j])
		}
	}
	mean, product = mean/count, product/count
	if !w.centered {
		mean = 0
	}
	for t := range w.together {
		at := first + t*w.features
		hat, to := w.hat[at:][:width], dx[at:][:width]
		for j, v := range to {
			to[j] = w.inverse[part] * T(float64(v)-mean-float64(hat[j])*product)
		}
	}
}

func (w *normalize[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	if w.frozen {
		return dst
	}
	vector := kernel.Factors[T]{Records: n, Positions: 1, Right: w.features, Bias: true}
	vector.Rights = w.dScale[:n*w.features]
	dst = append(dst, vector)
	if w.centered {
		vector.Rights = w.dOffset[:n*w.features]
		dst = append(dst, vector)
	}
	return dst
}

func (w *normalize[T]) habits() habits { return habits{inPlace: true} }
