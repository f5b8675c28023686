package bookkeeping

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/chain/postgres"
	"github.com/ditherml/dither/internal/display"
)

// declared is what the schema of a request says about its ledger.
type declared struct {
	file   string // of the schema, "" for none
	schema *data.Schema
}

// declare takes name, row and rows per person of a new ledger from the schema, and the place of the
// ledger where none is given. Flags that say something else are refused: runs under the schema
// could not pay from such a ledger.
func (r *Request) declare(where *string) (declared, error) {
	if r.Schema == "" {
		if *where == "" {
			return declared{}, fmt.Errorf("FILE is missing, want the name of the new ledger, or --schema with a schema that names one")
		}
		return declared{}, checkName(r.Data)
	}
	s, err := data.ReadTableSchema(r.Schema)
	if err != nil {
		return declared{}, err
	}
	d := declared{r.Schema, s}
	if err = d.sameTerms(r); err == nil {
		err = d.samePlace(where)
	}
	return d, err
}

// checkName refuses a file in place of the name of the data.
func checkName(name string) error {
	if own, builtin := strings.CutPrefix(name, "builtin:"); builtin {
		return fmt.Errorf("--data is %s, want the declared name alone; say --data %s", name, own)
	}
	if name != "" && display.Exists(name) {
		return fmt.Errorf("--data is %s, which is a file, want the declared name of the data; say what name: of its schema says, or give --schema", name)
	}
	return nil
}

// sameTerms fills in what flags leave open, and refuses flags that contradict the schema.
func (d declared) sameTerms(r *Request) error {
	given, own := "", ""
	if r.Rows != 0 {
		given = strconv.Itoa(r.Rows)
	}
	if d.schema.RowsPerPerson != 0 {
		own = strconv.Itoa(d.schema.RowsPerPerson)
	}
	for _, c := range []struct{ key, flag, given, own, example string }{
		{"name", "--data", r.Data, d.schema.Name, "visits"}, {"row", "--row", r.Row, d.schema.Row, "one visit"},
		{"rows-per-person", "--rows-per-person", given, own, "12"},
	} {
		needed := c.key != "rows-per-person" || r.Unit != "row"
		switch {
		case c.own == "" && (needed || c.given != ""):
			if c.given != "" {
				c.example = c.given
			}
			return d.fault(c.key, "the schema does not declare "+c.key, c.key+": "+c.example+", or what it is", "the ledger and all runs take it from there")
		case c.given != "" && c.given != c.own:
			return d.fault(c.key, fmt.Sprintf("%s is %q, and %s is %q", c.key, c.own, c.flag, c.given), "one of them", "leave the flag out, or mend the schema")
		}
	}
	if column, is := strings.CutPrefix(r.Unit, "person:"); is && column != "" && d.schema.CheckExtra([]string{column}) != nil {
		return d.fault("columns", fmt.Sprintf("--unit is person:%s, and the schema has no column %s", column, column), "a column of the schema", "declare a column that is no feature as "+column+": ignore")
	}
	r.Data, r.Row, r.Rows = d.schema.Name, d.schema.Row, d.schema.RowsPerPerson
	return nil
}

// samePlace takes the place of the ledger from the schema, and refuses another one.
func (d declared) samePlace(where *string) error {
	named := d.schema.Ledger
	switch {
	case *where == "" && named == "":
		return d.fault("ledger", "the schema names no ledger, and no FILE is given", "one of them", "write ledger: hospital.ledger into the schema, say, and every run with it pays from there")
	case *where == "":
		*where = named
	case named != "" && !postgres.Same(*where, named):
		return d.fault("ledger", fmt.Sprintf("the schema names the ledger %s, and FILE is %s", display.OneLine(named), display.OneLine(*where)), "one of them", "leave FILE out, or mend the schema")
	}
	return nil
}

// fault is an error about a key of the schema, with its line where the schema has it.
func (d declared) fault(key, problem, want, remedy string) error {
	line := 0
	if text, err := os.ReadFile(d.file); err == nil {
		for i, one := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(one, key+":") {
				line = i + 1
			}
		}
	}
	return &data.FileError{File: d.file, Line: line, Problem: problem, Want: want, Remedy: remedy}
}

// text returns the lines of a new ledger about the schema.
func (d declared) text(where string) string {
	switch {
	case d.file == "":
		return ""
	case d.schema.Ledger == "":
		if near, err := filepath.Rel(filepath.Dir(d.file), where); err == nil && !strings.Contains(where, "://") {
			where = near
		}
		return fmt.Sprintf("next      write `ledger: %s` into %s, and every run with it pays from the ledger\n", display.Printable(where), display.Printable(d.file))
	}
	return fmt.Sprintf("pays      for every run with %s\n", display.Printable(d.file))
}
