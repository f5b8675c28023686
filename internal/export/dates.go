package export

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/moment"
)

// dayMicros is the number of microseconds of a day. hourMicros is that of an hour.
const dayMicros, hourMicros = 86_400_000_000, 3_600_000_000

// follows reports whether a column is made of the same cell as the column before it.
func (o *outline) follows(i int) bool {
	return i > 0 && o.columns[i].date.Follows(o.columns[i-1].date)
}

// leader returns the first column that is made of the same cell.
func (o *outline) leader(i int) int {
	for o.follows(i) {
		i--
	}
	return i
}

// dateState returns the state of a cell of dates and the distance of a column that is one. The state
// of a distance inside its range is not decided.
func (c *column) dateState(text string) (state int, days float64, done bool) {
	micros, ok := moment.Micros(text)
	switch days = c.date.Days(micros); {
	case !ok || slices.Contains(c.markMoments, micros):
		return c.missing, 0, true
	case c.number:
		return 0, days, false
	case c.outside != clamped && c.date.Outside(micros):
		return c.outside, 0, true
	}
	return c.date.Level(micros), 0, true
}

// sampleDate returns a cell of dates: within the range or around its bounds, in all forms.
func (c *column) sampleDate(random *generator) string {
	lower, upper := 0.0, 4000.0
	if c.date.Bounded {
		lower, upper = c.date.Lower, c.date.Upper
	}
	days := lower + (upper-lower)*(float64(random.below(1<<30))/(1<<29)-0.5)
	if random.below(3) > 0 {
		days = lower + (upper-lower)*float64(random.below(1<<30))/(1<<30)
	}
	if random.below(8) == 0 {
		days = []float64{lower, upper}[random.below(2)]
	}
	days = max(moment.FirstDay+2, min(moment.LastDay-2, days+float64(c.date.Since)))
	text := string(moment.AppendDate(nil, float64(int64(days))))
	switch clock := string(moment.AppendTime(nil, days*86400, false)); random.below(6) {
	case 0:
		return clock + []string{"Z", "+02", "-0330", "+13:45", "+5", "+24:00", "+05:53:28", "-00:00:60"}[random.below(8)]
	case 1:
		return strings.Replace(clock, " ", "T", 1)
	case 2:
		return "\t" + text[:8] + []string{"30", "31", "29", "00", "1", "32"}[random.below(6)]
	case 3:
		return clock
	}
	return text
}

// dateState writes the beginning of the function from a moment to the state of a column.
func (g *goFile) dateState(i int, c *column) {
	d, absent := c.date, "at == nil || at.IsZero()"
	for _, mark := range c.markMoments {
		absent += fmt.Sprintf(" || at.UnixMicro() == %d", mark)
	}
	if c.number {
		g.line("func state%d(at Time) (state int, x float64) {\nif %s {\nreturn %d, 1\n}", i, absent, c.missing)
	} else {
		g.line("func state%d(at Time) int {\nif %s {\nreturn %d\n}", i, absent, c.missing)
	}
	if c.number || d.Bounded && c.outside != clamped {
		g.line("v := daysSince(%d, at)", d.Since)
	}
	if c.number {
		return
	}
	if d.Bounded && c.outside != clamped {
		g.line("if v < %s || v > %s {\nreturn %d\n}", goNumber(d.Lower), goNumber(d.Upper), c.outside)
	}
	g.line("return %s\n}\n", map[string]string{
		moment.Year:    fmt.Sprintf("max(%d, min(%d, yearOf(at))) - %d", d.First(), d.First()+len(d.Levels())-1, d.First()),
		moment.Month:   "monthOf(at) - 1",
		moment.Weekday: "weekdayOf(at)",
		moment.Hour:    "hourOf(at)",
	}[d.Part])
}

// momentPattern matches the texts of moments, apart from days that a month does not have. The other
// patterns extract the digits of a fraction of a second, and the zone. PostgreSQL writes old local
// times with zones that have seconds, such as +05:53:28.
const (
	momentPattern = `^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.,][0-9]+)?(Z|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9]|:[0-5][0-9]:[0-5][0-9])?)?)?$`
	afterSecond   = `^.{19}[.,]([0-9]+)`
	zonePattern   = `^.{19}[.,0-9]*([+-][0-9:]+)$`
)

// dates selects the distances of dates, and what their parts need: for each column of a table the day
// k since 1970-01-01 and the microseconds w after its beginning.
func (q *statementSQL) dates() {
	var leaders []int
	for i := range q.o.columns {
		if q.o.columns[i].date != nil && !q.o.follows(i) {
			leaders = append(leaders, i)
		}
	}
	if leaders == nil {
		return
	}
	stage := func(name, comment string, of func(i int) []string) {
		selected := []string{"*"}
		for _, i := range leaders {
			for _, s := range of(i) {
				selected = append(selected, strings.ReplaceAll(s, "#", fmt.Sprint(i)))
			}
		}
		q.query(name, comment, selected)
	}
	number := func(text string) string { return fmt.Sprintf("CAST(%s AS %s)", text, q.d.float) }
	stage("dither_moments", "Texts e of moments.", func(int) []string {
		return []string{fmt.Sprintf("CASE WHEN %s THEN t# END AS e#", q.d.matches("t#", momentPattern))}
	})
	stage("dither_pieces", "Year y, month m, day d, seconds h, fraction f, zone o and its sign g.", func(int) []string {
		return []string{
			number("substr(e#, 1, 4)") + " AS y#", number("substr(e#, 6, 2)") + " AS m#", number("substr(e#, 9, 2)") + " AS d#",
			fmt.Sprintf("CASE WHEN length(e#) > 10 THEN 3600e0 * %s + 60e0 * %s + %s ELSE 0e0 END AS h#", number("substr(e#, 12, 2)"), number("substr(e#, 15, 2)"), number("substr(e#, 18, 2)")),
			fmt.Sprintf("coalesce(%s, 0e0) AS f#", number(fmt.Sprintf("rpad(nullif(%s, ''), 6, '0')", q.d.extract("e#", afterSecond)))),
			fmt.Sprintf("replace(coalesce(%s, ''), ':', '') AS o#", q.d.extract("e#", zonePattern)),
		}
	})
	stage("dither_zones", "Seconds z of zones, and the days l of months.", func(int) []string {
		return []string{
			fmt.Sprintf("CASE WHEN o# = '' THEN 0e0 ELSE (3600e0 * coalesce(%s, 0e0) + 60e0 * coalesce(%s, 0e0) + coalesce(%s, 0e0)) * CASE WHEN substr(o#, 1, 1) = '-' THEN -1e0 ELSE 1e0 END END AS z#",
				number("nullif(substr(o#, 2, 2), '')"), number("nullif(substr(o#, 4, 2), '')"), number("nullif(substr(o#, 6, 2), '')")),
			"CASE WHEN m# IN (4e0, 6e0, 9e0, 11e0) THEN 30e0 WHEN m# <> 2e0 THEN 31e0 WHEN y# = 4e0 * floor(y# / 4e0) AND (y# <> 100e0 * floor(y# / 100e0) OR y# = 400e0 * floor(y# / 400e0)) THEN 29e0 ELSE 28e0 END AS l#",
			"CASE WHEN m# > 2e0 THEN y# ELSE y# - 1e0 END AS a#", // the year that begins in March
		}
	})
	stage("dither_days", "Days c since 1970-01-01, and microseconds r.", func(int) []string {
		return []string{
			"CASE WHEN y# >= 1e0 AND d# <= l# THEN 365e0 * a# + floor(a# / 4e0) - floor(a# / 100e0) + floor(a# / 400e0) + floor((153e0 * (m# + CASE WHEN m# > 2e0 THEN -3e0 ELSE 9e0 END) + 2e0) / 5e0) + d# - 719469e0 END AS c#",
			"h# * 1e6 + f# - z# * 1e6 AS r#",
		}
	})
	stage("dither_dates", "Days k and microseconds w in UTC. A missing mark has no day.", func(i int) []string {
		day, rest := "c# + floor(r# / 8.64e10)", "r# - 8.64e10 * floor(r# / 8.64e10)"
		k := day
		for _, mark := range q.o.columns[i].markMoments {
			whole, micros := moment.Split(mark)
			k = fmt.Sprintf("CASE WHEN %s = %s AND %s = %s THEN NULL ELSE %s END", day, sqlNumber(float64(whole)), rest, sqlNumber(float64(micros)), k)
		}
		return []string{k + " AS k#", rest + " AS w#"}
	})
	stage("dither_civil", "Days b in a period of 400 years that begins in March, and the years j before it.", func(int) []string {
		return []string{"k# + 719468e0 - 146097e0 * floor((k# + 719468e0) / 146097e0) AS b#", "400e0 * floor((k# + 719468e0) / 146097e0) AS j#"}
	})
	stage("dither_years", "Years u in it.", func(int) []string {
		return []string{"floor((b# - floor(b# / 1460e0) + floor(b# / 36524e0) - floor(b# / 146096e0)) / 365e0) AS u#"}
	})
	stage("dither_march", "Months p after March.", func(int) []string {
		return []string{"floor((5e0 * (b# - (365e0 * u# + floor(u# / 4e0) - floor(u# / 100e0))) + 2e0) / 153e0) AS p#"}
	})
	selected := []string{"*"}
	for i := range q.o.columns {
		if c := &q.o.columns[i]; c.date != nil {
			selected = append(selected, fmt.Sprintf("%s AS n%d", q.days(i), i))
		}
	}
	q.query("dither_distances", "Distances n from declared days.", selected)
}

// days returns the expression for the distance of a date from the declared day.
func (q *statementSQL) days(i int) string {
	n := q.o.leader(i)
	return fmt.Sprintf("(k%d - %s) + w%d / 8.64e10", n, sqlNumber(float64(q.o.columns[i].date.Since)), n)
}

// part returns the state of a part of a date.
func (q *statementSQL) part(i int) string {
	c, n := &q.o.columns[i], fmt.Sprint(q.o.leader(i))
	level := map[string]string{
		moment.Year:    "greatest(%s, least(%s, u# + j# + CASE WHEN p# >= 10e0 THEN 1e0 ELSE 0e0 END)) - %s",
		moment.Month:   "CASE WHEN p# < 10e0 THEN p# + 2e0 ELSE p# - 10e0 END",
		moment.Weekday: "k# + 3e0 - 7e0 * floor((k# + 3e0) / 7e0)",
		moment.Hour:    "floor(w# / 3.6e9)",
	}[c.date.Part]
	if c.date.Part == moment.Year {
		first := float64(c.date.First())
		level = fmt.Sprintf(level, sqlNumber(first), sqlNumber(first+float64(len(c.date.Levels())-1)), sqlNumber(first))
	}
	state := fmt.Sprintf("CASE WHEN k# IS NULL THEN %s", sqlState(c.missing))
	if c.date.Bounded && c.outside != clamped {
		state += fmt.Sprintf(" WHEN n%d < %s OR n%d > %s THEN %s", i, sqlNumber(c.date.Lower), i, sqlNumber(c.date.Upper), sqlState(c.outside))
	}
	return strings.ReplaceAll(fmt.Sprintf("%s ELSE CAST(%s AS %s) END", state, level, q.d.integer), "#", n)
}

// onnxDate has the names of values of a date in a graph: whether it is known, its day since
// 1970-01-01 and its microseconds after that, as integers, with the months after March and the year.
type onnxDate struct{ known, day, rest, march, year string }

// date appends what makes days of seconds since 1970-01-01, the input of a column of dates.
func (f *onnxFile) date(c *column) onnxDate {
	name := c.source
	f.input(name, onnxDouble, 0, 1)
	const most = 1e12 // seconds, far beyond the year 9999
	known := f.of("LessOrEqual", f.of("Abs", name), f.double(most))
	seconds := f.of("Where", known, name, f.double(0))
	micros := f.cast(f.of("Floor", f.of("Add", f.of("Mul", seconds, f.double(1e6)), f.double(0.5))), onnxInt64)
	// The last microseconds of the year 9999 are rounded to the next year. The number before is 32 microseconds earlier.
	const end = (moment.LastDay + 1) * dayMicros
	micros = f.of("Where", f.of("Equal", micros, f.integer(end)), f.integer(end-32), micros)
	d := onnxDate{known: known, rest: f.of("Mod", micros, f.integer(dayMicros))}
	d.day = f.of("Div", f.of("Sub", micros, d.rest), f.integer(dayMicros))
	for _, mark := range c.markMoments {
		seen := int(math.Floor(float64(mark)/1e6*1e6 + 0.5)) // as above
		if seen == end {
			seen = end - 32
		}
		d.known = f.of("And", d.known, f.of("Not", f.of("Equal", micros, f.integer(seen))))
	}
	// Days and years since March of a year that 400 divides (https://howardhinnant.github.io/date_algorithms.html).
	by := func(x string, n int) string { return f.of("Div", x, f.integer(n)) }
	z := f.of("Add", d.day, f.integer(719468+400*146097*100)) // which is not negative
	in := f.of("Mod", z, f.integer(146097))
	years := by(f.of("Sub", f.of("Add", f.of("Sub", in, by(in, 1460)), by(in, 36524)), by(in, 146096)), 365)
	first := f.of("Sub", f.of("Add", f.of("Mul", years, f.integer(365)), by(years, 4)), by(years, 100))
	d.march = by(f.of("Add", f.of("Mul", f.of("Sub", in, first), f.integer(5)), f.integer(2)), 153)
	later := f.cast(f.of("GreaterOrEqual", d.march, f.integer(10)), onnxInt64)
	d.year = f.of("Add", f.of("Add", years, later), f.of("Sub", f.of("Mul", by(z, 146097), f.integer(400)), f.integer(400*400*100)))
	return d
}

// days appends the distance from the declared day, NaN for a missing date.
func (f *onnxFile) days(c *column, d onnxDate) string {
	whole := f.cast(f.of("Sub", d.day, f.integer(int(c.date.Since))), onnxDouble)
	return f.of("Add", whole, f.of("Div", f.cast(d.rest, onnxDouble), f.double(dayMicros)))
}

// part appends the state of a part of a date.
func (f *onnxFile) part(c *column, d onnxDate) string {
	var state string
	switch c.date.Part {
	case moment.Year:
		first, last := f.integer(c.date.First()), f.integer(c.date.First()+len(c.date.Levels())-1)
		year := f.of("Where", f.of("GreaterOrEqual", last, d.year), d.year, last)
		state = f.of("Sub", f.of("Where", f.of("GreaterOrEqual", first, year), first, year), first)
	case moment.Month:
		state = f.of("Mod", f.of("Add", d.march, f.integer(2)), f.integer(12))
	case moment.Weekday:
		state = f.of("Mod", f.of("Add", d.day, f.integer(3)), f.integer(7))
	default:
		state = f.of("Div", d.rest, f.integer(hourMicros))
	}
	if c.date.Bounded && c.outside != clamped {
		days := f.days(c, d)
		within := f.of("And", f.of("GreaterOrEqual", days, f.double(c.date.Lower)), f.of("LessOrEqual", days, f.double(c.date.Upper)))
		state = f.of("Where", within, state, f.integer(c.outside))
	}
	state = f.of("Where", d.known, state, f.integer(c.missing))
	if c.missing < 0 || c.outside == dropped {
		f.keep(f.all(f.of("GreaterOrEqual", state, f.integer(0))))
	}
	return state
}
