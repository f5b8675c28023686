package database

import (
	"strings"
	"time"
)

// Moment returns the number of a date in days, or of a moment in seconds, since the beginning of
// 1970 in UTC.
func Moment(text string) (float64, bool) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return float64(day.Unix()) / 86400, true
	}
	for _, form := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05Z07"} {
		if at, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
			return float64(at.UnixMicro()) / 1e6, true
		}
	}
	return 0, false
}
