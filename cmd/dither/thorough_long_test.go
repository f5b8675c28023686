//go:build long

package main

// thorough says that TestTrainMethods, TestExplainWhatWasWritten, TestDiagnose, TestTrainLearnsPrivately,
// TestHostileNumbers, TestExplainEvent, TestPageAndExplanationAgree, TestSweepSurvivesKills, TestTrainKilledLeavesNoHalfModel TestResumeNetwork
// and TestCorrelatedNoiseByFlags run whole.
const thorough = true
