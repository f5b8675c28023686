package chain_test

import (
	"testing"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/chain/chaintest"
)

func TestMemory(t *testing.T) {
	chaintest.Run(t, func(*testing.T) func() chain.Store { return chain.NewMemory().Open })
}
