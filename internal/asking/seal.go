package asking

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/query"
)

// seal fills in the certificate of the answer, with a random name for the run and the present time.
// It returns the files of its folder by name. program is the program with its version.
func seal(a *query.File, program string) (map[string][]byte, error) {
	var id [16]byte
	rand.Read(id[:])
	own := *a.Certificate
	a.Certificate = &own
	a.Certificate.Program, a.Certificate.Run, a.Certificate.Created = program, hex.EncodeToString(id[:]), time.Now().UTC().Format(time.RFC3339)
	alone := *a
	alone.Certificate = nil
	text, err := json.MarshalIndent(alone, "", " ")
	if err != nil {
		return nil, err
	}
	a.Certificate.ModelSHA256 = certificate.Hash(text)
	certificateText, err := a.Certificate.Encode()
	return map[string][]byte{query.FileName: text, certificate.FileName: certificateText}, err
}
