package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/training"
	"github.com/ditherml/dither/internal/values"
	"github.com/ditherml/dither/train"
	"github.com/spf13/pflag"
)

// holdoutFlags are the flags of the held-out part of the training records, and of the threshold.
type holdoutFlags struct {
	flags     *pflag.FlagSet
	holdout   string
	noise     string
	bins      int
	scores    string
	residual  float64
	threshold training.Threshold
	// weights holds the weights of the target's levels.
	weights string
	// rowWeights names the column with the weights of rows.
	rowWeights string
}

func (h *holdoutFlags) add(f *pflag.FlagSet) {
	h.flags = f
	f.StringVar(&h.holdout, "holdout", "", "private:SHARE holds each record (person, with --unit person) out with this probability and measures the model on those, privately; costs nothing beside --epsilon")
	f.StringVar(&h.noise, "holdout-noise", "laplace", "noise of the held-out evaluation: laplace or gaussian")
	f.IntVar(&h.bins, "holdout-bins", 0, fmt.Sprintf("score bins of the held-out evaluation (default %d for two levels, 1 for more)", option.DefaultScoreBins))
	f.StringVar(&h.scores, "holdout-score-range", "", "LOW:HIGH, declared probabilities between which those bins are of equal width in log-odds")
	f.Float64Var(&h.residual, "holdout-residual-bound", 0, "where residuals of a numeric target are cut (default: the range of the target)")
	f.StringVar(&h.weights, "class-weights", "", "weights of the target's levels, in the schema's order, as 1,3; or balanced: by the frequencies of the levels, from a noisy histogram paid for from the budget")
	f.StringVar(&h.rowWeights, "sample-weights", "", "COLUMN:LOW:HIGH, a column with a weight for each row, not a feature, and its declared bounds; weights are applied before clipping")
	f.StringVar((*string)(&h.threshold), "threshold", "", "probability above which the second of two levels is predicted, kept in the model (default 0.5); best or balanced chooses the one with the highest accuracy, or mean of recalls, on the held-out part")
}

// request returns the request for a held-out part, or nil without one.
func (h *holdoutFlags) request(group string) (*train.HoldoutRequest, error) {
	if h.holdout == "" {
		for _, name := range []string{"holdout-noise", "holdout-bins", "holdout-score-range", "holdout-residual-bound"} {
			if h.flags.Changed(name) {
				return nil, fmt.Errorf("--%s is given without --holdout private:SHARE, want both", name)
			}
		}
		return nil, nil
	}
	text, private := strings.CutPrefix(h.holdout, "private:")
	share, err := strconv.ParseFloat(text, 64)
	if !private || err != nil || !(share > 0 && share < 1) {
		return nil, fmt.Errorf("--holdout is %q, want private:SHARE with a share of more than 0 and less than 1, such as private:0.2", h.holdout)
	}
	r := &train.HoldoutRequest{Share: share, Noise: h.noise, Bins: h.bins, ResidualBound: h.residual, GroupColumn: group}
	if r.LowScore, r.HighScore, err = values.ScoreRange(h.scores); err != nil {
		return nil, err
	}
	if h.threshold != "" && !h.threshold.Chooses() {
		r.Threshold, err = h.threshold.Number()
	}
	return r, err
}

// weigh puts the weights of the levels into a request.
func (h *holdoutFlags) weigh(r *train.Request) error {
	var err error
	if r.SampleWeights, err = h.sampleWeights(); err != nil {
		return err
	}
	if h.weights == "" {
		return nil
	}
	if h.weights == "balanced" {
		r.Balance = true
		return nil
	}
	for text := range strings.SplitSeq(h.weights, ",") {
		w, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("--class-weights is %q, want positive numbers with commas between, one a level, or balanced", h.weights)
		}
		r.ClassWeights = append(r.ClassWeights, w)
	}
	return nil
}

// sampleWeights reads COLUMN:LOW:HIGH. An empty text gives nil.
func (h *holdoutFlags) sampleWeights() (*train.SampleWeights, error) {
	if h.rowWeights == "" {
		return nil, nil
	}
	parts := strings.Split(h.rowWeights, ":")
	if n := len(parts); n >= 3 {
		low, errLow := strconv.ParseFloat(parts[n-2], 64)
		high, errHigh := strconv.ParseFloat(parts[n-1], 64)
		if errLow == nil && errHigh == nil && low >= 0 && low <= high && high > 0 && !math.IsInf(high, 1) {
			return &train.SampleWeights{Column: strings.Join(parts[:n-2], ":"), Lower: low, Upper: high}, nil
		}
	}
	return nil, fmt.Errorf("--sample-weights is %q, want COLUMN:LOW:HIGH with 0 ≤ low ≤ high, such as weight:0:10", h.rowWeights)
}

// weightColumn returns the column of weights, or "" for none.
func (h *holdoutFlags) weightColumn() string {
	if w, err := h.sampleWeights(); err == nil && w != nil {
		return w.Column
	}
	return ""
}
