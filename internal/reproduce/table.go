package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ditherml/dither/internal/experiment"
)

// Publicly is on every page and table of reproductions.
const Publicly = "public data sets. The epsilon of each run is the guarantee of this run alone, if its records were private"

// reproductions is the table of experiments, one line each, in the order in which they are listed
// and run.
var reproductions = []func() experiment.Reproduction{
	book,
	composition,
	salary,
	theorems,
	rank,
	unbounded,
	leastSquares,
	generalization,
	aggregate,
	fashionCost,
	fashion,
	convergence,
	mnistSigmoid,
	mnistNetworks,
	clipping,
	clippingRules,
}

// Reproductions returns all experiments, in order.
func Reproductions() []experiment.Reproduction {
	all := make([]experiment.Reproduction, len(reproductions))
	for i, r := range reproductions {
		all[i] = r()
	}
	return all
}

// Named returns the experiments of these names, each once, in the order of the table. An unknown
// name is an error that lists the known ones.
func Named(names ...string) ([]experiment.Reproduction, error) {
	all, known := Reproductions(), []string(nil)
	for _, r := range all {
		known = append(known, r.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("reproduce: experiment is %q, want some of: %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(r experiment.Reproduction) bool { return !slices.Contains(names, r.Name) }), nil
}

// Linear returns the experiments that are deterministic or train linear models only.
func Linear() []experiment.Reproduction {
	return slices.DeleteFunc(Reproductions(), func(r experiment.Reproduction) bool { return !r.Linear })
}
