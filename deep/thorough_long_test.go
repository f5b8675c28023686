//go:build long

package deep

// thorough says that TestOrderOfWordsIsLearned, TestOneRecordMovesEverySumByAtMostItsBound, TestPlansCostWhatWasAsked
// and TestResumedRunsPayForAllSteps run whole.
const thorough = true
