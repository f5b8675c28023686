package training

import (
	"crypto/ed25519"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// pageChecked says what verifyPage compares.
const pageChecked = "title, verdict, guarantee, bounds on attackers, limits and other releases on the page follow from the certificate"

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
	if !v.Verified || v.Certificate == nil || v.Certificate.ReportSHA256 == "" || v.Certificate.Program != artefact.Program {
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
		err = r.promised(*v.Certificate, m.Schema().Target.Column).Compare(text)
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

// promised returns the parts of a page that follow from a certificate, a plan and the name of the target.
func (r *Run) promised(c certificate.Certificate, target string) report.Page {
	kind := "A private model of "
	if !c.Private {
		kind = "A model without privacy of "
	}
	p := report.Page{Title: kind + target, Generated: c.Created, Guarantee: report.Guarantee{Epsilon: float64(c.Epsilon), Delta: c.Delta, Neighboring: c.Neighboring.String(), Unit: c.Unit, Accountant: c.Accountant,
		GroupRows: c.GroupRows, GroupEpsilon: float64(c.GroupEpsilon), Attacker: r.attacker.ForPage(c), NoisePerRecord: r.method.noise(), Records: r.Setup.Plan.Records, MaxRecords: r.Setup.Plan.MaxRecords}}
	if c.Private {
		p.Others = otherReleases(c.Recorded)
	}
	return p
}
