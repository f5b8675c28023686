//go:build !long

package release

// thorough says that these tests go through all pairs, proposals and frames:
// TestContributionsNeverExceedTheBound, TestRowsInAFileAreRowsInMemory,
// TestNeighborsMoveProductsByAtMostTheBound, TestVectorsNeverExceedTheBound,
// TestMinimizeSensitivity, TestGradientDescentSensitivity,
// TestNeighborsMoveARunByAtMostWhatIsCharged, TestReachabilityAttack, TestTrueSumsAreNotFaulty,
// TestPlantedFaultsStopTheRun, TestFaultsOfMeasuresAreFound,
// TestCoefficientsBeyondTheBoundAreFound, TestFaultsOfProductSumsAreFound,
// TestTrueSecondMomentsAreNotFaulty, TestRowsBeyondTheLimitOfMomentsAreFound,
// TestContributionsOfOtherPositionsAreFound, TestTrueConvolutionsAreNotFaulty,
// TestMixPositionsIsThatOfBigIntegers, TestTrueProductSumsAreNotFaulty, TestExtremeRowsAreNotFaulty
// and TestLargestSumsAreNotFaulty.
const thorough = false

// trials is the number of random cases of a test: all of them with the tag long, else few.
func trials(few, _ int) int { return few }

// plantedTrials is trials for planted faults.
func plantedTrials(few, _ int) int { return few }
