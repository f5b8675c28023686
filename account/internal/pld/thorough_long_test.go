//go:build long

package pld

// thorough says that the tests go through all reference rows.
const thorough = true
