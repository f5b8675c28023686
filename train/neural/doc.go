// Package neural trains networks with differential privacy. In each step it clips the gradients of
// single records, sums them exactly, and releases the sum with noise. Optimizers receive only
// released numbers.
//
// The package resembles package train. NewSetup turns a request into a plan, from public numbers
// alone. Fit reserves the event of the plan before it reads a record, and then pays for and makes
// the releases.
//
// Networks, gradient norms, clipping rules and optimizers are not trusted. Package internal/release
// verifies in integers what each record contributes to a sum. So a mistake in them costs accuracy,
// never privacy. This package must ensure one property: the contribution that it proposes for a
// record depends only on that record and on released numbers.
//
// A new clipping rule or optimizer needs one file and one line in its table.
package neural
