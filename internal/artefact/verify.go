package artefact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/query"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
)

// methods derive what a plan implies, by the name of the training method.
var methods = Methods()

func Methods() map[string]certificate.Method {
	all := train.Methods()
	maps.Copy(all, evaluate.Methods())
	maps.Copy(all, erm.Methods())
	maps.Copy(all, neural.Methods())
	maps.Copy(all, sweep.SelectionMethods(train.Methods()))
	return all
}

// IsDescent reports whether a method is one of package train, whose plans are train.Plan.
func IsDescent(method string) bool {
	_, ok := train.Methods()[method]
	return ok
}

// checked lists in words what Verify looks at.
var checked = []string{
	"certificate.json, its plan and model.json are spelled as dither writes them, byte by byte",
	"the event, the number of noise draws, the relation, delta and the unit follow from the plan",
	"epsilon, also for all rows of one person, follows from the event, and is at most what was asked for",
	"the assumptions follow from the plan, the schema, the features and what the certificate declares",
	"the folder holds the files that the certificate has a hash of, directly or through model.json, and no others",
	"model.json names the same run, program and time, and agrees on whether it is private",
	"the weights or layers, the loss, the bounds of rows and statistics and the declared sizes are those of the plan, and the plan paid for each part that was learned",
	"bounds and levels that were learned are the same in both files, are among the candidates of the plan, and have their places",
	"a held-out evaluation is there if the plan has one, and its measures follow from its numbers; a decision threshold is the plan's or one that is best by them",
	"weights after every step are there only if the plan pays for them, one row a step, and end in the weights of the model",
}

// Verification is the output of dither verify. Guarantee and Certificate are left out if something
// disagrees.
type Verification struct {
	Verified      bool     `json:"verified"`
	Checked       []string `json:"checked"`
	Disagreements []string `json:"disagreements,omitempty"`
	Guarantee     string   `json:"guarantee,omitempty"`
	// SignedBy are the identifiers of the keys that signed the certificate. Confirmed are the
	// identifiers of those keys that the caller asked for. No file shows who owns the other keys.
	SignedBy    []string                 `json:"signed-by,omitempty"`
	Confirmed   []string                 `json:"signers-confirmed,omitempty"`
	Certificate *certificate.Certificate `json:"certificate,omitempty"`
}

// Verify returns the comparison of the files of a folder. It is an error if a file is missing or of
// the wrong kind.
func Verify(folder string) (Verification, error) {
	if isAnswerFolder(folder) {
		return verifyAnswer(folder)
	}
	certificateText, c, err := ReadCertificate(folder)
	if err != nil {
		return Verification{}, err
	}
	if c.Method == option.MethodEvaluation {
		return verifyEvaluation(folder, certificateText, c)
	}
	modelText, err := ReadPart(folder, model.FileName)
	if err != nil {
		return Verification{}, err
	}
	m, err := model.Decode(modelText, feature.FilesIn(folder))
	switch {
	case errors.Is(err, model.ErrOtherWeights):
		return Verification{Checked: checked, Disagreements: []string{display.Printable(err.Error())}}, nil
	case err != nil:
		return Verification{}, fmt.Errorf("%s: %w", filepath.Join(folder, model.FileName), err)
	}
	v := Verification{Checked: checked}
	v.checkSignatures(folder, certificateText)
	v.Add(checkSpelling(certificateText, c))
	v.Add(checkBytes(model.FileName, modelText, m.Encode))
	v.Add(errors.Join(c.VerifyEvent(methods), checkHash(c, modelText)))
	v.Add(checkProvenance(c, m))
	v.Add(checkModel(c, m))
	v.Add(checkModelFolder(folder, c, m))
	v.settle(c, methods)
	return v, nil
}

// settle computes the prices, if all else agrees, and sets Verified if everything agrees.
func (v *Verification) settle(c certificate.Certificate, methods map[string]certificate.Method) {
	if len(v.Disagreements) == 0 {
		v.Add(c.VerifyPlan(methods))
	}
	if v.Verified = len(v.Disagreements) == 0; v.Verified {
		v.Guarantee, v.Certificate = promise(c), &c
	}
}

// Refuse adds disagreements that were found outside the folder. If there are any, nothing counts as
// verified.
func (v *Verification) Refuse(found ...string) {
	if len(found) > 0 {
		v.Disagreements = append(v.Disagreements, found...)
		v.Verified, v.Guarantee, v.Certificate, v.Confirmed = false, "", nil, nil
	}
}

// ReadCertificate reads the certificate of a folder.
func ReadCertificate(folder string) ([]byte, certificate.Certificate, error) {
	text, err := ReadPart(folder, certificate.FileName)
	if err != nil {
		return nil, certificate.Certificate{}, err
	}
	c, err := certificate.Decode(text)
	if err != nil {
		err = fmt.Errorf("%s: %w", filepath.Join(folder, certificate.FileName), err)
	}
	return text, c, err
}

// checkModelFolder compares the other files of a model folder with certificate and model.
func checkModelFolder(folder string, c certificate.Certificate, m *model.Model) error {
	names := []string{certificate.FileName, model.FileName, ReportName}
	var held error
	if p, err := strict.ReadPlan[train.Plan]("train", c.Plan); IsDescent(c.Method) && err == nil {
		held = checkHoldout(folder, c, p, m)
		if p.Holdout != nil {
			names = append(names, EvaluationName)
		}
		if p.LastIterate == nil {
			names = append(names, IteratesName)
		}
	} else if c.EvaluationSHA256 != "" {
		held = fmt.Errorf("the certificate has the hash of an evaluation, and the plan holds no part out")
	}
	for name := range m.Files() {
		names = append(names, name)
	}
	return errors.Join(checkEntries(folder, names...), reportOf(c).check(folder), checkIterates(folder, c, m), held)
}

// mostPart bounds the files of a model folder, mostCertificate the certificate, as package
// certificate does.
const mostPart, mostCertificate = 1 << 30, 16 << 20

// ReadPart reads one file of a model folder.
func ReadPart(folder, name string) ([]byte, error) {
	path := filepath.Join(folder, name)
	info, err := os.Stat(path)
	most := int64(mostPart)
	if name == certificate.FileName {
		most = mostCertificate
	}
	switch {
	case err != nil && IsUnfinished(folder):
		return nil, Unfinished(folder)
	case err != nil:
		return nil, fmt.Errorf("%s: %w, want a folder that dither train wrote", path, display.Pathless(err))
	case !info.Mode().IsRegular() || info.Size() > most:
		return nil, fmt.Errorf("%s is no plain file of at most %s, want a folder that dither train wrote", path, display.Size(most))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, want a folder that dither train wrote", path, display.Pathless(err))
	}
	return text, nil
}

// Add appends an error to the disagreements. Of a joined error it appends each part.
func (v *Verification) Add(err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			v.Add(e)
		}
		return
	}
	text := err.Error()
	for _, name := range []string{"certificate", "train", "erm", "neural", "evaluate", "query"} {
		text = strings.TrimPrefix(text, name+": ")
	}
	v.Disagreements = append(v.Disagreements, display.Printable(text))
}

// checkSpelling refuses a certificate that differs in any byte from what dither writes: another
// program, or a person, could read it differently.
func checkSpelling(text []byte, c certificate.Certificate) error {
	return errors.Join(checkBytes(certificate.FileName, text, c.Encode), CheckPlans(c))
}

// CheckPlans returns an error if a plan in the certificate is not spelled as dither writes it.
func CheckPlans(c certificate.Certificate) error {
	if c.Method == option.MethodSelection {
		if plan, readErr := sweep.ReadSelection(c.Plan); readErr == nil {
			run, runErr := SelectionRun(c)
			return errors.Join(runErr, checkPlanSpelling(c, plan), checkSpellingOfPlan(run))
		}
		return nil
	}
	return checkSpellingOfPlan(c)
}

// checkBytes refuses a file that is not what its contents are written as.
func checkBytes(name string, text []byte, encode func() ([]byte, error)) error {
	if want, err := encode(); err != nil || !bytes.Equal(text, want) {
		return fmt.Errorf("%s is not spelled as dither writes it, want each field once, in order, and its white space", name)
	}
	return nil
}

// checkSpellingOfPlan is checkSpelling for the plan. Certificate.Verify says what else is wrong
// with one.
func checkSpellingOfPlan(c certificate.Certificate) error {
	var plan any
	var err error
	switch {
	case IsDescent(c.Method):
		plan, err = strict.ReadPlan[train.Plan]("train", c.Plan)
	case IsOther(c.Method):
		plan, err = strict.ReadPlan[erm.Plan]("erm", c.Plan)
	case IsNetwork(c.Method):
		plan, err = strict.ReadPlan[neural.Plan]("neural", c.Plan)
	case c.Method == option.MethodEvaluation:
		plan, err = strict.ReadPlan[evaluate.Plan]("evaluate", c.Plan)
	case c.Method == option.MethodQuery:
		plan, err = strict.ReadPlan[query.Plan]("query", c.Plan)
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	return checkPlanSpelling(c, plan)
}

// checkPlanSpelling refuses a plan that is not spelled like this value.
func checkPlanSpelling(c certificate.Certificate, plan any) error {
	if text, err := json.Marshal(plan); err != nil || !SameJSON(c.Plan, text) {
		return fmt.Errorf("the plan is not spelled as dither writes it, want each field once and in order")
	}
	return nil
}

// SameJSON reports whether each text is one JSON value and the two are equal except for white
// space.
func SameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
