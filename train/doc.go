// Package train fits models by differentially private gradient descent. A Plan contains every
// number that determines the guarantee, and its Event. Options do not affect the guarantee. The
// gradients, clipping rules and optimizers of this package are untrusted: package internal/release
// verifies each contribution to a sum, and optimizers receive only released, paid numbers. This
// package must ensure one property: the proposal for a record depends on that record and on
// released numbers, never on another record.
package train
