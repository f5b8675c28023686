package artefact

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

// checkedEvaluation lists in words what verifyEvaluation looks at.
var checkedEvaluation = []string{
	"certificate.json, its plan and evaluation.json are spelled as dither writes them, byte by byte",
	"the event, the number of noise draws, the relation, delta and the unit follow from the plan",
	"epsilon, also for all rows of one person, follows from the event",
	"the assumptions follow from the plan and what the certificate declares",
	"the folder holds the files that the certificate has a hash of, and no others",
	"evaluation.json has the plan of the certificate and names the same run, program, time and model",
	"the measures follow from the released numbers",
}

// verifyEvaluation compares the files of a private evaluation.
func verifyEvaluation(folder string, certificateText []byte, c certificate.Certificate) (Verification, error) {
	text, err := ReadPart(folder, EvaluationName)
	if err != nil {
		return Verification{}, err
	}
	f, err := DecodeEvaluation(text)
	if err != nil {
		return Verification{}, fmt.Errorf("%s: %w", filepath.Join(folder, EvaluationName), err)
	}
	v := Verification{Checked: checkedEvaluation}
	v.checkSignatures(folder, certificateText)
	v.Add(checkSpelling(certificateText, c))
	v.Add(c.VerifyEvent(methods))
	plan, err := strict.ReadPlan[evaluate.Plan]("evaluate", c.Plan)
	if err != nil {
		return v, nil // VerifyPlan says so
	}
	v.Add(checkReleased(c, text, f, plan))
	v.Add(agreeWith(EvaluationName, "SHA-256 of the model", c.ModelSHA256, f.ModelSHA256))
	v.Add(checkOrigin(c))
	v.Add(checkAssumptions(c, append(plan.Claim().Assumptions, draft.Declarations(c)...)))
	v.Add(checkBare(c, true))
	v.Add(checkEntries(folder, certificate.FileName, EvaluationName, ReportName))
	v.Add(reportOf(c).check(folder))
	v.settle(c, methods)
	return v, nil
}

// checkReleased compares a certificate with the evaluation that belongs to it, whose plan is given.
func checkReleased(c certificate.Certificate, text []byte, f Evaluation, plan evaluate.Plan) error {
	a, errA := certificatePlan(plan)
	b, errB := certificatePlan(f.Plan)
	if errA != nil || errB != nil || a != b {
		return fmt.Errorf("the plan in %s is not that of %s, want one plan", EvaluationName, certificate.FileName)
	}
	return errors.Join(
		checkBytes(EvaluationName, text, f.Encode),
		agreeWith(EvaluationName, "SHA-256 of the evaluation", c.EvaluationSHA256, certificate.Hash(text)),
		agreeWith(EvaluationName, "run", c.Run, f.Run),
		agreeWith(EvaluationName, "program", c.Program, f.Program),
		agreeWith(EvaluationName, "time", c.Created, f.Created),
		f.Check(),
	)
}

// certificatePlan is a plan as a certificate holds it.
func certificatePlan(p evaluate.Plan) (string, error) {
	c, err := p.Certificate()
	return string(c.Plan), err
}

// checkHoldout compares the evaluation in a model folder with the certificate. It refuses an
// evaluation where the plan has none.
func checkHoldout(folder string, c certificate.Certificate, p train.Plan, m *model.Model) error {
	if p.Holdout == nil {
		if c.EvaluationSHA256 != "" || display.Exists(filepath.Join(folder, EvaluationName)) {
			return fmt.Errorf("there is an evaluation, but the plan holds no part out")
		}
		return nil
	}
	text, err := ReadPart(folder, EvaluationName)
	if err != nil {
		return err
	}
	f, err := DecodeEvaluation(text)
	if err != nil {
		return fmt.Errorf("%s: %w", EvaluationName, err)
	}
	return errors.Join(checkReleased(c, text, f, p.Holdout.Evaluation),
		agreeWith(EvaluationName, "SHA-256 of the model", c.ModelSHA256, f.ModelSHA256), checkThreshold(p.Holdout.Evaluation, f.Numbers, m))
}

// checkThreshold refuses a model of two levels with an unknown decision threshold. The threshold
// must be that of the plan, or follow from the released numbers.
func checkThreshold(p evaluate.Plan, numbers []float64, m *model.Model) error {
	v, err := evaluate.Measures(p, numbers)
	if err != nil || v.Classification == nil || v.Classification.BestAccuracy == nil {
		return nil // checkReleased says what is wrong with the numbers
	}
	best, balanced := v.Classification.BestAccuracy.Threshold, v.Classification.BestBalanced.Threshold
	if got := m.Threshold(); got != p.Threshold && got != best && got != balanced {
		return fmt.Errorf("the threshold of the model is %v, want %v of the plan, or %v or %v, which are the best ones by the released numbers", got, p.Threshold, best, balanced)
	}
	return nil
}

// EvaluationOf returns the evaluation of the held-out part, or nil if no part is held out. Before
// the run its numbers are 0.
func EvaluationOf(p train.Plan, r *train.Result) (*Evaluation, error) {
	if p.Holdout == nil {
		return nil, nil
	}
	numbers := r.Evaluation
	if numbers == nil {
		numbers = make([]float64, p.Holdout.Evaluation.Numbers())
	}
	f, err := NewEvaluation(p.Holdout.Evaluation, numbers)
	return &f, err
}

// SealEvaluation returns the bytes of an evaluation with the provenance of a certificate. It writes
// the hash of these bytes into the certificate.
func SealEvaluation(f *Evaluation, c *certificate.Certificate) ([]byte, error) {
	if f == nil {
		return nil, nil
	}
	f.Program, f.Run, f.Created, f.ModelSHA256 = c.Program, c.Run, c.Created, c.ModelSHA256
	text, err := f.Encode()
	c.EvaluationSHA256 = certificate.Hash(text)
	return text, err
}
