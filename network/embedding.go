package network

import (
	"fmt"

	"github.com/ditherml/dither/internal/kernel"
)

// Embedding is a layer that replaces each token of a text by the token's row of a table. The shape
// [positions] becomes [positions, Features]. An input is a token if it is an integer from 0 to
// Vocabulary - 1. Every other input, such as -1 or NaN, is padding. The output for padding is zero,
// and padding does not contribute to gradients. The later layers Attention, Recurrent and
// GlobalAveragePool ignore padding, as long as no layer between changes the number of positions.
// Derivatives with respect to tokens are zero.
type Embedding struct {
	// Vocabulary is the number of different tokens.
	Vocabulary int `json:"vocabulary"`
	// Features is the length of a row of the table.
	Features int `json:"features"`
}

// EmbeddingBag is a layer that replaces a text by the mean or the sum of its tokens' rows of a
// table. The shape [entries] becomes [Features], and the order of the tokens does not matter. An
// input is a token if it is an integer from 0 to Vocabulary - 1. Every other input is padding and
// is ignored. The output for a text with only padding is zero.
type EmbeddingBag struct {
	// Vocabulary is the number of different tokens.
	Vocabulary int `json:"vocabulary"`
	// Features is the length of a row of the table.
	Features int `json:"features"`
	// Mode is "mean" or "sum". "" means "mean".
	Mode string `json:"mode,omitempty"`
}

var _, _ Layer = Embedding{}, EmbeddingBag{}

// kind returns "embedding".
func (Embedding) kind() string { return "embedding" }

// kind returns "embedding-bag".
func (EmbeddingBag) kind() string { return "embedding-bag" }

// maxVocabulary bounds the tokens. Float32 represents every integer below it exactly.
const maxVocabulary = 1 << 24

// output returns [positions, Features].
func (l Embedding) output(in Shape) (Shape, error) {
	if len(in) != 1 {
		return nil, fmt.Errorf("input is %v, want one token for each position", in)
	}
	if l.Vocabulary < 1 || l.Vocabulary > maxVocabulary || l.Features < 1 || l.Features > maxSize {
		return nil, fmt.Errorf("vocabulary is %d and features %d, want at least 1, and at most %d and %d", l.Vocabulary, l.Features, maxVocabulary, maxSize)
	}
	return Shape{in[0], l.Features}, nil
}

// output returns [Features].
func (l EmbeddingBag) output(in Shape) (Shape, error) {
	out, err := l.table().output(in)
	if err != nil {
		return nil, err
	}
	if l.Mode != "" && l.Mode != "mean" && l.Mode != "sum" {
		return nil, fmt.Errorf("mode is %q, want mean or sum", l.Mode)
	}
	return out[1:], nil
}

func (l EmbeddingBag) table() Embedding { return Embedding{l.Vocabulary, l.Features} }

// blocks returns the table, one row for each token.
func (l Embedding) blocks(Shape) []Block {
	return []Block{{Name: "table", Right: l.Features, Left: l.Vocabulary, Sparse: true}}
}

// blocks returns the table, one row for each token.
func (l EmbeddingBag) blocks(in Shape) []Block { return l.table().blocks(in) }

func (l Embedding) initial(in Shape, blocks [][]float32, _ float64, random *generator) {
	random.fillUniform(blocks[0], l.blocks(in)[0], 1/float64(l.Features))
}

func (l EmbeddingBag) initial(in Shape, blocks [][]float32, gain float64, random *generator) {
	l.table().initial(in, blocks, gain, random)
}

func (l Embedding) worker32(in Shape, s *space) worker[float32] {
	return newEmbedding[float32](l, in, s, in[0], modeTokens)
}
func (l Embedding) worker64(in Shape, s *space) worker[float64] {
	return newEmbedding[float64](l, in, s, in[0], modeTokens)
}
func (l EmbeddingBag) worker32(in Shape, s *space) worker[float32] {
	return newEmbedding[float32](l.table(), in, s, 1, l.Mode)
}
func (l EmbeddingBag) worker64(in Shape, s *space) worker[float64] {
	return newEmbedding[float64](l.table(), in, s, 1, l.Mode)
}

// embedding is Embedding or EmbeddingBag at work. The entries of a record go to its positions in
// order, an equal number to each.
type embedding[T kernel.Float] struct {
	vocabulary, features int
	positions, entries   int
	frozen               bool
	padding              *padding // nil for a bag
	table                []T
	index                []uint32
	values               []T // of a mean, otherwise nil
	dy                   []T
}

// modeTokens is the mode of tokens that stay in order.
const modeTokens = "tokens"

func newEmbedding[T kernel.Float](l Embedding, in Shape, s *space, positions int, mode string) *embedding[T] {
	w := &embedding[T]{vocabulary: l.Vocabulary, features: l.Features, positions: positions, entries: in[0] / positions,
		frozen: s.frozen, index: make([]uint32, s.records*in[0])}
	if entries := in[0]; entries == positions && s.padding != nil && mode == modeTokens {
		w.padding = s.padding
	}
	if mode != modeTokens && mode != "sum" {
		w.values = make([]T, s.records*in[0])
	}
	return w
}

func (w *embedding[T]) bind(blocks [][]T) { w.table = blocks[0] }

func (w *embedding[T]) forward(y, x []T, n int) {
	clear(y)
	for position := range n * w.positions {
		first := position * w.entries
		known := w.read(w.index[first:][:w.entries], x[first:])
		if w.padding != nil {
			w.padding.of[position] = known == 0
		}
		value := T(1)
		if w.values != nil {
			value = 1 / T(max(known, 1))
			for e := range w.entries {
				w.values[first+e] = value
			}
		}
		to := y[position*w.features:][:w.features]
		for _, token := range w.index[first:][:w.entries] {
			if token != kernel.NoIndex {
				addScaled(to, w.table[int(token)*w.features:], value)
			}
		}
	}
}

// read turns numbers into tokens and returns the number of tokens that are not padding.
func (w *embedding[T]) read(index []uint32, x []T) int {
	known := 0
	for e := range index {
		index[e] = kernel.NoIndex
		if v := x[e]; v >= 0 && v < T(w.vocabulary) && v == T(uint32(v)) {
			index[e] = uint32(v)
			known++
		}
	}
	return known
}

func (w *embedding[T]) backward(dx, dy []T, _ int) {
	w.dy = dy
	clear(dx)
}

func (w *embedding[T]) factors(dst []kernel.Factors[T], n int) []kernel.Factors[T] {
	if w.frozen {
		return dst
	}
	f := kernel.Factors[T]{Records: n, Positions: w.positions, Left: w.vocabulary, Right: w.features, Rights: w.dy,
		Index: w.index[:n*w.positions*w.entries], Entries: w.entries}
	if w.values != nil {
		f.Values = w.values[:len(f.Index)]
	}
	return append(dst, f)
}

func (w *embedding[T]) habits() habits { return habits{} }
