// Command loss trains a private model with a loss that this program defines: the logarithm of the
// hyperbolic cosine. Near 0 it resembles the squared loss, and far from 0 the absolute loss.
//
//	go run ./examples/loss
//
// The guarantee does not depend on the loss: the gradient of each record is verified against the
// clipping norm before it is added to the sum. So a mistake in a loss reduces only the accuracy.
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

// logCosh is the loss log(cosh(z - y)), where z is the score and y is the target, scaled to
// [-1, 1].
type logCosh struct{}

var _ model.Loss = logCosh{}

// Name returns the name of the loss.
func (logCosh) Name() string { return "log-cosh" }

// Columns returns 1, the number of scores, for a numeric target, which has 0 classes. It returns 0
// for other targets, because the loss cannot be used for them.
func (logCosh) Columns(classes int) int {
	if classes == 0 {
		return 1
	}
	return 0
}

// Value returns the loss. It is computed in a form that does not overflow.
func (logCosh) Value(scores []float64, label float64) float64 {
	r := math.Abs(scores[0] - label)
	return r + math.Log1p(math.Exp(-2*r)) - math.Ln2
}

// Residuals writes the derivative of the loss with respect to the score, tanh(z - y).
func (logCosh) Residuals(dst, scores []float64, label float64) { dst[0] = math.Tanh(scores[0] - label) }

// Lipschitz returns 1, the largest magnitude of the derivative.
func (logCosh) Lipschitz(int) float64 { return 1 }

// Smoothness returns 1, the largest second derivative.
func (logCosh) Smoothness() float64 { return 1 }

// Predict changes nothing, because the score is the prediction.
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

// flat is a record: a flat with its area, floor and rent.
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

// flats returns n invented records. The rent is 200, plus 15 for each square meter, plus 20 for
// each floor, plus noise. One record in fifty has a rent of 4000 instead.
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
