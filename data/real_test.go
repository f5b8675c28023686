package data_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/data"
)

// realFile returns a file of the data folder, DITHER_DATA or ../shared/data, or skips.
func realFile(t *testing.T, name string) string {
	t.Helper()
	folder := os.Getenv("DITHER_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	path := filepath.Join(folder, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("%s is not at hand; set DITHER_DATA to the folder with it", name)
	}
	return path
}

// TestReadAdult reads the Adult tables under the declared schema of package train. The
// numbers of rows and of the positive class are those of the table's documentation.
func TestReadAdult(t *testing.T) {
	s, err := data.ReadSchema(filepath.Join("..", "train", "testdata", "adult.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file               string
		records, positives int
	}{
		{"adult-raw/adult-train.csv.gz", 32561, 7841},
		{"adult-raw/adult-test.csv.gz", 16281, 3846},
	} {
		path := realFile(t, c.file)
		d, err := data.Read(context.Background(), s, data.Source{Path: path}, data.ReadOptions{KeepDropped: true, Extra: []string{"fnlwgt"}})
		if err != nil {
			t.Fatal(err)
		}
		positives := 0
		for i, y := range d.Target() {
			if d.Dropped(i) {
				t.Fatalf("%s: row %d is dropped, want none", c.file, i)
			}
			positives += int(y)
		}
		if d.Records() != c.records || positives != c.positives {
			t.Errorf("%s: got %d records, %d positive, want %d and %d", c.file, d.Records(), positives, c.records, c.positives)
		}
		r, err := data.Check(context.Background(), s, data.Source{Path: path})
		if err != nil || !r.Clean || r.Rows != c.records {
			t.Errorf("%s: Check got %+v, error %v, want %d clean rows", c.file, r, err, c.records)
		}
	}
}
