package network

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/kernel"
)

// Attention is a layer that mixes the features of the positions of one text. Each position has a
// query, a key and a value, which are linear functions of the features at the position. The result
// at a position is a weighted mean of the values at all positions. The weights are
// softmax(query·key/√d). The features are divided into parts of d features, and each part has its
// own weights. The field Heads is the number of parts. A fourth linear function is applied to the
// result. Padding (see Embedding) has weight 0. If all positions are padding, the weighted mean is
// zero. Source: A. Vaswani, N. Shazeer, N. Parmar, J. Uszkoreit, L. Jones, A. Gomez, Ł. Kaiser and
// I. Polosukhin, "Attention is all you need", NeurIPS 2017, section 3.2.
type Attention struct {
	// Heads is the number of parts into which the features are divided. 0 means 1.
	Heads int `json:"heads,omitempty"`
	// Causal gives weight 0 to all positions after the position of the query.
	Causal bool `json:"causal,omitempty"`
}

var _ Layer = Attention{}

// kind returns "attention".
func (Attention) kind() string { return "attention" }

func (l Attention) heads() int { return max(l.Heads, 1) }

// output returns in.
func (l Attention) output(in Shape) (Shape, error) {
	switch {
	case len(in) != 2 || l.Heads < 0 || in[1]%l.heads() != 0:
		return nil, fmt.Errorf("heads are %d for an input of %v, want [positions, features] and a positive number that divides the features", l.Heads, in)
	case in[0] > maxSize/in[0]/l.heads():
		return nil, fmt.Errorf("positions are %d with %d heads, want at most %d pairs of positions", in[0], l.heads(), maxSize)
	}
	return in, nil
}

// projections are the names of the four linear functions.
var projections = [4]string{"query", "key", "value", "output"}

// blocks returns four blocks, features × features, of queries, keys, values and outputs.
func (l Attention) blocks(in Shape) []Block {
	blocks := make([]Block, len(projections))
	for i, name := range projections {
		blocks[i] = Linear{Outputs: in.features()}.blocks(in)[0]
		blocks[i].Name = name
	}
	return blocks
}

func (l Attention) initial(in Shape, blocks [][]float32, _ float64, random *generator) {
	for i := range blocks {
		Linear{Outputs: in.features()}.initial(in, blocks[i:i+1], 1, random)
	}
}

func (l Attention) worker32(in Shape, s *space) worker[float32] {
	return newAttention[float32](l, in, s)
}
func (l Attention) worker64(in Shape, s *space) worker[float64] {
	return newAttention[float64](l, in, s)
}

// attention is Attention at work. For each of the four linear functions, y and dy hold its output
// and the derivatives with respect to that output. Exceptions are y[3] and dy[3], which hold the
// input of the last function and the derivatives with respect to that input. The array p holds the
// weights of each record and head, positions × positions. The array dp holds the derivatives with
// respect to the weights of one record and head.
type attention[T kernel.Float] struct {
	space               *space
	positions, features int
	heads               int
	causal              bool
	linear              [4]*linear[T]
	y, dy               [4][]T
	p, dp               []T
	sum                 []T // for derivatives with respect to the input
}

func newAttention[T kernel.Float](l Attention, in Shape, s *space) *attention[T] {
	w := &attention[T]{space: s, positions: in[0], features: in[1], heads: l.heads(), causal: l.Causal}
	for i := range w.linear {
		w.linear[i] = newLinear[T](Linear{Outputs: in[1]}, in, s)
		w.y[i], w.dy[i] = make([]T, s.records*in.Size()), make([]T, s.records*in.Size())
	}
	w.p, w.dp = make([]T, s.records*w.heads*in[0]*in[0]), make([]T, in[0]*in[0])
	w.sum = make([]T, s.records*in.Size())
	return w
}

func (w *attention[T]) bind(blocks [][]T) {
	for i, l := range w.linear {
		l.bind(blocks[i : i+1])
	}
}

// part returns the features of one head of one record as a matrix, positions × d.
func (w *attention[T]) part(s []T, record, head int) kernel.Matrix[T] {
	d := w.features / w.heads
	return kernel.Matrix[T]{Data: s[record*w.positions*w.features+head*d:], Rows: w.positions, Columns: d, RowStride: w.features, ColumnStride: 1}
}

// weightsOf returns the weights of one head of one record as a matrix, positions × positions.
func (w *attention[T]) weightsOf(record, head int) kernel.Matrix[T] {
	size := w.positions * w.positions
	return kernel.NewMatrix(w.p[(record*w.heads+head)*size:][:size], w.positions, w.positions)
}

// scale returns 1/√d.
func (w *attention[T]) scale() T { return T(1 / math.Sqrt(float64(w.features/w.heads))) }

func (w *attention[T]) forward(y, x []T, n int) {
	for i, l := range w.linear[:3] {
		l.forward(w.y[i][:len(x)], x, n)
	}
	for record := range n {
		for head := range w.heads {
			p := w.weightsOf(record, head)
			multiply(w.space.serial, p, w.scale(), w.part(w.y[0], record, head), w.part(w.y[1], record, head).Transposed(), 0)
			w.mask(p.Data, record)
			softmaxOf(p.Data, w.positions)
			w.clearBlind(p.Data, record)
			multiply(w.space.serial, w.part(w.y[3], record, head), 1, p, w.part(w.y[2], record, head), 0)
		}
	}
	w.linear[3].forward(y, w.y[3][:len(x)], n)
}

// mask sets the weight of hidden positions to 0.
func (w *attention[T]) mask(p []T, record int) {
	if !w.causal && w.space.padding == nil {
		return
	}
	for t := range w.positions {
		for s := range w.positions {
			if w.causal && s > t || w.space.padding.at(record, s) {
				p[t*w.positions+s] = T(math.Inf(-1))
			}
		}
	}
}

// clearBlind sets all weights to 0 for positions that see only padding.
func (w *attention[T]) clearBlind(p []T, record int) {
	if w.space.padding == nil {
		return
	}
	for t := range w.positions {
		sees := w.positions
		if w.causal {
			sees = t + 1
		}
		if w.space.padding.known(record, sees) == 0 {
			clear(p[t*w.positions : (t+1)*w.positions])
		}
	}
}

// backward computes derivatives. With S = QKᵀ/√d, P = softmax(S) and Z = PV, they are dV = Pᵀ·dZ,
// dP = dZ·Vᵀ, dS = P∘(dP - rowsum(P∘dP)), dQ = dS·K/√d and dK = dSᵀ·Q/√d.
func (w *attention[T]) backward(dx, dy []T, n int) {
	size := n * w.positions * w.features
	w.linear[3].backward(w.dy[3][:size], dy, n)
	dp := kernel.NewMatrix(w.dp, w.positions, w.positions)
	for record := range n {
		for head := range w.heads {
			p, dz := w.weightsOf(record, head), w.part(w.dy[3], record, head)
			multiply(w.space.serial, w.part(w.dy[2], record, head), 1, p.Transposed(), dz, 0)
			multiply(w.space.serial, dp, 1, dz, w.part(w.y[2], record, head).Transposed(), 0)
			softmaxBackward(w.dp, p.Data, w.positions)
			multiply(w.space.serial, w.part(w.dy[0], record, head), w.scale(), dp, w.part(w.y[1], record, head), 0)
			multiply(w.space.serial, w.part(w.dy[1], record, head), w.scale(), dp.Transposed(), w.part(w.y[0], record, head), 0)
		}
	}
	w.backwardProjections(dx, n, size)
}

// backwardProjections adds the derivatives through queries, keys and values.
func (w *attention[T]) backwardProjections(dx []T, n, size int) {
	for i, l := range w.linear[:3] {
		var to []T
		switch {
		case dx == nil:
		case i == 0:
			to = dx
		default:
			to = w.sum[:size]
		}
		l.backward(to, w.dy[i][:size], n)
		if dx != nil && i > 0 {
			addTo(dx, to)
		}
	}
}

func (w *attention[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	for _, l := range w.linear {
		dst = l.factors(dst, n)
	}
	return dst
}

func (w *attention[T]) habits() habits { return habits{} }

// softmaxBackward turns the derivatives with respect to the weights p of each row into the
// derivatives with respect to the softmax's inputs.
func softmaxBackward[T kernel.Float](dp, p []T, columns int) {
	for ; len(dp) > 0; dp, p = dp[columns:], p[columns:] {
		var sum float64
		for j, v := range p[:columns] {
			sum += float64(v) * float64(dp[j])
		}
		for j, v := range p[:columns] {
			dp[j] = v * T(float64(dp[j])-sum)
		}
	}
}

// softmaxOf replaces each row of x by its softmax: kernel.Softmax, or the same in float64.
func softmaxOf[T kernel.Float](x []T, columns int) {
	if single, is := any(x).([]float32); is {
		kernel.Softmax(single, single, columns)
		return
	}
	for ; len(x) > 0; x = x[columns:] {
		row := x[:columns]
		most, sum := row[0], 0.0
		for _, v := range row {
			most = max(most, v)
		}
		for j, v := range row {
			e := math.Exp(float64(v - most))
			row[j], sum = T(e), sum+e
		}
		for j := range row {
			row[j] /= T(sum)
		}
	}
}
