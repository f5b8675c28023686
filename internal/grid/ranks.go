package grid

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/internal/journal"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/sweep"
)

// whole returns an error unless every rank of a run can read the whole tables.
func (p *Plan) whole(of *together.Run) error {
	names := []string{p.Table}
	for _, f := range p.Files {
		names = append(names, f.Value)
	}
	for _, d := range p.Databases {
		if d != nil {
			names = append(names, d.Name())
		}
	}
	return of.Whole(names...)
}

// share reads the tables. If several ranks make the runs together, they agree on the runs, and each keeps
// its part of the training rows.
func (p *Plan) share(ctx context.Context, of *together.Run, d journal.Definition) error {
	plan, err := json.Marshal(d)
	if err == nil {
		err = of.Agree(plan)
	}
	if err == nil {
		err = p.read(ctx)
	}
	if err != nil {
		return err
	}
	person := ""
	for _, unit := range p.all("unit") {
		if column, persons := strings.CutPrefix(unit, "person:"); persons {
			person = column
		}
	}
	p.parts.training, err = of.Part(p.parts.training, person)
	return err
}

// tell tells other ranks which runs have ended before.
func (p *Plan) tell(of *together.Run, results sweep.Journal) error {
	if of == nil {
		return nil
	}
	ended := map[string]bool{}
	for i := range p.Candidates {
		c := &p.Candidates[i]
		for repeat := range c.Runs(p.Repeats) {
			run := sweep.Run{Settings: c.Settings, Baseline: c.Baseline, Repeat: repeat + 1}
			if _, has := results.Result(run); has {
				name, err := nameOf(run)
				if err != nil {
					return err
				}
				ended[name] = true
			}
		}
	}
	text, err := json.Marshal(ended)
	if err == nil {
		_, err = of.Tell(text)
	}
	return err
}

// nameOf is the name of a run among ranks.
func nameOf(r sweep.Run) (string, error) {
	text, err := json.Marshal(r)
	return string(text), err
}

// follow makes the runs of a rank that is not the root. It measures nothing, and writes no files.
func (p *Plan) follow(ctx context.Context, of *together.Run) error {
	text, err := of.Tell(nil)
	if err != nil {
		return err
	}
	ended := followed{}
	if err = json.Unmarshal(text, &ended); err != nil {
		return failure.Running(errors.New("the root sent what is no list of runs, want the same program on all ranks"))
	}
	runs := sweep.Sweep{Candidates: p.Candidates, Repeats: p.Repeats, Training: p.parts.training, Journal: ended}
	if _, err = runs.Run(ctx); err != nil {
		return failure.Running(err)
	}
	return nil
}

// followed has the names of the runs that have ended before, at a rank that keeps no results.
type followed map[string]bool

func (followed) Begin([]sweep.Run) error       { return nil }
func (followed) End([]sweep.Measurement) error { return nil }

func (f followed) Result(r sweep.Run) (sweep.Measurement, bool) {
	name, err := nameOf(r)
	return sweep.Measurement{Run: r}, err == nil && f[name]
}
