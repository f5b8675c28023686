// Package builtin contains the data sets that come with the program. They are real and small. Each
// data set has a page that documents its origin.
package builtin

import (
	"bytes"
	"context"
	_ "embed" // for the files below
	"fmt"
	"strings"

	"github.com/ditherml/dither/data"
)

//go:embed randhie-train.csv.gz
var randhieTrain []byte

//go:embed randhie-test.csv.gz
var randhieTest []byte

//go:embed randhie.yaml
var randhieSchema []byte

//go:embed ORIGIN.md
var randhieOrigin string

// Set is a built-in data set. It consists of a training table, a test table, a schema and a page
// about the origin of the data. The test table is declared public and contains no person of the
// training table.
type Set struct {
	// Name is the set's name on the command line. Title is a short description.
	Name, Title string
	// Origin is the page about the origin of the data, in Markdown.
	Origin string
	// Files are the training table, the test table, the schema and the page about the origin.
	Files []File
}

// File is one file of a built-in data set.
type File struct {
	// Name is the name of the file.
	Name string
	// Text is the content of the file.
	Text []byte
}

// embedded is a set in the program's memory. Its bytes never change.
type embedded struct {
	name, title         string
	train, test, schema []byte
	origin              string
}

var sets = []embedded{
	{"randhie", "RAND Health Insurance Experiment, person-years", randhieTrain, randhieTest, randhieSchema, randhieOrigin},
}

// These are the endings of the names of files.
const (
	trainEnding  = "-train.csv.gz"
	testEnding   = "-test.csv.gz"
	schemaEnding = ".yaml"
)

// set returns copies of the embedded data.
func (e embedded) set() Set {
	return Set{Name: e.name, Title: e.title, Origin: e.origin, Files: []File{{e.name + trainEnding, bytes.Clone(e.train)},
		{e.name + testEnding, bytes.Clone(e.test)}, {e.name + schemaEnding, bytes.Clone(e.schema)}, {"ORIGIN.md", []byte(e.origin)}}}
}

// List returns the built-in data sets.
func List() []Set {
	list := make([]Set, len(sets))
	for i, e := range sets {
		list[i] = e.set()
	}
	return list
}

// Open returns the built-in data set with this name. For an unknown name the error lists the known
// names.
func Open(name string) (Set, error) {
	names := make([]string, len(sets))
	for i, e := range sets {
		if e.name == name {
			return e.set(), nil
		}
		names[i] = e.name
	}
	return Set{}, fmt.Errorf("builtin: data set is %q, want one of: %s", name, strings.Join(names, ", "))
}

// Schema returns the schema of the data set.
func (s Set) Schema() (*data.Schema, error) {
	f, err := s.file(schemaEnding)
	if err != nil {
		return nil, err
	}
	return data.ParseSchema(f.Name, f.Text)
}

// ReadTrain returns the training table, read under a schema. The schema must be the set's own
// schema or derived from it.
func (s Set) ReadTrain(ctx context.Context, schema *data.Schema, o data.ReadOptions) (*data.Dataset, error) {
	return s.read(ctx, schema, trainEnding, o)
}

// ReadTest returns the test table, read under a schema. No person of the training table is in the
// test table. The schema must be the set's own schema or derived from it.
func (s Set) ReadTest(ctx context.Context, schema *data.Schema, o data.ReadOptions) (*data.Dataset, error) {
	return s.read(ctx, schema, testEnding, o)
}

func (s Set) read(ctx context.Context, schema *data.Schema, ending string, o data.ReadOptions) (*data.Dataset, error) {
	f, err := s.file(ending)
	if err != nil {
		return nil, err
	}
	return data.ReadFrom(ctx, schema, f.Name, bytes.NewReader(f.Text), o)
}

// file returns the file whose name has this ending.
func (s Set) file(ending string) (File, error) {
	for _, f := range s.Files {
		if f.Name == s.Name+ending {
			return f, nil
		}
	}
	return File{}, fmt.Errorf("builtin: data set %q has no file %s, want one that Open returned", s.Name, s.Name+ending)
}
