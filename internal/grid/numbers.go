package grid

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxValues bounds the values of one range.
const maxValues = 100_000

// ParseNumbers returns the values of a numeric parameter, in ascending or given order. Parts are
// separated by commas, as in 0.5,1,2. Each part may be a range:
//
//   - 0.1..10 log 9 has nine values, equal factors apart.
//   - 0..1 linear 5 has five values, equal steps apart.
//   - 0.001..0.1 step 0.001 adds the step until the end. The end may be exceeded by a billionth of
//     the step.
//
// Values of ranges are rounded to twelve digits and printed as short as possible. Values of
// logarithmic ranges are rounded to four digits between the ends, if that keeps them apart.
func ParseNumbers(text string) ([]string, error) {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if strings.Contains(part, "..") {
			values, err := parseRange(part)
			if err != nil {
				return nil, err
			}
			out = append(out, values...)
			continue
		}
		if v, err := strconv.ParseFloat(part, 64); err != nil || v-v != 0 {
			return nil, fmt.Errorf("value is %q, want a finite number, or a range such as 0.1..10 log 9, 0..1 linear 5 or 0.1..1 step 0.1", part)
		}
		out = append(out, part)
	}
	return out, nil
}

// parseRange reads one range.
func parseRange(text string) ([]string, error) {
	wrong := fmt.Errorf("range is %q, want LOW..HIGH log COUNT, LOW..HIGH linear COUNT or LOW..HIGH step STEP, with finite numbers, LOW below HIGH, above 0 with log, and 2 to %d values", text, maxValues)
	fields := strings.Fields(text)
	if len(fields) != 3 {
		return nil, wrong
	}
	from, to, _ := strings.Cut(fields[0], "..")
	var numbers [3]float64
	for i, field := range []string{from, to, fields[2]} {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil || v-v != 0 {
			return nil, wrong
		}
		numbers[i] = v
	}
	low, high, by := numbers[0], numbers[1], numbers[2]
	way := fields[1]
	count := by
	if way == "step" {
		count = math.Floor((high-low)/by+1e-9) + 1
	}
	if !(low < high) || !(count >= 2 && count <= maxValues) || way == "log" && low <= 0 || count != math.Floor(count) || by <= 0 {
		return nil, wrong
	}
	out := make([]string, int(count))
	for i := range out {
		share := float64(i) / (count - 1)
		switch way {
		case "log":
			out[i] = rounded(math.Exp(math.Log(low)+share*(math.Log(high)-math.Log(low))), logDigits(low, high, count))
		case "linear":
			out[i] = rounded(low+share*(high-low), rangeDigits)
		case "step":
			out[i] = rounded(low+float64(i)*by, rangeDigits)
		default:
			return nil, wrong
		}
	}
	if way == "log" { // the ends keep their given form
		out[0], out[len(out)-1] = rounded(low, rangeDigits), rounded(high, rangeDigits)
	}
	return out, nil
}

// rangeDigits is the largest number of digits of a range's values.
const rangeDigits = 12

// logDigits returns the number of digits of a logarithmic range's values. It is four, or more if
// rounding would change their distances by more than a hundredth.
func logDigits(low, high, count float64) int {
	gap := math.Expm1((math.Log(high) - math.Log(low)) / (count - 1))
	return int(min(rangeDigits, max(4, math.Ceil(2-math.Log10(gap)))))
}

// rounded returns a number as text, rounded to this number of digits.
func rounded(v float64, digits int) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // it printed the text itself
	return strconv.FormatFloat(v, 'g', -1, 64)
}
