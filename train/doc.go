// Package train fits models by differentially private gradient descent. A Plan holds everything
// that decides privacy and yields its own event. Options hold settings that cannot change privacy.
// Gradient code, clipping rules and optimizers in this package are untrusted. Package
// internal/release verifies each contribution to a sum, and optimizers see released, paid numbers
// only. One property stays with this package: the proposal for a record depends on that record and
// on released numbers, never on another record.
package train
