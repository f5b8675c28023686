package draft

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
)

// Of returns the premises of a plan, p, together with those that schema and feature map state.
func (p Premises) Of(s *data.Schema, m *feature.Map) Premises {
	p.FromData, p.Related = s.FromData, s.Related.Words()
	for _, spec := range m.Pipeline.Specs() {
		var parameters bytes.Buffer
		_ = json.Compact(&parameters, spec.Parameters) // a file may have them on several lines
		p.Transforms = append(p.Transforms, strings.TrimSpace(spec.Name+" "+parameters.String()))
	}
	for name := range m.Pipeline.Files() {
		p.PublicFiles = append(p.PublicFiles, name)
	}
	slices.Sort(p.PublicFiles)
	return p
}
