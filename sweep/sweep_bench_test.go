package sweep

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/processor"
	"github.com/ditherml/dither/train"
)

// fashion reads Fashion-MNIST with its ten levels, or with two: whether an image is of the last five of them.
func fashion(b *testing.B, levels int) (*data.Schema, *data.Dataset) {
	b.Helper()
	folder := os.Getenv("DITHER_DATA")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data")
	}
	if _, err := os.Stat(filepath.Join(folder, "fashion-mnist")); err != nil {
		b.Skip("the folder fashion-mnist is absent: set DITHER_DATA to the measuring data")
	}
	s := &data.Schema{Name: "fashion", Row: "one image", Records: 60000, MaxRecords: 60000, Target: data.Target{Column: "label", Levels: strings.Fields("0 1 2 3 4 5 6 7 8 9")},
		Columns: []data.Column{{Name: "p", Kind: data.Numeric, Upper: 255, OutOfRange: data.Clamp, Missing: data.Zero, Repeat: 784}}}
	s, err := s.Expand()
	if err != nil {
		b.Fatal(err)
	}
	source := data.Source{Path: filepath.Join(folder, "fashion-mnist", "train-images-idx3-ubyte.gz"), Labels: filepath.Join(folder, "fashion-mnist", "train-labels-idx1-ubyte.gz")}
	d, err := data.Read(context.Background(), s, source, data.ReadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	if levels == 2 {
		s.Target.Levels = []string{"no", "yes"}
		for i, v := range d.Target() {
			d.Target()[i] = float32(math.Floor(float64(v) / 5))
		}
	}
	return s, d
}

// BenchmarkSweepTogether is a sweep of several configurations of full-batch descent, of ten steps each, over epsilon,
// without reading, encoding and measuring. It reports the least time by the clock and of the processors, which is what counts
// on a machine that does other things too.
func BenchmarkSweepTogether(b *testing.B) {
	for _, levels := range []int{2, 10} {
		s, d := fashion(b, levels)
		for _, models := range []int{1, 60} {
			b.Run(fmt.Sprintf("levels=%d/configurations=%d", levels, models), func(b *testing.B) {
				sweep := Sweep{Repeats: 1, Training: d}
				for i := range models {
					c := candidate(b, s, train.Request{Epsilon: 1 + float64(i)/10, Steps: 10, Center: train.No}, Setting{"epsilon", fmt.Sprint(i)})
					c.Options.FeatureBits = 8
					sweep.Candidates = append(sweep.Candidates, c)
				}
				least, core := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
				for b.Loop() {
					used, start := processor.Time(), time.Now()
					if _, err := sweep.Run(context.Background()); err != nil {
						b.Fatal(err)
					}
					least, core = min(least, time.Since(start)), min(core, processor.Time()-used)
				}
				b.ReportMetric(least.Seconds(), "least-s")
				b.ReportMetric(core.Seconds(), "least-core-s")
			})
		}
	}
}
