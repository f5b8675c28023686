package artefact

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/query"
)

// isAnswerFolder reports whether a folder is one that dither query wrote.
func isAnswerFolder(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, query.FileName))
	return err == nil
}

// answerChecked lists in words what verifyAnswer looks at.
var answerChecked = []string{
	"certificate.json, its plan and answer.json are spelled as dither writes them, byte by byte",
	"the event, the number of noise draws, the relation, delta and the unit follow from the plan",
	"epsilon, also for all rows of one person, follows from the event, and is at most what was asked for",
	"the assumptions follow from the plan and what the certificate declares",
	"the folder holds the two files and no others, and the SHA-256 of answer.json is the one in the certificate",
	"answer.json states the plan of the certificate; the threshold, the rank error, the pure epsilon and how often the intervals hold follow from it",
}

// verifyAnswer is Verify for the folder of an answer.
func verifyAnswer(folder string) (Verification, error) {
	certificateText, c, err := ReadCertificate(folder)
	if err != nil {
		return Verification{}, err
	}
	answerText, err := ReadPart(folder, query.FileName)
	if err != nil {
		return Verification{}, err
	}
	v := Verification{Checked: answerChecked}
	v.checkSignatures(folder, certificateText)
	v.Add(checkSpelling(certificateText, c))
	derived := query.Methods()
	v.Add(errors.Join(c.VerifyEvent(derived), checkHash(c, answerText)))
	v.Add(checkOrigin(c))
	v.Add(checkBare(c, false))
	v.Add(checkAnswer(answerText, c))
	v.Add(checkEntries(folder, certificate.FileName, query.FileName))
	if v.settle(c, derived); v.Verified {
		v.Guarantee = strings.Replace(v.Guarantee, "the model", "the answer", 1)
	}
	return v, nil
}

// checkAnswer compares the answer with what follows from the plan of the certificate.
func checkAnswer(text []byte, c certificate.Certificate) error {
	var a query.File
	if err := strict.Decode(text, &a); err != nil {
		return fmt.Errorf("%s is not what dither query writes: %w", query.FileName, err)
	}
	spelled := checkBytes(query.FileName, text, func() ([]byte, error) { return json.MarshalIndent(a, "", " ") })
	plan, err := json.Marshal(a.Plan)
	if err != nil || !SameJSON(plan, c.Plan) || a.Certificate != nil {
		return errors.Join(spelled, fmt.Errorf("%s states another plan than the certificate, want one plan", query.FileName))
	}
	p := a.Plan
	if deriveErr := p.Validate(); deriveErr != nil {
		return spelled // Certificate.Verify says so
	}
	return errors.Join(spelled, a.Check(), checkAssumptions(c, append(p.Assumptions(), draft.Declarations(c)...)))
}
