package certificate

import (
	"fmt"
	"math"

	"github.com/ditherml/dither/privacy"
)

// Frozen describes the first layers of a network, if their weights were taken from a source and not
// trained.
type Frozen struct {
	// Layers is the number of frozen layers.
	Layers int `json:"layers"`
	// Begins reports whether the trained layers start from weights of the same source.
	Begins bool `json:"further-begin,omitempty"`
	// Source is the name of the file or folder that contained the weights.
	Source string `json:"source"`
	// SHA256 is the SHA-256 of the source's weights, in hexadecimal digits.
	SHA256 string `json:"sha256"`
	// Public describes in words where the weights come from, if the trainer declared them public.
	// It is empty if Paid is set.
	Public string `json:"public,omitempty"`
	// Paid states the privacy cost of the weights. It is nil if the trainer declared the weights
	// public.
	Paid *Paid `json:"paid,omitempty"`
	// Earlier lists the assumptions about frozen layers in the certificate of the source.
	Earlier []string `json:"earlier,omitempty"`
}

// Paid states the guarantee in the certificate of a source of frozen layers.
type Paid struct {
	// CertificateSHA256 is the SHA-256 of the source's certificate.
	CertificateSHA256 string `json:"certificate-sha256"`
	// Epsilon is the epsilon of the source's certificate, in nats.
	Epsilon Epsilon `json:"epsilon"`
	// Delta is the δ of the source's certificate.
	Delta float64 `json:"delta"`
	// Neighboring is the neighboring relation of the source's certificate.
	Neighboring privacy.Neighboring `json:"neighboring"`
	// Unit describes in words what one row stands for, as in the source's certificate.
	Unit string `json:"unit"`
}

// Declared contains statements about data that are not in the folder. They are made by the trainer,
// who is the person that trained the model. Nobody can verify these statements from the folder.
// Verification takes them as given and recomputes the assumptions that follow from them.
type Declared struct {
	// PublicTest reports whether the trainer declared the test table public.
	PublicTest bool `json:"public-test-table,omitempty"`
	// Records names the table of a database that the records come from, or quotes the query. It is
	// empty for records in files. It names no server and no user.
	Records string `json:"records,omitempty"`
	// ScoredOn names the public records on which models were scored for a private selection. It is
	// empty without such a selection.
	ScoredOn string `json:"scored-on,omitempty"`
	// Frozen describes the source of the frozen layers of a network. It is nil if no layer is
	// frozen.
	Frozen *Frozen `json:"frozen-layers,omitempty"`
	// Owner names whose records they are, and Purpose says what the release is for, each on one
	// line. They are empty if the trainer did not say.
	Owner   string `json:"owner,omitempty"`
	Purpose string `json:"purpose,omitempty"`
}

// Rounded returns epsilon as text with four significant digits, rounded up, or "infinity" for +Inf.
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
