package tabular

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/ditherml/dither/data/builtin"
)

// TestExportFilesUndone fails in the middle: what was made is reported, so that it can be
// removed.
func TestExportFilesUndone(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "set")
	made, err := export([]builtin.File{{Name: "a", Text: []byte("a")}, {Name: filepath.Join("absent", "b")}}, folder)
	want := []string{folder, filepath.Join(folder, "a")}
	if err == nil || !slices.Equal(made, want) {
		t.Errorf("got %q and %v, want %q and an error", made, err, want)
	}
}
