//go:build !long

package account

// thorough says that TestExtremeEvents prices under zero-out what is priced under add-or-remove-one, that
// TestConformance goes through all events with all accountants, and that TestReferenceSampledGaussian goes through
// all rows.
const thorough = false
