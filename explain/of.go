package explain

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/glossary"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

// Of returns the explanation of a subject. The subject is a folder that dither wrote, a
// certificate, a plan, an event in text, or a term such as "epsilon". For the subject "" the
// explanation lists the known terms. A certificate and the files of its folder are verified first.
// If verification fails, the explanation states only the failure.
//
// For an event or a plan, the function settle sets the delta and the neighboring relation of the
// question. If it leaves Neighboring 0, a relation is used under which the event has a price. If
// settle is nil, delta is 1e-6.
func Of(subject string, settle func(Question) (Question, error)) (Explanation, error) {
	if settle == nil {
		settle = usual
	}
	if subject == "" {
		return terms(), nil
	}
	info, err := os.Stat(subject)
	switch {
	case err == nil && info.IsDir(): // before a term, since an explanation of the wrong thing would be worse than none
		return explainFolder(subject)
	case err == nil:
		text, failure := readPlain(subject, info)
		if failure != nil {
			return Explanation{}, failure
		}
		return explainFile(subject, text, settle)
	}
	if t, ok := glossary.Find(subject); ok {
		return termOf(t), nil
	}
	if !strings.Contains(subject, "(") && !strings.ContainsAny(subject, `./\`) {
		return Explanation{}, fmt.Errorf("%q is no folder, file, event or term, want one; dither explain lists the terms", subject)
	}
	q, err := readSubject(subject)
	if err != nil {
		return Explanation{}, err
	}
	return settled(q, settle)
}

// usual returns a question without terms at a common delta.
func usual(q Question) (Question, error) {
	if q.Neighboring == 0 {
		q.Delta = 1e-6
	}
	return q, nil
}

// explainFolder returns the explanation of a folder that dither wrote, after verifying all of its
// files.
func explainFolder(path string) (Explanation, error) {
	v, err := artefact.Verify(path)
	if err != nil {
		return Explanation{}, err
	}
	if !v.Verified {
		return unverified(path, v.Disagreements), nil
	}
	return ofCertificate(*v.Certificate, path, filesIn(path)...)
}

// explainFile returns the explanation of a certificate, of a plan, or of both in the output of
// dither train --dry-run.
func explainFile(path string, text []byte, settle func(Question) (Question, error)) (Explanation, error) {
	parts, err := objectOf(path, text)
	if err != nil {
		return Explanation{}, err
	}
	if inner := parts["certificate"]; inner != nil {
		text = inner
	} else if parts["format"] == nil {
		q, failure := decodeSubject(path, text)
		if failure != nil {
			return Explanation{}, failure
		}
		return settled(q, settle)
	}
	c, err := certificate.Decode(text)
	if err != nil {
		return Explanation{}, fmt.Errorf("%s: %w", path, err)
	}
	if err = checkAlone(c, text); err != nil {
		var v artefact.Verification
		v.Add(err)
		return unverified(path, v.Disagreements), nil
	}
	return ofCertificate(c, "")
}

// checkAlone recomputes a certificate without the files that it is about.
func checkAlone(c certificate.Certificate, text []byte) error {
	want, err := c.Encode()
	if err == nil && !artefact.SameJSON(text, want) { // white space is that of the file that holds it
		err = errors.New("the certificate is not spelled as dither writes it, want each field once and in order")
	}
	methods := artefact.Methods()
	maps.Copy(methods, query.Methods())
	return errors.Join(err, artefact.CheckPlans(c), c.VerifyPlan(methods))
}

// settled returns the explanation of an event or a plan at the terms that settle completes.
func settled(q Question, settle func(Question) (Question, error)) (Explanation, error) {
	q, err := settle(q)
	if err != nil {
		return Explanation{}, err
	}
	var chosen []string
	if q.Neighboring == 0 {
		if q.Neighboring, chosen = relationOf(q.Event); q.Neighboring == 0 {
			return Explanation{}, mechanism.CheckNeighboring(q.Event, privacy.AddOrRemoveOne)
		}
	}
	return explainEvent(q, chosen)
}

// relationOf returns the first relation under which an event has a price, 0 for none. A sentence
// names a relation that is not the usual one.
func relationOf(e mechanism.Event) (privacy.Neighboring, []string) {
	for _, n := range []privacy.Neighboring{privacy.AddOrRemoveOne, privacy.ReplaceOne, privacy.ZeroOut} {
		if mechanism.CheckNeighboring(e, n) != nil {
			continue
		}
		if n == privacy.AddOrRemoveOne {
			return n, nil
		}
		return n, []string{fmt.Sprintf("Under %v, which is usual, this event has no price; --neighboring chooses another relation.", privacy.AddOrRemoveOne)}
	}
	return 0, nil
}

// releasedFiles are the files that a certificate covers, by hashes or because they follow from
// others alone.
var releasedFiles = []string{certificate.FileName, model.FileName, model.WeightsFileName, artefact.IteratesName, artefact.EvaluationName, query.FileName, report.FileName}

// filesIn lists the files of a folder that the certificate covers.
func filesIn(folder string) []string {
	return slices.DeleteFunc(slices.Clone(releasedFiles), func(name string) bool { return !display.Exists(filepath.Join(folder, name)) })
}

// termOf returns the explanation of a term.
func termOf(t glossary.Term) Explanation {
	e := Explanation{Kind: "term", Title: t.Name + ": " + t.Short}
	e.Sections = append(e.Sections, section{Lines: linesOf(t.Text...)})
	if len(t.Aliases) > 0 {
		e.Sections = append(e.Sections, section{Title: "also", Lines: linesOf(strings.Join(t.Aliases, ", "))})
	}
	e.Sections = append(e.Sections, section{Title: "see", Lines: linesOf(strings.Join(t.See, ", ") + " (dither explain WORD)")})
	return e
}

// terms returns the list of the terms that can be explained.
func terms() Explanation {
	e := Explanation{Kind: "terms", Title: "dither explain FOLDER | certificate.json | EVENT | TERM"}
	var lines []line
	for _, t := range glossary.All {
		lines = append(lines, line{Text: t.Name + ": " + t.Short})
	}
	e.Sections = []section{{Title: "terms", Lines: lines}}
	return e
}
