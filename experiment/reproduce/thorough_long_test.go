//go:build long

package reproduce

// thorough says that TestFashionCost and TestRules run.
const thorough = true
