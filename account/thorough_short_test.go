//go:build !long

package account

// thorough says that these tests go through all events, rows and accountants: TestConformance, TestExtremeEvents,
// TestExtremePlans, TestReferenceSampledGaussian, TestReferenceOtherMechanisms, TestOneAndTwoReleases,
// TestDeltaIsNeverZeroWhereLossesAreUnbounded, TestLawsOfWeirdPlans, TestGatheredPlans, TestZeroOutIsAddOrRemove,
// TestOrderOfAccountants and TestSupportTable.
const thorough = false
