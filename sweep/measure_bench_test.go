package sweep

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/processor"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// BenchmarkMeasure measures models that one table is kept for, of Fashion-MNIST with and without whitening. It reports the
// least processor time of one, behind the first.
func BenchmarkMeasure(b *testing.B) {
	for _, levels := range []int{2, 10} {
		s, d := fashion(b, levels)
		first := make([]int, 10000)
		for i := range first {
			first[i] = i
		}
		test := d.Take(first)
		for name, whiten := range map[string]train.Tristate{"no": train.No, "yes": train.Yes} {
			b.Run(fmt.Sprintf("levels=%d/whiten=%s", levels, name), func(b *testing.B) {
				e, err := NewEvaluator(test)
				if err != nil {
					b.Fatal(err)
				}
				m := fitted(b, s, d, whiten)
				least := time.Duration(math.MaxInt64)
				for b.Loop() {
					used := processor.Time()
					if _, err = e.measure(m); err != nil {
						b.Fatal(err)
					}
					least = min(least, processor.Time()-used)
				}
				b.ReportMetric(1e3*least.Seconds(), "least-core-ms")
			})
		}
	}
}

// fitted trains a model.
func fitted(b *testing.B, s *data.Schema, d *data.Dataset, whiten train.Tristate) *model.Model {
	b.Helper()
	setup, err := train.NewPlan(train.Request{Epsilon: 8, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 20, Whiten: whiten}, s)
	if err != nil {
		b.Fatal(err)
	}
	sweep := Sweep{Candidates: []Candidate{{Linear: &setup}}, Training: d}
	if err = sweep.Candidates[0].Certify(); err != nil {
		b.Fatal(err)
	}
	sweep.reset()
	if err = sweep.prepare(&sweep.Candidates[0]); err != nil {
		b.Fatal(err)
	}
	m, _, err := sweep.fit(context.Background(), &sweep.Candidates[0])
	if err != nil {
		b.Fatal(err)
	}
	return m
}
