// Package account turns an event into a guarantee and a guarantee into noise.
// Accountants are pure functions of an event: they know nothing of data and draw
// nothing. Every bound errs upward; an event without a proof is refused.
package account
