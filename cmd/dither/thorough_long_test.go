//go:build long

package main

// thorough says that TestTrainMethods, TestDiagnose, TestTrainLearnsPrivately, TestHostileNumbers, TestExplainEvent,
// TestPageAndExplanationAgree, TestSweepSurvivesKills, TestSweepSelectsByLaws, TestTrainKilledLeavesNoHalfModel,
// TestResumeNetwork and TestCorrelatedNoiseByFlags run whole.
const thorough = true
