//go:build long

package account

// thorough says that TestExtremeEvents prices under zero-out what is priced under add-or-remove-one, and that
// TestConformance takes the slow sample.
const thorough = true
