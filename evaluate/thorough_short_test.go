//go:build !long

package evaluate

// thorough says that tests of thorough_long_test.go run whole.
const thorough = false

// ordinaryRounds is how many data sets the tests of coverage simulate. A coverage of 0.95 has a standard error of
// 0.0109, and ordinaryTolerance is 3.6 of them and half a percent for the approximation.
const ordinaryRounds, ordinaryTolerance = 400, 0.045
