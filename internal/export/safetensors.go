package export

import (
	"encoding/json"
	"fmt"

	"github.com/ditherml/dither/internal/safetensors"
	"github.com/ditherml/dither/model"
)

// writeSafetensors writes the weights and the numbers of the feature map. The weights of a network have the names of
// PyTorch.
func writeSafetensors(m *model.Model, s statement, _ Request) ([]byte, error) {
	metadata := map[string]string{}
	for _, p := range s.pairs() {
		metadata[p.key] = p.value
	}
	arrays := map[string]safetensors.Tensor{}
	if m.Network() != nil {
		var err error
		if arrays, err = safetensors.Parse(m.Files()[model.WeightsFileName]); err != nil {
			return nil, err
		}
	} else {
		arrays["weights"] = safetensors.NewFloat64(m.Weights(), m.Outputs(), m.Linear().Dim)
	}
	f := m.Features()
	if f.Center != nil {
		arrays["feature_map.center"] = safetensors.NewFloat64(f.Center, len(f.Center))
	}
	if f.Evidence != nil {
		arrays["feature_map.evidence"] = safetensors.NewFloat64(f.Evidence, len(f.Evidence))
		arrays["feature_map.means"] = safetensors.NewFloat64(f.Means, len(f.Means))
	}
	if w := f.Whitening; w != nil {
		d := f.Pipeline.Dim()
		switch {
		case w.Matrix != nil:
			arrays["feature_map.whitening"] = safetensors.NewFloat64(w.Matrix, d, d)
		case w.Scales != nil:
			arrays["feature_map.scales"] = safetensors.NewFloat64(w.Scales, d)
		default:
			channels, places := f.Shape()
			arrays["feature_map.channels"] = safetensors.NewFloat64(w.Channels, channels, channels)
			arrays["feature_map.places"] = safetensors.NewFloat64(w.Places, places, places)
		}
	}
	description, err := modelDescription(m)
	if err != nil {
		return nil, err
	}
	metadata["dither.model"] = description
	return safetensors.EncodeWith(arrays, metadata)
}

// modelDescription returns, as JSON, what a program needs to know besides the arrays.
func modelDescription(m *model.Model) (string, error) {
	schema, err := m.Schema().YAML()
	if err != nil {
		return "", err
	}
	loss, err := model.SpecOf(m.Loss())
	if err != nil {
		return "", err
	}
	var names []string
	for _, n := range m.Features().Names() {
		names = append(names, n.String())
	}
	f := m.Features()
	text, err := json.Marshal(map[string]any{
		"schema": string(schema), "loss": loss, "features": names, "transforms": f.Specs(), "row-normalization": f.Norm, "radius": f.Radius, "intercept": f.Intercept, "levels": m.Schema().Target.Levels,
	})
	if err != nil {
		return "", fmt.Errorf("the description of the model cannot be written: %w", err)
	}
	return string(text), nil
}
