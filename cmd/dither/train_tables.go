package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/measures"
	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/internal/training"
)

// builtinPrefix marks the name of a built-in data set in place of a table.
const builtinPrefix = tabular.Prefix

// defaultSet is the built-in data set of the first run.
const defaultSet = "randhie"

// tables are the schema and the readers of one run's tables.
type tables struct {
	schema *data.Schema
	name   string // the name of the training table
	train  func(context.Context) (*data.Dataset, error)
	test   func(context.Context) (*data.Dataset, error) // returns nil without a test table
	// check returns the error with which a reader would refuse its table before the first record.
	check      func(context.Context) error
	testName   string
	testPublic bool
}

// told returns the description of a run's tables.
func (t *trainCommand) told(source tables) training.Tables {
	return training.Tables{Schema: source.schema, Name: source.name, Source: together.Named(t.streamed, t.named), Stream: t.stream, Builtin: strings.HasPrefix(source.name, builtinPrefix), Argument: t.tablePath,
		Owner: t.owner, Purpose: t.wish.Purpose, Extra: t.personColumn(source.schema), TestName: source.testName, TestPublic: source.testPublic, Group: t.group}
}

// open determines the tables to read from the flags alone.
func (t *trainCommand) open() (tables, error) {
	name, isBuiltin := strings.CutPrefix(t.tablePath, builtinPrefix)
	if t.tablePath == "" {
		name, isBuiltin = defaultSet, true
	}
	if isBuiltin {
		return t.openBuiltin(name)
	}
	named, err := t.table.Source(t.tablePath)
	if err != nil {
		return tables{}, err
	}
	path, own := t.of.Expand(t.tablePath, &t.table.Query, &t.table.Labels)
	source, err := t.table.Source(path)
	if err != nil {
		return tables{}, err
	}
	if source, err = t.of.Share(source, own, t.person()); err != nil {
		return tables{}, err
	}
	if t.schema == "" {
		return tables{}, fmt.Errorf("--schema is missing, want a schema file for %s; draft one with: dither schema init %s %s", source.Path, t.table.Words(t.tablePath), t.draftTarget())
	}
	schema, err := t.table.Schema(t.schema, path, data.ReadSchema)
	if err != nil {
		return tables{}, err
	}
	if schema, err = t.declared.Apply(schema); err != nil {
		return tables{}, err
	}
	held, err := t.table.Test(t.test, t.testLabels)
	if err != nil {
		return tables{}, err
	}
	t.named, t.streamed, t.sources = &named, &source, [2]data.Source{source, held}
	out := tables{schema: schema, name: named.Path, testName: held.Path, testPublic: t.testPublic}
	out.train = func(ctx context.Context) (*data.Dataset, error) {
		return data.Read(ctx, schema, source, data.ReadOptions{Extra: t.personColumn(schema)})
	}
	heldOptions := data.ReadOptions{MaxRecords: maxTestRecords, Extra: training.Besides(schema, t.group)}
	out.test = func(ctx context.Context) (*data.Dataset, error) {
		if t.test == "" || !t.of.Root() {
			return nil, nil
		}
		return data.Read(ctx, schema, held, heldOptions)
	}
	out.check = func(ctx context.Context) error {
		_, err := data.Resolve(ctx, schema, source, data.ReadOptions{Extra: t.personColumn(schema)})
		if err == nil && t.test != "" {
			_, err = data.Resolve(ctx, schema, held, heldOptions)
		}
		return err
	}
	return out, t.checkTest()
}

// draftTarget returns the flag that names the target of a draft, or the file of labels if there is
// one.
func (t *trainCommand) draftTarget() string {
	if t.table.Labels != "" {
		return "--labels " + t.table.Labels
	}
	return "--target COLUMN"
}

// maxTestRecords bounds the rows of a test table. Their number is not private here.
const maxTestRecords = 1 << 30

func (t *trainCommand) openBuiltin(name string) (tables, error) {
	if t.schema != "" || t.test != "" || t.table.Labels != "" || t.table.Related != nil {
		return tables{}, fmt.Errorf("--schema, --test, --labels and --related go with --data FILE; the built-in data set %q brings its own", name)
	}
	set, err := builtin.Open(name)
	if err != nil {
		return tables{}, err
	}
	declared, err := set.Schema()
	if err != nil {
		return tables{}, err
	}
	schema, err := t.declared.Apply(declared)
	if err != nil {
		return tables{}, err
	}
	read := func(file func(context.Context, *data.Schema, data.ReadOptions) (*data.Dataset, error), o data.ReadOptions) func(context.Context) (*data.Dataset, error) {
		return func(ctx context.Context) (*data.Dataset, error) { return file(ctx, schema, o) }
	}
	check := func(context.Context) error {
		return schema.CheckExtra(append(t.personColumn(schema), training.Besides(schema, t.group)...))
	}
	train := read(set.ReadTrain, data.ReadOptions{Extra: t.personColumn(schema)})
	part := func(ctx context.Context) (*data.Dataset, error) {
		d, failed := train(ctx)
		if failed != nil {
			return nil, failed
		}
		return t.of.Part(d, t.person())
	}
	return tables{schema: schema, name: builtinPrefix + name, check: check, testName: "the public test split of " + set.Title, testPublic: true,
		train: part, test: read(set.ReadTest, data.ReadOptions{MaxRecords: maxTestRecords, Extra: training.Besides(schema, t.group)})}, nil
}

// person returns the column that names persons, if they are the unit, or "".
func (t *trainCommand) person() string {
	if column, persons := strings.CutPrefix(t.plan.unit, "person:"); persons {
		return column
	}
	return ""
}

// personColumn returns the columns of persons and of weights, which are read even if they are no
// features.
func (t *trainCommand) personColumn(s *data.Schema) []string {
	person, more := t.person(), training.Besides(s, t.holdout.weightColumn())
	if person != "" && !measures.NamesPersons(s, person) && !slices.Contains(more, person) {
		more = append(more, person)
	}
	return more
}

// checkTest checks the test flags: metrics of a test table require a statement whether the table is
// public.
func (t *trainCommand) checkTest() error {
	switch {
	case t.of != nil && t.printNotPrivate:
		return fmt.Errorf("--print-not-private is given to several ranks, want one process; no rank has all records")
	case t.test == "" && (t.testPublic || t.testLabels != ""):
		return fmt.Errorf("--test-public and --test-labels go with --test FILE")
	case t.test != "" && !t.testPublic && !t.printNotPrivate:
		return fmt.Errorf("--test is given without saying whether it is public; add --test-public to put its metrics into the report, or --print-not-private to see them on this terminal only")
	case t.group != "" && t.test == "" && !t.printNotPrivate && t.holdout.holdout == "":
		return fmt.Errorf("--group splits metrics, want a --test table or --holdout with it")
	}
	return nil
}
