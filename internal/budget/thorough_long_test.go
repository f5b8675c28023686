//go:build long

package budget

// thorough says that TestNeverAboveTheCap runs whole.
const thorough = true
