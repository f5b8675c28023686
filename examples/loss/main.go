// Command loss trains a private model with a loss of its own: the logarithm of the hyperbolic cosine, which is
// like the squared loss near 0 and like the absolute one far from it.
//
//	go run ./examples/loss
//
// A loss is not trusted with privacy: what it proposes for a record is verified against the
// clipping norm before it is added. So a mistake in it costs accuracy and nothing else.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"os"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// logCosh is log(cosh(z - y)) for a score z and a target y, which is scaled to [-1, 1].
type logCosh struct{}

var _ model.Loss = logCosh{}

// Name says what the loss is called.
func (logCosh) Name() string { return "log-cosh" }

// Columns is 1 for a numeric target, which has no classes, and 0 for others.
func (logCosh) Columns(classes int) int {
	if classes == 0 {
		return 1
	}
	return 0
}

// Value is the loss, in a form that does not overflow.
func (logCosh) Value(scores []float64, label float64) float64 {
	r := math.Abs(scores[0] - label)
	return r + math.Log1p(math.Exp(-2*r)) - math.Ln2
}

// Residuals is the derivative, tanh(z - y).
func (logCosh) Residuals(dst, scores []float64, label float64) { dst[0] = math.Tanh(scores[0] - label) }

// Lipschitz is 1, the largest derivative.
func (logCosh) Lipschitz(int) float64 { return 1 }

// Smoothness is 1, the largest second derivative.
func (logCosh) Smoothness() float64 { return 1 }

// Predict leaves the score: it is the prediction.
func (logCosh) Predict([]float64) {}

const schemaText = `
dither-schema: 1
row: one flat
max-records: 5000
target: {column: rent, bounds: [0, 4000]}
defaults: {missing: zero, out-of-range: clamp}
columns:
  area: {numeric: [10, 210]}
  floor: {numeric: [0, 20]}
`

// flat is a record.
type flat struct{ Area, Floor, Rent float64 }

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer) error {
	schema, err := data.ParseSchema("flats", []byte(schemaText))
	if err != nil {
		return err
	}
	records, err := data.FromStructs(schema, flats(4000), data.ReadOptions{})
	if err != nil {
		return err
	}
	setup, err := train.NewPlan(train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Normalization: feature.NormClip, Loss: logCosh{}}, schema)
	if err != nil {
		return err
	}
	limit, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: schema.Row})
	if err != nil {
		return err
	}
	budget, err := ledger.New(limit)
	if err != nil {
		return err
	}
	result, err := train.Fit(context.Background(), budget, setup, records, train.Options{Momentum: 0.9})
	if err != nil {
		return err
	}
	for _, area := range []float64{40, 160} {
		row := result.Model.NewRow()
		if err = row.SetNumber("area", area); err != nil {
			return err
		}
		if err = row.SetNumber("floor", 2); err != nil {
			return err
		}
		rent, _ := row.Predict()
		fmt.Fprintf(w, "%v square meters: rent %.0f\n", area, rent[0])
	}
	return nil
}

// flats makes records up: 15 a square meter and 200 for the rest, and now and then a rent that is far off.
func flats(n int) []flat {
	all := make([]flat, n)
	for i := range all {
		f := flat{Area: 20 + float64(i*7919%180), Floor: float64(i % 9)}
		f.Rent = 200 + 15*f.Area + 20*f.Floor + float64(i*104729%301-150)
		if i%50 == 0 {
			f.Rent = 4000
		}
		all[i] = f
	}
	return all
}
