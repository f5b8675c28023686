package artefact

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"maps"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// Seal gives the same provenance to a model, to the draft of its certificate and to the evaluation.
// It writes the hashes of the files into the certificate. It returns the certificate, and the files
// of the folder except the certificate and the page. SealPage adds these two.
func Seal(m *model.Model, draft certificate.Certificate, evaluation *Evaluation, r *train.Result) (map[string][]byte, certificate.Certificate, error) {
	var id [16]byte
	rand.Read(id[:])
	c := draft
	c.Program, c.Run, c.Created = Program, hex.EncodeToString(id[:]), time.Now().UTC().Format(time.RFC3339)
	m.Provenance = model.Provenance{Program: c.Program, Run: c.Run, Created: c.Created, Private: c.Private}
	text, err := m.Encode()
	if err != nil {
		return nil, c, err
	}
	files := map[string][]byte{model.FileName: text}
	maps.Copy(files, m.Files())
	c.ModelSHA256, c.Learned = certificate.Hash(text), train.Released(m.Schema())
	if evaluation != nil {
		if files[EvaluationName], err = SealEvaluation(evaluation, &c); err != nil {
			return nil, c, err
		}
	}
	if iterates := SealIterates(r, &c); iterates != nil {
		files[IteratesName] = iterates
	}
	return files, c, nil
}

// SealPage adds the page to the files. It then adds the certificate, which contains the hash of the
// page.
func SealPage(files map[string][]byte, c certificate.Certificate, about report.Page) error {
	var page bytes.Buffer
	if err := about.WriteHTML(&page); err != nil {
		return err
	}
	files[ReportName] = page.Bytes()
	c.ReportSHA256 = certificate.Hash(page.Bytes())
	var err error
	files[certificate.FileName], err = c.Encode()
	return err
}
