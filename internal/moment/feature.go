package moment

import (
	"math"
	"slices"
	"strconv"
	"time"
)

// The parts of a date that a Feature may be. The empty part is the distance from a declared day.
const (
	Distance = ""
	Year     = "year"
	Month    = "month"
	Weekday  = "weekday"
	Hour     = "hour"
)

// PartNames are the parts with levels.
func PartNames() []string { return []string{Year, Month, Weekday, Hour} }

// Feature is a number that is made of the dates of one column: the distance from a declared day in
// days, or the index of the level of a part. Everything is in UTC. A date is the moment at which it
// begins.
type Feature struct {
	// Column is the name of the column. Part is the part, or Distance.
	Column, Part string
	// Since is the declared day, in days since 1970-01-01.
	Since int64
	// Bounded reports whether a range is declared. Lower and Upper are its bounds in days after Since.
	Bounded      bool
	Lower, Upper float64
	// Parts are all declared parts of the column.
	Parts []string
}

// FirstDay and LastDay are the first and the last day with a text.
const FirstDay, LastDay = firstSecond / daySeconds, lastSecond/daySeconds - 1

const dayMicros = daySeconds * 1_000_000

// Split returns the day of a moment, in days since 1970-01-01, and the microseconds after its
// beginning.
func Split(micros int64) (day, rest int64) {
	day = floored(micros, dayMicros)
	return day, micros - day*dayMicros
}

// Days returns the distance of a moment from the declared day, in days.
func (f *Feature) Days(micros int64) float64 {
	day, rest := Split(micros)
	return float64(day-f.Since) + float64(rest)/dayMicros
}

// Outside reports whether a moment is outside the declared range.
func (f *Feature) Outside(micros int64) bool {
	days := f.Days(micros)
	return f.Bounded && (days < f.Lower || days > f.Upper)
}

// years returns the years of the bounds.
func (f *Feature) years() (first, last int) {
	of := func(days float64) int { return yearOf(f.Since + int64(math.Floor(days))) }
	return of(f.Lower), of(f.Upper)
}

func yearOf(day int64) int { return time.Unix(day*daySeconds, 0).UTC().Year() }

// Level returns the index of the level of a part. A year outside the declared range is the nearest
// year inside it.
func (f *Feature) Level(micros int64) int {
	switch at := time.UnixMicro(micros).UTC(); f.Part {
	case Year:
		first, last := f.years()
		return max(first, min(last, at.Year())) - first
	case Month:
		return int(at.Month()) - 1
	case Weekday:
		return (int(at.Weekday()) + 6) % 7
	default:
		return at.Hour()
	}
}

// Levels returns the names of the levels of a part, in order.
func (f *Feature) Levels() []string {
	numbers := func(first, last int) (names []string) {
		for n := first; n <= last; n++ {
			names = append(names, strconv.Itoa(n))
		}
		return names
	}
	switch f.Part {
	case Year:
		return numbers(f.years())
	case Month:
		return numbers(1, 12)
	case Weekday:
		return []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	}
	return numbers(0, 23)
}

// Fits reports whether a part has this number of levels, with these first and last names.
func (f *Feature) Fits(levels []string) bool {
	first, last := 0, 6
	switch f.Part {
	case Year:
		first, last = f.years()
	case Month:
		first, last = 1, 12
	case Hour:
		last = 23
	}
	if len(levels) != last-first+1 {
		return false
	}
	if f.Part == Weekday {
		return levels[0] == "Monday" && levels[6] == "Sunday"
	}
	return levels[0] == strconv.Itoa(first) && levels[len(levels)-1] == strconv.Itoa(last)
}

// First returns the index of the first level of a part in its own units: the first year, month 1,
// Monday as 0, or hour 0.
func (f *Feature) First() int {
	switch f.Part {
	case Year:
		first, _ := f.years()
		return first
	case Month:
		return 1
	}
	return 0
}

// Example returns the text of a moment within the declared range: at a share from 0 to 1 of it.
func (f *Feature) Example(share float64) string {
	lower, upper := f.Lower, f.Upper
	if !f.Bounded {
		lower, upper = 0, 366
	}
	seconds := (float64(f.Since) + lower + share*(upper-lower)) * daySeconds
	if share > 0.5 { // the nearest second inside
		seconds = math.Floor(seconds)
	}
	return string(AppendTime(nil, math.Ceil(seconds), false))
}

// Follows reports whether another feature is made of the same column. Either may be nil.
func (f *Feature) Follows(other *Feature) bool {
	return f != nil && other != nil && f.Column == other.Column
}

// Micros returns the microseconds of a moment since 1970-01-01 00:00 UTC. Its text is a date such
// as 2024-02-29. A time such as 17:30:00.25 may follow after a space or a T, and then a zone, which is
// UTC where there is none. A date
// is the moment at which it begins. Digits after the microsecond are cut off.
func Micros(text string) (micros int64, ok bool) {
	const date = len(time.DateOnly)
	if len(text) < date || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	year, yearOK := digits(text[:4])
	month, monthOK := digits(text[5:7])
	day, dayOK := digits(text[8:date])
	if !yearOK || !monthOK || !dayOK || year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	micros = daysFrom(year, month, day) * dayMicros
	if len(text) == date {
		return micros, true
	}
	rest, ok := clock(text[date:])
	return micros + rest, ok
}

// clock returns the microseconds of a time with its zone, after a space or a T.
func clock(text string) (micros int64, ok bool) {
	const length = len(" 15:04:05")
	if len(text) < length || text[0] != ' ' && text[0] != 'T' || text[3] != ':' || text[6] != ':' {
		return 0, false
	}
	hour, hourOK := digits(text[1:3])
	minute, minuteOK := digits(text[4:6])
	second, secondOK := digits(text[7:length])
	if !hourOK || !minuteOK || !secondOK || hour > 23 || minute > 59 || second > 59 {
		return 0, false
	}
	micros = ((hour*60+minute)*60 + second) * 1_000_000
	if text = text[length:]; len(text) > 1 && (text[0] == '.' || text[0] == ',') {
		n, unit := 1, int64(100_000)
		for ; n < len(text) && text[n] >= '0' && text[n] <= '9'; n++ {
			micros += int64(text[n]-'0') * unit
			unit /= 10
		}
		if n == 1 {
			return 0, false
		}
		text = text[n:]
	}
	seconds, ok := zone(text)
	return micros - seconds*1_000_000, ok
}

// zone returns the seconds of a zone after UTC. Old local times such as +05:53:28 have seconds.
func zone(text string) (seconds int64, ok bool) {
	if text == "" || text == "Z" {
		return 0, true
	}
	if len(text) == len("+01:00:00") && text[6] == ':' {
		if seconds, ok = digits(text[7:]); !ok || seconds > 59 || text[3] != ':' {
			return 0, false
		}
		text = text[:6]
	}
	if len(text) == len("+01:00") && text[3] == ':' {
		text = text[:3] + text[4:]
	}
	if text[0] != '+' && text[0] != '-' || len(text) != len("+01") && len(text) != len("+0100") {
		return 0, false
	}
	number, ok := digits(text[1:])
	if len(text) == len("+01") {
		number *= 100
	}
	if seconds += 60 * (number/100*60 + number%100); text[0] == '-' {
		seconds = -seconds
	}
	return seconds, ok && number/100 < 24 && number%100 < 60
}

// digits returns the number of a text of digits.
func digits(text string) (n int64, ok bool) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

func daysIn(year, month int64) int64 {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case slices.Contains([]int64{4, 6, 9, 11}, month):
		return 30
	}
	return 31
}

// daysFrom returns the days of a date since 1970-01-01.
func daysFrom(year, month, day int64) int64 {
	return time.Date(int(year), time.Month(month), int(day), 0, 0, 0, 0, time.UTC).Unix() / daySeconds
}
