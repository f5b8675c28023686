// Package audit tries to refute claims of differential privacy. It turns the scores that an attack
// gave to canaries into lower bounds on the true ε.
//
// A canary is a record made for the audit. Some canaries are included in the data of a training,
// others are left out. An attack gives each canary a score, computed from the released output. A
// higher score means that the canary was more likely included. If scores tell the two kinds apart
// better than (ε, δ)-differential privacy allows, the claim is refuted.
//
// All bounds come from integer counts and are rounded down. Each holds under its own assumption,
// which Bound.Assumption states. A lower bound below the claim proves nothing: a better attack or
// more canaries may find more.
package audit
