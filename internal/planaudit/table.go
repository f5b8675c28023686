package planaudit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/csv"

	"github.com/ditherml/dither/data"
)

// coins returns fair coins from the operating system.
func coins(n int) []bool {
	bits, out := make([]byte, (n+7)/8), make([]bool, n)
	_, _ = rand.Read(bits) // it never fails: the program ends if the system has no randomness
	for i := range out {
		out[i] = bits[i/8]>>(i%8)&1 == 1
	}
	return out
}

// made gives numbers that look random and are the same everywhere: a Weyl sequence with mixed bits
// (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016, on
// SplitMix64). Made-up records come from it. They stand for nobody.
type made struct{ state uint64 }

// below returns a number below n.
func (m *made) below(n int) int {
	m.state += 0x9e3779b97f4a7c15
	z := m.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int((z ^ z>>31) % uint64(n))
}

// readRows returns a table of cells under a schema. The columns have the names.
func readRows(ctx context.Context, s *data.Schema, extra, names []string, rows [][]string) (*data.Dataset, error) {
	plain := *s
	plain.Delimiter, plain.Header, plain.NoQuotes = ',', nil, false
	plain.MaxRecords = max(s.MaxRecords, len(rows))
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(names); err != nil {
		return nil, err
	}
	if err := w.WriteAll(rows); err != nil {
		return nil, err
	}
	return data.ReadFrom(ctx, &plain, "made-up rows", &b, data.ReadOptions{Extra: extra})
}
