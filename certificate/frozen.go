package certificate

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/privacy"
)

// Frozen describes the source of the first layers of a network if their weights were not trained.
type Frozen struct {
	// Layers is the number of frozen layers. Begins reports whether later layers start from weights
	// of the same source.
	Layers int  `json:"layers"`
	Begins bool `json:"further-begin,omitempty"`
	// Source is the name of the file or folder. SHA256 is the hash of its weights.
	Source string `json:"source"`
	SHA256 string `json:"sha256"`
	// Public describes the origin of the weights in words if they were declared public. Otherwise
	// Paid states their cost.
	Public string `json:"public,omitempty"`
	Paid   *Paid  `json:"paid,omitempty"`
	// Earlier lists the assumptions about frozen layers in the certificate of the source.
	Earlier []string `json:"earlier,omitempty"`
}

// Paid states the guarantee in the certificate of the source, and the cost of both runs together.
type Paid struct {
	// CertificateSHA256 is the hash of the source's certificate.
	CertificateSHA256 string              `json:"certificate-sha256"`
	Epsilon           Epsilon             `json:"epsilon"`
	Delta             float64             `json:"delta"`
	Neighboring       privacy.Neighboring `json:"neighboring"`
	Unit              string              `json:"unit"`
}

// Declared contains statements of the trainer about data that are not in the folder. Nobody can
// verify these statements from the folder. Verification takes them as given and recomputes the
// assumptions that follow from them.
type Declared struct {
	// PublicTest reports whether the test table was declared public.
	PublicTest bool `json:"public-test-table,omitempty"`
	// ScoredOn names the public records on which models were scored for a private selection.
	ScoredOn string `json:"scored-on,omitempty"`
	// Frozen describes the source of frozen layers of a network.
	Frozen *Frozen `json:"frozen-layers,omitempty"`
}

// Rounded returns epsilon with four significant digits, rounded up, or "infinity".
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
