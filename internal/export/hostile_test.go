package export

import (
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/decimal"
	"github.com/ditherml/dither/internal/moment"
	"github.com/ditherml/dither/model"
)

// hostileColumns take the texts that hostile makes.
const hostileColumns = `  a: {numeric: [-10, 10.1], missing: indicator, out-of-range: as-missing}
  b: {numeric: [-1e300, 1e300], bins: [-1e-30, 0, 1e-30, 1, 7, 1e18], missing: indicator, out-of-range: clamp}
  c: {numeric: [0, 1e6], transform: log1p, missing: zero, fill: 3, out-of-range: as-missing}
  d: {numeric: [-100, 3000], missing: drop, out-of-range: drop}
  job: {levels: [clerk, "1", "1.0", {n: ["1e3", "2024-02-29"]}, "é", "it's"], missing: indicator, unknown: other}
  size: {levels: [small, "2", {large: ["2000-01-01", "+2"]}], ordered: true, missing: indicator, unknown: as-missing}
  at: {date: {since: 1970-01-01, range: [-719162, 2932896], parts: [month, weekday, hour]}, out-of-range: clamp, missing: indicator}
  seen: {date: {since: 1999-12-31, range: [0, 9000], parts: [year]}, bins: [1, 100], out-of-range: as-missing, missing: indicator}
  born: {date: {parts: [hour]}, out-of-range: clamp, missing: zero}
`

// one returns one of several texts.
func (g *generator) one(texts ...string) string { return texts[g.below(len(texts))] }

// hostile returns a text that a reader of numbers or dates may take for one: made by a grammar with faults, or changed at
// random.
func (c *column) hostile(random *generator, marks []string) string {
	space := func() string {
		return random.one("", "", "", "", "", " ", "\t", "\u00a0", "\u3000", "\n", "\r\n", "\v", "\u0085", "\u200b", "\ufeff", "_")
	}
	number := func() string {
		return random.one("", "", "", "+", "-", "--", "−") + random.one("", "0", "7", "007", "99", "100", "12345678901234567890", "1_000", "१", "７", strings.Repeat("9", 320), strings.Repeat("0", 998)) +
			random.one("", "", "", ".", ".", ",", "..") + random.one("", "", "0", "5", "25", "3f", strings.Repeat("0", 320)+"1") +
			random.one("", "", "", "e1", "E-3", "e+2", "e300", "e400", "e-300", "e-330", "e-400", "e9999", "e12345", "e-12345", "e99999999999999999999", "e-99999999999999999999", "e", "e+", "p2", "e1.5", "e00000000000000000001")
	}
	two := func(most int) string { // digits, and at times others
		return strings.Repeat("0", b2i(random.below(20) == 0)) + string([]byte{'0' + byte(random.below(most/10+1)), '0' + byte(random.below(10))})
	}
	date := func() string {
		text := random.one("0000", "0001", "1582", "1600", "1900", "1969", "1970", "2000", "2020", "2023", "2024", "2100", "9999", "10000", "-001") + random.one("-", "-", "-", "-", "-", "/", "") + two(12) + "-" + two(31)
		if random.below(2) == 0 {
			return text
		}
		text += random.one(" ", " ", "T", "T", "t", "  ") + two(23) + ":" + two(59) + ":" + two(60) + random.one("", "", "", ".", ",5", ".25", ".999999", ".9999999", ".000000000001", ".123456789012")
		return text + random.one("", "", "", "Z", "z", " Z", "+00", "-00:00", "+01:00", "+0100", "-23:59", "+24", "+05:53:28", "-05:53:28", "+055328", "+05:53:60", "+1", "+01:", "-01:60", " UTC", "+01:00:00:00", "[UTC]")
	}
	word := func() string {
		return random.one("inf", "-inf", "+Infinity", "nan", "NaN", "NAN", "0x10", "0x1p2", "-0X.8p1", "0b1", "0o7", "1e", "true", "True", "None", "NULL", "<NA>", "NaT", "$1", "1%", "1f", "1d", "1L", "½", "१", "1 2", "1'000", "1;2", "\"1\"", "(1)", "1-1",
			"9999-12-31 23:59:59.999999", "today", "now", "epoch", "infinity", "20240229", "2024-2-9", "29.02.2024", "2024-W09-4", "2024-060", "Feb 29, 2024", "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308", "5e-324", "2.4703282292062328e-324", "2.4703282292062327e-324", "-0", "0e99999", "é", "it's", "'; --", "\\", "%s", "{}")
	}
	text := ""
	switch random.below(8) {
	case 0, 1:
		text = number()
	case 2, 3:
		text = date()
	case 4:
		text = word()
	case 5:
		text = marks[random.below(len(marks))]
	default:
		text = c.sample(marks, random)
	}
	if random.below(4) == 0 { // changed
		letters := []rune(text)
		for range 1 + random.below(2) {
			at, letter := random.below(len(letters)+1), []rune("0123456789+-.,eE_:TZ x\u00a0١é'\n")[random.below(27)]
			switch {
			case random.below(2) == 0 || at == len(letters):
				letters = slices.Insert(letters, at, letter)
			case random.below(2) == 0:
				letters = slices.Delete(letters, at, at+1)
			default:
				letters[at] = letter
			}
		}
		text = string(letters)
	}
	return space() + text + space()
}

// cells returns rows of texts for the model of a case.
func (c testCase) cells(t *testing.T, m *model.Model, rows int) [][]string {
	t.Helper()
	if !c.hostile {
		return cells(t, m, rows)
	}
	o, err := newOutline(m)
	if err != nil {
		t.Fatal(err)
	}
	random, marks := generator(11), sortedMarks(m.Schema())
	out, numbers, moments, total := make([][]string, rows), 0, 0, 0
	for i := range out {
		for j := range o.columns {
			if o.follows(j) {
				out[i] = append(out[i], out[i][j-1])
				continue
			}
			text := o.columns[j].hostile(&random, marks)
			if o.columns[j].source == "d" && random.below(4) > 0 { // few rows are dropped
				text = "7"
			}
			out[i] = append(out[i], text)
			_, number := decimal.Parse(strings.TrimSpace(text))
			_, at := moment.Micros(strings.TrimSpace(text))
			numbers, moments = numbers+b2i(number), moments+b2i(at)
			total++
		}
	}
	if numbers < total/20 || moments < total/20 || numbers+moments > total*4/5 {
		t.Errorf("%d of %d texts are numbers and %d are dates, want some of each and others", numbers, total, moments)
	}
	return out
}

// TestHostileTexts compares the outline with the model on texts of all kinds. Tests of the formats compare them too.
func TestHostileTexts(t *testing.T) {
	c := testCases[slices.IndexFunc(testCases, func(c testCase) bool { return c.hostile })]
	m := c.make(t)
	o, err := newOutline(m)
	if err != nil {
		t.Fatal(err)
	}
	columns, marks := m.Schema().Features(), m.Schema().Marks()
	for _, row := range c.cells(t, m, 20_000) {
		for j, text := range row {
			_, ok := columns[j].Cell(text, marks)
			if state, _ := o.columns[j].state(text); ok != (state >= 0) {
				t.Fatalf("column %s: %q has state %d, and the model says %v", columns[j].Name, text, state, ok)
			}
		}
	}
	largest, err := compare(m, outlined(o, c.cells(t, m, 4000)), want(t, m, c.cells(t, m, 4000)))
	if err != nil || largest > goTolerance {
		t.Errorf("got a difference of %g and %v, want at most %g", largest, err, goTolerance)
	}
}

// outlined returns the predictions of the features that an outline makes.
func outlined(o *outline, rows [][]string) [][]float64 {
	out := make([][]float64, len(rows))
	scratch := o.model.Features().NewScratch(1)
	for i, row := range rows {
		x := o.features(row)
		if x == nil {
			continue
		}
		p := make([]float64, o.model.Outputs())
		o.model.PredictFeatures(p, x, 1, scratch)
		if out[i] = p; len(p) == 1 && len(o.target.Levels) == 2 {
			out[i] = []float64{1 - p[0], p[0]}
		}
	}
	return out
}
