// Package neural trains networks with differential privacy. It clips gradients of single records,
// sums them exactly and releases the sum with noise, step after step. Optimizers receive only
// released numbers.
//
// The package resembles package train. NewSetup turns a request into a plan, from public numbers
// alone. The plan's event is reserved before a record is read; Fit pays and releases. Networks,
// gradient norms, clipping rules and optimizers are untrusted: package internal/release verifies in
// integers what one record adds. A mistake there costs accuracy, never privacy. This package must
// ensure one property: the proposal for a record depends only on that record and on released
// numbers.
//
// A new clipping rule or optimizer needs one file and one line in its table.
package neural
