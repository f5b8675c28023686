package certificate

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/privacy"
)

// Frozen states the source of the first layers of a network, whose weights were not trained.
type Frozen struct {
	// Layers is the number of frozen layers. Begins reports that later layers begin with weights of
	// the same source.
	Layers int  `json:"layers"`
	Begins bool `json:"further-begin,omitempty"`
	// Source is the name of the file or folder, and SHA256 the hash of its weights.
	Source string `json:"source"`
	SHA256 string `json:"sha256"`
	// Public says in words whose weights they are, if they were declared public. Otherwise Paid is
	// their cost.
	Public string `json:"public,omitempty"`
	Paid   *Paid  `json:"paid,omitempty"`
	// Earlier are the assumptions about frozen layers in the certificate of the source.
	Earlier []string `json:"earlier,omitempty"`
}

// Paid is what the certificate of a source of frozen layers says, and the cost of both runs
// together.
type Paid struct {
	// CertificateSHA256 is the hash of that certificate.
	CertificateSHA256 string              `json:"certificate-sha256"`
	Epsilon           Epsilon             `json:"epsilon"`
	Delta             float64             `json:"delta"`
	Neighboring       privacy.Neighboring `json:"neighboring"`
	Unit              string              `json:"unit"`
}

// Declared are the statements of the trainer about data that is not in the folder. Nothing can
// recompute them. The assumptions that follow from them are recomputed.
type Declared struct {
	// PublicTest reports that a test table was declared public.
	PublicTest bool `json:"public-test-table,omitempty"`
	// ScoredOn names the public records on which a private choice scored models.
	ScoredOn string `json:"scored-on,omitempty"`
	// Frozen states the source of frozen layers of a network.
	Frozen *Frozen `json:"frozen-layers,omitempty"`
}

// Rounded returns epsilon rounded up to four digits, or "infinity".
func (e Epsilon) Rounded() string {
	v := float64(e)
	if math.IsInf(v, 1) {
		return "infinity"
	}
	if v == 0 {
		return "0"
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(v)))
	return fmt.Sprintf("%.4g", math.Ceil(v*scale*(1-1e-12))/scale)
}
