package database

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// File is the address of a database in a file, with the table or query that its name is followed by.
//
// If Stored is true, only a table is read, and no query or view.
type File struct {
	File, Table, Query string
	Stored             bool
}

// ParseFile returns the address in a path. A path with the prefix may end in ?table=NAME or ?query=SQL.
func ParseFile(path, prefix string) (File, error) {
	file, marked := strings.CutPrefix(path, prefix)
	if !marked {
		return File{File: path}, nil
	}
	file, parameters, found := strings.Cut(file, "?")
	if !found {
		return File{File: file}, nil
	}
	values, err := url.ParseQuery(parameters)
	if err != nil || len(values) != 1 || !values.Has("table") && !values.Has("query") {
		return File{}, fmt.Errorf("the parameters behind the file cannot be read, want %[1]sFILE?table=NAME or %[1]sFILE?query=SQL", prefix)
	}
	return File{File: file, Table: values.Get("table"), Query: values.Get("query")}, nil
}

// Check returns an error unless the address names either a table or a query, and none with a password.
func (f File) Check() error {
	if (f.Table == "") == (f.Query == "") {
		return errors.New("the database is named without a table or query, or with both, want --table NAME or --query \"select …\"")
	}
	return CheckQuery(f.Query)
}

// OnlyStored returns the address of a table that must be stored in the file.
func (f File) OnlyStored() (File, error) {
	if f.Query != "" {
		return File{}, ErrComputed("query")
	}
	f.Stored = true
	return f, nil
}

// Name returns the name of the table or query in words.
func (f File) Name() string {
	if f.Query != "" {
		return QueryName(f.Query)
	}
	return TableName(f.Table)
}
