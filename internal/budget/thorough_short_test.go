//go:build !long

package budget

// thorough says that the test of thorough_long_test.go runs whole.
const thorough = false
