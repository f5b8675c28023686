package data

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDraftOfManyColumns drafts a schema of a table with 50,000 columns of which most are declared. Work that grows with the
// square of the columns takes longer here than a test may.
func TestDraftOfManyColumns(t *testing.T) {
	const columns = 50_000
	path := filepath.Join(t.TempDir(), "wide.csv")
	names := make([]string, columns)
	for i := range names {
		names[i] = fmt.Sprintf("c%da", i)
	}
	if err := os.WriteFile(path, []byte(strings.Join(names, ",")+",y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := Draft{Target: "y", Levels: map[string][]string{"y": {"no", "yes"}}, Ignore: names[:columns/2], Text: names[columns/2 : 3*columns/4]}
	s, err := DraftSchema(t.Context(), Source{Path: path}, d)
	if err != nil || len(s.Columns) != columns || s.Columns[0].Kind != Ignored || s.Columns[columns/2].Kind != Text || s.Columns[columns-1].Kind != 0 {
		t.Fatalf("got error %v, want half of the columns ignored, a quarter of texts, the others open", err)
	}
}

// BenchmarkDraft drafts a schema of many columns.
func BenchmarkDraft(b *testing.B) {
	path := filepath.Join(b.TempDir(), "wide.csv")
	var names []string
	for i := range 50_000 {
		names = append(names, fmt.Sprintf("c%da", i))
	}
	if err := os.WriteFile(path, []byte(strings.Join(names, ",")+",y\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DraftSchema(b.Context(), Source{Path: path}, Draft{Target: "y", Ignore: names}); err != nil {
			b.Fatal(err)
		}
	}
}
