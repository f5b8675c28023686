package values

import "github.com/ditherml/dither/internal/flags"

// Themes groups the flags of every command in MostUsed. A flag belongs to one theme and means the
// same in all commands.
var Themes = []flags.Theme{
	{"Budget", "epsilon delta epsilon-per-step noise-multiplier neighboring unit max-records-per-person accounting non-private ledger charge population purpose owner"},
	{"Question", "where by edges quantiles points share of blocks noise confidence"},
	{"Settings to compare", "plan repeats baseline select split mark"},
	{"Data", "data table query related labels schema target columns delimiter quote records max-records assume-public data-public sample-weights class-weights"},
	{"Rows and features", "interactions transform center whiten row-normalization row-radius intercept no-intercept feature-bits"},
	{"Model", "model loss loss-width quantile threshold calibrate"},
	{"Networks", "hidden activation embedding input-shape frozen-from train-layers frozen-public"},
	{"Training", "steps epochs learning-rate schedule warm-up optimizer momentum ridge l1 weight-decay average average-decay output-rule temperature"},
	{"Sampling", "sampling-probability batch-size parts sampling"},
	{"Clipping", "clipping clipping-norm parameter-radius"},
	{"Clipping of networks", "clipping-rule clipping-groups clipping-norms clipping-quantile clipping-rate clipping-stability clipping-threshold count-noise projections projection-cap microbatch clip-after-averaging"},
	{"Noise over steps", "noise-allocation correlated-noise noise-bands noise-contraction"},
	{"Method", "method output-noise solver solver-rate solver-steps solver-passes solver-batch sum-ridge choice grid-points grid-reach loss-bound directions l1-radius"},
	{"Measurement", "test test-labels test-public holdout holdout-noise holdout-bins holdout-score-range holdout-residual-bound private bins score-range residual-bound group print-not-private"},
	{"Files", "out replace sign checkpoint checkpoint-every resume sweep cache-features stream"},
	{"Several ranks", "ranks-key ranks-wait"},
	{"Run", "dry-run json quiet physical-batch help"},
}

// MostUsed has, for each command with many flags, the ten flags that its help text shows first.
var MostUsed = map[string]string{
	"train":    "data schema epsilon delta unit model loss holdout out dry-run",
	"sweep":    "data data-public schema epsilon noise-multiplier learning-rate clipping-norm repeats select dry-run",
	"evaluate": "private epsilon delta group threshold ledger charge out replace json",
	"query":    "data schema epsilon delta unit where by noise out json",
}
