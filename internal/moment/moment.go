// Package moment gives dates and moments their numbers and their texts, so that every kind of file
// and database gives the same ones: days since 1970-01-01, and seconds since 1970-01-01 00:00 UTC
// with six decimals.
package moment

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Parse returns the number of a date in days, or of a moment in seconds, whose texts Micros
// describes. White space around the text is ignored.
func Parse(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	micros, ok := Micros(text)
	if len(text) == len(time.DateOnly) {
		return float64(micros) / dayMicros, ok
	}
	return float64(micros) / 1e6, ok
}

const daySeconds = 24 * 60 * 60

// Of returns the number of a moment in seconds.
func Of(at time.Time) float64 { return float64(at.UnixMicro()) / 1e6 }

// Seconds returns n units as seconds. There are perSecond units in a second: 1, 1e3, 1e6 or 1e9.
// Units below a microsecond are cut off.
func Seconds(n, perSecond int64) float64 {
	if perSecond == 1e9 {
		n, perSecond = floored(n, 1e3), 1e6
	}
	return float64(n) / float64(perSecond)
}

// Days returns the number of whole days in a number of milliseconds.
func Days(milliseconds int64) float64 { return float64(floored(milliseconds, 1e3*daySeconds)) }

// floored returns the quotient, rounded down.
func floored(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}

// AppendDate appends the text of a date, such as 2024-02-29.
func AppendDate(dst []byte, days float64) []byte {
	at, ok := within(days * daySeconds)
	if !ok {
		return strconv.AppendFloat(dst, days, 'f', -1, 64)
	}
	return at.AppendFormat(dst, time.DateOnly)
}

// AppendTime appends the text of a moment, such as 2024-02-29 17:30:00.25. A moment of a zone has
// the mark +00 of UTC after it.
func AppendTime(dst []byte, seconds float64, zoned bool) []byte {
	at, ok := within(seconds)
	if !ok {
		return strconv.AppendFloat(dst, seconds, 'f', -1, 64)
	}
	return appendMoment(dst, at, zoned)
}

func appendMoment(dst []byte, at time.Time, zoned bool) []byte {
	dst = at.AppendFormat(dst, "2006-01-02 15:04:05.999999999")
	if zoned {
		dst = append(dst, "+00"...)
	}
	return dst
}

// Exact returns the text of a moment of n units if AppendTime may give the same text to another moment,
// else "". There are perSecond units in a second. Moments with nanoseconds have such a text, and so do
// late moments with fractions of a second. Before the year 1 and after the year 9999 it is a decimal
// number of seconds since 1970.
func Exact(n, perSecond int64, zoned bool) string {
	whole := floored(n, perSecond)
	rest := (n - whole*perSecond) * (1e9 / perSecond) // in nanoseconds
	beyond := whole < firstSecond || whole >= lastSecond
	if rest == 0 && !(beyond && (whole <= -1<<53 || whole >= 1<<53)) {
		return ""
	}
	if beyond && rest == 0 {
		return strconv.FormatInt(whole, 10)
	}
	if beyond {
		return strconv.FormatInt(whole, 10) + strings.TrimRight(strconv.FormatFloat(float64(rest)/1e9, 'f', 9, 64)[1:], "0")
	}
	seconds := Seconds(n, perSecond)
	if _, ok := within(seconds); ok && rest%1e3 == 0 && whole*1e6+rest/1e3 == int64(math.Round(seconds*1e6)) {
		return ""
	}
	return string(appendMoment(nil, time.Unix(whole, rest).UTC(), zoned))
}

// The years 1 and 10000 begin at these seconds.
const firstSecond, lastSecond = -62135596800, 253402300800

// within returns the moment of a number of seconds. It reports whether the year has four digits,
// since other moments have no text of this form.
func within(seconds float64) (time.Time, bool) {
	if !(seconds >= firstSecond && seconds < lastSecond) {
		return time.Time{}, false
	}
	return time.UnixMicro(int64(math.Round(seconds * 1e6))).UTC(), true
}
