// Package train fits models by differentially private gradient descent. A Plan holds
// everything that decides privacy and yields its own event; Options hold what cannot
// change privacy. Gradient code, clipping rules and optimizers here are untrusted: what
// reaches a sum is verified by internal/release, and what reaches an optimizer was
// released and paid for. One property is theirs to keep: what they propose for a record
// depends on that record and on released numbers, never on another record.
package train
