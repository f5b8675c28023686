//go:build long

package budget

// thorough says that TestMergeFits runs whole.
const thorough = true
