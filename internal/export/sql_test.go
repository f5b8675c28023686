package export

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/moment"
	"github.com/ditherml/dither/internal/pgtest"
	"github.com/ditherml/dither/model"
	"github.com/jackc/pgx/v5"
)

// TestSQLPredicts runs the statements of all models in PostgreSQL.
func TestSQLPredicts(t *testing.T) {
	server := pgtest.Start(t)

	c, err := pgx.Connect(context.Background(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	for _, test := range testCases {
		t.Run(test.name, func(t *testing.T) {
			m := test.make(t)
			rows := test.cells(t, m, 500+1500*b2i(test.hostile))
			file, err := writeSQL(m, testStatement, Request{Table: "people"})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(file), "costs no privacy") || !strings.Contains(string(file), "-- dither.epsilon: 0.98\n") {
				t.Error("got a statement without the guarantee")
			}
			fillTable(t, c, m, rows, !test.hostile)
			if _, err = c.Exec(context.Background(), "CREATE VIEW scored AS\n"+string(file)+"; DROP VIEW scored;"); err != nil {
				t.Errorf("got %v for a view", err)
			}
			got := queried(t, c, m, string(file), len(rows))
			largest, err := compare(m, got, want(t, m, rows))
			if t.Logf("difference at most %.2g, %d bytes", largest, len(file)); err != nil || largest > goTolerance {
				t.Errorf("got a difference of %g and %v, want at most %g", largest, err, goTolerance)
			}
		})
	}
}

// TestSQLReadsOldZones predicts from moments whose zone in the session has seconds, as the old local time of Calcutta has.
func TestSQLReadsOldZones(t *testing.T) {
	server := pgtest.Start(t)
	c, err := pgx.Connect(context.Background(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	m := testCase{target: twoLevels, norm: feature.NormUnit, intercept: true, columns: `  seen: {date: {since: 1860-01-01, range: [-5000, 5000], parts: [year, month, weekday, hour]}, out-of-range: clamp, missing: indicator}
`}.make(t)
	rows := cells(t, m, 200)
	file, err := writeSQL(m, testStatement, Request{Table: "people"})
	if err != nil {
		t.Fatal(err)
	}
	fillTable(t, c, m, rows, true)
	if _, err = c.Exec(context.Background(), "SET TIMEZONE = 'Asia/Kolkata'"); err != nil {
		t.Skip(err) // a server without old zones
	}
	var shown string
	if err = c.QueryRow(context.Background(), "SELECT CAST(timestamptz '1853-01-01 00:00+00' AS text)").Scan(&shown); err != nil || !strings.HasSuffix(shown, "+05:53:28") {
		t.Fatalf("got %q and %v, want a zone with seconds", shown, err)
	}
	if largest, failed := compare(m, queried(t, c, m, string(file), len(rows)), want(t, m, rows)); failed != nil || largest > goTolerance {
		t.Errorf("got a difference of %g and %v, want at most %g", largest, failed, goTolerance)
	}
}

// TestSQLReadsBooleans reads columns of booleans as numbers and as levels in several spellings, beside the same words as texts.
func TestSQLReadsBooleans(t *testing.T) {
	server := pgtest.Start(t)
	c, err := pgx.Connect(context.Background(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	m := testCase{target: twoLevels, norm: feature.NormUnit, intercept: true, columns: `  n: {numeric: [0, 2], out-of-range: clamp, missing: indicator}
  lower: {levels: ["false", "true", "1"], unknown: other, missing: indicator}
  upper: {levels: ["True", maybe], unknown: other, missing: indicator}
  digit: {levels: ["0", "1"], unknown: other, missing: indicator}
  other: {levels: [a, b], unknown: other, missing: indicator}
`}.make(t)
	for kind, rows := range map[string][][]string{
		"boolean": {{"0", "false", "False", "0", "0"}, {"1", "true", "True", "1", "1"}, {"", "", "", "", ""}},
		"text":    {{"false", "false", "false", "false", "false"}, {"true", "true", "true", "true", "true"}, {"", "", "", "", ""}},
	} {
		file, failed := writeSQL(m, testStatement, Request{Table: kind + "s"})
		if failed != nil {
			t.Fatal(failed)
		}
		table := fmt.Sprintf("CREATE TABLE %[1]ss (id int, n %[1]s, lower %[1]s, upper %[1]s, digit %[1]s, other %[1]s);", kind) +
			"INSERT INTO " + kind + "s VALUES (0, 'false', 'false', 'false', 'false', 'false'), (1, 'true', 'true', 'true', 'true', 'true'), (2, NULL, NULL, NULL, NULL, NULL)"
		if _, err = c.Exec(context.Background(), table); err != nil {
			t.Fatal(err)
		}
		if largest, failed := compare(m, queried(t, c, m, string(file), len(rows)), want(t, m, rows)); failed != nil || largest > goTolerance {
			t.Errorf("%s: got a difference of %g and %v, want at most %g", kind, largest, failed, goTolerance)
		}
	}
}

// fillTable makes the table people with rows of a model. If it is typed, every second column has numbers or moments. The
// others have texts.
func fillTable(t *testing.T, c *pgx.Conn, m *model.Model, rows [][]string, typed bool) {
	t.Helper()
	o, _ := newOutline(m)
	quote := dialects["postgres"]
	var columns []string
	for i, own := range o.columns {
		if o.follows(i) {
			continue
		}
		kind := " text"
		if typed && own.number && own.date == nil && i%2 == 0 {
			kind = " double precision"
		}
		if typed && own.date != nil && i%2 == 0 {
			kind = " timestamptz"
		}
		columns = append(columns, quote.name(own.source)+kind)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "DROP TABLE IF EXISTS people; CREATE TABLE people (id int, %s);", strings.Join(columns, ", "))
	for i, texts := range rows {
		words := []string{strconv.Itoa(i)}
		for j, cell := range texts {
			if o.follows(j) {
				continue
			}
			v, err := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			micros, isMoment := moment.Micros(strings.TrimSpace(cell))
			switch number := o.columns[j].number && o.columns[j].date == nil; {
			case !typed:
				words = append(words, quote.quoted(cell))
			case o.columns[j].date != nil && j%2 == 0 && (!isMoment || slices.Contains(o.columns[j].marks, strings.TrimSpace(cell))):
				words = append(words, "NULL")
			case o.columns[j].date != nil && j%2 == 0:
				words = append(words, quote.quoted(string(moment.AppendTime(nil, float64(micros)/1e6, true))))
			case cell == "NA", number && j%2 == 0 && (err != nil || math.IsNaN(v)):
				words = append(words, "NULL")
			case number && j%2 == 0:
				words = append(words, text(v))
			default:
				words = append(words, quote.quoted(cell))
			}
		}
		fmt.Fprintf(&b, "INSERT INTO people VALUES (%s);", strings.Join(words, ", "))
	}
	if _, err := c.Exec(context.Background(), b.String()); err != nil {
		t.Fatal(err)
	}
}

// queried returns what a statement predicts for the rows of the table people, and checks the predicted levels.
func queried(t *testing.T, c *pgx.Conn, m *model.Model, statement string, rows int) [][]float64 {
	t.Helper()
	result, err := c.Query(context.Background(), statement)
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	got, levels := make([][]float64, rows), m.Schema().Target.Levels
	for result.Next() {
		values, failed := result.Values()
		if failed != nil {
			t.Fatal(failed)
		}
		first := len(values) - 1 - len(levels)
		id := int(values[0].(int32))
		if values[first] == nil {
			continue
		}
		for _, v := range values[first+min(1, len(levels)):] {
			got[id] = append(got[id], v.(float64))
		}
		if len(levels) == 2 {
			if want := levels[b2i(got[id][1] > m.Threshold())]; values[first] != want {
				t.Errorf("row %d is predicted %v with probabilities %v, want %v", id, values[first], got[id], want)
			}
		}
	}
	if err = result.Err(); err != nil {
		t.Fatal(err)
	}
	return got
}
