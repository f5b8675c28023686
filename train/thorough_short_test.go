//go:build !long

package train

// thorough says that TestAdultAccuracy, TestBookRuns, TestCaliforniaR2 and
// TestAdultWithPrivateColumns run whole.
const thorough = false
