package mechanism

import "github.com/ditherml/dither/privacy"

// AssumedXiZCDP is a release of another program, assumed to be (Xi, Rho)-zero-concentrated
// differentially private under Neighboring. This means that its Rényi divergence of every order α >
// 1 is at most Xi + Rho·α (Bun & Steinke, "Concentrated Differential Privacy: Simplifications,
// Extensions, and Lower Bounds", TCC 2016, definition 1.1, https://arxiv.org/abs/1605.02065). If Xi
// is 0, it means the same as AssumedZCDP. This module cannot check the assumption.
type AssumedXiZCDP struct {
	// Xi and Rho are the assumed parameters ξ and ρ.
	Xi, Rho float64
	// Neighboring is the relation under which the assumption holds.
	Neighboring privacy.Neighboring
}

// String returns text such as "assumed-xi-zcdp(0.05, 0.1, add-or-remove-one)". The arguments are ξ,
// ρ and the relation.
func (a AssumedXiZCDP) String() string {
	return call("assumed-xi-zcdp", a.Xi, a.Rho, a.Neighboring)
}

func (a AssumedXiZCDP) check() error {
	if !(a.Xi >= 0) || a.Xi > maxShape {
		return wrong("xi", a, a.Xi, "0 or more and finite")
	}
	if !(a.Rho >= 0) || a.Rho > maxShape {
		return wrong("rho", a, a.Rho, "0 or more and finite")
	}
	if !a.Neighboring.Valid() {
		return wrong("relation", a, a.Neighboring, "a named relation")
	}
	return nil
}

func (a AssumedXiZCDP) unproved(n privacy.Neighboring) string { return onlyUnder(n, a.Neighboring) }
func (AssumedXiZCDP) parts() []Event                          { return nil }
