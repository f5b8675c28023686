//go:build long

package planaudit

// thorough says that TestDescentsAreAudited and TestMinimizersAreAudited run whole.
const thorough = true
