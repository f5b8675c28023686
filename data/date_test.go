package data_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ditherml/dither/data"
)

// datedColumns has dates with every part, with every treatment, and without a range.
const datedColumns = `  id: ignore
  joined: {date: {since: 2020-02-29, range: [-366, 365.5], parts: [year, month, weekday, hour]}, out-of-range: clamp, missing: indicator}
  seen: {date: {since: 2020-01-01, range: [0, 366], parts: [hour, year]}, bins: [31, 60.5], out-of-range: as-missing, missing: zero, fill: 3}
  born: {date: {parts: [weekday, month]}, out-of-range: drop, missing: indicator}
  left: {date: {since: 1999-12-31, range: [0, 10000]}, transform: log1p, out-of-range: drop, missing: drop}
`

// dateCell is a text of a moment, and what the moment is; at is zero for a text without one.
func dateCell(random *rand.Rand) (text string, at time.Time) {
	at = time.Date(2020, 2, 29, 0, 0, 0, 0, time.UTC).AddDate(0, 0, random.IntN(900)-450)
	moment := at.Add(time.Duration(random.Int64N(86_400_000_000)) * time.Microsecond)
	switch random.IntN(12) {
	case 0:
		return []string{"", "?", "NA"}[random.IntN(3)], time.Time{}
	case 1:
		return []string{"2020-02-30", "18321", "2020", "29.02.2020", "2020-02-29 24:00:00", "2020-02-29 7:00:00", "2020-02-29 12:00", "0000-01-01", "2020-02-29 12:00:00.", "2020-02-29 12:00:00+1", "2020-02-29 12:00:00 UTC", "2020-02-29Z"}[random.IntN(12)], time.Time{}
	case 2, 3:
		return moment.Format("2006-01-02T15:04:05.000000") + "999Z", moment
	case 4:
		zone := time.FixedZone("", 60*(random.IntN(2*23*60)-23*60))
		return moment.In(zone).Format("2006-01-02 15:04:05.999999") + moment.In(zone).Format("-07:00"), moment
	case 5:
		zone := time.FixedZone("", 3600*(random.IntN(27)-12))
		return strings.Replace(moment.In(zone).Format("2006-01-02 15:04:05.999999"), ".", ",", 1) + moment.In(zone).Format([]string{"-07", "-0700"}[random.IntN(2)]), moment
	case 6, 7:
		at = moment.Truncate(time.Second)
		return at.Format(time.DateTime), at
	}
	return at.Format(time.DateOnly), at
}

// datedWant returns the values of a row, by package time alone.
func datedWant(joined, seen, born, left time.Time) (values []float64, kept bool) {
	nan := math.NaN()
	days := func(at time.Time, since string) float64 {
		from, _ := time.Parse(time.DateOnly, since)
		return float64(at.Sub(from)/time.Microsecond) / (24 * 60 * 60 * 1e6)
	}
	weekday := func(at time.Time) float64 { return float64((at.Weekday() + 6) % 7) }
	if joined.IsZero() {
		values = []float64{nan, nan, nan, nan, nan}
	} else {
		year := max(2019, min(2021, joined.Year()))
		values = []float64{max(-366, min(365.5, days(joined, "2020-02-29"))), float64(year - 2019), float64(joined.Month() - 1), weekday(joined), float64(joined.Hour())}
	}
	if d := days(seen, "2020-01-01"); seen.IsZero() || d < 0 || d > 366 {
		values = append(values, nan, nan, nan)
	} else {
		values = append(values, d, float64(seen.Hour()), float64(seen.Year()-2020))
	}
	if born.IsZero() {
		values = append(values, nan, nan)
	} else {
		values = append(values, weekday(born), float64(born.Month()-1))
	}
	d := days(left, "1999-12-31")
	return append(values, d), !left.IsZero() && d >= 0 && d <= 10000
}

// TestDates wants the features that package time gives, in every way to read a table.
func TestDates(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	type record struct {
		Joined, Seen *time.Time
		Born, Left   string
		Y            string
	}
	var csv, quoted, json strings.Builder
	csv.WriteString("left,joined,y,id,born,seen\n")
	quoted.WriteString("left,joined,y,id,born,seen\n")
	var records []record
	var want [][]float64
	for range 2000 {
		joined, j := dateCell(random)
		seen, s := dateCell(random)
		born, b := dateCell(random)
		left, l := dateCell(random)
		for l.IsZero() && random.IntN(3) > 0 {
			left, l = dateCell(random)
		}
		cells := []string{left, joined, "yes", "x", born, seen}
		fmt.Fprintf(&quoted, "\"%s\"\n", strings.Join(cells, `","`))
		for k, cell := range cells {
			if strings.Contains(cell, ",") {
				cells[k] = `"` + cell + `"`
			}
		}
		csv.WriteString(strings.Join(cells, ", ") + "\n")
		fmt.Fprintf(&json, `{"joined": %q, "seen": %q, "y": "yes", "born": %q, "left": %q}`+"\n", joined, seen, born, left)
		r := record{Born: born, Left: left, Y: "yes", Joined: new(time.Time)}
		if *r.Joined = j; !s.IsZero() {
			r.Seen = &s
		}
		records = append(records, r)
		if values, kept := datedWant(j, s, b, l); kept {
			want = append(want, values)
		}
	}
	s := mustSchema(t, schemaStart+datedColumns)
	for name, load := range map[string]func() (*data.Dataset, error){
		"CSV":    func() (*data.Dataset, error) { return readCSVText(s, csv.String(), data.ReadOptions{}) },
		"quoted": func() (*data.Dataset, error) { return readCSVText(s, quoted.String(), data.ReadOptions{}) },
		"with born": func() (*data.Dataset, error) {
			return readCSVText(s, csv.String(), data.ReadOptions{Extra: []string{"born"}})
		},
		"general": func() (*data.Dataset, error) {
			return data.ReadFromGeneral(t.Context(), s, "t.csv", strings.NewReader(csv.String()), data.ReadOptions{})
		},
		"blocks": func() (*data.Dataset, error) {
			return data.ReadFromInBlocks(t.Context(), s, "t.csv", strings.NewReader(csv.String()), data.ReadOptions{}, 1000)
		},
		"JSON": func() (*data.Dataset, error) {
			return data.Read(t.Context(), s, data.Source{Path: writeFile(t, "t.jsonl", json.String())}, data.ReadOptions{})
		},
		"structs": func() (*data.Dataset, error) { return data.FromStructs(s, records, data.ReadOptions{}) },
	} {
		s.MaxRecords = 3000
		got, err := load()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Records() != len(want) || len(want) < 500 {
			t.Fatalf("%s: got %d records, want %d", name, got.Records(), len(want))
		}
		for i, values := range want {
			row := got.Row(nil, i)
			if len(row) != len(values) {
				t.Fatalf("%s: got %d values, want %d", name, len(row), len(values))
			}
			for k, v := range values {
				if w := float32(v); w != row[k] && (w == w || row[k] == row[k]) {
					t.Errorf("%s: row %d: %s is %v, want %v", name, i, s.Features()[k].Name, row[k], w)
				}
			}
		}
	}
}

// TestDatesInOrder wants the dates of shuffled records to be the shuffled dates.
func TestDatesInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var lines []string
	for i := range 300 {
		joined, _ := dateCell(random)
		left, _ := dateCell(random)
		lines = append(lines, strconv.Itoa(i)+`;"`+joined+`";;;`+left+";yes\n")
	}
	s := mustSchema(t, schemaStart+datedColumns)
	s.MaxRecords = 300
	sorted := func() (out []string) {
		d, err := readCSVText(s, "id;joined;seen;born;left;y\n"+strings.Join(lines, ""), data.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Records() {
			out = append(out, fmt.Sprint(d.Row(nil, i)))
		}
		slices.Sort(out)
		return out
	}
	want := sorted()
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	if got := sorted(); !slices.Equal(got, want) || len(got) < 100 {
		t.Errorf("got %d other rows after a shuffle, want the same", len(got))
	}
}

// TestDatesRefused wants errors of tables and programs that hold no dates, and a report on cells that are none.
func TestDatesRefused(t *testing.T) {
	text := schemaStart + "  joined: {date: {since: 2020-01-01, range: [0, 31], parts: [month]}, out-of-range: drop, missing: zero}\n"
	s := mustSchema(t, text)
	for name, load := range map[string]func() error{
		`the schema declares column "joined" as dates and the file is in the LIBSVM format`: func() error {
			_, err := read(t, text, data.Source{Path: writeFile(t, "t.svm", "1 1:1\n")}, data.ReadOptions{})
			return err
		},
		"is float64, which is no date, want time.Time or a string": func() error {
			_, err := data.FromStructs(s, []struct {
				Joined float64
				Y      string
			}{{1, "no"}}, data.ReadOptions{})
			return err
		},
	} {
		if err := load(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("got %v, want %q", err, name)
		}
	}
	report, err := data.Check(t.Context(), s, data.Source{Path: writeFile(t, "t.csv", "joined,y\n2020-01-02,no\n2020-02-02,no\n2020-02-30,yes\n,no\n7,yes\n")})
	if err != nil || report.Rows != 5 || report.Dropped != 1 || report.Columns[0].OutOfRange != 1 || report.Columns[0].Unparsable != 2 || report.Columns[0].Missing != 1 || report.Columns[1].Unparsable != 0 {
		t.Errorf("got %+v, %v, want 5 rows with 2 unreadable cells and one beyond the range", report, err)
	}
}

// TestDateIsMissingOnce wants one indicator of a missing cell for all features of a date.
func TestDateIsMissingOnce(t *testing.T) {
	s := mustSchema(t, schemaStart+datedColumns)
	var missing []string
	for _, c := range s.Features() {
		if c.Missing == data.Indicator {
			missing = append(missing, c.Name)
		}
	}
	if !slices.Equal(missing, []string{"joined", "born.weekday"}) {
		t.Errorf("got indicators of %v, want one for joined and one for born", missing)
	}
}

// TestDateLevelsAreNoMarks wants a missing mark that is also the name of a month accepted, since no cell is that name.
func TestDateLevelsAreNoMarks(t *testing.T) {
	s := mustSchema(t, strings.Replace(schemaStart, "target:", "missing-marks: [\"1\", \"2020-02-29\"]\ntarget:", 1)+"  a: {date: {parts: [month]}, out-of-range: clamp, missing: zero}\n")
	d, err := readCSVText(s, "a,y\n2020-01-02,no\n1,no\n2020-02-29,no\n", data.ReadOptions{})
	if err != nil || rows(d) != "[0] 0;[NaN] 0;[NaN] 0;" {
		t.Errorf("got %v, %v, want a month and two missing cells", rows(d), err)
	}
}

// TestManyDates reads a range of many columns with many levels, which share memory.
func TestManyDates(t *testing.T) {
	s := mustSchema(t, schemaStart+"  d[0:20000]: {date: {since: 0001-01-01, range: [0, 3652058], parts: [year]}, out-of-range: clamp, missing: zero}\n")
	if n := len(s.Columns); n != 40000 || &s.Columns[1].Levels[0] != &s.Columns[n-1].Levels[0] || s.Columns[n-1].Name != "d19999.year" || s.Columns[n-1].Date.Column != "d19999" {
		t.Errorf("got %d columns, the last %q, want 40000 that share their levels", n, s.Columns[n-1].Name)
	}
}

// TestDatesUndeclared wants the place of what a declaration of dates lacks.
func TestDatesUndeclared(t *testing.T) {
	for want, column := range map[string]string{
		`line 7, column 3: column "a" is not declared, want since: a day`: "{date: {since: DECLARE, range: DECLARE}}",
		"line 7, column 3: column \"a.month\": out-of-range is left open": "{date: {parts: [month]}, missing: zero}",
		`line 8, column 3: column "a.month" is declared twice`:            "{date: {parts: [month]}, missing: zero, out-of-range: clamp}\n  a.month: ignore",
	} {
		_, err := data.ReadSchema(writeFile(t, "s.yaml", schemaStart+"  a: "+column+"\n"+schemaEnd))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
