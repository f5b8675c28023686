package erm

import (
	"context"
	"fmt"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/release"
	"github.com/ditherml/dither/internal/together"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// Options are settings that do not affect the guarantee.
type Options struct {
	// FeatureBits is the number of bits to which a feature is rounded: 16 or 8. 0 means 16.
	FeatureBits int
}

// fitting is one run of a method over encoded records.
type fitting struct {
	Setup
	options Options
	// rows are the records under the feature map, with their labels: class indices, or targets in
	// [-1, 1]. Their number is private under add-or-remove-one.
	rows *release.Rows
	// data are the records before they were encoded, or nil.
	data *data.Dataset
	// grant pays for the plan's event, in the order in which the event lists its parts.
	grant mechanism.Payer
	// moments are the released sums of a linear method, or nil.
	moments *Moments
}

// Check returns the error that Fit would return for the plan. It reads no record. The context says
// whether several processes train together.
func (s Setup) Check(ctx context.Context) error {
	if err := s.Plan.Validate(); err != nil {
		return err
	}
	m, err := methodOf(s.Plan.Method)
	if err != nil {
		return err
	}
	if _, sums := m.(linearMethod); together.From(ctx) != nil && (!sums || s.Plan.NonPrivate) {
		return fmt.Errorf("erm: method %s is asked for by several processes, want one process, or %s or %s", s.Plan.Method, option.MethodGD, option.MethodSufficientStatistics)
	}
	return nil
}

// Fit returns the model that the plan's method trains on the data. It encodes the records, reserves
// the plan's event, and releases the result of the method. It returns an error if there is no
// target or if there are more than MaxRecords records.
//
// If an error occurs after the reservation, the reserved cost stays spent. Such an error does not
// depend on values of records. For a method that releases sums of products for a regression, the
// result also contains train.Result.Inference.
func Fit(ctx context.Context, l *ledger.Ledger, s Setup, d *data.Dataset, o Options) (*train.Result, error) {
	if err := s.Check(ctx); err != nil {
		return nil, err
	}
	if d.Target() == nil || d.Records() > s.Plan.MaxRecords {
		return nil, fmt.Errorf("erm: the data set has no target or more rows than max-records %d; raise the declared bound", s.Plan.MaxRecords)
	}
	m, err := methodOf(s.Plan.Method)
	if err != nil {
		return nil, err
	}
	rows, err := train.Encode(s.Features, s.Schema, d, o.FeatureBits)
	if err != nil {
		return nil, err
	}
	if err = ctx.Err(); err != nil {
		return nil, fmt.Errorf("erm: stopped before anything was spent: %w", err)
	}
	grant, err := l.Reserve(s.Plan.Event(), s.Plan.Method)
	if err != nil {
		return nil, err
	}
	f := &fitting{Setup: s, options: o, rows: rows, data: d, grant: together.Payer(ctx, grant)}
	if err = f.center(); err != nil {
		return nil, err
	}
	weights, err := m.fit(ctx, f)
	if err != nil {
		return nil, err
	}
	fitted, err := model.New(s.Schema, f.Features, s.Model.Loss, weights)
	if err != nil {
		return nil, err
	}
	fitted.Provenance.Private = !s.Plan.NonPrivate
	return &train.Result{Model: fitted, Inference: f.inference(weights)}, nil
}

// noise returns the noise of a plan, or no noise for a baseline.
func (p Plan) noise(n mechanism.Noise) mechanism.Noise {
	if p.NonPrivate {
		return mechanism.NonPrivate{}
	}
	return n
}
