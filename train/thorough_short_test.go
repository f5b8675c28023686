//go:build !long

package train

// thorough says that TestAdultAccuracy, TestBookRuns, TestCaliforniaR2, TestAdultWithPrivateColumns,
// TestBuiltinLosesLittle and TestOneRecordIsOneValue run whole.
const thorough = false
