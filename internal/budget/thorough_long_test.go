//go:build long

package budget

// thorough says that TestMergeFits and TestNeverAboveTheCap run whole.
const thorough = true
