//go:build long

package deep

// thorough says that TestOrderOfWordsIsLearned run whole.
const thorough = true
