package wording

import (
	"fmt"
	"strings"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/neural"
)

// NetworkReleases returns a plan's releases with their shares of the Rényi divergence at the order
// that prices the plan.
func NetworkReleases(p neural.Plan) []report.Event {
	parts, sequence := p.Event().(mechanism.Sequence)
	if !sequence {
		parts = mechanism.Sequence{p.Event()}
	}
	var out []report.Event
	counted := "number of rows"
	if p.Person != nil {
		counted = "number of persons"
	}
	if (p.Records == 0 || p.Person != nil) && len(parts) == 2 {
		out = append(out, networkEvent(p, counted, parts[0]))
		steps := parts[1]
		if parts, sequence = steps.(mechanism.Sequence); !sequence {
			parts = mechanism.Sequence{steps}
		}
	}
	for i, e := range parts {
		purpose := "gradient steps"
		if i < len(p.Interrupted) {
			purpose = "gradient steps of a run that was interrupted"
		}
		out = append(out, networkEvent(p, purpose, e))
	}
	total := 0.0
	for _, e := range out {
		total += e.Share
	}
	for i := range out {
		out[i].Share /= total
	}
	return out
}

// networkEvent is one line of events, whose share is not yet one of all.
func networkEvent(p neural.Plan, purpose string, e mechanism.Event) report.Event {
	out := report.Event{Purpose: purpose, Text: Brief(e), Count: 1, Share: 1}
	if r, repeated := e.(mechanism.Repeat); repeated {
		out.Count = r.Count
		out.Share = float64(r.Count)
	}
	_, order, err := account.RDP{}.Best(p.Event(), p.Delta, p.Neighboring)
	if err != nil || p.NonPrivate {
		return out
	}
	if curve, curveErr := (account.RDP{Orders: []float64{order}}).Curve(e, p.Neighboring); curveErr == nil {
		out.Share = curve[0]
	}
	return out
}

// Releases returns the plan's releases with their shares of the budget. Shares are of μ², or under
// RDP of the divergence at the order that prices the plan.
func Releases(p train.Plan) []report.Event {
	all := p.Training()
	out := make([]report.Event, len(all))
	total := 0.0
	for i, e := range all {
		out[i] = report.Event{Purpose: "gradient steps", Text: Brief(e), Count: p.Steps, Share: weight(p, e)}
		if i < len(p.Preparation) {
			out[i].Purpose, out[i].Count = Statistic(p.Preparation[i].Kind)+p.Preparation[i].Column, 1
		}
		if i > len(p.Preparation) {
			out[i].Purpose, out[i].Count = Statistic(p.Calibration.Kind), e.(mechanism.Repeat).Count
		}
		total += out[i].Share
	}
	for i := range out {
		out[i].Share /= total
	}
	if p.Holdout != nil {
		out = append(out, report.Event{Purpose: "measures on the held-out records, which pay for these alone", Text: Brief(p.Holdout.Evaluation.Event()), Count: 1})
	}
	return out
}

// weight returns the contribution of an event to the sum that the plan's accountant bounds. For a
// baseline it is the number of releases.
func weight(p train.Plan, e mechanism.Event) float64 {
	if p.NonPrivate {
		if r, repeated := e.(mechanism.Repeat); repeated {
			return float64(r.Count)
		}
		return 1
	}
	if s, ok := e.(mechanism.Sequence); ok && len(s) > 0 { // noise, and a part of delta with it
		e = s[0]
	}
	filter, err := p.Filter()
	if err != nil {
		return 0
	}
	if rdp, sampled := filter.(account.RDP); sampled {
		curve, failed := rdp.Curve(e, p.Neighboring)
		if failed != nil {
			return 0
		}
		return curve[0]
	}
	mu, err := account.Mu(e, p.Neighboring)
	if err != nil {
		return 0
	}
	return mu * mu
}

// Brief returns an event as text with its numbers cut to six digits.
func Brief(e mechanism.Event) string {
	switch e := e.(type) {
	case mechanism.Gaussian:
		return fmt.Sprintf("gaussian(%.6g)", e.NoiseMultiplier)
	case mechanism.KNorm:
		return fmt.Sprintf("k-norm(%.6g)", e.NoiseMultiplier)
	case mechanism.PoissonSampled:
		return fmt.Sprintf("poisson(%v, %s)", e.Probability, Brief(e.Event))
	case mechanism.WithoutReplacement:
		return fmt.Sprintf("without-replacement(%d, %d, %s)", e.Records, e.Batch, Brief(e.Event))
	case mechanism.Partition:
		return fmt.Sprintf("partition(%d, %s)", e.Parts, Brief(e.Event))
	case mechanism.JLClipping:
		return fmt.Sprintf("jl-clipping(%.6g, %d, %v, %v)", e.NoiseMultiplier, e.Projections, e.Cap, e.Probability)
	case mechanism.BandedMatrix:
		return fmt.Sprintf("banded-matrix(%.6g, %d, %d, %v)", e.NoiseMultiplier, e.Bands, e.Steps, e.Probability)
	case mechanism.TreeAggregation:
		return fmt.Sprintf("tree-aggregation(%.6g, %d)", e.NoiseMultiplier, e.Steps)
	case mechanism.Exponential:
		return fmt.Sprintf("exponential(%.6g)", e.Epsilon)
	case mechanism.AssumedDP:
		return fmt.Sprintf("assumed-dp(%.6g, %.6g)", e.Epsilon, e.Delta)
	case mechanism.Sequence:
		if n := len(e); n > 8 {
			return fmt.Sprintf("sequence(%s, … %d in all …, %s)", Brief(e[0]), n, Brief(e[n-1]))
		}
		parts := make([]string, len(e))
		for i, part := range e {
			parts[i] = Brief(part)
		}
		return "sequence(" + strings.Join(parts, ", ") + ")"
	case mechanism.LastIterate:
		return fmt.Sprintf("last-iterate(%.6g, %.6g, %d)", e.NoiseMultiplier, e.Contraction, e.Steps)
	case mechanism.Repeat:
		return fmt.Sprintf("repeat(%d, %s)", e.Count, Brief(e.Event))
	}
	return e.String()
}

// Statistic returns the name of a release besides the steps, which precedes the name of its column.
func Statistic(kind string) string { return statisticWords[kind] }

var statisticWords = map[string]string{
	option.BoundsStatistic:            "bounds of ",
	option.BinsStatistic:              "bins of ",
	option.LevelsStatistic:            "levels of ",
	option.CountStatistic:             "number of rows",
	option.MeanStatistic:              "mean row, for centering",
	option.FrequencyStatistic:         "frequencies of features, for scaling",
	option.RadiusStatistic:            "norms of rows, for their median",
	option.CovarianceStatistic:        "covariance, for whitening",
	option.VarianceStatistic:          "variances, for scaling",
	option.ChannelStatistic:           "covariance of channels, for whitening",
	option.PlaceStatistic:             "covariance of places, for whitening",
	option.CalibrationStatistic:       "errors of the probabilities, for their correction",
	option.NumberCalibrationStatistic: "errors of the predictions, for their correction",
	option.LabelsStatistic:            "rows of each level, for their weights",
}
