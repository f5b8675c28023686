package values

import (
	"fmt"
	"strconv"
	"strings"
)

// ScoreRange returns the bounds in LOW:HIGH. For an empty text it returns 0 and 0.
func ScoreRange(text string) (low, high float64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	a, b, two := strings.Cut(text, ":")
	low, errLow := strconv.ParseFloat(a, 64)
	high, errHigh := strconv.ParseFloat(b, 64)
	if !two || errLow != nil || errHigh != nil || !(low > 0 && low < high && high < 1) {
		return 0, 0, fmt.Errorf("--score-range is %q, want LOW:HIGH with 0 < low < high < 1, such as 0.01:0.4", text)
	}
	return low, high, nil
}
