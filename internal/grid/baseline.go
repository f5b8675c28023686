package grid

import (
	"slices"

	"github.com/ditherml/dither/sweep"
)

// budget are the settings that a run without privacy lacks.
var budget = []string{"epsilon", "epsilon-per-step", "delta", "noise-multiplier", "noise-contraction", "accounting", "count-noise", "correlated-noise", "noise-bands"}

// ofBudget reports whether a setting belongs to the budget. A run without privacy lacks such
// settings.
func ofBudget(name string) bool { return slices.Contains(budget, name) }

// baselines returns the configurations without the settings of the budget, each once.
func baselines(configurations [][]sweep.Setting) []sweep.Candidate {
	var out []sweep.Candidate
	for _, settings := range configurations {
		c := sweep.Candidate{Baseline: true}
		for _, one := range settings {
			if !ofBudget(one.Name) {
				c.Settings = append(c.Settings, one)
			}
		}
		if !slices.ContainsFunc(out, func(o sweep.Candidate) bool { return slices.Equal(o.Settings, c.Settings) }) {
			out = append(out, c)
		}
	}
	return out
}
