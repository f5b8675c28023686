package evaluate

import (
	"encoding/json"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/privacy"
)

// MethodPrivate is the name of a private evaluation in certificates.
const MethodPrivate = "evaluate"

// NoiseDraws returns how many rounded normal numbers the plan draws, for the slack of their law; discrete
// Laplace noise has exactly its own.
func (p Plan) NoiseDraws() int {
	if p.Noise == NoiseLaplace {
		return 0
	}
	return p.Numbers()
}

// Derivation returns what the plan implies, for the certificate.
func (p Plan) Derivation() certificate.Derivation {
	return certificate.Derivation{Event: p.Event(), NoiseDraws: p.NoiseDraws(), Neighboring: p.Neighboring, Delta: p.Delta,
		Unit: privacy.Unit{Row: p.Unit, RowsPerPerson: p.RowsPerPerson}}
}

// Certificate returns the certificate of the plan, without provenance and hashes.
func (p Plan) Certificate() (certificate.Certificate, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return certificate.Certificate{}, err
	}
	return certificate.New(MethodPrivate, text, p.Derivation())
}

// ReadPlan reads the JSON of a plan and refuses one that makes no sense.
func ReadPlan(text json.RawMessage) (Plan, error) {
	return certificate.ReadPlan[Plan]("evaluate", text)
}

// Methods returns this package's certificate methods: what a plan in JSON implies, by name.
func Methods() map[string]certificate.Method {
	return map[string]certificate.Method{MethodPrivate: func(text json.RawMessage) (certificate.Derivation, error) {
		p, err := ReadPlan(text)
		if err != nil {
			return certificate.Derivation{}, err
		}
		return p.Derivation(), nil
	}}
}
