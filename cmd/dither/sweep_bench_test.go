package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/processor"
)

// bookSchema and fashionSchema declare the two tables of BenchmarkSweepCommand.
const (
	bookSchema    = "dither-schema: 1\nrow: one person\nmax-records: 50000\ntarget: {column: y, levels: [\"-1\", \"1\"]}\ncolumns:\n  \"x[0:104]\": {numeric: [0, 1], missing: zero, out-of-range: clamp}\n"
	fashionSchema = "dither-schema: 1\nrow: one image\nmax-records: 60000\ntarget: {column: label, levels: [\"0\", \"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\"]}\ncolumns:\n  \"p[0:784]\": {numeric: [0, 255], missing: zero, out-of-range: clamp}\n"
)

// halves writes the labels of a file of Fashion-MNIST as two levels: whether an image is of the last five.
func halves(b *testing.B, path string) string {
	b.Helper()
	file, err := os.Open(path)
	if err != nil {
		b.Skip("the folder fashion-mnist is absent: set DITHER_DATA to the measuring data")
	}
	defer func() { _ = file.Close() }()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		b.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		b.Fatal(err)
	}
	const head = 8 // of an IDX file of one dimension
	for i := head; i < len(text); i++ {
		text[i] /= 5
	}
	out := filepath.Join(b.TempDir(), "labels-idx1-ubyte")
	if err = os.WriteFile(out, text, 0o600); err != nil {
		b.Fatal(err)
	}
	return out
}

// BenchmarkSweepCommand is the whole command, with default numbers of steps, reading, measuring and drawing: 60 values of
// epsilon and one in turns, of two levels (Adult, and Fashion-MNIST by halves) and ten (Fashion-MNIST). Runs share their passes, also where each learns a
// whitening of its own, as the default is. It reports how many times the time of one the sixty take, by the clock and of the
// processors.
func BenchmarkSweepCommand(b *testing.B) {
	folder := os.Getenv("DITHER_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "..", "shared", "data")
	}
	adult, fashion := filepath.Join(folder, "adult-book"), filepath.Join(folder, "fashion-mnist")
	if _, err := os.Stat(adult); err != nil {
		b.Skip("the folder adult-book is absent: set DITHER_DATA to the measuring data")
	}
	images, tests := filepath.Join(fashion, "train-images-idx3-ubyte.gz"), filepath.Join(fashion, "t10k-images-idx3-ubyte.gz")
	labels, testLabels := filepath.Join(fashion, "train-labels-idx1-ubyte.gz"), filepath.Join(fashion, "t10k-labels-idx1-ubyte.gz")
	for _, c := range []struct {
		name, schema string
		table        []string
	}{
		{"adult/levels=2", bookSchema, []string{"--data", filepath.Join(adult, "adult_processed_x.npy.gz"), "--labels", filepath.Join(adult, "adult_processed_y.npy"), "--split", "first:0.8"}},
		{"fashion/levels=2", strings.Replace(fashionSchema, `, "2", "3", "4", "5", "6", "7", "8", "9"`, "", 1), []string{"--data", images, "--labels", halves(b, labels), "--test", tests, "--test-labels", halves(b, testLabels), "--test-public"}},
		{"fashion/levels=10", fashionSchema, []string{"--data", images, "--labels", labels, "--test", tests, "--test-labels", testLabels, "--test-public"}},
	} {
		schema := filepath.Join(b.TempDir(), "schema.yaml")
		if err := os.WriteFile(schema, []byte(c.schema), 0o600); err != nil {
			b.Fatal(err)
		}
		for _, whiten := range []string{"no", "auto"} {
			args := append([]string{"sweep", "--schema", schema, "--data-public", "--quiet", "--whiten", whiten}, c.table...)
			b.Run(c.name+"/whiten="+whiten, func(b *testing.B) { compareSweeps(b, args) })
		}
	}
}

// compareSweeps runs a sweep of one epsilon and one of sixty in turns.
func compareSweeps(b *testing.B, args []string) {
	var clock, core [2]time.Duration
	for b.Loop() {
		for k, epsilon := range []string{"1", "0.1..8 log 60"} {
			used, start := processor.Time(), time.Now()
			if status, _, stderr := invoke(append(args, "--epsilon", epsilon, "--out", filepath.Join(b.TempDir(), "out"))...); status != exitDone {
				b.Fatal(stderr)
			}
			clock[k] += time.Since(start)
			core[k] += processor.Time() - used
		}
	}
	b.ReportMetric(clock[0].Seconds()/float64(b.N), "one-s")
	b.ReportMetric(clock[1].Seconds()/clock[0].Seconds(), "times-one")
	b.ReportMetric(core[1].Seconds()/core[0].Seconds(), "core-times-one")
}
