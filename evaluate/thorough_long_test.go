//go:build long

package evaluate

// thorough says that TestIntervalsOfPersonsCover run.
const thorough = true
