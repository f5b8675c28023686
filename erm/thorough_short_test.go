//go:build !long

package erm

// thorough says that TestBaselineOfTheBook, TestLinearAccuracy and TestMethodsReachScikitLearn run
// whole.
const thorough = false
