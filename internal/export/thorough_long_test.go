//go:build long

package export

// thorough says that TestGoFilePredicts runs whole.
const thorough = true
