//go:build long

package account

// thorough says that the tests go through all events, rows, orders and accountants. The ordinary run takes a part of
// them, by the number of each: TestAllocationBesidePoisson, TestAllocationLaws, TestCalibrateSampled, TestConformance,
// TestDeltaIsNeverZeroWhereLossesAreUnbounded, TestExtremeEvents, TestExtremePlans, TestGatheredPlans, TestGroupsOfSampledRecords,
// TestHugeEpsilon, TestLargeTargetsAreMet, TestLaws, TestLawsOfWeirdPlans, TestOneAndTwoReleases, TestParallelCostsItsDearestPart,
// TestParallelGroups, TestRDPExtremes, TestReferenceHeterogeneous, TestReferenceOtherMechanisms, TestReferenceSampledGaussian,
// TestSampledOrdersAreFound, TestTailsWrittenOutAreNoLowerBound, TestTextbookNumbers and TestTextbookValidLines.
const thorough = true
