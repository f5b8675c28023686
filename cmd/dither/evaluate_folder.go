package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/report"
)

// evaluationFiles makes the files of a private evaluation.
func evaluationFiles(out *folder, file evaluate.File, c certificate.Certificate, m *model.Model) (map[string][]byte, error) {
	var id [16]byte
	rand.Read(id[:])
	file.Program, file.Run, file.Created = program(), hex.EncodeToString(id[:]), time.Now().UTC().Format(time.RFC3339)
	text, err := file.Encode()
	if err != nil {
		return nil, err
	}
	c.Program, c.Run, c.Created, c.ModelSHA256, c.EvaluationSHA256 = file.Program, file.Run, file.Created, file.ModelSHA256, certificate.Hash(text)
	var page bytes.Buffer
	if err = evaluationPage(out, file, c, m).WriteHTML(&page); err != nil {
		return nil, err
	}
	c.ReportSHA256 = certificate.Hash(page.Bytes())
	certificateText, err := c.Encode()
	return map[string][]byte{evaluate.FileName: text, certificate.FileName: certificateText, reportName: page.Bytes()}, err
}

// evaluationPage is the report about a private evaluation.
func evaluationPage(out *folder, file evaluate.File, c certificate.Certificate, m *model.Model) report.Page {
	return report.Page{
		Title: "A private evaluation of a model of " + m.Schema().Target.Column, Generated: c.Created,
		Guarantee: report.Guarantee{Epsilon: float64(c.Epsilon), Delta: c.Delta, Neighboring: c.Neighboring.String(), Unit: c.Unit, Accountant: c.Accountant,
			GroupRows: c.GroupRows, GroupEpsilon: float64(c.GroupEpsilon), Attacker: pageAttacker(c), NoisePerRecord: evaluationNoise(file.Plan)},
		Assumptions: c.Assumptions,
		Events:      []report.Event{{Purpose: "evaluation", Text: eventText(file.Plan.Event()), Count: 1, Share: 1}},
		Metrics:     privateMetrics(file.Measures),
		Verify:      "dither verify " + filepath.Base(out.path),
		Files: []report.Fact{{Name: evaluate.FileName, Value: "SHA-256 " + c.EvaluationSHA256, Why: "the released numbers, and what follows from them"},
			{Name: certificate.FileName, Value: "plan, events and epsilon", Why: "can be recomputed by anyone"},
			{Name: model.FileName, Value: "SHA-256 " + c.ModelSHA256, Why: "the model that was measured"}},
		Provenance: []report.Fact{{Name: "program", Value: c.Program}, {Name: "run", Value: c.Run}, {Name: "time", Value: c.Created}},
	}
}

func evaluationNoise(p evaluate.Plan) string {
	return fmt.Sprintf("The noise on each of the %d numbers of the release has a scale of %.4g times the most that one record can contribute.", p.Numbers(), p.NoiseMultiplier)
}

// privateMetrics turns a private evaluation into the report's tables.
func privateMetrics(v evaluate.Private) *report.Metrics {
	m := &report.Metrics{Source: "intervals hold in 95 % of cases, or where it says so in at least as many; they allow for the noise and for the sampling of the records, or of persons", Private: true}
	for _, table := range v.Tables() {
		m.Tables = append(m.Tables, report.Table(table))
	}
	return m
}

// checkedEvaluation lists in words what verifyEvaluation looks at.
var checkedEvaluation = []string{
	"certificate.json, its plan and evaluation.json are spelled as dither writes them, byte by byte",
	"the event, the number of noise draws, the relation, delta and the unit follow from the plan",
	"epsilon, also for all rows of one person, follows from the event",
	"the assumptions follow from the plan",
	"the folder holds the files that the certificate has a hash of, and no others",
	"evaluation.json has the plan of the certificate and names the same run, program, time and model",
	"the measures follow from the released numbers",
}

// verifyEvaluation compares the files of a private evaluation.
func verifyEvaluation(folder string, certificateText []byte, c certificate.Certificate) (verification, error) {
	text, err := readPart(folder, evaluate.FileName)
	if err != nil {
		return verification{}, err
	}
	f, err := evaluate.DecodeFile(text)
	if err != nil {
		return verification{}, fmt.Errorf("%s: %w", filepath.Join(folder, evaluate.FileName), err)
	}
	v := verification{Checked: checkedEvaluation}
	v.add(checkSpelling(certificateText, c))
	v.add(c.VerifyEvent(methods))
	plan, err := evaluate.ReadPlan(c.Plan)
	if err != nil {
		return v, nil // VerifyPlan says so
	}
	v.add(checkReleased(c, text, f, plan))
	v.add(agreeWith(evaluate.FileName, "SHA-256 of the model", c.ModelSHA256, f.ModelSHA256))
	v.add(checkOrigin(c))
	v.add(checkAssumptions(c, plan.Assumptions()))
	v.add(checkBare(c, true))
	v.add(checkEntries(folder, certificate.FileName, evaluate.FileName, reportName))
	v.add(reportOf(c).check(folder))
	v.settle(c, methods)
	return v, nil
}

// checkReleased compares a certificate with the evaluation that belongs to it, whose plan is given.
func checkReleased(c certificate.Certificate, text []byte, f evaluate.File, plan evaluate.Plan) error {
	a, errA := certificatePlan(plan)
	b, errB := certificatePlan(f.Plan)
	if errA != nil || errB != nil || a != b {
		return fmt.Errorf("the plan in %s is not that of %s, want one plan", evaluate.FileName, certificate.FileName)
	}
	return errors.Join(
		checkBytes(evaluate.FileName, text, f.Encode),
		agreeWith(evaluate.FileName, "SHA-256 of the evaluation", c.EvaluationSHA256, certificate.Hash(text)),
		agreeWith(evaluate.FileName, "run", c.Run, f.Run),
		agreeWith(evaluate.FileName, "program", c.Program, f.Program),
		agreeWith(evaluate.FileName, "time", c.Created, f.Created),
		f.Check(),
	)
}

// certificatePlan is a plan as a certificate holds it.
func certificatePlan(p evaluate.Plan) (string, error) {
	c, err := p.Certificate()
	return string(c.Plan), err
}
