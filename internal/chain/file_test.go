package chain_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/internal/chain"
	"github.com/ditherml/dither/internal/chain/chaintest"
)

func TestFile(t *testing.T) {
	chaintest.Run(t, func(t *testing.T) func() chain.Store {
		path := filepath.Join(chaintest.Folder(t), "ledger")
		s, err := chain.Create(context.Background(), path, []byte("first"))
		if err != nil {
			t.Fatal(err)
		}
		if err = s.Close(); err != nil {
			t.Fatal(err)
		}
		return func() chain.Store {
			s, err := chain.Open(context.Background(), path)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
	})
}
