//go:build long

package erm

// thorough says that TestBaselineOfTheBook, TestLinearAccuracy, TestMethodsReachScikitLearn,
// TestObjectiveProfileHoldsInOneDimension, TestZerothReachesTheMinimum, TestMethods and
// TestPlansAreHeldToTheirNumbers run whole.
const thorough = true
