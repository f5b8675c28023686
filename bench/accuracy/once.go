package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// parts are a set's two parts, encoded.
type parts struct {
	schema         *data.Schema
	training, test *train.Table
	records        *data.Dataset // the rows of training
	testing        *data.Dataset // the rows of test
	seconds        float64
}

// outcome is the result of one run.
type outcome struct {
	score    float64 // accuracy, or R²
	settings string
}

// request asks for a model of a set.
func (s settings) requestFor(c set, epsilon float64) (train.Request, error) {
	r := s.request
	r.Epsilon, r.Delta, r.Neighboring, r.Person = epsilon, s.delta, privacy.AddOrRemoveOne, c.person
	var err error
	r.Transforms, err = c.chain()
	return r, err
}

// prepare reads and encodes a set.
func (s settings) prepare(ctx context.Context, c set) (p parts, err error) {
	if p.schema, err = c.schema(); err != nil {
		return p, err
	}
	training, test, err := c.read(ctx, p.schema, s.folder)
	if err != nil {
		return p, err
	}
	name := c.name
	if s.validation {
		training, test = everySixth(training)
		if p.schema.Records > 0 {
			p.schema.Records = training.Records()
		}
		name += "-validation"
	}
	r, err := s.requestFor(c, 1)
	if err != nil {
		return p, err
	}
	r.Delta = defaultDelta // features do not depend on it
	setup, err := train.NewPlan(r, p.schema)
	if err != nil {
		return p, err
	}
	began := time.Now()
	p.records, p.testing = training, test
	if p.training, err = s.encode(setup, training, name+"-training"); err == nil {
		p.test, err = s.encode(setup, test, name+"-test")
	}
	p.seconds = time.Since(began).Seconds()
	return p, err
}

// everySixth takes every sixth record out of a part.
func everySixth(d *data.Dataset) (rest, sixth *data.Dataset) {
	var parts [2][]int
	for i := range d.Records() {
		part := 0
		if i%6 == 5 {
			part = 1
		}
		parts[part] = append(parts[part], i)
	}
	return d.Take(parts[0]), d.Take(parts[1])
}

// encode returns the encoded records. For rows with transforms it uses the records that an earlier
// call kept.
func (s settings) encode(setup train.Setup, d *data.Dataset, name string) (*train.Table, error) {
	if s.features == "" || !setup.Features.Transforms() {
		return train.NewTable(setup, d, 0)
	}
	path := filepath.Join(s.features, name+".rows")
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = keep(path, setup, d); err == nil {
			file, err = os.Open(path)
		}
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return train.ReadTable(setup, file, info.Size())
}

// keep writes the encoded records to a file that gets its name when it is complete.
func keep(path string, setup train.Setup, d *data.Dataset) error {
	file, err := os.OpenFile(path+".part", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	e, err := train.NewEncoder(setup, train.Options{}, file)
	if err == nil {
		err = e.Append(d)
	}
	if err == nil {
		err = e.Close(nil)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// once trains once and measures on the test part.
func (s settings) once(ctx context.Context, c set, p parts, epsilon float64) (out outcome, err error) {
	r, err := s.requestFor(c, epsilon)
	if err != nil {
		return out, err
	}
	setup, err := train.NewPlan(r, p.schema)
	if err != nil {
		return out, err
	}
	budget, err := budgetOf(epsilon, s.delta, setup.Plan.Unit, setup.Plan.RowsPerPerson)
	if err != nil {
		return out, err
	}
	result, err := p.training.Fit(ctx, budget, setup, s.options)
	if err != nil {
		return out, err
	}
	if out.score, err = p.score(result.Model, c.regression); err != nil {
		return out, err
	}
	out.settings = fmt.Sprintf("steps %d, clipping norm %.3g, learning rate %.3g", setup.Plan.Steps, setup.Plan.Clipping.Norm, result.LearningRate)
	return out, nil
}

// score measures a model on the test part.
func (p parts) score(m *model.Model, regression bool) (float64, error) {
	predictions, targets, err := p.predict(m)
	if err != nil {
		return 0, err
	}
	if regression {
		numbers := make([]float64, len(targets))
		for i, v := range targets {
			numbers[i] = float64(v)
		}
		measured, failed := evaluate.Regress(numbers, predictions, nil)
		return float64(measured.R2), failed
	}
	labels := make([]int, len(targets))
	for i, v := range targets {
		labels[i] = int(v)
	}
	measured, err := evaluate.Classify(p.schema.Target.Levels, labels, predictions, 0.5, nil)
	if err == nil && !measured.Accuracy.Defined() {
		return math.NaN(), fmt.Errorf("the accuracy is not defined, want labelled records")
	}
	return float64(measured.Accuracy), err
}

// predict returns the predictions for the test part and its targets.
func (p parts) predict(m *model.Model) ([]float64, []float32, error) {
	if m.Features().Whitening != nil {
		predictions, _, err := p.test.Predict(m)
		return predictions, p.testing.Target(), err
	}
	k, scratch := m.Outputs(), m.NewScratch()
	predictions, values := make([]float64, p.testing.Records()*k), make([]float32, m.Features().Encoder().Values())
	for i := range p.testing.Records() {
		m.Predict(predictions[i*k:(i+1)*k], p.testing.Row(values, i), scratch)
	}
	return predictions, p.testing.Target(), nil
}
