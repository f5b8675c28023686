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
		spec, failed := interactionsSpec(pairs, 0, 0)
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

// interactionsSpec returns the transform interactions with these pairs. The number of bins of a number
// in a pair and the number of buckets have their defaults if they are 0.
func interactionsSpec(pairs any, bins, buckets int) (feature.Spec, error) {
	keys := map[string]any{"pairs": pairs}
	if bins > 0 {
		keys["pair-bins"] = bins
	}
	if buckets > 0 {
		keys["buckets"] = buckets
	}
	parameters, err := json.Marshal(keys)
	return feature.Spec{Name: "interactions", Parameters: parameters}, err
}

// pairsOf returns the parameter pairs of the transform interactions, or nil for no transform.
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
		pairs = append(pairs, strings.Split(pair, "*"))
	}
	return pairs, nil
}
