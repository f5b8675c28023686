package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/training"
)

// builtinPrefix marks the name of a built-in data set where a table is wanted.
const builtinPrefix = tabular.Prefix

// defaultSet is the built-in data set of the first run.
const defaultSet = "randhie"

// tables are the schema and the readers of one run's tables.
type tables struct {
	schema *data.Schema
	name   string // what the training table is called
	train  func(context.Context) (*data.Dataset, error)
	test   func(context.Context) (*data.Dataset, error) // returns nil when there is no test table
	// check returns the error with which a reader would refuse its table before the first record.
	check      func(context.Context) error
	testName   string
	testPublic bool
}

// told is what a run says of its tables.
func (t *trainCommand) told(source tables) training.Tables {
	return training.Tables{Schema: source.schema, Name: source.name, Source: t.streamed, Builtin: strings.HasPrefix(source.name, builtinPrefix), Argument: t.tablePath,
		Extra: t.personColumn(source.schema), TestName: source.testName, TestPublic: source.testPublic, Group: t.group}
}

// open settles which tables are read, from the flags alone.
func (t *trainCommand) open() (tables, error) {
	name, isBuiltin := strings.CutPrefix(t.tablePath, builtinPrefix)
	if t.tablePath == "" {
		name, isBuiltin = defaultSet, true
	}
	if isBuiltin {
		return t.openBuiltin(name)
	}
	if t.schema == "" {
		return tables{}, fmt.Errorf("--schema is missing, want a schema file for %s; draft one with: dither schema init %s %s", t.tablePath, t.tablePath, t.draftTarget())
	}
	schema, err := data.ReadSchema(t.schema)
	if err != nil {
		return tables{}, err
	}
	if schema, err = t.declare(schema); err != nil {
		return tables{}, err
	}
	source, err := t.table.source(t.tablePath)
	if err != nil {
		return tables{}, err
	}
	streamed := source
	t.streamed = &streamed
	out := tables{schema: schema, name: t.tablePath, testName: t.test, testPublic: t.testPublic}
	out.train = func(ctx context.Context) (*data.Dataset, error) {
		return data.Read(ctx, schema, source, data.ReadOptions{Extra: t.personColumn(schema)})
	}
	held := source
	held.Path, held.Labels = t.test, t.testLabels
	heldOptions := data.ReadOptions{MaxRecords: maxTestRecords, Extra: t.extra(schema)}
	out.test = func(ctx context.Context) (*data.Dataset, error) {
		if t.test == "" {
			return nil, nil
		}
		return data.Read(ctx, schema, held, heldOptions)
	}
	out.check = func(ctx context.Context) error {
		err := data.CheckHeader(ctx, schema, source, data.ReadOptions{Extra: t.personColumn(schema)})
		if err == nil && t.test != "" {
			err = data.CheckHeader(ctx, schema, held, heldOptions)
		}
		return err
	}
	return out, t.checkTest()
}

// draftTarget is the flag that names the target of a draft: the file of labels does where there is one.
func (t *trainCommand) draftTarget() string {
	if t.table.labels != "" {
		return "--labels " + t.table.labels
	}
	return "--target COLUMN"
}

// maxTestRecords bounds the rows of a test table, whose number is not private here.
const maxTestRecords = 1 << 30

func (t *trainCommand) openBuiltin(name string) (tables, error) {
	if t.schema != "" || t.test != "" || t.table.labels != "" {
		return tables{}, fmt.Errorf("--schema, --test and --labels go with --data FILE; the built-in data set %q brings its own", name)
	}
	set, err := builtin.Open(name)
	if err != nil {
		return tables{}, err
	}
	declared, err := set.Schema()
	if err != nil {
		return tables{}, err
	}
	schema, err := t.declare(declared)
	if err != nil {
		return tables{}, err
	}
	read := func(file func(context.Context, *data.Schema, data.ReadOptions) (*data.Dataset, error), o data.ReadOptions) func(context.Context) (*data.Dataset, error) {
		return func(ctx context.Context) (*data.Dataset, error) { return file(ctx, schema, o) }
	}
	check := func(context.Context) error {
		return schema.CheckExtra(append(t.personColumn(schema), t.extra(schema)...))
	}
	return tables{schema: schema, name: builtinPrefix + name, check: check, testName: "the public test split of " + set.Title, testPublic: true,
		train: read(set.ReadTrain, data.ReadOptions{Extra: t.personColumn(schema)}), test: read(set.ReadTest, data.ReadOptions{MaxRecords: maxTestRecords, Extra: t.extra(schema)})}, nil
}

// personColumn names the columns of persons and of weights for reading when they are no features.
func (t *trainCommand) personColumn(s *data.Schema) []string {
	weights := t.holdout.weightColumn(s)
	column, person := strings.CutPrefix(t.plan.unit, "person:")
	if !person || len(weights) > 0 && weights[0] == column {
		return weights
	}
	for _, c := range s.Features() {
		if c.Name == column && c.Kind == data.Categorical {
			return weights
		}
	}
	return append(weights, column)
}

// extra names the group column for reading when it is not a feature.
func (t *trainCommand) extra(s *data.Schema) []string {
	if t.group == "" {
		return nil
	}
	for _, c := range s.Features() {
		if c.Name == t.group && c.Kind == data.Categorical {
			return nil
		}
	}
	return []string{t.group}
}

// declare applies the flags that change the schema, and holds it to the rules of training.
func (t *trainCommand) declare(s *data.Schema) (*data.Schema, error) {
	if t.records < 0 || t.maxRecords < 0 {
		return nil, fmt.Errorf("--records is %d and --max-records %d, want positive numbers", t.records, t.maxRecords)
	}
	changed := *s
	if t.records > 0 {
		changed.Records = t.records
	}
	if t.maxRecords > 0 {
		changed.MaxRecords = t.maxRecords
	}
	if t.target != "" && t.target != s.Target.Column {
		if err := retarget(&changed, t.target); err != nil {
			return nil, err
		}
	}
	if err := changed.Validate(); err != nil {
		return nil, err
	}
	if changed.Tainted() && !t.assumePublic {
		return nil, fmt.Errorf("the schema was copied out of the records in part (%s), want declared facts; declare them, or accept that the guarantee does not cover what they reveal with --assume-public", strings.Join(changed.FromData, ", "))
	}
	return &changed, nil
}

// retarget makes the named feature column the target; the old target is ignored.
func retarget(s *data.Schema, name string) error {
	old := s.Target.Column
	columns := []data.Column{{Name: old, Kind: data.Ignored}}
	found := false
	for _, c := range s.Columns {
		if c.Name != name {
			columns = append(columns, c)
			continue
		}
		found = true
		if c.Learning != data.Declared {
			return fmt.Errorf("--target %q has private bounds or levels in the schema, want declared ones; what is predicted must be public", name)
		}
		switch c.Kind {
		case data.Categorical:
			s.Target = data.Target{Column: name, Levels: c.Levels}
		case data.Numeric:
			s.Target = data.Target{Column: name, Lower: c.Lower, Upper: c.Upper}
		default:
			return fmt.Errorf("--target %q is an ignored column of the schema, want a declared one", name)
		}
	}
	if !found {
		return fmt.Errorf("--target is %q, want a column of the schema", name)
	}
	s.Columns = columns
	return nil
}

// checkTest holds the test flags to each other: metrics of a test table need a word on
// whether it is public.
func (t *trainCommand) checkTest() error {
	switch {
	case t.test == "" && (t.testPublic || t.testLabels != ""):
		return fmt.Errorf("--test-public and --test-labels go with --test FILE")
	case t.test != "" && !t.testPublic && !t.printNotPrivate:
		return fmt.Errorf("--test is given without saying whether it is public; add --test-public to put its metrics into the report, or --print-not-private to see them on this terminal only")
	case t.group != "" && t.test == "" && !t.printNotPrivate && t.holdout.holdout == "":
		return fmt.Errorf("--group splits metrics, want a --test table or --holdout with it")
	}
	return nil
}
