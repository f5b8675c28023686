package network

import "github.com/ditherml/dither/internal/kernel"

// Kinds is kindNames.
var Kinds = kindNames

// SquaredNorms is Workspace.SquaredNorms with a workspace of its own.
func SquaredNorms[T kernel.Float](dst []float64, f kernel.Factors[T]) {
	new(Workspace[T]).SquaredNorms(dst, f)
}

// AddSum is Workspace.AddSum with a workspace of its own.
func AddSum[T kernel.Float](dst []T, f kernel.Factors[T], weights []T) {
	new(Workspace[T]).AddSum(dst, f, weights)
}

// InputGradients is inputGradients.
func (t *Tape[T]) InputGradients(dOutputs []T) []T { return t.inputGradients(dOutputs) }
