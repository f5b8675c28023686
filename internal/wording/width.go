package wording

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/internal/display"
)

// wideInterval is the relative width beyond which an interval is said to be wide.
const wideInterval = 1e-3

// Width returns in words the bounds between which the truth is proven to lie. It is "" unless they
// are more than wideInterval apart and the lower one is more than 0.
func Width(lower, upper float64) string {
	if !(lower > 0) || math.IsInf(upper, 1) || upper-lower <= wideInterval*upper {
		return ""
	}
	from, _, to := display.Interval(lower, lower, upper)
	return fmt.Sprintf("proven between %s and %s, %.2g %% apart: the claim is at most that much too high", from, to, 100*(upper-lower)/upper)
}
