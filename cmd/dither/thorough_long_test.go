//go:build long

package main

// thorough says that TestTrainMethods, TestDiagnose, TestTrainLearnsPrivately, TestHostileNumbers, TestExplainEvent,
// TestPageAndExplanationAgree, TestSweepSurvivesKills, TestSweepSelectsByLaws, TestTrainKilledLeavesNoHalfModel,
// TestResumeNetwork, TestCorrelatedNoiseByFlags, TestLedgerSurvivesSystemCalls, TestServerLedgerSurvivesSystemCalls,
// TestResumeAfterKills, TestEpsilonIsAShare, TestStreamDroppedRows and TestRanksDropRows run whole.
const thorough = true
