//go:build long

package reproduce

// thorough says that TestFashionCost run whole.
const thorough = true
