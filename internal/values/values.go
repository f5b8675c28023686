// Package values lists what flags of the command may be set to, and how help texts group them.
package values

import (
	"fmt"
	"slices"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/budget"
	"github.com/ditherml/dither/internal/calibration"
	"github.com/ditherml/dither/internal/export"
	"github.com/ditherml/dither/internal/layers"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/scoreaudit"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
	"github.com/ditherml/dither/train/erm"
)

// OfFlags are the values of flags with few values. The key is the flag's name, or "command
// --flag" for a command's own values. An entry for a command that lacks the flag does no harm.
var OfFlags = map[string]func() []string{
	"accountant":       Accountants,
	"accounting":       option.Accountings,
	"activation":       func() []string { return []string{"tanh", "relu", "gelu", "sigmoid"} },
	"average":          func() []string { return append([]string{"auto", "yes", "no"}, option.Averages()...) },
	"center":           func() []string { return []string{"auto", "yes", "no"} },
	"choice":           func() []string { return []string{option.ChoiceFlip, option.ChoiceExponential} },
	"class-weights":    func() []string { return []string{"balanced"} },
	"clipping":         option.ClippingModes,
	"clipping-groups":  func() []string { return []string{"all", "per-layer"} },
	"clipping-rule":    Rules,
	"correlated-noise": option.CorrelatedKinds,
	"design":           scoreaudit.Designs,
	"dialect":          export.Dialects,
	"feature-bits":     func() []string { return []string{"8", "16"} },
	"filter":           func() []string { return []string{budget.RDP, budget.GDP, budget.ZCDP, budget.Basic} },
	"find":             func() []string { return calibration.Numbers },
	"holdout":          func() []string { return []string{"private:0.2"} },
	"holdout-noise":    measuringNoise,
	"loss":             lossNames,
	"method":           methodNames,
	"model":            func() []string { return []string{layers.Linear, layers.MLP, layers.CNN, layers.Text} },
	"neighboring": func() []string {
		return Texts([]privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut})
	},
	"noise":            func() []string { return []string{"laplace", "gaussian", "discrete"} },
	"evaluate --noise": measuringNoise,
	"noise-allocation": option.Allocations,
	"of":               query.AggregateNames,
	"optimizer":        optimizerNames,
	"output-noise": func() []string {
		return []string{option.NoiseGaussian, option.NoiseL1, option.NoiseL2, option.NoiseLInfinity}
	},
	"interactions": func() []string { return []string{"none", "bins", "auto", "all"} },
	"output-rule":  option.OutputRules,
	"row-normalization": func() []string {
		return Texts([]feature.Normalization{feature.NormUnit, feature.NormClip, feature.NormNone})
	},
	"row-radius":        func() []string { return []string{"private"} },
	"sampling":          option.Samplings,
	"schedule":          option.Schedules,
	"solver":            func() []string { return []string{option.SolverExact, option.SolverGradient, option.SolverPermuted} },
	"train --threshold": func() []string { return []string{"0.5", "best", "balanced"} },
	"train-layers":      func() []string { return []string{"last"} },
	"export --to":       export.Formats,
	"transform":         feature.TransformNames,
	"unit":              func() []string { return []string{"row", "person:"} },
	"whiten":            whitenings,
}

// Texts lists values in the spelling of flags.
func Texts[T any](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = fmt.Sprint(v)
	}
	return out
}

func measuringNoise() []string { return []string{"laplace", "gaussian"} }

func lossNames() []string {
	var names []string
	for _, l := range model.Losses() {
		names = append(names, l.Name())
	}
	return names
}

// methodNames returns the methods with a summary of each.
func methodNames() []string {
	names := []string{option.MethodAuto + "\tchosen by public numbers", option.MethodGD + "\tgradient descent with noise in every step", option.MethodSGD + "\tthe same on samples"}
	for _, name := range erm.Names() {
		names = append(names, name+"\t"+erm.Summary(name))
	}
	return names
}

func optimizerNames() []string {
	names := append(option.Optimizers(), option.NetworkOptimizers()...)
	slices.Sort(names)
	return slices.Compact(names)
}

func whitenings() []string {
	return append([]string{"auto", "yes", "no"}, option.Structures()...)
}

// Accountants lists the names of accountants.
func Accountants() []string {
	var names []string
	for _, a := range account.All() {
		names = append(names, a.Name())
	}
	return names
}

// Rules lists the clipping rules of networks.
func Rules() []string {
	var names []string
	for _, r := range option.ClippingRules() {
		names = append(names, r[0])
	}
	return names
}
