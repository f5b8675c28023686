// Command descent shows gradient descent without privacy, written out step by step. It uses a
// built-in public data set, and belongs to the first part of docs/tutorial.md. Its argument is
// step, descent or clipping.
//
//	go run ./examples/descent step
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"slices"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("descent: want one argument: step, descent or clipping")
	}
	if err := run(os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// table contains records in the form that a model reads: rows of norm 1, one after the other, and
// labels 0 or 1.
type table struct {
	dim    int
	rows   []float64
	labels []float64
}

func run(w io.Writer, part string) error {
	t, err := read()
	if err != nil {
		return err
	}
	switch part {
	case "step":
		t.firstStep(w)
	case "descent":
		t.descend(w)
	case "clipping":
		t.clip(w)
	default:
		return fmt.Errorf("descent: part is %q, want step, descent or clipping", part)
	}
	return nil
}

// read returns the training table of the built-in data set, encoded as rows.
func read() (*table, error) {
	set, err := builtin.Open("randhie")
	if err != nil {
		return nil, err
	}
	schema, err := set.Schema()
	if err != nil {
		return nil, err
	}
	d, err := set.ReadTrain(context.Background(), schema, data.ReadOptions{})
	if err != nil {
		return nil, err
	}
	features, linear, err := train.Request{}.Encoding(schema)
	if err != nil {
		return nil, err
	}
	t := &table{dim: linear.Dim, rows: make([]float64, d.Records()*linear.Dim)}
	values := make([][]float32, d.Records())
	for i := range values {
		values[i] = d.Row(nil, i)
		t.labels = append(t.labels, float64(d.Target()[i]))
	}
	features.Apply(t.rows, len(values), features.NewScratch(len(values)), func(r int) []float32 { return values[r] })
	return t, nil
}

// row returns the row of record i.
func (t *table) row(i int) []float64 { return t.rows[i*t.dim : (i+1)*t.dim] }

// loss returns the logistic loss of record i and the derivative of the loss with respect to the
// score. The derivative is called residual: it is the probability of the second level minus the
// label. The gradient is the residual times the row. Because rows have norm 1, the norm of the
// gradient is the magnitude of the residual.
func (t *table) loss(i int, weights []float64) (loss, residual float64) {
	scores, derivative := []float64{dot(t.row(i), weights)}, make([]float64, 1)
	model.Logistic.Residuals(derivative, scores, t.labels[i])
	return model.Logistic.Value(scores, t.labels[i]), derivative[0]
}

// measure returns the mean loss over all records, and the share of correct predictions.
func (t *table) measure(weights []float64) (mean, accuracy float64) {
	for i, label := range t.labels {
		loss, residual := t.loss(i, weights)
		mean += loss
		if (residual+label > 0.5) == (label == 1) {
			accuracy++
		}
	}
	n := float64(len(t.labels))
	return mean / n, accuracy / n
}

// firstStep takes one step on one record.
func (t *table) firstStep(w io.Writer) {
	weights := make([]float64, t.dim)
	loss, residual := t.loss(0, weights)
	fmt.Fprintf(w, "weights                       %d, all 0\n", t.dim)
	fmt.Fprintf(w, "loss of the first record      %.4f\n", loss)
	fmt.Fprintf(w, "norm of its row               %.4f\n", math.Sqrt(dot(t.row(0), t.row(0))))
	fmt.Fprintf(w, "norm of its gradient          %.4f\n", math.Abs(residual))
	add(weights, -residual, t.row(0))
	loss, _ = t.loss(0, weights)
	fmt.Fprintf(w, "its loss after a step of 1    %.4f\n", loss)
	mean, _ := t.measure(weights)
	fmt.Fprintf(w, "mean loss of all records now  %.4f\n", mean)
}

// learningRate is 1 divided by an upper bound on the second derivative of the mean loss. The bound
// is 1/4 for rows of norm 1. At this rate the mean loss falls in every step.
const learningRate = 4

// step takes one step along the mean gradient of all records. Gradients with a norm above the
// clipping norm are scaled down to it first. The result is the share of such gradients.
func (t *table) step(weights []float64, clippingNorm float64) (clipped float64) {
	gradient := make([]float64, t.dim)
	for i := range t.labels {
		_, residual := t.loss(i, weights)
		if math.Abs(residual) > clippingNorm {
			clipped++
			residual = math.Copysign(clippingNorm, residual)
		}
		add(gradient, residual, t.row(i))
	}
	n := float64(len(t.labels))
	add(weights, -learningRate/n, gradient)
	return clipped / n
}

// descend takes steps on all records and prints the mean loss and the accuracy.
func (t *table) descend(w io.Writer) {
	weights := make([]float64, t.dim)
	fmt.Fprintln(w, "step  mean loss  accuracy")
	for step := range 101 {
		if slices.Contains([]int{0, 1, 2, 5, 10, 20, 50, 100}, step) {
			mean, accuracy := t.measure(weights)
			fmt.Fprintf(w, "%-4d  %.4f     %.2f %%\n", step, mean, 100*accuracy)
		}
		t.step(weights, math.Inf(1))
	}
}

// clip takes steps with clipped gradients, for several clipping norms.
func (t *table) clip(w io.Writer) {
	fmt.Fprintln(w, "clipping norm  clipped in step 50  mean loss after 50 steps")
	for _, norm := range []float64{1, 0.5, 0.2, 0.05} {
		weights, clipped := make([]float64, t.dim), 0.0
		for range 50 {
			clipped = t.step(weights, norm)
		}
		mean, _ := t.measure(weights)
		fmt.Fprintf(w, "%-13v  %5.1f %%             %.4f\n", norm, 100*clipped, mean)
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// add adds a multiple of b to a.
func add(a []float64, factor float64, b []float64) {
	for i, v := range b {
		a[i] += factor * v
	}
}
