//go:build long

package reproduce

// thorough says that TestFashionCost and TestRules run, and TestGeneralization runs whole.
const thorough = true
