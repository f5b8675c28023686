// Package account computes the guarantee of an event, and the noise that a guarantee needs.
// Accountants are pure functions of an event. Upper bounds are rounded up. An event without a proof
// is an error.
package account
