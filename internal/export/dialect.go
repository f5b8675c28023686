package export

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/feature"
)

// dialect is how a database writes what statements need.
type dialect struct {
	// fence ends a query that the database must not merge with the next one, which would compute expressions many times.
	fence string
	// all selects the columns of the table.
	all string
	// name and quoted return a column and a text.
	name, quoted func(string) string
	// trimmed returns a column as a text without white space at its ends. truth returns false or
	// true as a text for a column of booleans, and another text or NULL for other columns.
	trimmed, truth func(column string) string
	// number returns the 64-bit number of a text that has the form of one, or NULL if it is not finite.
	number func(text string) string
	// single rounds a number to 32 bits.
	single func(v string) string
	// matches reports whether a text matches a regular expression. extract returns what matches its
	// group, NULL or '' for nothing.
	matches, extract func(text, pattern string) string
	// float and integer are the types of numbers.
	float, integer string
	// list returns an array of numbers, and item its element at a place from 0.
	list func(numbers []float64, integers bool) string
	item func(list, place string) string
	// most is the largest number of bytes of a statement, or 0 without a bound.
	most int
}

// fits refuses a statement that is too long for the database. The map is that of the model.
func (d dialect) fits(bytes int, m *feature.Map) error {
	if d.most == 0 || bytes <= d.most {
		return nil
	}
	return fmt.Errorf("the statement has %d bytes, and the database accepts %d; train with %s, or export --to onnx", bytes, d.most, remedies(m))
}

var dialects = map[string]dialect{
	"postgres": {
		matches: called("%s ~ '%s'"), extract: called("substring(%s from '%s')"), float: "double precision", integer: "int",
		fence: "\nOFFSET 0", all: "(dither_row).*", name: doubled(`"`), quoted: doubled("'"),
		number: func(text string) string {
			cast := fmt.Sprintf("CAST(%s AS double precision)", text)
			size := fmt.Sprintf("abs(CAST(%s AS numeric))", text)
			return fmt.Sprintf("CASE WHEN length(%s) < 300 AND %s !~ '[eE]' THEN %s\n    WHEN %s ~ '%s' THEN CASE WHEN %s ~ '%s' THEN 0e0 END\n    WHEN %s < %s THEN 0e0 WHEN %s < %s THEN %s END",
				text, text, cast, text, farPattern, text, zeroPattern, size, sqlLeast, size, sqlMost, cast)
		},
		truth: func(column string) string {
			return fmt.Sprintf("CASE CAST(pg_typeof(%s) AS text) WHEN 'boolean' THEN CAST(%s AS text) END", column, column)
		},
		trimmed: func(column string) string { return fmt.Sprintf("btrim(CAST(%s AS text), %s)", column, escapedSpaces) },
		single: func(v string) string {
			return fmt.Sprintf("CASE WHEN abs(%s) <= %s THEN 0e0 ELSE CAST(CAST(%s AS real) AS double precision) END", v, singleLeast, v)
		},
		list: func(numbers []float64, integers bool) string {
			kind, text := "float8", goNumbers
			if integers {
				kind = "int"
			}
			return fmt.Sprintf("CAST('{%s}' AS %s[])", strings.ReplaceAll(text(numbers), " ", ""), kind)
		},
		item: func(list, place string) string { return fmt.Sprintf("(%s)[%s + 1]", list, place) },
	},
	"duckdb": {
		matches: called("regexp_matches(%s, '%s')"), extract: called("regexp_extract(%s, '%s', 1)"), float: "DOUBLE", integer: "INTEGER",
		all: "dither_row.*", name: doubled(`"`), quoted: doubled("'"),
		number: func(text string) string {
			return finite(fmt.Sprintf("TRY_CAST(%s AS DOUBLE)", text), "isfinite(%s)")
		},
		truth: func(column string) string {
			return fmt.Sprintf("CASE typeof(%s) WHEN 'BOOLEAN' THEN CAST(%s AS VARCHAR) END", column, column)
		},
		trimmed: func(column string) string {
			return fmt.Sprintf("trim(CAST(%s AS VARCHAR), %s)", column, spacesByNumber)
		},
		single: func(v string) string { return fmt.Sprintf("CAST(CAST(%s AS FLOAT) AS DOUBLE)", v) },
		list:   listLiteral,
		item:   func(list, place string) string { return fmt.Sprintf("%s[%s + 1]", list, place) },
	},
	"bigquery": {
		matches: called("REGEXP_CONTAINS(%s, r'%s')"), extract: called("REGEXP_EXTRACT(%s, r'%s')"), float: "FLOAT64", integer: "INT64",
		all: "dither_row.*", name: escaped("`"), quoted: escaped("'"),
		number: func(text string) string {
			return finite(fmt.Sprintf("SAFE_CAST(%s AS FLOAT64)", text), "ABS(%s) <= 1.7976931348623157e308")
		},
		truth: func(column string) string { // a text has quotation marks there
			return fmt.Sprintf("TO_JSON_STRING(%s)", column)
		},
		trimmed: func(column string) string {
			return fmt.Sprintf("TRIM(CAST(%s AS STRING), %s)", column, strings.TrimPrefix(escapedSpaces, "E"))
		},
		// BigQuery has no 32-bit numbers. Veltkamp's splitting rounds to 24 bits (T. J. Dekker, "A floating-point technique
		// for extending the available precision", 1971); it may round a number in the middle of two to the other one.
		single: func(v string) string {
			return fmt.Sprintf("CASE WHEN abs(%s) <= %s THEN 0e0 ELSE (%s * 536870913e0) - (%s * 536870913e0 - %s) END", v, singleLeast, v, v, v)
		},
		list: listLiteral,
		item: func(list, place string) string { return fmt.Sprintf("%s[SAFE_OFFSET(%s)]", list, place) },
		most: 1 << 20, // https://cloud.google.com/bigquery/quotas, unresolved query length
	},
}

// Dialects returns the dialects of SQL.
func Dialects() []string {
	var names []string
	for name := range dialects {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// numberPattern matches the texts of numbers, as package decimal does.
const numberPattern = `^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`

// PostgreSQL refuses casts of numbers that round to 0 or to infinity. Larger numbers than sqlLeast,
// 2^-1075, do not round to 0. Numbers from sqlMost on, 2^1024 - 2^970, round to infinity. An
// exponent from 10000 on, which farPattern matches, is refused even in its numbers of any length.
// zeroPattern then matches what is 0 or rounds to 0.
const (
	sqlLeast    = "CAST('2.470328229206232720882844e-324' AS numeric)"
	sqlMost     = "CAST('1.797693134862315807937289e308' AS numeric)"
	farPattern  = `[eE][+-]?0*[1-9][0-9]{4}`
	zeroPattern = `^[+-]?[0.]*[eE]|[eE]-`
)

// singleLeast is the largest number that rounds to the 32-bit number 0: 2^-150.
const singleLeast = "7.006492321624085e-46"

// escapedSpaces are the characters that are white space, as a literal.
const escapedSpaces = `E' \t\n\r\u000b\u000c\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'`

// spacesByNumber are the same characters, for a database that knows no such escapes.
const spacesByNumber = `' ' || chr(9) || chr(10) || chr(11) || chr(12) || chr(13) || chr(133) || chr(160) || chr(5760) || chr(8192) || chr(8193) || chr(8194) || ` +
	`chr(8195) || chr(8196) || chr(8197) || chr(8198) || chr(8199) || chr(8200) || chr(8201) || chr(8202) || chr(8232) || chr(8233) || chr(8239) || chr(8287) || chr(12288)`

// finite returns an expression that is NULL where a number is not finite.
func finite(number, condition string) string {
	return fmt.Sprintf("CASE WHEN %s THEN %s END", fmt.Sprintf(condition, number), number)
}

// called returns a function that writes a text and a pattern in a form.
func called(form string) func(text, pattern string) string {
	return func(text, pattern string) string { return fmt.Sprintf(form, text, pattern) }
}

// doubled returns a function that puts a text in quotes and doubles those inside.
func doubled(quote string) func(string) string {
	return func(text string) string { return quote + strings.ReplaceAll(text, quote, quote+quote) + quote }
}

// escaped returns a function that puts a text in quotes and escapes characters with a backslash.
func escaped(quote string) func(string) string {
	r := strings.NewReplacer(`\`, `\\`, quote, `\`+quote, "\n", `\n`, "\r", `\r`)
	return func(text string) string { return quote + r.Replace(text) + quote }
}

// listLiteral returns an array.
func listLiteral(numbers []float64, integers bool) string {
	if integers {
		return "[" + goNumbers(numbers) + "]"
	}
	return "[" + sqlNumbers(numbers) + "]"
}

// lookup returns the number of a table at a place from 0, NULL for the place NULL.
func (d dialect) lookup(table []float64, place string, integers bool) string {
	return d.item(d.list(table, integers), place)
}

// logOf returns log(1 + v) for v of at least 0, also for small v (W. Kahan's formula).
func (d dialect) logOf(v string) string {
	return fmt.Sprintf("(CASE WHEN 1e0 + %s = 1e0 THEN %s ELSE ln(1e0 + %s) * %s / ((1e0 + %s) - 1e0) END)", v, v, v, v, v)
}
