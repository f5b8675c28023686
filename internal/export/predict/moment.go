package predict

// Time is a moment, or nil for a missing one. A time.Time is such a moment, and its zero value is missing too.
type Time interface {
	IsZero() bool
	UnixMicro() int64
}

// instant is a moment in microseconds since 1970-01-01 00:00 UTC.
type instant int64

func (t instant) IsZero() bool { return false }

func (t instant) UnixMicro() int64 { return int64(t) }

// Moment returns the moment of a text such as 2024-02-29 or 2024-02-29 17:30:00.25+01:00. Digits
// after the microsecond are cut off. It returns nil for a text that the schema does not take for a
// date.
func Moment(text string) Time {
	rest, ok := trimmed(text), true
	take := func(before string, n int) (v int64) { // n digits, after one of the letters before them
		found := before == ""
		for i := range before {
			found = found || rest != "" && rest[0] == before[i]
		}
		if before != "" && found {
			rest = rest[1:]
		}
		if !found || len(rest) < n {
			ok = false
			return 0
		}
		for _, c := range []byte(rest[:n]) {
			ok = ok && c >= '0' && c <= '9'
			v = 10*v + int64(c-'0')
		}
		rest = rest[n:]
		return v
	}
	year, month, day := take("", 4), take("-", 2), take("-", 2)
	var hour, minute, second, micros, zone int64
	if rest != "" {
		hour, minute, second = take(" T", 2), take(":", 2), take(":", 2)
		if rest != "" && (rest[0] == '.' || rest[0] == ',') {
			n := 1
			for unit := int64(100000); n < len(rest) && rest[n] >= '0' && rest[n] <= '9'; n++ {
				micros += int64(rest[n]-'0') * unit
				unit /= 10
			}
			ok, rest = ok && n > 1, rest[n:]
		}
		if rest == "Z" {
			rest = ""
		} else if rest != "" {
			west := rest[0] == '-'
			hours, minutes, seconds := take("+-", 2), int64(0), int64(0)
			switch len(rest) {
			case 2:
				minutes = take("", 2)
			case 3:
				minutes = take(":", 2)
			case 6:
				minutes, seconds = take(":", 2), take(":", 2)
			}
			ok = ok && hours < 24 && minutes < 60 && seconds < 60
			if zone = 3600*hours + 60*minutes + seconds; west {
				zone = -zone
			}
		}
	}
	ok = ok && rest == "" && hour < 24 && minute < 60 && second < 60
	if !ok || year < 1 || month < 1 || month > 12 || day < 1 || day > monthDays(year, month) {
		return nil
	}
	// Leap years repeat after 400 years, which have 146097 days. The first day of the year 2000 is 10957.
	days := 10957 + 146097*(year/400-5) + daysBefore(year%400) + day - 1
	for earlier := int64(1); earlier < month; earlier++ {
		days += monthDays(year, earlier)
	}
	seconds := 86400*days + 3600*hour + 60*minute + second - zone
	return instant(1000000*seconds + micros)
}

// daysBefore returns the days of the first years of a period of 400 years that begins in a year such as 2000.
func daysBefore(years int64) int64 {
	return 365*years + (years+3)/4 - (years+99)/100 + (years+399)/400
}

func monthDays(year, month int64) int64 {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// divided returns the quotient, rounded down, and the rest.
func divided(n, by int64) (quotient, rest int64) {
	if quotient, rest = n/by, n%by; rest < 0 {
		return quotient - 1, rest + by
	}
	return quotient, rest
}

// daysSince returns the days from a day to a moment. Days count from 1970-01-01.
func daysSince(day int64, at Time) float64 {
	today, micros := divided(at.UnixMicro(), 86400000000)
	return float64(today-day) + float64(micros)/86400000000
}

// dateOf returns the year and the month of a moment.
func dateOf(at Time) (year, month int) {
	day, _ := divided(at.UnixMicro(), 86400000000)
	periods, rest := divided(day-10957, 146097)
	years := rest / 366
	for daysBefore(years+1) <= rest {
		years++
	}
	rest -= daysBefore(years)
	m := int64(1)
	for ; rest >= monthDays(years, m); m++ {
		rest -= monthDays(years, m)
	}
	return int(2000 + 400*periods + years), int(m)
}

func yearOf(at Time) int {
	y, _ := dateOf(at)
	return y
}

func monthOf(at Time) int {
	_, m := dateOf(at)
	return m
}

// weekdayOf returns the days since Monday.
func weekdayOf(at Time) int {
	day, _ := divided(at.UnixMicro(), 86400000000)
	_, since := divided(day+3, 7)
	return int(since)
}

func hourOf(at Time) int {
	_, micros := divided(at.UnixMicro(), 86400000000)
	return int(micros / 3600000000)
}
