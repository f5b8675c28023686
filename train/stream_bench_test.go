package train

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ditherml/dither/internal/processor"
	"github.com/ditherml/dither/internal/release"
)

var (
	streamBytes = flag.Int64("stream-bytes", 1<<28, "size of the file of BenchmarkStream")
	streamCold  = flag.Bool("stream-cold", false, "take the file of BenchmarkStream out of the page cache before each reading (Linux)")
)

// BenchmarkStream is a full-batch step of a logistic model over rows of 784 bytes, or of 100 or 784 numbers of 16 bits,
// in a file, and in turns with it plain reads of the same file in the same state of the cache, in order and in pieces
// that stay near the processor: on one goroutine, and on as many as the step has. It reports the medians and the
// best, which is what counts on a machine that does other things too, and the best by processor time; the ratio of step and
// read on one goroutine by the clock, as a median and of the best, and what it would be with all processors free, by
// processor time; and the largest resident memory so far.
func BenchmarkStream(b *testing.B) {
	for _, c := range []struct {
		name string
		rows release.RowsOptions
	}{
		{"uint8-784", release.RowsOptions{Dim: 784, Type: release.Uint8, Step: 1.0 / 255}},
		{"int16-100", release.RowsOptions{Dim: 100, Type: release.Int16, Step: 1.0 / 32767}},
		{"int16-784", release.RowsOptions{Dim: 784, Type: release.Int16, Step: 1.0 / 32767}},
	} {
		b.Run(c.name, func(b *testing.B) {
			file, size := streamFile(b, c.rows)
			rows, err := release.OpenRows(file, size, release.Standardization{Normalize: release.NormalizeUnit, Intercept: 0.5})
			if err != nil {
				b.Fatal(err)
			}
			run := benchRun(b, rows, 2)
			run.Plan.MaxRecords = 1 << 26
			var plain, reads, steps speeds
			for b.Loop() {
				plain.measure(b, file, size, func() { plainRead(b, file, size, 1) })
				reads.measure(b, file, size, func() { plainRead(b, file, size, runtime.GOMAXPROCS(0)) })
				steps.measure(b, file, size, func() {
					if _, err = run.gradient(); err != nil {
						b.Fatal(err)
					}
				})
			}
			plain.report(b, "read")
			reads.report(b, "reads")
			steps.report(b, "step")
			var ratios []float64
			for i, read := range plain.clock {
				ratios = append(ratios, steps.clock[i]/read)
			}
			b.ReportMetric(median(ratios), "ratio")
			b.ReportMetric(slices.Max(steps.clock)/slices.Max(plain.clock), "best-ratio")
			b.ReportMetric(slices.Max(steps.core)*float64(runtime.GOMAXPROCS(0))/slices.Max(plain.core), "free-ratio")
			b.ReportMetric(residentMB(b), "MB-resident")
		})
	}
}

// speeds are GB of a file in a second, and in a second of processor time, of each reading.
type speeds struct{ clock, core []float64 }

func (s *speeds) measure(b *testing.B, file *os.File, size int64, read func()) {
	b.Helper()
	if *streamCold {
		if err := forget(file); err != nil {
			b.Fatal(err)
		}
	}
	start, used := time.Now(), processor.Time()
	read()
	s.clock = append(s.clock, float64(size)/float64(time.Since(start)))
	s.core = append(s.core, float64(size)/float64(max(1, processor.Time()-used)))
}

func (s *speeds) report(b *testing.B, name string) {
	b.Helper()
	b.ReportMetric(median(s.clock), name+"-GB/s")
	b.ReportMetric(slices.Max(s.clock), "best-"+name+"-GB/s")
	b.ReportMetric(slices.Max(s.core), "best-"+name+"-GB/s-core")
}

// plainRead reads a file in order, each piece on the one of some goroutines that is ready for it.
func plainRead(b *testing.B, file *os.File, size int64, goroutines int) {
	b.Helper()
	const piece = 1 << 18
	var next atomic.Int64
	var wait sync.WaitGroup
	for range goroutines {
		wait.Go(func() {
			own := make([]byte, piece)
			for at := next.Add(piece) - piece; at < size; at = next.Add(piece) - piece {
				if n, err := file.ReadAt(own, at); n == 0 {
					b.Error(err)
				}
			}
		})
	}
	wait.Wait()
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
func streamFile(b *testing.B, o release.RowsOptions) (*os.File, int64) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "rows")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.Fatal(err)
	}
	const part = 1 << 16
	o.Labels = make([]float32, part)
	for i := range o.Labels {
		o.Labels[i] = float32(i % 2)
	}
	rows, err := release.NewRows(part, o, func(dst []float64, first, _ int) {
		r := rand.New(rand.NewPCG(uint64(first), 1))
		for j := range dst {
			dst[j] = r.Float64()
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	w := release.NewRowsWriter(file)
	rowBytes := map[release.RowType]int64{release.Uint8: 1, release.Int16: 2}[o.Type] * int64(o.Dim)
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
	if err = file.Close(); err != nil { // a file that can be written to is copied
		b.Fatal(err)
	}
	if file, err = os.Open(path); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() })
	info, err := file.Stat()
	if err != nil {
		b.Fatal(err)
	}
	return file, info.Size()
}
