package outcome

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/wording"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
)

// Origin contains the facts about a run that a certificate states in addition to the plan.
type Origin struct {
	// Program is the name and version of the program.
	Program string
	// Asked is the requested limit on the epsilon of the run, or 0 if no limit was requested.
	Asked certificate.Epsilon
	// Declared contains statements about data other than the records, or nil if there are none.
	Declared *certificate.Declared
	// Recorded identifies the record of a durable ledger that paid for the run, or nil if there is
	// none.
	Recorded *certificate.LedgerRecord
}

// WinnerFiles returns the files of the model folder of a private choice, by name: model,
// certificate and page. The folder of the study is their future place. The certificate gets a
// random name for the run and the present time.
func (s *Study) WinnerFiles(won sweep.Selected, o Origin) (map[string][]byte, error) {
	var id [16]byte
	rand.Read(id[:])
	run, now := hex.EncodeToString(id[:]), time.Now().UTC().Format(time.RFC3339)
	m, c := won.Model, won.Certificate
	c.Asked = o.Asked
	m.Provenance = model.Provenance{Program: o.Program, Run: run, Created: now, Private: c.Private}
	modelText, err := m.Encode()
	if err != nil {
		return nil, err
	}
	c.Program, c.Run, c.Created, c.ModelSHA256 = o.Program, run, now, certificate.Hash(modelText)
	c.Learned = train.Released(m.Schema())
	c.Declared, c.Recorded = o.Declared, o.Recorded
	premises := won.Winner.Linear.Plan.Premises()
	premises.Selected = true
	c.Assumptions = premises.Of(m.Schema(), m.Features()).Assumptions(c)
	files := map[string][]byte{model.FileName: modelText}
	for name, text := range m.Files() {
		files[name] = text
	}
	var page bytes.Buffer
	if err = s.winnerPage(won.Winner, c).WriteHTML(&page); err != nil {
		return nil, err
	}
	files[report.FileName] = page.Bytes()
	c.ReportSHA256 = certificate.Hash(page.Bytes())
	files[certificate.FileName], err = c.Encode()
	return files, err
}

// winnerPage is the report about a choice.
func (s *Study) winnerPage(winner *sweep.Candidate, c certificate.Certificate) report.Document {
	return report.Document{Title: "A privately chosen model of " + s.Target.Column, Generated: c.Created,
		Lead: []string{wording.Guarantee(c), "A random number of runs was made, each with settings drawn at random; the best on " + s.Measured + ", which is public, is this model. The guarantee covers the choice. Nothing else of the runs was kept."},
		Sections: []report.Section{
			{Title: "The settings that were chosen", Facts: settingFacts(winner.Settings)},
			{Title: "Settings of each run; epsilon is for one run", Facts: settingFacts(s.Fixed)},
			{Title: "Assumptions", List: c.Assumptions},
			{Title: "Check the guarantee", Command: "dither verify " + BaseName(s.Folder)},
		}}
}
