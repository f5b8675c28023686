package neural

import (
	"fmt"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/network"
)

// checkTokens refuses a network that looks up words if features are not tokens, or that uses tokens
// as quantities. Such a network would be private all the same, but would learn nothing.
func checkTokens(n *network.Network, m *feature.Map) error {
	tokens, vocabulary := m.Encoder().Tokens(), vocabularyOf(n.Layers())
	switch {
	case tokens == 0 && vocabulary > 0:
		return fmt.Errorf("neural: the network begins with an embedding and the features are no tokens, want text columns that keep words in order; write text: {positions: 200} in the schema, or begin with another layer")
	case tokens > 0 && m.Norm != feature.NormNone:
		return fmt.Errorf("neural: rows of tokens are normalized by %s, want none; leave it out", m.Norm)
	case tokens > 0 && vocabulary < tokens:
		return fmt.Errorf("neural: the features are %d tokens and the network begins with a vocabulary of %d, want an embedding of at least as many; write vocabulary: %d", tokens, vocabulary, tokens)
	}
	return nil
}

// vocabularyOf returns the vocabulary of the embedding with which layers begin, 0 without one.
func vocabularyOf(layers network.Layers) int {
	if len(layers) == 0 {
		return 0
	}
	switch first := layers[0].(type) {
	case network.Embedding:
		return first.Vocabulary
	case network.EmbeddingBag:
		return first.Vocabulary
	case network.Frozen:
		return vocabularyOf(first.Layers)
	case network.Residual:
		return vocabularyOf(first.Layers)
	}
	return 0
}
