//go:build !long

package neural

// thorough says that TestOrderOfWordsIsLearned, TestOneRecordMovesEverySumByAtMostItsBound, TestPlansCostWhatWasAsked
// and TestResumedRunsPayForAllSteps run whole.
const thorough = false
