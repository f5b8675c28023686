// Package display writes texts and numbers for people: aligned, wrapped, rounded to the safe side,
// and without characters that a terminal could obey.
package display

import (
	"math"
	"strconv"
	"strings"
)

// Rounded returns a number of at least 0 as text of at most this number of significant digits. It
// is rounded up or down, so that a printed bound is still a bound.
func Rounded(v float64, digits int, up bool) string {
	switch {
	case math.IsInf(v, 1):
		return "infinity"
	case v == 0 || math.IsNaN(v):
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', digits-1, 64), "e")
	whole, _ := strconv.ParseInt(strings.Replace(mantissa, ".", "", 1), 10, 64)
	power, _ := strconv.Atoi(exponent)
	text := func() string { return strconv.FormatInt(whole, 10) + "e" + strconv.Itoa(power-digits+1) }
	switch near := Parse(text()); {
	case up && near < v:
		whole++
	case !up && near > v:
		if whole == int64(math.Pow10(digits-1)) { // 10.0 becomes 9.99, not 9.9
			whole, power = 10*whole, power-1
		}
		whole--
	}
	return Plain(Parse(text()))
}

// Parse returns a number from its text by this package. Beyond the range of float64 it is ±Inf.
func Parse(text string) float64 {
	v, _ := strconv.ParseFloat(text, 64)
	return v
}

// Plain returns a number as the shortest text that reads back to it.
func Plain(v float64) string {
	if math.IsInf(v, 1) {
		return "infinity"
	}
	if size := math.Abs(v); size != 0 && (size < 1e-4 || size >= 1e9) {
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// intervalDigits is the number of printed significant digits of an interval.
const intervalDigits = 6

// Interval returns both ends of a proven interval, rounded outward, and the estimate between them.
// The ends therefore differ unless the digits hold a number exactly.
func Interval(lower, estimate, upper float64) (from, middle, to string) {
	texts := aligned(Rounded(lower, intervalDigits, false), Nearest(estimate, intervalDigits), Rounded(upper, intervalDigits, true))
	return texts[0], texts[1], texts[2]
}

// aligned returns decimal fractions with equally many digits after the point, if that changes no
// value. Integers and numbers with an exponent stay.
func aligned(texts ...string) []string {
	most := 0
	for _, text := range texts {
		if _, behind, ok := strings.Cut(text, "."); ok && !strings.Contains(text, "e") {
			most = max(most, len(behind))
		}
	}
	for i, text := range texts {
		if _, behind, ok := strings.Cut(text, "."); ok && !strings.Contains(text, "e") {
			texts[i] += strings.Repeat("0", most-len(behind))
		}
	}
	return texts
}

// Nearest returns a number as text, rounded to the nearest with this number of significant digits.
func Nearest(v float64, digits int) string {
	return Plain(Parse(strconv.FormatFloat(v, 'g', digits, 64)))
}

// Digits returns a number as text with six significant digits, or a dash for nil.
func Digits(v *float64) string {
	if v == nil {
		return "-"
	}
	return Nearest(*v, 6)
}
