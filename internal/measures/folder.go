package measures

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/curve"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/model"
)

// Files returns the files of a private evaluation, which are to stand in a folder of this name.
func Files(folder string, file artefact.Evaluation, c certificate.Certificate, m *model.Model) (map[string][]byte, error) {
	var id [16]byte
	rand.Read(id[:])
	file.Program, file.Run, file.Created = artefact.Program, hex.EncodeToString(id[:]), time.Now().UTC().Format(time.RFC3339)
	text, err := file.Encode()
	if err != nil {
		return nil, err
	}
	c.Program, c.Run, c.Created, c.ModelSHA256, c.EvaluationSHA256 = file.Program, file.Run, file.Created, file.ModelSHA256, certificate.Hash(text)
	var html bytes.Buffer
	if err = page(folder, file, c, m).WriteHTML(&html); err != nil {
		return nil, err
	}
	c.ReportSHA256 = certificate.Hash(html.Bytes())
	certificateText, err := c.Encode()
	return map[string][]byte{artefact.EvaluationName: text, certificate.FileName: certificateText, artefact.ReportName: html.Bytes()}, err
}

// page is the report about a private evaluation.
func page(folder string, file artefact.Evaluation, c certificate.Certificate, m *model.Model) report.Page {
	return report.Page{
		Title: "A private evaluation of a model of " + m.Schema().Target.Column, Generated: c.Created,
		Guarantee: report.Guarantee{Released: "evaluation", Epsilon: float64(c.Epsilon), Delta: c.Delta, Neighboring: c.Neighboring.String(), Unit: c.Unit, Persons: file.Plan.Person != nil, Accountant: c.Accountant,
			GroupRows: c.GroupRows, GroupEpsilon: float64(c.GroupEpsilon), Attacker: curve.ForPage(c), NoisePerRecord: noiseWords(file.Plan), MaxRecords: file.Plan.MaxRecords},
		Assumptions: c.Assumptions,
		Events:      []report.Event{{Purpose: "evaluation", Text: wording.Brief(file.Plan.Event()), Count: 1, Share: 1}},
		Metrics:     Private(file.Measures),
		Verify:      "dither verify " + filepath.Base(folder),
		Files: []report.Fact{{Name: artefact.EvaluationName, Value: "SHA-256 " + c.EvaluationSHA256, Why: "the released numbers, and what follows from them"},
			{Name: certificate.FileName, Value: "plan, events and epsilon", Why: "can be recomputed by anyone"},
			{Name: model.FileName, Value: "SHA-256 " + c.ModelSHA256, Why: "the model that was measured"}},
		Provenance: []report.Fact{{Name: "program", Value: c.Program}, {Name: "run", Value: c.Run}, {Name: "time", Value: c.Created}},
	}
}

func noiseWords(p evaluate.Plan) string {
	return fmt.Sprintf("The noise on each of the %d numbers of the release has a scale of %.4g times the most that one record can contribute.", p.Numbers(), p.NoiseMultiplier)
}
