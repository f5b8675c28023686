// Package account computes the guarantee of an event, and the noise that a guarantee needs.
// Accountants are pure functions of an event. Upper bounds are rounded up. An event whose cost is
// not proven is an error.
package account
