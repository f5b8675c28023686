package training

import (
	"bytes"
	"crypto/ed25519"
	"fmt"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// pageChecked says what verifyPage compares.
const pageChecked = "title, verdict, guarantee, bounds on attackers, limits, assumptions, other releases and held-out measures on the page follow from the certificate and the other files"

// pageUnread says that a page was not compared.
const pageUnread = "NOT COMPARED: the page was written by %s, and this is %s: it can say anything, and only its hash is held. Ask dither explain, or the version that trained"

// Verify is artefact.VerifySigned, and compares the page of a model with the certificate.
func Verify(folder string, keys []ed25519.PublicKey, names []string) (artefact.Verification, error) {
	v, err := artefact.VerifySigned(folder, keys, names)
	if err == nil {
		verifyPage(folder, &v)
	}
	return v, err
}

// verifyPage writes the parts of a model's page that follow from the verified certificate again. It
// adds to v what differs on the page of the folder. Pages of other versions of the program are held by their hash
// alone, and so are pages of other kinds of folders.
func verifyPage(folder string, v *artefact.Verification) {
	if !v.Verified || v.Certificate == nil || v.Certificate.ReportSHA256 == "" {
		return
	}
	if v.Certificate.Program != artefact.Program {
		v.Checked = append(v.Checked[:len(v.Checked):len(v.Checked)], fmt.Sprintf(pageUnread, v.Certificate.Program, artefact.Program))
		return
	}
	r, known := planned(*v.Certificate)
	if !known {
		return
	}
	m, err := model.Load(folder)
	if err != nil {
		return // verified before: it was replaced in the meantime
	}
	text, err := artefact.ReadPart(folder, artefact.ReportName)
	if err == nil {
		var p report.Page
		if p, err = r.rebuilt(*v.Certificate, folder, m, text); err == nil {
			err = p.Compare(text)
		}
	}
	if err != nil {
		v.Refuse(err.Error())
		return
	}
	v.Checked = append(v.Checked[:len(v.Checked):len(v.Checked)], pageChecked)
}

// planned returns a run with the plan of a certificate and nothing else. It is false for methods
// whose folders have no page of a training.
func planned(c certificate.Certificate) (*Run, bool) {
	r := &Run{}
	switch {
	case artefact.IsDescent(c.Method):
		p, err := strict.ReadPlan[train.Plan]("train", c.Plan)
		r.Setup.Plan, r.method = p, descent{r}
		return r, err == nil
	case artefact.IsOther(c.Method):
		p, err := strict.ReadPlan[erm.Plan]("erm", c.Plan)
		r.Setup.Plan, r.method = train.Plan{Subject: p.Subject}, minimizer{r}
		return r, err == nil
	case artefact.IsNetwork(c.Method):
		p, err := strict.ReadPlan[neural.Plan]("neural", c.Plan)
		r.Setup.Plan, r.Network, r.method = train.Plan{Subject: p.Subject, Person: p.Person}, &Network{Setup: neural.Setup{Plan: p}}, networkRun{r}
		return r, err == nil
	}
	return nil, false
}

// rebuilt returns the parts of a page that follow from the files of a folder. The page itself names the tables and the
// folder.
func (r *Run) rebuilt(c certificate.Certificate, folder string, m *model.Model, page []byte) (report.Page, error) {
	r.Tables.Schema = m.Schema()
	var held *evaluate.Private
	if c.EvaluationSHA256 != "" {
		text, err := artefact.ReadPart(folder, artefact.EvaluationName)
		if err != nil {
			return report.Page{}, err
		}
		evaluation, err := artefact.DecodeEvaluation(text)
		if err != nil {
			return report.Page{}, err
		}
		held = &evaluation.Measures
	}
	p := r.promised(c, m, held)
	if bytes.Contains(page, []byte("<dt>table</dt>")) {
		p.Table = report.FreeText
	}
	if bytes.Contains(page, []byte("<dt>test table</dt>")) && c.Declared != nil && c.Declared.PublicTest {
		p.Public = append(p.Public, testFact(report.FreeText))
	}
	p.Verify = verifyCommand(report.FreeText)
	return p, nil
}

// promised returns the parts of a page that follow from a certificate, a plan and a model. held are the measures of
// records that were held out, or nil.
func (r *Run) promised(c certificate.Certificate, m *model.Model, held *evaluate.Private) report.Page {
	kind := "A private model of "
	if !c.Private {
		kind = "A model without privacy of "
	}
	p := report.Page{Title: kind + m.Schema().Target.Column, Generated: c.Created, Guarantee: report.Guarantee{Epsilon: float64(c.Epsilon), Delta: c.Delta, Neighboring: c.Neighboring.String(), Unit: c.Unit, Persons: r.Setup.Plan.Person != nil, Accountant: c.Accountant,
		GroupRows: c.GroupRows, GroupEpsilon: float64(c.GroupEpsilon), Attacker: r.attacker.ForPage(c), NoisePerRecord: r.method.noise(), Records: r.Setup.Plan.Records, MaxRecords: r.Setup.Plan.MaxRecords}}
	if c.Private {
		p.Others = otherReleases(c.Recorded)
	}
	if c.Declared != nil {
		p.Owner, p.Purpose = c.Declared.Owner, c.Declared.Purpose
	}
	p.Tainted = taintWords(r.Tables.Schema)
	p.Public, p.Assumptions = r.publicFacts(), c.Assumptions[:len(c.Assumptions)-len(p.Tainted)]
	p.Files = []report.Fact{{Name: model.FileName, Value: "SHA-256 " + c.ModelSHA256, Why: r.Network.modelHolds()},
		{Name: certificate.FileName, Value: "plan, events and epsilon", Why: "can be recomputed by anyone"}}
	p.Files = append(p.Files, r.Network.files(m)...)
	if held != nil {
		p.Holdout = holdoutMetrics(r.Setup.Plan, *held)
		p.Files = append(p.Files, report.Fact{Name: artefact.EvaluationName, Value: "SHA-256 " + c.EvaluationSHA256, Why: "the released numbers about the held-out records, and what follows from them"})
	}
	if c.IteratesSHA256 != "" {
		p.Files = append(p.Files, report.Fact{Name: artefact.IteratesName, Value: "SHA-256 " + c.IteratesSHA256, Why: "the weights after every step, released at no further cost"})
	}
	p.Provenance = []report.Fact{{Name: "program", Value: c.Program}, {Name: "run", Value: c.Run}, {Name: "time", Value: c.Created}}
	return p
}
