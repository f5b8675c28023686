package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// digitsUp writes x with the given number of significant digits, rounded up,
// so that a bound that is printed is still a bound.
func digitsUp(x float64, digits int) string {
	if math.IsInf(x, 1) {
		return "∞"
	}
	if x == 0 {
		return "0"
	}
	rounded := parse(strconv.FormatFloat(x, 'e', digits-1, 64))
	if rounded < x {
		last := math.Pow10(int(math.Floor(math.Log10(x))) - digits + 1)
		rounded = parse(strconv.FormatFloat(rounded+last, 'e', digits-1, 64))
	}
	return plain(rounded)
}

// parse reads back what strconv wrote.
func parse(text string) float64 {
	x, _ := strconv.ParseFloat(text, 64) // an overflow gives ±Inf, which is meant
	return x
}

// plain writes x as briefly as it reads back, without an exponent where that
// is readable, with one like 1e-6 elsewhere.
func plain(x float64) string {
	if size := math.Abs(x); size != 0 && (size < 1e-4 || size >= 1e7) {
		text := strconv.FormatFloat(x, 'e', -1, 64)
		text = strings.Replace(text, "e-0", "e-", 1)
		return strings.Replace(strings.Replace(text, "e+0", "e", 1), "e+", "e", 1)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// percentUp writes a probability as a percentage, rounded up.
func percentUp(p float64) string { return PercentUp(p) + " %" }

// PercentUp returns a probability in percent, rounded up so that a bound stays one. It has one
// decimal, and two below 10 %. Close to 1 it has as many as keep it below 100 %, at most four.
func PercentUp(p float64) string {
	decimals := 1
	if 100*p < 10 {
		decimals = 2
	}
	for decimals < 4 && p < 1 && ceil(100*p, decimals) >= 100 {
		decimals++
	}
	return strconv.FormatFloat(ceil(100*p-1e-9, decimals), 'f', decimals, 64)
}

// OneIn returns a small probability as 1 in n, the number rounded down to two digits. From 0.1 it
// is a percentage.
func OneIn(p float64) string {
	if p >= 0.1 {
		return percentUp(p)
	}
	many := min(1/p, math.MaxFloat64) // of what float64 cannot invert, a chance that is no less
	if many > 1e15 {
		return fmt.Sprintf("1 in %.3g", many*(1-1e-2))
	}
	unit := math.Pow(10, math.Floor(math.Log10(many))-1)
	return fmt.Sprintf("1 in %.0f", math.Floor(many/unit*(1+1e-12))*unit)
}

// ceil rounds x up to a number of decimals.
func ceil(x float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	return math.Ceil(x*scale) / scale
}

// percent writes a share as a percentage with one decimal; "–" for a number
// that is none.
func percent(share float64) string {
	if math.IsNaN(share) || math.IsInf(share, 0) {
		return "–"
	}
	return strconv.FormatFloat(100*share, 'f', 1, 64) + " %"
}

// signed writes a weight with its sign: four decimals, so that a column of them
// lines up, or four significant digits where decimals would show little.
func signed(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "not finite"
	}
	size := math.Abs(x)
	text := strconv.FormatFloat(size, 'f', 4, 64)
	if size < 1e-3 || size >= 1e5 {
		text = plain(parse(strconv.FormatFloat(size, 'e', 3, 64)))
	}
	switch {
	case text == "0":
		return "0"
	case x < 0:
		return "−" + text
	}
	return "+" + text
}

// chance writes a small probability as one chance in an integer, which is rounded down so that the
// chance is not understated.
func chance(p float64) string {
	if p <= 0 {
		return "never"
	}
	if p > 0.5 {
		return percentUp(p)
	}
	return "one chance in " + grouped(math.Floor(1/p*(1+1e-12)))
}

// grouped writes an integer with commas between thousands.
func grouped(x float64) string {
	if x >= 1e15 {
		return plain(x)
	}
	digits := strconv.FormatFloat(x, 'f', 0, 64)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// brief writes x with at most four significant digits.
func brief(x float64) string {
	text := plain(parse(strconv.FormatFloat(math.Abs(x), 'e', 3, 64)))
	if x < 0 {
		return "−" + text
	}
	return text
}
