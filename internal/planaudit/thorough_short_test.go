//go:build !long

package planaudit

// thorough says that tests of thorough_long_test.go run whole.
const thorough = false
