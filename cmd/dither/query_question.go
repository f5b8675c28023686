package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/asking"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// answerName is the name of the answer inside its folder.
const answerName = query.FileName

// question checks the command line against the schema. No record is read.
func (k *queryCommand) question(args []string) (*query.Question, error) {
	switch {
	case len(args) == 0:
		return nil, fmt.Errorf("no statistic is named, want one of %s; see dither query --help", statisticNames())
	case k.path == "":
		return nil, fmt.Errorf("--data and --schema are wanted, a table and the schema that declares it; try --data builtin:%s, which has both", defaultSet)
	}
	p := k.plan
	p.Statistic, p.Expressions = query.Statistic(args[0]), args[1:]
	if err := k.only(p.Statistic); err != nil {
		return nil, err
	}
	k.fill(&p)
	var err error
	if p.Neighboring, err = privacy.ParseNeighboring(k.neighboring); err != nil {
		return nil, err
	}
	if p.Person, err = k.person(); err != nil {
		return nil, err
	}
	if !(k.share > 0 && k.share < 1) {
		return nil, fmt.Errorf("--share is %v, want more than 0 and less than 1; half of it lies on either side of the bounds", k.share)
	}
	s, err := k.readSchema()
	if err != nil {
		return nil, err
	}
	return query.NewQuestion(s, p)
}

// fill sets the statistic's flags that have a default.
func (k *queryCommand) fill(p *query.Plan) {
	switch p.Statistic {
	case "quantiles":
	case "bounds":
		p.Quantiles = []float64{k.share / 2, 1 - k.share/2}
	default:
		p.Quantiles = nil
	}
	if p.Statistic == "categories" {
		p.ThresholdDelta = p.Delta / 2
	}
	if p.Statistic != "aggregate" {
		p.Of, p.Blocks = "", 0
	}
}

// person reads the unit of privacy.
func (k *queryCommand) person() (*query.Person, error) {
	u, err := (&planFlags{unit: k.unit, maxRecordsPerPerson: k.rowsOfPerson}).person()
	if err != nil || u == nil {
		return nil, err
	}
	return &query.Person{Column: u.Column, MaxRows: u.MaxRows}, nil
}

// readSchema reads the schema of the table. A built-in data set has its own.
func (k *queryCommand) readSchema() (*data.Schema, error) {
	name, isBuiltin := strings.CutPrefix(k.path, builtinPrefix)
	switch {
	case k.schema != "":
		return k.table.Schema(k.schema, k.path, data.ReadTableSchema)
	case !isBuiltin:
		return nil, fmt.Errorf("--schema is missing, want the schema that declares %s; draft one with: dither schema init %s", k.path, k.path)
	}
	set, err := builtin.Open(name)
	if err != nil {
		return nil, err
	}
	return set.Schema()
}

// only refuses flags of other statistics.
func (k *queryCommand) only(s query.Statistic) error {
	for _, d := range asking.Details() {
		if k.changed(d.Name) && !slices.Contains(d.Of, s) {
			return fmt.Errorf("--%s goes with %s, not with %s", d.Name, d.Of[0], s)
		}
	}
	return nil
}

func statisticNames() string {
	var names []string
	for _, s := range query.Statistics() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}
