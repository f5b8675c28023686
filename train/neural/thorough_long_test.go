//go:build long

package neural

// thorough says that TestOrderOfWordsIsLearned, TestOneRecordMovesEverySumByAtMostItsBound, TestPlansCostWhatWasAsked,
// TestResumedRunsGoOn and TestResumedRunsPayForAllSteps run whole.
const thorough = true
