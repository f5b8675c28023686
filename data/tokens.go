package data

import (
	"fmt"
	"math/bits"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// These numbers limit a text column that keeps its words in order.
const (
	// minPositions and maxPositions bound Hashing.Positions.
	minPositions = 2
	maxPositions = 1 << 12
	// MaxTokens is the largest number of different tokens in a text column whose texts consist of
	// token numbers.
	MaxTokens = 1<<15 - 1
	// maxHashedTokens is the largest vocabulary of hashed words, a power of two.
	maxHashedTokens = 1 << 14
	// defaultTokens is the vocabulary of a column that declares none.
	defaultTokens = 1 << 13
)

// The forms of the words of a text column with positions.
const (
	tokensHashed  = "hashed"  // words; each is hashed to a token
	tokensNumbers = "numbers" // numbers of tokens, with spaces, commas or semicolons between
)

// sequence returns the tokens of a text in order: the positions with a token, ascending, and at
// each the token plus 1, so that 0 means padding.
func (t *hashed) sequence(h *Hashing, text []byte) ([]uint32, []float32) {
	t.buckets, t.values = t.buckets[:0], t.values[:0]
	if h.Tokens == tokensNumbers {
		t.numbers(h, text)
		return t.buckets, t.values
	}
	t.split(text)
	t.hash(1)
	shift := 64 - bits.TrailingZeros(uint(h.Buckets))
	for i, word := range t.grams[:min(len(t.grams), h.Positions)] {
		t.buckets, t.values = append(t.buckets, uint32(i)), append(t.values, float32(word>>shift)+1)
	}
	return t.buckets, t.values
}

// numbers reads token numbers. A word that is no token number leaves its position as padding.
func (t *hashed) numbers(h *Hashing, text []byte) {
	for position := 0; position < h.Positions; position++ {
		for len(text) > 0 && isDivider(text[0]) {
			text = text[1:]
		}
		end := 0
		for end < len(text) && !isDivider(text[end]) {
			end++
		}
		if end == 0 {
			return
		}
		if v, err := strconv.ParseUint(string(text[:end]), 10, 32); err == nil && v < uint64(h.Buckets) {
			t.buckets, t.values = append(t.buckets, uint32(position)), append(t.values, float32(v)+1)
		}
		text = text[end:]
	}
}

func isDivider(c byte) bool {
	return c == ' ' || c == ',' || c == ';' || c == '\t' || c == '\n' || c == '\r'
}

// faultTokens returns the fault of a column with positions, as faultText does for others.
func (h *Hashing) faultTokens() *fault {
	known := h.Tokens == "" || h.Tokens == tokensHashed || h.Tokens == tokensNumbers
	switch {
	case h.Positions < minPositions || h.Positions > maxPositions:
		return &fault{problem: fmt.Sprintf("positions is %d", h.Positions), want: fmt.Sprintf("%d to %d words", minPositions, maxPositions), remedy: "choose how many words of a text are looked at"}
	case !known:
		return &fault{problem: fmt.Sprintf("tokens is %q", h.Tokens), want: tokensHashed + " or " + tokensNumbers, remedy: "choose hashed for texts of words"}
	case h.Tokens == tokensNumbers && (h.Buckets < 2 || h.Buckets > MaxTokens):
		return &fault{problem: fmt.Sprintf("number of buckets is %d", h.Buckets), want: fmt.Sprintf("2 to %d, one for each token", MaxTokens), remedy: "declare one more than the largest token, without looking at the records"}
	case h.Tokens != tokensNumbers && (h.Buckets < minBuckets || h.Buckets > maxHashedTokens || bits.OnesCount(uint(h.Buckets)) != 1):
		return &fault{problem: fmt.Sprintf("number of buckets is %d", h.Buckets), want: fmt.Sprintf("a power of two from %d to %d where words have positions", minBuckets, maxHashedTokens), remedy: fmt.Sprintf("choose one such as %d, without looking at the records", defaultTokens)}
	case h.NGrams != 1 || h.Values != valuesPresence:
		return &fault{problem: fmt.Sprintf("ngrams is %d and values %s beside positions", h.NGrams, h.Values), want: "single words", remedy: "remove both"}
	}
	return nil
}

// addTokens writes the keys of a sequence.
func (h *Hashing) addTokens(n *yaml.Node) {
	if h.Positions == 0 {
		return
	}
	add(n, "positions", word(strconv.Itoa(h.Positions)))
	if h.Tokens != "" {
		add(n, "tokens", word(h.Tokens))
	}
}
