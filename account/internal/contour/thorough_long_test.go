//go:build long

package contour

// thorough says that the tests go through all reference rows.
const thorough = true
