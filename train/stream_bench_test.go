package train

import (
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/ditherml/dither/mechanism"
)

var streamBytes = flag.Int64("stream-bytes", 1<<28, "size of the file of BenchmarkStream")

// BenchmarkStream is a full-batch step of a logistic model over rows of 784 bytes, or of 100 of 16 bits,
// in a file, beside a plain read of the same file in pieces of 1 MiB in the same state of the cache.
func BenchmarkStream(b *testing.B) {
	for name, o := range map[string]mechanism.RowsOptions{
		"uint8-784": {Dim: 784, Type: mechanism.Uint8, Step: 1.0 / 255},
		"int16-100": {Dim: 100, Type: mechanism.Int16, Step: 1.0 / 32767},
	} {
		b.Run(name, func(b *testing.B) {
			file, size := streamFile(b, o)
			b.Run("read", func(b *testing.B) {
				b.SetBytes(size)
				piece := make([]byte, 1<<20)
				for b.Loop() {
					if _, err := file.Seek(0, io.SeekStart); err != nil {
						b.Fatal(err)
					}
					for {
						if _, err := file.Read(piece); err != nil {
							break
						}
					}
				}
			})
			b.Run("step", func(b *testing.B) {
				rows, err := mechanism.OpenRows(file, size, mechanism.Frame{Normalize: mechanism.NormalizeUnit, Intercept: 0.5})
				if err != nil {
					b.Fatal(err)
				}
				run := benchRun(b, rows, 2)
				run.Plan.MaxRecords = 1 << 26
				b.SetBytes(size)
				for b.Loop() {
					if _, err = run.gradient(); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// streamFile writes random rows to a file of about the size of the flag.
func streamFile(b *testing.B, o mechanism.RowsOptions) (*os.File, int64) {
	b.Helper()
	file, err := os.Create(filepath.Join(b.TempDir(), "rows"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() })
	const part = 1 << 16
	o.Labels = make([]float32, part)
	for i := range o.Labels {
		o.Labels[i] = float32(i % 2)
	}
	rows, err := mechanism.NewRows(part, o, func(dst []float64, first, _ int) {
		r := rand.New(rand.NewPCG(uint64(first), 1))
		for j := range dst {
			dst[j] = r.Float64()
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	w := mechanism.NewRowsWriter(file)
	rowBytes := map[mechanism.RowType]int64{mechanism.Uint8: 1, mechanism.Int16: 2}[o.Type] * int64(o.Dim)
	for range max(1, *streamBytes/(part*rowBytes)) {
		if err = w.Append(rows); err != nil {
			b.Fatal(err)
		}
	}
	if err = w.Close(nil); err != nil {
		b.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return file, info.Size()
}
