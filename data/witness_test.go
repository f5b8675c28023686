package data_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/witness"
)

// newWitness makes the file of a ledger, and returns what opens it for one more run.
func newWitness(t testing.TB) func() *witness.Witness {
	t.Helper()
	path, name := filepath.Join(t.TempDir(), "l"+witness.End), strings.Repeat("a", 64)
	if err := witness.Create(path, name); err != nil {
		t.Fatal(err)
	}
	return func() *witness.Witness {
		t.Helper()
		w, err := witness.Open(path, name, name, "")
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
}

// TestWitnessSeesEveryFormat reads each table whole, in blocks and under another schema: the
// witness sees the same records. Where a byte of the table or of its labels changes, the witness
// says so.
func TestWitnessSeesEveryFormat(t *testing.T) {
	s, narrow := blocksSchema(), blocksSchema()
	narrow.Columns[0].Upper = 1
	for name, source := range blockTables(t, 600) {
		opened := newWitness(t)
		record := uint64(0)
		tell := func(s *data.Schema, read func(context.Context, *data.Schema) error) string {
			t.Helper()
			record++
			w := opened()
			if err := read(witness.With(t.Context(), w.Watch()), s); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return w.Tell(record, "t")
		}
		whole := func(ctx context.Context, s *data.Schema) error {
			_, err := data.Read(ctx, s, source, data.ReadOptions{})
			return err
		}
		blocks := func(ctx context.Context, s *data.Schema) error {
			return data.ReadBlocks(ctx, s, source, data.ReadOptions{}, 7, func(*data.Dataset) error { return nil })
		}
		said := []string{tell(s, whole), tell(s, whole), tell(s, blocks), tell(narrow, whole)}
		if !strings.HasPrefix(said[0], "the first look") {
			t.Errorf("%s: got %q, want a first look", name, said[0])
		}
		for _, text := range said[1:] {
			if !strings.HasPrefix(text, "the same records") {
				t.Errorf("%s: got %q, want the same records", name, text)
			}
		}
		for _, path := range []string{source.Path, source.Labels} {
			if path == "" || strings.HasSuffix(path, ".gz") || strings.HasSuffix(path, ".npz") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			edited := []byte(string(text))
			if last := len(edited) - 2; strings.HasSuffix(path, ".npy") || strings.HasSuffix(path, ".idx") {
				edited[last] ^= 1
			} else {
				edited[last] = "12"[edited[last]&1]
			}
			write(t, path, edited)
			if text := tell(s, whole); !strings.HasPrefix(text, "other content than") {
				t.Errorf("%s: %s has another value: got %q, want other content", name, filepath.Base(path), text)
			}
			write(t, path, text)
		}
	}
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkWitness is BenchmarkReadCSV with a witness.
func BenchmarkWitness(b *testing.B) {
	s, text := speedTable(b, 20000)
	opened := newWitness(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		ctx := witness.With(b.Context(), opened().Watch())
		if _, err := data.ReadFrom(ctx, s, "speed.csv", strings.NewReader(text), data.ReadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
