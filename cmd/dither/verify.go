package main

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
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/query"
	"github.com/ditherml/dither/sweep"
	"github.com/ditherml/dither/train"
	"github.com/ditherml/dither/train/erm"
	"github.com/ditherml/dither/train/neural"
	"github.com/spf13/cobra"
)

const verifyLong = `Recompute what follows from the plan in the certificate of a folder that train, query, evaluate --private or
sweep --select wrote: the events, epsilon, the assumptions, and what plan and model say of one another. Everything
else is held by hashes, and a file that the certificate does not know is refused. Prints what was checked and what is
guaranteed.

Exit status 0 when everything agrees, 1 when something does not (each disagreement is
printed), 2 when a file is missing or cannot be read.

No file can show that training really ran as the plan says, or that the assumptions in the certificate hold: for that
you trust whoever trained the model. Whoever rewrites every file alike has a folder that verifies, and claims another
plan. docs/verification.md lists what is free.`

const verifyExample = `  dither verify dither-model
  dither verify dither-model --json`

func newVerify() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use: "verify MODEL-FOLDER", Short: "Recompute the certificate of a model", Long: verifyLong, Example: verifyExample,
		Args: arguments("MODEL-FOLDER"),
		RunE: func(c *cobra.Command, args []string) error { return runVerify(c, args[0], asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// methods derive what a plan implies, by the name of the training method.
var methods = allMethods()

func allMethods() map[string]certificate.Method {
	all := train.Methods()
	maps.Copy(all, evaluate.Methods())
	maps.Copy(all, erm.Methods())
	maps.Copy(all, neural.Methods())
	maps.Copy(all, sweep.SelectionMethods(train.Methods()))
	return all
}

// known reports whether a method is one of package train, whose plans are train.Plan.
func known(method string) bool {
	_, ok := train.Methods()[method]
	return ok
}

// checked lists in words what verifyFolder looks at.
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

// verification is what dither verify prints. Guarantee and Certificate are left out unless
// everything agrees.
type verification struct {
	Verified      bool                     `json:"verified"`
	Checked       []string                 `json:"checked"`
	Disagreements []string                 `json:"disagreements,omitempty"`
	Guarantee     string                   `json:"guarantee,omitempty"`
	Certificate   *certificate.Certificate `json:"certificate,omitempty"`
}

func runVerify(c *cobra.Command, folder string, asJSON bool) error {
	w := c.OutOrStdout()
	v, err := computed(c.Context(), c.ErrOrStderr(), "verifying", func() (verification, error) { return verifyFolder(folder) })
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(w, v)
	} else {
		err = writeAll(w, []byte(v.text()))
	}
	if err == nil && !v.Verified {
		err = failed{fmt.Errorf("%s: not verified: %s%s; do not rely on it", folder, v.Disagreements[0], andMore(len(v.Disagreements)-1))}
	}
	return err
}

// andMore says that there are n more disagreements.
func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

// verifyFolder reads the files of a folder and compares. An error means that one of them is missing or no such file
// at all.
func verifyFolder(folder string) (verification, error) {
	if isAnswerFolder(folder) {
		return verifyAnswer(folder)
	}
	certificateText, c, err := readCertificate(folder)
	if err != nil {
		return verification{}, err
	}
	if c.Method == evaluate.MethodPrivate {
		return verifyEvaluation(folder, certificateText, c)
	}
	modelText, err := readPart(folder, model.FileName)
	if err != nil {
		return verification{}, err
	}
	m, err := model.DecodeWith(modelText, feature.FilesIn(folder))
	switch {
	case errors.Is(err, model.ErrOtherWeights):
		return verification{Checked: checked, Disagreements: []string{printable(err.Error())}}, nil
	case err != nil:
		return verification{}, fmt.Errorf("%s: %w", filepath.Join(folder, model.FileName), err)
	}
	v := verification{Checked: checked}
	v.add(checkSpelling(certificateText, c))
	v.add(checkBytes(model.FileName, modelText, m.Encode))
	v.add(errors.Join(c.VerifyEvent(methods), c.VerifyHash(modelText)))
	v.add(checkProvenance(c, m))
	v.add(checkModel(c, m))
	v.add(checkModelFolder(folder, c, m))
	v.settle(c, methods)
	return v, nil
}

// settle computes the prices, if all else agrees, and says that everything agrees, if it does.
func (v *verification) settle(c certificate.Certificate, methods map[string]certificate.Method) {
	if len(v.Disagreements) == 0 {
		v.add(c.VerifyPlan(methods))
	}
	if v.Verified = len(v.Disagreements) == 0; v.Verified {
		v.Guarantee, v.Certificate = promise(c), &c
	}
}

// readCertificate reads the certificate of a folder.
func readCertificate(folder string) ([]byte, certificate.Certificate, error) {
	text, err := readPart(folder, certificate.FileName)
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
	names := []string{certificate.FileName, model.FileName, reportName}
	var held error
	if p, err := train.ReadPlan(c.Plan); known(c.Method) && err == nil {
		held = checkHoldout(folder, c, p, m)
		if p.Holdout != nil {
			names = append(names, evaluate.FileName)
		}
		if p.LastIterate == nil {
			names = append(names, iteratesName)
		}
	} else if c.EvaluationSHA256 != "" {
		held = fmt.Errorf("the certificate has the hash of an evaluation, and the plan holds no part out")
	}
	for name := range m.Files() {
		names = append(names, name)
	}
	return errors.Join(checkEntries(folder, names...), reportOf(c).check(folder), checkIterates(folder, c, m), held)
}

// mostPart bounds the files of a model folder.
const mostPart = 1 << 30

// readPart reads one file of a model folder.
func readPart(folder, name string) ([]byte, error) {
	path := filepath.Join(folder, name)
	info, err := os.Stat(path)
	most := int64(mostPart)
	if name == certificate.FileName {
		most = certificate.MaxFileSize
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w, want a folder that dither train wrote", path, pathless(err))
	case !info.Mode().IsRegular() || info.Size() > most:
		return nil, fmt.Errorf("%s is no plain file of at most %s, want a folder that dither train wrote", path, sizeText(most))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w, want a folder that dither train wrote", path, pathless(err))
	}
	return text, nil
}

// add appends an error, or each of several that were joined.
func (v *verification) add(err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			v.add(e)
		}
		return
	}
	text := err.Error()
	for _, name := range []string{"certificate", "train", "erm", "neural", "evaluate", "query"} {
		text = strings.TrimPrefix(text, name+": ")
	}
	v.Disagreements = append(v.Disagreements, printable(text))
}

// checkSpelling refuses a certificate that is not written byte for byte as dither writes it: another program, or a
// person, could read it otherwise.
func checkSpelling(text []byte, c certificate.Certificate) error {
	return errors.Join(checkBytes(certificate.FileName, text, c.Encode), checkPlans(c))
}

// checkPlans refuses plans in a certificate that are not spelled as dither writes them.
func checkPlans(c certificate.Certificate) error {
	if c.Method == sweep.MethodSelection {
		if plan, readErr := sweep.ReadSelection(c.Plan); readErr == nil {
			run, runErr := sweep.RunOf(c)
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

// checkSpellingOfPlan is checkSpelling for the plan. Certificate.Verify says what else is wrong with one.
func checkSpellingOfPlan(c certificate.Certificate) error {
	var plan any
	var err error
	switch {
	case known(c.Method):
		plan, err = train.ReadPlan(c.Plan)
	case isOther(c.Method):
		plan, err = erm.ReadPlan(c.Plan)
	case isNetwork(c.Method):
		plan, err = neural.ReadPlan(c.Plan)
	case c.Method == evaluate.MethodPrivate:
		plan, err = evaluate.ReadPlan(c.Plan)
	case c.Method == query.Method:
		plan, err = query.ReadPlan(c.Plan)
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
	if text, err := json.Marshal(plan); err != nil || !sameJSON(c.Plan, text) {
		return fmt.Errorf("the plan is not spelled as dither writes it, want each field once and in order")
	}
	return nil
}

// sameJSON reports whether two texts are one JSON value each, alike but for white space.
func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
