package training

import (
	"context"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
)

// minimizer is a method of package erm.
type minimizer struct{ *Run }

// Minimizer returns the plan of a method of package erm. The argument whole is the epsilon of the
// whole run, or 0 if the request has the epsilon of each release.
func Minimizer(request erm.Request, whole float64, o train.Options, t Tables) (*Run, error) {
	var setup erm.Setup
	draft, err := draft.Within(whole, func(epsilon float64) (certificate.Certificate, error) {
		asked := request
		if whole != 0 {
			asked.Epsilon = epsilon
		}
		var failed error
		if setup, failed = erm.NewSetup(asked, t.Schema); failed != nil {
			return certificate.Certificate{}, failed
		}
		return setup.Plan.Certificate()
	})
	if err != nil {
		return nil, err
	}
	r := &Run{Tables: t, Setup: shared(setup), Other: &setup, Options: o, Draft: draft}
	r.method = minimizer{r}
	r.declare(setup.Plan.Premises(), r.Setup)
	return r, nil
}

func (r minimizer) untrained() (*model.Model, error) { return descent(r).untrained() }

func (r minimizer) fit(ctx context.Context, l *ledger.Ledger) (*train.Result, error) {
	return erm.Fit(ctx, l, *r.Other, r.Records, erm.Options{FeatureBits: r.Options.FeatureBits})
}

func (r minimizer) warnings() []string {
	if r.Other.Plan.NonPrivate {
		return []string{baselineWarning}
	}
	if absentStates(r.Setup.Schema) {
		return []string{noisyStatesWarning}
	}
	return nil
}

func (r minimizer) noise() string { return "" }

// releases returns the releases with their shares of the Rényi divergence at the order that prices
// the plan.
func (r minimizer) releases() []report.Event {
	p := r.Other.Plan
	steps, total := p.Steps(), 0.0
	out := make([]report.Event, len(steps))
	for i, s := range steps {
		out[i] = report.Event{Purpose: s.Purpose, Text: wording.Brief(s.Event), Count: 1, Share: share(p, s.Event)}
		if n, repeated := s.Event.(mechanism.Repeat); repeated {
			out[i].Count = n.Count
		}
		total += out[i].Share
	}
	for i := range out {
		out[i].Share /= total
	}
	return out
}

func (r minimizer) facts(result *train.Result) []report.Fact {
	m := result.Model
	out := []report.Fact{
		{Name: "model", Value: linearWords(m)},
		{Name: "method", Value: r.Other.Plan.Method + ": " + erm.Summary(r.Other.Plan.Method)},
		{Name: "rows", Value: rowWords(m.Features())},
	}
	for _, fact := range r.Other.Plan.Facts() {
		out = append(out, report.Fact{Name: fact.Name, Value: fact.Value})
	}
	return out
}

// shared returns the part of a method's setup that package train has too.
func shared(s erm.Setup) train.Setup {
	p := s.Plan
	return train.Setup{Schema: s.Schema, Features: s.Features, Model: s.Model, Plan: train.Plan{Subject: p.Subject, Dim: p.Dim, Columns: p.Columns, NonPrivate: p.NonPrivate}}
}

// share returns the divergence of an event at the order that prices the plan, or 1 without such an
// order.
func share(p erm.Plan, e mechanism.Event) float64 {
	_, order, err := account.RDP{}.Best(p.Event(), p.Delta, p.Neighboring)
	if err != nil || p.NonPrivate {
		return 1
	}
	curve, err := account.RDP{Orders: []float64{order}}.Curve(e, p.Neighboring)
	if err != nil {
		return 1
	}
	return curve[0]
}
