package database_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/database"
)

// TestCheck reads conditions as PostgreSQL and SQLite write them. What a condition does not say of the column alone
// must leave it open.
func TestCheck(t *testing.T) {
	for condition, want := range map[string]string{
		"((age >= 0) AND (age <= 120))":                               "0 to 120",
		"(age > '-5'::integer)":                                       "-5 to +Inf",
		"((0)::numeric <= age)":                                       "0 to +Inf",
		"(age < (1.5)::double precision)":                             "-Inf to 1.5",
		"age BETWEEN 1 AND 9":                                         "1 to 9",
		"age BETWEEN 1 AND 9 AND age < 5":                             "1 to 5",
		"(\"age\" >= '2000-01-01'::date)":                             "10957 to +Inf",
		"(age >= '1970-01-01 00:01:00'::timestamp without time zone)": "60 to +Inf",
		"(age = ANY (ARRAY['f'::text, 'it''s'::text]))":               "[f it's]",
		"((age)::text = ANY ((ARRAY['f'::character varying, 'm'::character varying])::text[]))": "[f m]",
		"(age = ANY (ARRAY[0, 1]))":                "[0 1]",
		"age IN ('a', 'b', 'a')":                   "[a b]",
		"((age = 'a'::text) OR (age = 'b'::text))": "[a b]",
		"(age IS NULL OR age = 'b')":               "-Inf to +Inf",
		"(cardinality(age) = 3)":                   "3 elements",
		"(array_length(age, 1) = 4)":               "4 elements",
		"((age > 5) OR (other > 3))":               "-Inf to +Inf",
		"(NOT (age > 5))":                          "-Inf to +Inf",
		"NOT age > 5":                              "-Inf to +Inf",
		"age NOT IN ('a', 'b')":                    "-Inf to +Inf",
		"age NOT BETWEEN 1 AND 3":                  "-Inf to +Inf",
		"((age > 5) IS NOT TRUE)":                  "-Inf to +Inf",
		"age > 5 IS NOT TRUE":                      "-Inf to +Inf",
		"(other > 5)":                              "-Inf to +Inf",
		"(age > other)":                            "-Inf to +Inf",
		"((age % 2) = 0)":                          "-Inf to +Inf",
		"((age + 1) > 5)":                          "-Inf to +Inf",
		"((age)::integer <= 5)":                    "-Inf to +Inf",
		"CASE WHEN other AND age > 5 AND age < 9 THEN 1 ELSE 1 END": "-Inf to +Inf",
		"(lower(age) = 'a')":         "-Inf to +Inf",
		"(age > 'a'::text)":          "-Inf to +Inf",
		"(age <> ALL (ARRAY[1, 2]))": "-Inf to +Inf",
		"(age = E'a\\'b')":           "-Inf to +Inf",
		"(age > 'NaN'::numeric)":     "-Inf to +Inf",
		"'":                          "-Inf to +Inf",
		"((((":                       "-Inf to +Inf",
		"":                           "-Inf to +Inf",
	} {
		if got := checked(condition); got != want {
			t.Errorf("%s: got %s, want %s", condition, got, want)
		}
	}
}

// checked returns in words what a condition says of the column age.
func checked(condition string) string {
	d := database.Declared{Lower: math.Inf(-1), Upper: math.Inf(1)}
	d.Check(condition, "age")
	switch {
	case d.Levels != nil:
		return fmt.Sprint(d.Levels)
	case d.Length > 0:
		return fmt.Sprint(d.Length, " elements")
	}
	return fmt.Sprint(d.Lower, " to ", d.Upper)
}

// FuzzCheck wants no panic, and one meaning in spite of more parentheses.
func FuzzCheck(f *testing.F) {
	for _, c := range []string{"age BETWEEN 1 AND 9", "(age = ANY (ARRAY['f'::text]))", "a OR b AND c", "age::text[] = ANY(", "cardinality(age)=3"} {
		f.Add(c)
	}
	f.Fuzz(func(t *testing.T, condition string) {
		got := checked(condition)
		if strings.Count(condition, "(") == strings.Count(condition, ")") && !strings.ContainsAny(condition, "'\")(") && checked("(("+condition+"))") != got {
			t.Errorf("%q: got %s, and another with parentheses", condition, got)
		}
	})
}

// TestQueriesWithPasswords wants queries with a password refused, and no name of one with it.
func TestQueriesWithPasswords(t *testing.T) {
	for _, query := range []string{"SELECT * FROM dblink('host=h password=hunter2', 'select 1') AS t(x int)", "SELECT 1 -- password = hunter2", "SELECT 'postgres://u:hunter2@h/d'",
		"SELECT * FROM OPENROWSET('MSDASQL', 'DRIVER={SQL Server};UID=u;PWD=hunter2;', 'SELECT 1')", "SELECT f('pwd = hunter2')", "SELECT f($$uid=u; Pwd={hun}}; hunter2}$$)",
		"SELECT 1 -- PWD=hunter2", "SELECT 1 --uid=u pwd = hunter2\nFROM t", "SELECT 1 /* uid=u\n PWD=hunter2 */ FROM t", "SELECT 1 /* pwd='hun hunter2", "SELECT 1 -- pwd=a pwd=hunter2", "SELECT 1 -- pwd={hun hunter2}", "SELECT 'jdbc:x://h/d?user=u&pwd=hunter2'"} {
		if err := database.CheckQuery(query); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v, want an error without the password", query, err)
		}
		if name := database.QueryName(query); strings.Contains(name, "hunter2") {
			t.Errorf("the name is %s, want none with the password", name)
		}
	}
	for _, query := range []string{"SELECT age, ill FROM visits WHERE year = 2024", "SELECT age FROM visits WHERE pwd = 1 AND (pwd=1 OR v.pwd = 'yes')", `SELECT age, pwd = 1 FROM visits WHERE "pwd" = 1 AND is_pwd=1`,
		"SELECT pwd = 1 -- the column pwd\nFROM t WHERE pwd=1", "/* no pwd here */ SELECT pwd=1 FROM t", "SELECT a - - 1, pwd = 1 FROM t"} {
		if err := database.CheckQuery(query); err != nil {
			t.Errorf("%s: got %v, want no error without a password", query, err)
		}
	}
}

// TestOrderOfTexts wants no bound from a comparison of texts, which have another order than numbers.
func TestOrderOfTexts(t *testing.T) {
	for _, condition := range []string{"CHECK (((age)::text <= '50'::text))", "CHECK (((age)::character varying >= '5'))", "CHECK ((age)::text BETWEEN '1' AND '50')"} {
		d := database.Declared{Lower: math.Inf(-1), Upper: math.Inf(1)}
		d.Check(condition, "age")
		if !math.IsInf(d.Lower, -1) || !math.IsInf(d.Upper, 1) {
			t.Errorf("%s: got bounds %g and %g, want none", condition, d.Lower, d.Upper)
		}
	}
}

// TestNames wants names on one line.
func TestNames(t *testing.T) {
	for _, name := range []string{database.TableName("a\nb"), database.QueryName("SELECT\n\t1 \x1b[0m")} {
		if !database.IsName(name) || strings.ContainsAny(name, "\n\t\x1b") {
			t.Errorf("got %q", name)
		}
	}
	if database.IsName("people.csv") {
		t.Error("a file has the name of a table")
	}
}

// TestCaseOfNames wants the bounds of Age and of age kept apart in PostgreSQL, where only quotes keep capitals. SQLite
// has one column for both.
func TestCaseOfNames(t *testing.T) {
	for _, c := range []struct {
		condition, name string
		postgres        bool
		sqlite          bool
	}{
		{`("Age" > 5)`, "Age", true, true}, {`("Age" > 5)`, "age", false, true}, {"(age > 5)", "age", true, true}, {"(age > 5)", "Age", false, true},
		{"(AGE > 5)", "age", true, true}, {"(Age > 5)", "Age", false, true}, {`("age" > 5)`, "age", true, true}, {"(VALUE > 5)", "value", true, true}, {"(É > 5)", "É", true, true},
		{"(other > 5)", "age", false, false}, {"('age' > 5)", "age", false, false},
	} {
		d := database.Declared{Lower: math.Inf(-1), Upper: math.Inf(1)}
		d.Check(c.condition, c.name)
		if got := d.Lower == 5; got != c.postgres {
			t.Errorf("PostgreSQL: %s for %s: got the bound %v, want it %v", c.condition, c.name, d.Lower, c.postgres)
		}
		d = database.Declared{Lower: math.Inf(-1), Upper: math.Inf(1)}
		d.CheckTable("CREATE TABLE t (x, CHECK "+c.condition+")", c.name)
		if got := d.Lower == 5; got != c.sqlite {
			t.Errorf("SQLite: %s for %s: got the bound %v, want it %v", c.condition, c.name, d.Lower, c.sqlite)
		}
	}
}
