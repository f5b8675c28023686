package training

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ditherml/dither/feature"
)

// Words of the flag interactions: nothing, and what a rule on public numbers chooses.
const (
	NoInteractions   = "none"
	AutoInteractions = "auto"
)

// Transforms returns the specifications of transforms, in order. The first is the one that the words of
// the flag interactions mean, if they mean one. Texts such as "groupnorm:groups=27" describe the others.
// The word AutoInteractions means nothing here: function Improve follows it.
func Transforms(interactions string, texts []string) (specs []feature.Spec, err error) {
	pairs, err := pairsOf(interactions)
	if err != nil {
		return nil, err
	}
	if pairs != nil {
		spec, failed := interactionsSpec(pairs, resolution{})
		if failed != nil {
			return nil, failed
		}
		specs = append(specs, spec)
	}
	for _, text := range texts {
		spec, failed := feature.ParseSpec(text)
		if failed != nil {
			return nil, fmt.Errorf("--transform: %w", failed)
		}
		specs = append(specs, spec)
	}
	return specs, nil
}

// resolution is the finest number of bins of a number, alone, in a pair and among coordinates, and the most
// features of all pairs. A number that is 0 has the default of the transform interactions. It has the pairs of
// columns that are coordinates too, and the columns whose bins are half-logarithmic.
type resolution struct {
	bins, pairBins, coordinateBins, buckets int
	coordinates                             [][]string
	halfLogarithmic                         []string
}

// interactionsSpec returns the transform interactions with these pairs.
func interactionsSpec(pairs any, r resolution) (feature.Spec, error) {
	keys := map[string]any{"pairs": pairs}
	if len(r.coordinates) > 0 {
		keys["coordinates"] = r.coordinates
	}
	if len(r.halfLogarithmic) > 0 {
		keys["half-logarithmic"] = r.halfLogarithmic
	}
	for key, v := range map[string]int{"bins": r.bins, "pair-bins": r.pairBins, "coordinate-bins": r.coordinateBins, "buckets": r.buckets} {
		if v > 0 {
			keys[key] = v
		}
	}
	parameters, err := json.Marshal(keys)
	return feature.Spec{Name: "interactions", Parameters: parameters}, err
}

// pairsOf returns the parameter pairs of the transform interactions, or nil for no transform. Blanks around a
// name are no part of it: a schema declares no such name.
func pairsOf(words string) (any, error) {
	switch {
	case words == NoInteractions || words == AutoInteractions:
		return nil, nil
	case words == "all":
		return words, nil
	case words == "bins":
		return "none", nil
	case !strings.Contains(words, "*"):
		return nil, fmt.Errorf("--interactions is %q, want none, bins, auto, all or pairs of columns such as age*sex,hours*job; pairs are declared, and no number of them is chosen from the records", words)
	}
	var pairs [][]string
	for _, pair := range strings.Split(words, ",") {
		names := strings.Split(pair, "*")
		for i, name := range names {
			names[i] = strings.TrimSpace(name)
		}
		pairs = append(pairs, names)
	}
	return pairs, nil
}
