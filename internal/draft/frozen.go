package draft

import (
	"fmt"
	"math"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/strict"
)

// FrozenWords are the words that stand in every assumption about frozen layers.
const FrozenWords = "layers are frozen with the weights of"

// CheckFrozen returns an error where the declaration is not one that a run makes.
func CheckFrozen(f *certificate.Frozen) error {
	switch {
	case f == nil:
		return nil
	case f.Layers < 1 || f.Source == "" || !strict.IsHash(f.SHA256):
		return fmt.Errorf("certificate: %d frozen layers are of %q with SHA-256 %q, want at least 1, a name and a hash", f.Layers, f.Source, f.SHA256)
	case (f.Public != "") == (f.Paid != nil):
		return fmt.Errorf("certificate: frozen layers are declared public and paid for, or neither, want one of the two")
	case f.Paid != nil && (!strict.IsHash(f.Paid.CertificateSHA256) || !(f.Paid.Epsilon >= 0) || !(f.Paid.Delta >= 0 && f.Paid.Delta < 1) || !f.Paid.Neighboring.Valid()):
		return fmt.Errorf("certificate: the cost of frozen layers is no guarantee with the hash of a certificate")
	}
	for _, line := range f.Earlier {
		if !strings.Contains(line, FrozenWords) {
			return fmt.Errorf("certificate: an earlier assumption about frozen layers speaks of something else")
		}
	}
	return nil
}

// frozenAssumptions returns the source of the frozen layers and their cost in words, with the assumptions
// about the source's own frozen layers.
func frozenAssumptions(f *certificate.Frozen, own certificate.Certificate) []string {
	start := fmt.Sprintf("The first %d %s %s (SHA-256 %s)", f.Layers, FrozenWords, f.Source, f.SHA256)
	if f.Begins {
		start += ", with which further layers begin"
	}
	if f.Paid != nil {
		p := f.Paid
		start = fmt.Sprintf("%s, a model with a certificate of its own (SHA-256 %s): epsilon %s at delta %v, %v, for one record (%s). That cost is not part of this one. %s",
			start, p.CertificateSHA256, p.Epsilon.Rounded(), p.Delta, p.Neighboring, p.Unit, Together(f, own))
	} else {
		start = fmt.Sprintf("%s, which were declared public: %s. The records had no part in them.", start, strings.TrimSuffix(f.Public, "."))
	}
	out := []string{start}
	for _, line := range f.Earlier {
		out = append(out, "Of "+f.Source+": "+line)
	}
	return out
}

// Together returns in words what this run and the run of the frozen layers cost together. Epsilons
// and deltas of runs add up, and a later run may use the releases of an earlier one (C. Dwork and
// A. Roth, "The Algorithmic Foundations of Differential Privacy", 2014, theorem B.1).
func Together(f *certificate.Frozen, own certificate.Certificate) string {
	p := f.Paid
	if own.Neighboring != p.Neighboring || own.Unit != p.Unit {
		return "For records that both runs saw both costs count; they are of different relations or units and cannot be added here."
	}
	epsilon, delta := own.Epsilon+p.Epsilon, own.Delta+p.Delta
	if math.IsInf(float64(epsilon), 1) {
		return "For records that both runs saw there is no guarantee."
	}
	words := fmt.Sprintf("For records that both runs saw both costs count: together at most epsilon %s at delta %v.", epsilon.Rounded(), delta)
	if len(f.Earlier) > 0 {
		words += " What the frozen layers of that model cost comes on top."
	}
	return words
}
