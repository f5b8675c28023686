package planaudit

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// needsSchema returns why a plan cannot be trained as a whole without the schema of its tables, or
// "".
func needsSchema(d train.Plan) string {
	for _, step := range d.Preparation {
		if step.Column != "" || step.Kind == option.ChannelStatistic || step.Kind == option.PlaceStatistic {
			return "The plan learns facts about columns or images that only the schema of its model describes. Give the model folder for this attack."
		}
	}
	if d.Holdout != nil && d.Holdout.Evaluation.GroupColumn != "" {
		return "The plan measures groups of a column that only the schema of its model describes. Give the model folder for this attack."
	}
	return ""
}

// madeUpDescent returns a schema of a plan's width: one column whose levels are the features, and a
// target with as many scores as the plan has columns.
func madeUpDescent(d train.Plan) (*data.Schema, *feature.Map, model.Linear, error) {
	target, loss, err := (&world{}).target(d)
	if err != nil {
		return nil, nil, model.Linear{}, err
	}
	levels, constant := d.Dim, 0.0
	if d.Calibration != nil { // it moves the weight of a constant
		levels, constant = d.Dim-1, option.DefaultIntercept
	}
	s := levelsSchema(d.Subject, levels, target)
	if d.Person != nil {
		s.Columns = append(s.Columns, data.Column{Name: d.Person.Column, Kind: data.Ignored})
	}
	if d.SampleWeights != nil {
		s.Columns = append(s.Columns, data.Column{Name: d.SampleWeights.Column, Kind: data.Ignored})
	}
	radius := 1.0
	if d.LastIterate != nil {
		radius = d.LastIterate.RowBound
	} else if boundsRows(d) {
		radius = d.Clipping.Norm
	}
	m, err := mapOf(s, radius)
	if err != nil {
		return nil, nil, model.Linear{}, err
	}
	m.Intercept = constant
	linear, err := model.NewLinear(loss, len(target.Levels), m.Dim())
	return s, m, linear, err
}

// boundsRows reports whether a plan clips rows instead of gradients.
func boundsRows(d train.Plan) bool {
	return slices.Contains([]string{option.ClipExample, option.ClipDataAndParameter}, d.Clipping.Mode)
}

// levelsSchema declares one column of levels.
func levelsSchema(of certificate.Subject, levels int, target data.Target) *data.Schema {
	c := data.Column{Name: "feature", Kind: data.Categorical, Unknown: data.Zero, Missing: data.Zero}
	for i := range levels {
		c.Levels = append(c.Levels, "f"+strconv.Itoa(i))
	}
	return &data.Schema{Name: "made up", Row: "one made-up record", MaxRecords: of.MaxRecords, Records: of.Records, Columns: []data.Column{c}, Target: target}
}

// mapOf returns the map of rows that are no longer than a radius.
func mapOf(s *data.Schema, radius float64) (*feature.Map, error) {
	pipeline, err := feature.NewPipeline(nil, s)
	if err != nil {
		return nil, err
	}
	m := &feature.Map{Pipeline: pipeline, Norm: feature.NormClip, Radius: radius}
	return m, m.Validate()
}

// targetFor returns a target for a loss with this many scores.
func targetFor(l model.Loss, columns int) (data.Target, error) {
	t := data.Target{Column: "label", Missing: data.Drop}
	if l.Columns(0) == columns {
		t.Lower, t.Upper = 0, 1
		return t, nil
	}
	for _, levels := range []int{2, columns} {
		if levels >= 2 && l.Columns(levels) == columns {
			for k := range levels {
				t.Levels = append(t.Levels, strconv.Itoa(k))
			}
			return t, nil
		}
	}
	return t, fmt.Errorf("the plan has loss %s with %d scores, want numbers that go together", l.Name(), columns)
}

// madeUpMinimizer is madeUpDescent for a method of package erm.
func madeUpMinimizer(p erm.Plan) (*data.Schema, *feature.Map, model.Linear, error) {
	loss, err := p.Loss.Loss()
	if err != nil {
		return nil, nil, model.Linear{}, err
	}
	target, err := targetFor(loss, p.Columns)
	if err != nil {
		return nil, nil, model.Linear{}, err
	}
	s := levelsSchema(p.Subject, p.Dim, target)
	m, err := mapOf(s, p.RowBound/(1+0x1p-19)) // a row on the grid may be a little longer
	if err != nil {
		return nil, nil, model.Linear{}, err
	}
	linear, err := model.NewLinear(loss, len(target.Levels), m.Dim())
	return s, m, linear, err
}

// madeUpNetwork is madeUpDescent for a network: a column for each number of its input.
func madeUpNetwork(p neural.Plan, n *network.Network, loss model.Loss) (*data.Schema, *feature.Map, error) {
	target, err := targetFor(loss, n.Output().Size())
	if err != nil {
		return nil, nil, err
	}
	switch p.Network.Layers[0].(type) {
	case network.Embedding, network.EmbeddingBag:
		return nil, nil, fmt.Errorf("the network reads texts, which only the schema of its model describes, want the model folder")
	}
	s := &data.Schema{Name: "made up", Row: "one made-up record", MaxRecords: p.MaxRecords, Records: p.Records, Target: target}
	for i := range n.Input().Size() {
		s.Columns = append(s.Columns, data.Column{Name: "feature" + strconv.Itoa(i), Kind: data.Numeric, Lower: 0, Upper: 1, OutOfRange: data.Clamp, Missing: data.Zero})
	}
	if p.Person != nil {
		s.Columns = append(s.Columns, data.Column{Name: p.Person.Column, Kind: data.Ignored})
	}
	pipeline, err := feature.NewPipeline(nil, s)
	if err != nil {
		return nil, nil, err
	}
	m := &feature.Map{Pipeline: pipeline, Norm: feature.NormNone}
	return s, m, m.Validate()
}
