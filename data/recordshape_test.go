package data_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ditherml/dither/data"
)

func TestRecordShape(t *testing.T) {
	text := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(text, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path string
		want []int
	}{
		{npyFile(t, "images", idx(0x08, dims(1, 2, 3), make([]byte, 6))), []int{2, 3}},
		{npyFile(t, "colors", npy("|u1", "(2, 4, 5, 3)", make([]byte, 120))), []int{4, 5, 3}},
		{npyFile(t, "none", idx(0x08, dims(0, 7, 9), nil)), []int{7, 9}},
		{npyFile(t, "matrix", idx(0x08, dims(2, 3), make([]byte, 6))), nil},
		{text, nil},
	} {
		if got, err := data.RecordShape(context.Background(), data.Source{Path: c.path}); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, error %v, want %v", filepath.Base(c.path), got, err, c.want)
		}
	}
	for _, path := range []string{filepath.Join(t.TempDir(), "none"), npyFile(t, "cut", idx(0x08, dims(2, 3), nil)[:6])} {
		if got, err := data.RecordShape(context.Background(), data.Source{Path: path}); err == nil {
			t.Errorf("%s: got %v, want an error", filepath.Base(path), got)
		}
	}
}
