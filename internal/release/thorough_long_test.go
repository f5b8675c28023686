//go:build long

package release

import "testing"

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
const thorough = true

// trials is the number of random cases of a test: all of them with the tag long, else few.
func trials(_, all int) int { return all }

// plantedTrials is trials for planted faults: a tenth of all, and no fewer than few, with -short.
func plantedTrials(few, all int) int {
	if testing.Short() {
		return max(few, all/10)
	}
	return all
}
