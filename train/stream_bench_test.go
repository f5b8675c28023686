package train

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/mechanism"
)

var (
	streamBytes = flag.Int64("stream-bytes", 1<<28, "size of the file of BenchmarkStream")
	streamCold  = flag.Bool("stream-cold", false, "take the file of BenchmarkStream out of the page cache before each reading (Linux)")
)

// BenchmarkStream is a full-batch step of a logistic model over rows of 784 bytes, or of 100 of 16 bits,
// in a file, and in turns with it a plain read of the same file, on one goroutine in pieces of 1 MiB, in the
// same state of the cache. It reports the medians of both and of their ratios, the best of both, which is what
// counts on a machine that does other things too, as the speed by processor time does, and the largest resident memory so far.
func BenchmarkStream(b *testing.B) {
	for _, c := range []struct {
		name string
		rows mechanism.RowsOptions
	}{
		{"uint8-784", mechanism.RowsOptions{Dim: 784, Type: mechanism.Uint8, Step: 1.0 / 255}},
		{"int16-100", mechanism.RowsOptions{Dim: 100, Type: mechanism.Int16, Step: 1.0 / 32767}},
	} {
		b.Run(c.name, func(b *testing.B) {
			file, size := streamFile(b, c.rows)
			rows, err := mechanism.OpenRows(file, size, mechanism.Frame{Normalize: mechanism.NormalizeUnit, Intercept: 0.5})
			if err != nil {
				b.Fatal(err)
			}
			run := benchRun(b, rows, 2)
			run.Plan.MaxRecords = 1 << 26
			var reads, steps, ratios, cores []float64
			for b.Loop() {
				read := streamSpeed(b, file, size, func() { plainRead(b, file, size) })
				used := processorTime()
				step := streamSpeed(b, file, size, func() {
					if _, err = run.gradient(); err != nil {
						b.Fatal(err)
					}
				})
				cores = append(cores, float64(size)/float64(max(1, processorTime()-used)))
				reads, steps, ratios = append(reads, read), append(steps, step), append(ratios, step/read)
			}
			b.ReportMetric(median(reads), "read-GB/s")
			b.ReportMetric(median(steps), "step-GB/s")
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(slices.Max(reads), "best-read-GB/s")
			b.ReportMetric(slices.Max(steps), "best-step-GB/s")
			b.ReportMetric(slices.Max(cores), "best-step-GB/s-core")
			b.ReportMetric(residentMB(b), "MB-resident")
		})
	}
}

// streamSpeed returns how many GB of a file something reads in a second.
func streamSpeed(b *testing.B, file *os.File, size int64, read func()) float64 {
	b.Helper()
	if *streamCold {
		if err := forget(file); err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	read()
	return float64(size) / time.Since(start).Seconds() / 1e9
}

func plainRead(b *testing.B, file *os.File, size int64) {
	b.Helper()
	piece := make([]byte, 1<<20)
	for at := int64(0); at < size; at += int64(len(piece)) {
		if n, err := file.ReadAt(piece, at); n == 0 {
			b.Fatal(err)
		}
	}
}

func median(s []float64) float64 {
	s = slices.Clone(s)
	slices.Sort(s)
	return s[len(s)/2]
}

// residentMB returns the largest resident memory of this process so far, or 0 where the system does not tell.
func residentMB(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, found := strings.Cut(string(text), "VmHWM:")
	kilobytes := 0.0
	if _, err = fmt.Sscan(after, &kilobytes); !found || err != nil {
		return 0
	}
	return kilobytes / 1000
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
	if err = file.Sync(); err != nil { // only what is on the disk can be forgotten
		b.Fatal(err)
	}
	info, err := file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return file, info.Size()
}
