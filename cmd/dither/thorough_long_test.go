//go:build long

package main

// thorough says that TestTrainMethods, TestDiagnose, TestTrainLearnsPrivately, TestHostileNumbers, TestExplainEvent,
// TestPageAndExplanationAgree, TestSweepSurvivesKills, TestSweepSelectsByLaws, TestTrainKilledLeavesNoHalfModel,
// TestResumeNetwork, TestCorrelatedNoiseByFlags, TestLedgerSurvivesSystemCalls, TestServerLedgerSurvivesSystemCalls,
// TestResumeAfterKills, TestEpsilonIsAShare, TestStreamDroppedRows, TestRanksDropRows and TestNetworksOfPersonsTrain run
// whole.
const thorough = true
