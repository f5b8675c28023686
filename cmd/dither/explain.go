package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/query"
)

const explainLong = `Put a certificate into plain words, for someone who decides and does not calculate: what was released,
from which records, who is protected against what, what epsilon and delta mean as odds and for the best
attacker, how each release adds to the cost, what was declared public, and what is not covered.

The argument is the folder of a model, of a private evaluation or of an answer, a certificate.json, a plan,
an event expression such as "repeat(1000, poisson(0.01, gaussian(1.1)))", or a term such as epsilon; without
one, the terms are listed.

What a certificate says is recomputed first. When it does not follow from its plan, that is all that is
said, and the exit status is 1.`

const explainExample = `  dither explain dither-model
  dither explain certificate.json --json
  dither explain "repeat(1000, poisson(0.01, gaussian(1.1)))" --delta 1e-5
  dither explain epsilon
  dither explain`

// explainCommand holds the flags of dither explain.
type explainCommand struct {
	account accountCommand
	json    bool
}

func newExplain() *cobra.Command { return (&explainCommand{}).command() }

func (e *explainCommand) command() *cobra.Command {
	c := &cobra.Command{
		Use: "explain [FOLDER | certificate.json | EVENT | TERM]", Short: "Put a certificate, an event or a term into plain words", Long: explainLong, Example: explainExample,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return e.run(c, args) },
	}
	f := c.Flags()
	f.Float64Var(&e.account.delta, "delta", defaultDelta, "of an event: "+explain.Short("delta"))
	f.StringVar(&e.account.neighboring, "neighboring", "add-or-remove-one", "of an event: "+explain.Short("neighboring"))
	f.IntVar(&e.account.rows, "rows-per-person", 0, "of an event: state the epsilon of this many rows together, too")
	f.BoolVar(&e.json, "json", false, "print JSON")
	e.account.changed = f.Changed
	return c
}

func (e *explainCommand) run(c *cobra.Command, args []string) error {
	out, err := computed(c.Context(), c.ErrOrStderr(), "computing what is explained", func() (explain.Explanation, error) { return e.explain(args) })
	if err != nil {
		return err
	}
	if e.json {
		err = writeJSON(c.OutOrStdout(), out)
	} else {
		var text []byte
		if text, err = out.Text(); err != nil {
			return failed{err}
		}
		err = writeAll(c.OutOrStdout(), text)
	}
	if err == nil && out.Verified != nil && !*out.Verified {
		err = failed{fmt.Errorf("%s: not verified: %s; do not rely on it", args[0], out.Disagreements[0])}
	}
	return err
}

// explain finds out what the argument is: a file or folder of this name before a term, since an
// explanation of the wrong thing would be worse than none.
func (e *explainCommand) explain(args []string) (explain.Explanation, error) {
	if len(args) == 0 {
		return explain.Terms(), nil
	}
	subject := args[0]
	info, err := os.Stat(subject)
	switch {
	case err == nil && info.IsDir():
		return e.folder(subject)
	case err == nil:
		text, failure := readPlain(subject, info)
		if failure != nil {
			return explain.Explanation{}, failure
		}
		return e.file(subject, text)
	}
	if t, ok := explain.TermOf(subject); ok {
		return t.Explanation(), nil
	}
	if !strings.Contains(subject, "(") && !strings.ContainsAny(subject, `./\`) {
		return explain.Explanation{}, fmt.Errorf("%q is no folder, file, event or term, want one; dither explain lists the terms", subject)
	}
	s, err := readSubject(subject)
	if err != nil {
		return explain.Explanation{}, err
	}
	return e.event(s)
}

// ownFlags refuses the flags of events for a certificate, which has its own numbers.
func (e *explainCommand) ownFlags() error {
	for _, flag := range []string{"delta", "neighboring", "rows-per-person"} {
		if e.account.changed(flag) {
			return fmt.Errorf("--%s is given with a certificate, which states its own, want an event; dither account prices a certificate at other terms", flag)
		}
	}
	return nil
}

// folder explains what dither wrote, after verifying all of its files.
func (e *explainCommand) folder(path string) (explain.Explanation, error) {
	if err := e.ownFlags(); err != nil {
		return explain.Explanation{}, err
	}
	v, err := verifyFolder(path)
	if err != nil {
		return explain.Explanation{}, err
	}
	if !v.Verified {
		return explain.Unverified(path, v.Disagreements), nil
	}
	return explain.Certificate(*v.Certificate, path, filesIn(path)...)
}

// file explains a certificate, or a plan, or both in what dither train --dry-run prints.
func (e *explainCommand) file(path string, text []byte) (explain.Explanation, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return explain.Explanation{}, fmt.Errorf("%s is no JSON object, want a plan or a certificate", path)
	}
	if inner := parts["certificate"]; inner != nil {
		text = inner
	} else if parts["format"] == nil {
		s, err := decodeSubject(path, text)
		if err != nil {
			return explain.Explanation{}, err
		}
		return e.event(s)
	}
	if err := e.ownFlags(); err != nil {
		return explain.Explanation{}, err
	}
	c, err := certificate.Decode(text)
	if err != nil {
		return explain.Explanation{}, fmt.Errorf("%s: %w", path, err)
	}
	want, err := c.Encode()
	if err == nil && !sameJSON(text, want) { // white space is that of the file that holds it
		err = fmt.Errorf("the certificate is not spelled as dither writes it, want each field once and in order")
	}
	if err = errors.Join(err, artefact.CheckPlans(c), c.VerifyPlan(everyMethod())); err != nil {
		var v verification
		v.Add(err)
		return explain.Unverified(path, v.Disagreements), nil
	}
	return explain.Certificate(c, "")
}

// everyMethod is methods, and that of answers.
func everyMethod() map[string]certificate.Method {
	all := artefact.Methods()
	maps.Copy(all, query.Methods())
	return all
}

// event explains an event expression or a plan.
func (e *explainCommand) event(s subject) (explain.Explanation, error) {
	chosen, err := e.relation(&s)
	if err != nil {
		return explain.Explanation{}, err
	}
	q, err := e.account.question(s)
	if err != nil {
		return explain.Explanation{}, err
	}
	answer, _, err := q.Answer()
	if err != nil {
		return explain.Explanation{}, err
	}
	return explain.Event(q, answer, chosen...)
}

// relation chooses a relation for an event that is not priced under the default one, and says so in a
// sentence. A relation that was asked for, or that a file names, stands.
func (e *explainCommand) relation(s *subject) (words []string, err error) {
	if s.neighboring != 0 || e.account.changed("neighboring") {
		return nil, nil
	}
	standard, err := privacy.ParseNeighboring(e.account.neighboring)
	if err != nil || mechanism.CheckNeighboring(s.event, standard) == nil {
		return nil, err
	}
	for _, n := range []privacy.Neighboring{privacy.ReplaceOne, privacy.ZeroOut} {
		if mechanism.CheckNeighboring(s.event, n) == nil {
			s.neighboring = n
			return []string{fmt.Sprintf("Under %v, which is usual, this event has no price; --neighboring chooses another relation.", standard)}, nil
		}
	}
	return nil, nil
}

// releasedFiles are the files that a certificate covers, by hashes or because they are made of others alone.
var releasedFiles = []string{certificate.FileName, model.FileName, model.WeightsFileName, iteratesName, evaluate.FileName, answerName, reportName}

// filesIn lists the files of a folder that the certificate covers.
func filesIn(folder string) []string {
	return slices.DeleteFunc(slices.Clone(releasedFiles), func(name string) bool { return !exists(filepath.Join(folder, name)) })
}
