package data

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/related"
)

// relatedTable declares a table that has any number of rows for each person, and the features that
// are made of them. The schema of a people table with related tables has one row for each person.
type relatedTable struct {
	// Name is the name of the table in the schema and in Source.Related.
	Name string
	// Key is the column of the related table that names the person of a row. PeopleKey is the
	// column of the people table that names the person. Related tables of a schema agree in it.
	Key, PeopleKey string
	// MaxRows is the largest number of rows of a person that are used. Keep chooses them.
	MaxRows int
	Keep    related.Keep
	// OrderBy is the column by which the rows of a person are ordered, or "".
	OrderBy string
	// MaxRecords is the largest number of rows of the table. A larger table is refused. 0 means
	// defaultRelatedRows.
	MaxRecords int
	// Columns are the other columns of the table: numeric, categorical and ignored.
	Columns []Column
	// Features are the aggregates of the columns of Schema.Columns whose Related is Name, in order.
	// Feature.Column is the position among the columns that are not ignored.
	Features []related.Feature
}

// relatedTables are the related tables of a schema, in order.
type relatedTables []relatedTable

// Words returns the rows that a record has besides its own row in words, one text for each table.
// It is nil without related tables.
func (tables relatedTables) Words() []string {
	var words []string
	for _, t := range tables {
		words = append(words, related.Words(t.Name, t.MaxRows, t.mostRecords()))
	}
	return words
}

const (
	// defaultRelatedRows bounds the rows of a related table that declares no bound.
	defaultRelatedRows = 100_000_000
	// mostRelatedRows bounds the rows that are held.
	mostRelatedRows = math.MaxInt32
	// mostRowsOfPerson bounds MaxRows.
	mostRowsOfPerson = 1 << 20
)

// features returns the columns of a related table that have values.
func (t *relatedTable) features() []Column { return (&Schema{Columns: t.Columns}).Features() }

// ownColumns returns the columns of the people table itself. Features of related tables come last.
func (s *Schema) ownColumns() []Column {
	if len(s.Related) == 0 {
		return s.Columns
	}
	n := slices.IndexFunc(s.Columns, func(c Column) bool { return c.Related != "" })
	if n < 0 {
		n = len(s.Columns)
	}
	return s.Columns[:n:n]
}

// own returns the schema of the people table itself.
func (s *Schema) own() *Schema {
	own := *s
	own.Columns, own.Related = s.ownColumns(), nil
	return &own
}

// peopleKey returns the column that names persons.
func (s *Schema) peopleKey() string { return s.Related[0].PeopleKey }

// schema returns the schema under which a related table is read, which has no target. The columns
// of the key and of the order are read as texts.
func (t *relatedTable) schema(of *Schema) *Schema {
	columns := slices.Clone(t.Columns)
	for i := range columns {
		columns[i].countsDates = columns[i].Kind == Numeric
	}
	for _, name := range []string{t.Key, t.OrderBy} {
		if name != "" && !slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name }) {
			columns = append(columns, Column{Name: name, Kind: Ignored})
		}
	}
	return &Schema{Name: of.Name, MaxRecords: t.mostRecords(), MissingMarks: of.MissingMarks, Columns: columns}
}

// mostRecords returns the largest number of rows of the table.
func (t *relatedTable) mostRecords() int { return cmp.Or(t.MaxRecords, defaultRelatedRows) }

// extra returns the columns that are read as texts: the key, and the order if there is one.
func (t *relatedTable) extra() []string {
	if t.OrderBy == "" || t.OrderBy == t.Key {
		return []string{t.Key}
	}
	return []string{t.Key, t.OrderBy}
}

// faultRelated returns why the related tables cannot be used, or nil.
func (s *Schema) faultRelated() *fault {
	used := len(s.ownColumns())
	for i := range s.Related {
		t := &s.Related[i]
		f := s.faultRelatedTable(t)
		if f == nil && slices.ContainsFunc(s.Related[:i], func(other relatedTable) bool { return other.Name == t.Name }) {
			f = &fault{problem: "it is declared twice", want: "each table once", remedy: "rename one of the two"}
		}
		for range t.Features {
			if used == len(s.Columns) || s.Columns[used].Related != t.Name {
				return &fault{placeRelated, fmt.Sprintf("the features of related table %q are not the last columns", t.Name), "a schema as ParseSchema makes it", "write the schema as text"}
			}
			used++
		}
		if f != nil {
			f.place, f.problem = placeRelated, fmt.Sprintf("related table %q: %s", t.Name, f.problem)
			return f
		}
	}
	if used != len(s.Columns) {
		return &fault{placeRelated, fmt.Sprintf("column %q is the feature of no related table", s.Columns[used].Name), "a schema as ParseSchema makes it", "write the schema as text"}
	}
	return nil
}

const placeRelated = "related"

func (s *Schema) faultRelatedTable(t *relatedTable) *fault {
	declares := func(name string) bool {
		return slices.ContainsFunc(s.ownColumns(), func(c Column) bool { return c.Name == name })
	}
	needsOrder := slices.ContainsFunc(t.Features, func(f related.Feature) bool {
		return f.Aggregate == related.First || f.Aggregate == related.Last
	})
	switch {
	case faultName("name", t.Name, "") != nil || strings.Contains(t.Name, "="):
		return &fault{problem: "its name is empty, has outer spaces, a control character or an equals sign", want: "a plain name", remedy: "rename it"}
	case t.MaxRows < 1 || t.MaxRows > mostRowsOfPerson:
		return &fault{problem: fmt.Sprintf("max-rows is %d", t.MaxRows), want: fmt.Sprintf("1 to %d", mostRowsOfPerson), remedy: "declare how many rows of a person are used at most"}
	case t.MaxRecords < 0 || t.MaxRecords > mostRelatedRows:
		return &fault{problem: fmt.Sprintf("max-records is %d", t.MaxRecords), want: "1 to 2147483647", remedy: "declare a public upper bound on the rows of the table, or leave it out for 100 million"}
	case t.Key == "":
		return &fault{problem: "it has no key", want: "the column that names the person of a row", remedy: "write key: with its name"}
	case !declares(t.PeopleKey):
		return &fault{problem: fmt.Sprintf("the table of people has no column %q", t.PeopleKey), want: "the column that names a person", remedy: "declare it under columns, as ignore if it is no feature, or name another with people-key:"}
	case slices.ContainsFunc(s.ownColumns(), func(c Column) bool { return c.Name == t.PeopleKey && c.Learning != Declared }):
		return &fault{problem: fmt.Sprintf("the levels or bounds of its people-key %q are private", t.PeopleKey), want: "a key that is declared, mostly as ignore", remedy: "declare the column as ignore"}
	case t.PeopleKey != s.peopleKey():
		return &fault{problem: fmt.Sprintf("its people-key is %q", t.PeopleKey), want: fmt.Sprintf("%q, as for table %q", s.peopleKey(), s.Related[0].Name), remedy: "name persons by one column"}
	case s.RowsPerPerson > 1:
		return &fault{problem: fmt.Sprintf("rows-per-person is %d", s.RowsPerPerson), want: "one row for each person", remedy: "leave rows-per-person out: a record is one person with all related rows"}
	case len(t.Features) == 0:
		return &fault{problem: "it has no features", want: "at least one, such as visits-count: {count: true}", remedy: "declare what is made of its rows, or leave the table out"}
	case t.OrderBy == "" && t.Keep != related.KeepRandom:
		return &fault{problem: "keep is " + related.KeepNames[t.Keep] + " without order-by", want: "the column by which rows are ordered", remedy: "write order-by:, or keep: random"}
	case t.OrderBy == "" && needsOrder:
		return &fault{problem: "first or last is asked for without order-by", want: "the column by which rows are ordered", remedy: "write order-by:"}
	}
	return t.faultColumns(s.Marks())
}

func (t *relatedTable) faultColumns(marks MissingSet) *fault {
	seen := map[string]bool{t.Key: true}
	for i := range t.Columns {
		c := &t.Columns[i]
		f := faultName("column name", c.Name, "")
		switch {
		case f != nil:
		case seen[c.Name]:
			f = &fault{problem: fmt.Sprintf("column %q is declared twice", c.Name), want: "each column once, the key only as key", remedy: "remove one of the two"}
		case c.Kind == Text || c.Learning != Declared || len(c.Bins) > 0 || c.Transform != "" || c.Integer:
			f = &fault{problem: fmt.Sprintf("column %q is a text, or has private bounds or levels, bins, a transform or integer", c.Name), want: "numeric: [lower, upper], levels: [...] or ignore", remedy: "declare it so; features may have bins and a transform"}
		default:
			if f = c.fault(marks); f != nil {
				f.problem = fmt.Sprintf("column %q: %s", c.Name, f.problem)
			}
		}
		if f != nil {
			return f
		}
		seen[c.Name] = true
	}
	features := t.features()
	for _, f := range t.Features {
		if f.Column >= len(features) || f.Column < 0 && f.Aggregate != related.Count {
			return &fault{problem: "a feature is of no column", want: "a schema as ParseSchema makes it", remedy: "write the schema as text"}
		}
	}
	return nil
}

// declareRelated lists what a person can write for an open column of a related table.
const declareRelated = "numeric: [lower, upper], levels: [...] or ignore"

// openRelated returns the declarations about related tables that a draft leaves to a person.
func (s *Schema) openRelated() []fault {
	var open []fault
	for i := range s.Related {
		t := &s.Related[i]
		if t.MaxRows == 0 {
			open = append(open, fault{placeRelated, fmt.Sprintf("max-rows of related table %q is not declared", t.Name), "how many rows of a person are used at most", "declare it from public knowledge"})
		}
		for _, c := range t.Columns {
			if c.Kind == 0 {
				open = append(open, fault{placeRelated, fmt.Sprintf("column %q of related table %q is not declared", c.Name, t.Name), declareRelated, "declare it from public knowledge"})
			}
		}
	}
	return open
}
