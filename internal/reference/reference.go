// Package reference holds plain float64 gradient descent of one score without privacy, bound or
// grid, as in textbooks. Fast code is compared with it. Labels are class indices, or scaled
// targets; theta has one number for each column.
package reference

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/model"
)

// Matrix is a dense float64 matrix, row after row.
type Matrix struct {
	Rows, Columns int
	Values        []float64
}

// Row returns row i.
func (m Matrix) Row(i int) []float64 { return m.Values[i*m.Columns : (i+1)*m.Columns] }

// Slice returns the rows from ≤ i < to; it shares memory with m.
func (m Matrix) Slice(from, to int) Matrix {
	return Matrix{to - from, m.Columns, m.Values[from*m.Columns : to*m.Columns]}
}

// score returns x·theta.
func score(x, theta []float64) float64 {
	s := 0.0
	for j, v := range x {
		s += v * theta[j]
	}
	return s
}

// MeanLoss returns the mean loss over the rows of x. It panics when shapes disagree.
func MeanLoss(l model.Loss, x Matrix, labels, theta []float64) float64 {
	checkShapes(x, labels, theta)
	sum, z := 0.0, make([]float64, 1)
	for i := range x.Rows {
		z[0] = score(x.Row(i), theta)
		sum += l.Value(z, labels[i])
	}
	return sum / float64(x.Rows)
}

// MeanGradient returns the mean gradient of the loss over the rows of x by theta. It
// panics when shapes disagree.
func MeanGradient(l model.Loss, x Matrix, labels, theta []float64) []float64 {
	checkShapes(x, labels, theta)
	g := make([]float64, x.Columns)
	z, residual := make([]float64, 1), make([]float64, 1)
	for i := range x.Rows {
		row := x.Row(i)
		z[0] = score(row, theta)
		l.Residuals(residual, z, labels[i])
		for j, v := range row {
			g[j] += residual[0] * v
		}
	}
	for j := range g {
		g[j] /= float64(x.Rows)
	}
	return g
}

// DescentStep replaces theta by theta - learningRate·MeanGradient.
func DescentStep(l model.Loss, x Matrix, labels, theta []float64, learningRate float64) {
	for j, g := range MeanGradient(l, x, labels, theta) {
		theta[j] -= learningRate * g
	}
}

// Accuracy returns the share of rows whose score has the sign of their label: positive for
// class 1, negative for class 0. A score of exactly 0 counts as wrong.
func Accuracy(x Matrix, labels, theta []float64) float64 {
	checkShapes(x, labels, theta)
	right := 0
	for i := range x.Rows {
		s := score(x.Row(i), theta)
		if s != 0 && (s > 0) == (labels[i] > 0.5) {
			right++
		}
	}
	return float64(right) / float64(x.Rows)
}

// ClipNorm returns v scaled down to L2 norm bound if it is longer. A vector whose norm is not
// finite becomes zero.
func ClipNorm(v []float64, bound float64) []float64 {
	norm := 0.0
	for _, f := range v {
		norm = math.Hypot(norm, f)
	}
	out := make([]float64, len(v))
	if !(norm <= math.MaxFloat64) {
		return out
	}
	scale := 1.0
	if norm > bound {
		scale = bound / norm
	}
	for j, f := range v {
		out[j] = f * scale
	}
	return out
}

func checkShapes(x Matrix, labels, theta []float64) {
	if len(x.Values) != x.Rows*x.Columns || len(labels) != x.Rows || len(theta) != x.Columns {
		panic(fmt.Sprintf("reference: shapes disagree: %d×%d values %d, labels %d, theta %d", x.Rows, x.Columns, len(x.Values), len(labels), len(theta)))
	}
}
