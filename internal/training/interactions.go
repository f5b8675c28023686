package training

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ditherml/dither/feature"
)

// NoInteractions is the value of the flag interactions that asks for nothing.
const NoInteractions = "none"

// Transforms returns the specifications of transforms, in order. The first is the one that the words of
// the flag interactions mean, if they mean one. Texts such as "groupnorm:groups=27" describe the others.
func Transforms(interactions string, texts []string) (specs []feature.Spec, err error) {
	pairs, err := pairsOf(interactions)
	if err != nil {
		return nil, err
	}
	if pairs != nil {
		parameters, failed := json.Marshal(map[string]any{"pairs": pairs})
		if failed != nil {
			return nil, failed
		}
		specs = append(specs, feature.Spec{Name: "interactions", Parameters: parameters})
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

// pairsOf returns the parameter pairs of the transform interactions, or nil for no transform.
func pairsOf(words string) (any, error) {
	switch {
	case words == NoInteractions || words == "":
		return nil, nil
	case words == "auto" || words == "all":
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
