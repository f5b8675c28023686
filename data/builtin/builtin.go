// Package builtin holds the data sets that come with the program: real, small, and with a
// page on their origin.
package builtin

import (
	"bytes"
	"context"
	_ "embed" // for the files below
	"fmt"
	"slices"
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

// Set is a built-in data set: a training table, a test table of other persons that is
// declared public, a schema and a page on its origin.
type Set struct {
	// Name is what the set is called on the command line, Title what it is.
	Name, Title         string
	train, test, schema []byte
	origin              string
}

// File is one embedded file.
type File struct {
	Name string
	Text []byte
}

var sets = []Set{
	{"randhie", "RAND Health Insurance Experiment, person-years", randhieTrain, randhieTest, randhieSchema, randhieOrigin},
}

// List returns the built-in data sets.
func List() []Set { return slices.Clone(sets) }

// Open returns the set of this name; an unknown name is an error that lists the known ones.
func Open(name string) (Set, error) {
	names := make([]string, len(sets))
	for i, s := range sets {
		if s.Name == name {
			return s, nil
		}
		names[i] = s.Name
	}
	return Set{}, fmt.Errorf("builtin: data set is %q, want one of: %s", name, strings.Join(names, ", "))
}

// Schema returns the set's schema.
func (s Set) Schema() (*data.Schema, error) { return data.ParseSchema(s.Name+".yaml", s.schema) }

// ReadTrain reads the training table under a schema, the set's own or one derived from it.
func (s Set) ReadTrain(ctx context.Context, schema *data.Schema, o data.ReadOptions) (*data.Dataset, error) {
	return data.ReadFrom(ctx, schema, s.Name+"-train.csv.gz", bytes.NewReader(s.train), o)
}

// ReadTest reads the test table, whose persons are not in the training table.
func (s Set) ReadTest(ctx context.Context, schema *data.Schema, o data.ReadOptions) (*data.Dataset, error) {
	return data.ReadFrom(ctx, schema, s.Name+"-test.csv.gz", bytes.NewReader(s.test), o)
}

// Origin returns the page on where the set comes from, in Markdown.
func (s Set) Origin() string { return s.origin }

// Files returns copies of the embedded files: the tables, the schema and the page.
func (s Set) Files() []File {
	files := []File{{s.Name + "-train.csv.gz", s.train}, {s.Name + "-test.csv.gz", s.test}, {s.Name + ".yaml", s.schema}, {"ORIGIN.md", []byte(s.origin)}}
	for i := range files {
		files[i].Text = bytes.Clone(files[i].Text)
	}
	return files
}
