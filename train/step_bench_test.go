package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/kernel"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/processor"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// benchRows is a table of the size of MNIST as rows of a type, with labels of so many classes.
func benchRows(b *testing.B, kind release.RowType, classes int, f release.Standardization) *release.Rows {
	b.Helper()
	const n, d = 60000, 784
	labels := make([]float32, n)
	for i := range labels {
		labels[i] = float32(i * 7 % classes)
	}
	rows, err := release.NewRows(n, release.RowsOptions{Dim: d, Step: 1 / float64(kind.Largest()), Type: kind, Labels: labels, Frame: f}, func(dst []float64, first, k int) {
		r := rand.New(rand.NewPCG(uint64(first), 5))
		for j := range dst {
			if dst[j] = 0; r.IntN(5) == 0 {
				dst[j] = r.Float64()
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return rows
}

// BenchmarkStep is one full-batch step of descent as Fit runs it: sample, scores, residuals, clipping,
// verification, exact sum, noise, update. The peers' figures are those of bench/peers.
func BenchmarkStep(b *testing.B) {
	frames := map[string]release.Standardization{"plain": {}, "framed": {Normalize: release.NormalizeUnit, Intercept: 0.5, Center: make([]float64, 784)}}
	for j := range frames["framed"].Center {
		frames["framed"].Center[j] = 0.03
	}
	for _, classes := range []int{2, 10} {
		for _, kind := range []release.RowType{release.Int16, release.Uint8, release.Bit} {
			for name, f := range frames {
				rows := benchRows(b, kind, classes, f)
				b.Run(fmt.Sprintf("classes=%d/%v/%s", classes, kind, name), func(b *testing.B) { benchStep(b, rows, classes) })
			}
		}
	}
}

// BenchmarkStepTogether is a step of several binary models in one pass. It reports the least time of a step, by the
// clock and of the processors, which is what counts on a machine that does other things too.
func BenchmarkStepTogether(b *testing.B) {
	for _, kind := range []release.RowType{release.Int16, release.Uint8} {
		b.Run(kind.String(), func(b *testing.B) {
			rows := benchRows(b, kind, 2, release.Standardization{Normalize: release.NormalizeUnit})
			for _, models := range []int{1, 8, 32} {
				b.Run(fmt.Sprintf("models=%d", models), func(b *testing.B) { benchTogether(b, rows, models) })
			}
		})
	}
}

// benchTogether takes the steps of so many models.
func benchTogether(b *testing.B, rows *release.Rows, models int) {
	runs := make([]*descent, models)
	for i := range runs {
		runs[i] = benchRun(b, rows, 2)
	}
	least, core := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		used, start := processor.Time(), time.Now()
		if err := stepTogether(b.Context(), runs, 0); err != nil {
			b.Fatal(err)
		}
		least, core = min(least, time.Since(start)), min(core, processor.Time()-used)
	}
	b.ReportMetric(1e3*least.Seconds(), "least-ms")
	b.ReportMetric(1e3*core.Seconds(), "least-core-ms")
}

// BenchmarkEpoch is one expected pass of DP-SGD in Poisson batches of 600, by 100 steps.
func BenchmarkEpoch(b *testing.B) {
	for _, classes := range []int{2, 10} {
		for _, kind := range []release.RowType{release.Int16, release.Uint8} {
			rows := benchRows(b, kind, classes, release.Standardization{Normalize: release.NormalizeUnit, Intercept: 0.5})
			b.Run(fmt.Sprintf("classes=%d/%v", classes, kind), func(b *testing.B) {
				run := benchRun(b, rows, classes)
				run.Plan.Sampling, run.Plan.SamplingProbability = samplingPoisson, 0.01
				var err error
				if run.samples, err = run.newSamples(run.payer, rows.Len()); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					for step := range 100 {
						noisy, failed := run.gradient()
						if failed != nil {
							b.Fatal(failed)
						}
						run.advance(step, noisy)
					}
				}
			})
		}
	}
}

// benchRun is a run on rows before its first step.
func benchRun(b *testing.B, rows *release.Rows, classes int) *descent {
	loss, err := model.LossFor(data.Target{Levels: make([]string, classes)}, nil)
	if err != nil {
		b.Fatal(err)
	}
	linear, err := model.NewLinear(loss, classes, rows.Dim())
	if err != nil {
		b.Fatal(err)
	}
	plan := Plan{Subject: certificate.Subject{Neighboring: privacy.AddOrRemoveOne, MaxRecords: 1 << 16}, Sampling: samplingFull, NoiseMultiplier: 20, Steps: 1, Columns: linear.Columns, Dim: linear.Dim,
		Clipping: Clipping{Mode: option.ClipGradient, Norm: 1, Bound: 1}}
	run, err := newDescent(Setup{Plan: plan, Model: linear}, Options{LearningRate: 1e-9, Momentum: 0.9}, payEverything{}, rows, table{}, prepared{divisor: 60000})
	if err != nil {
		b.Fatal(err)
	}
	for j := range run.weights {
		run.weights[j] = math.Sin(float64(j)) / 10
	}
	return run
}

func benchStep(b *testing.B, rows *release.Rows, classes int) {
	run := benchRun(b, rows, classes)
	b.ReportAllocs()
	for b.Loop() {
		noisy, err := run.gradient()
		if err != nil {
			b.Fatal(err)
		}
		run.optimizer.Step(run.weights, noisy)
	}
}

// payEverything pays for everything: what is measured is time.
type payEverything struct{}

func (payEverything) Pay(mechanism.Event) error { return nil }

// BenchmarkFloatStep is the same step without privacy, in float32, on two goroutines: what costs nothing
// to guarantee.
func BenchmarkFloatStep(b *testing.B) {
	const n, d = 60000, 784
	x, labels := make([]float32, n*d), make([]float32, n)
	kernel.HugePages(x)
	for i := range labels {
		labels[i] = float32(i % 2)
	}
	r := rand.New(rand.NewPCG(4, 5))
	for j := range x {
		if r.IntN(5) == 0 {
			x[j] = r.Float32()
		}
	}
	for _, columns := range []int{1, 10} {
		b.Run(fmt.Sprintf("columns=%d", columns), func(b *testing.B) {
			w := make([]float32, columns*d)
			for b.Loop() {
				floatStep(context.Background(), x, labels, w, d, columns)
			}
		})
	}
}

// floatStep adds up the gradient on two goroutines.
func floatStep(_ context.Context, x, labels, w []float32, d, columns int) {
	const parts = 2
	n := len(labels)
	done := make(chan []float32, parts)
	for p := range parts {
		go func() {
			from, to := p*n/parts, (p+1)*n/parts
			done <- floatSum(x[from*d:to*d], labels[from:to], w, d, columns)
		}()
	}
	for range parts {
		for j, g := range <-done {
			w[j] -= 1e-9 * g
		}
	}
}

// floatSum is the gradient of some rows: of one column in one pass, of several by blocks of rows.
func floatSum(x, labels, w []float32, d, columns int) []float32 {
	const block = 40
	sum, scores := make([]float32, columns*d), make([]float32, len(labels)*columns)
	if columns == 1 {
		kernel.AddRowsByMargin(sum, x, d, w, scores, func(z []float32, first int) {
			kernel.Sigmoid(z, z)
			for k, label := range labels[first : first+len(z)] {
				z[k] -= label
			}
		})
		return sum
	}
	for i := 0; i < len(labels); i += block {
		to := min(i+block, len(labels))
		z := scores[i*columns : to*columns]
		kernel.Margins(z, x[i*d:to*d], d, w, columns)
		kernel.Softmax(z, z, columns)
		for k, label := range labels[i:to] {
			z[k*columns+int(label)%columns]--
		}
		kernel.AddScaledRows(sum, x[i*d:to*d], d, z, columns)
	}
	return sum
}
