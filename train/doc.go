// Package train fits models by differentially private gradient descent. A Plan contains every
// number that determines the guarantee. Options do not affect the guarantee.
//
// The gradients, clipping rules and optimizers of this package are not trusted. Package
// internal/release verifies what each record contributes to a sum, and optimizers receive only
// numbers that were paid and released. This package must ensure one property: the contribution that
// it proposes for a record depends only on that record and on released numbers.
package train
