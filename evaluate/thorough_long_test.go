//go:build long

package evaluate

// thorough says that TestIntervalsOfPersonsCover and TestWidenedIntervalsCover run whole.
const thorough = true

// ordinaryRounds is how many data sets TestIntervalsCover, TestIntervalsCoverWhereNoiseHidesTheRecords,
// TestIntervalsOfFewNumbersCover and TestMajorityCovers simulate. A coverage of 0.95 has a standard error of 0.0056, and
// ordinaryTolerance is 3.5 of them and half a percent for the approximation.
const ordinaryRounds, ordinaryTolerance = 1500, 0.025
