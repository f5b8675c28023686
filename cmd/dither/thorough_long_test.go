//go:build long

package main

// thorough says that TestTrainMethods, TestDiagnose, TestTrainLearnsPrivately,
// TestHostileNumbers, TestExplainEvent, TestPageAndExplanationAgree, TestSweepSurvivesKills, TestTrainKilledLeavesNoHalfModel, TestResumeNetwork
// and TestCorrelatedNoiseByFlags run whole.
const thorough = true
