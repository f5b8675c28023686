package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/spf13/cobra"
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
	f.Float64Var(&e.account.delta, "delta", defaultDelta, "of an event: "+short("delta"))
	f.StringVar(&e.account.neighboring, "neighboring", "add-or-remove-one", "of an event: "+short("neighboring"))
	f.IntVar(&e.account.rows, "rows-per-person", 0, "of an event: state the epsilon of this many rows together, too")
	f.BoolVar(&e.json, "json", false, "print JSON")
	e.account.changed = f.Changed
	return c
}

// explanation is what dither explain prints. Numbers that the subject has not are left out.
type explanation struct {
	// Kind is "model", "evaluation", "answer", "event", "term" or "terms".
	Kind  string `json:"kind"`
	Title string `json:"title"`
	// Verified says whether all that can be recomputed was, and agrees; nil where there is nothing to verify.
	Verified      *bool    `json:"verified,omitempty"`
	Disagreements []string `json:"disagreements,omitempty"`
	Event         string   `json:"event,omitempty"`
	Claim         *claim   `json:"claim,omitempty"`
	// Releases are the parts of the event with what each costs.
	Releases []releaseCost `json:"releases,omitempty"`
	Attacker *attacker     `json:"attacker,omitempty"`
	Sections []section     `json:"sections"`
}

// section is a part of an explanation. Table holds rows of cells, which a terminal shows aligned.
type section struct {
	Title string     `json:"title,omitempty"`
	Lines []line     `json:"lines,omitempty"`
	Table [][]string `json:"-"`
}

// line is one sentence or a few; Depth is how far it is set in, 0 for the least.
type line struct {
	Text  string `json:"text"`
	Depth int    `json:"depth,omitempty"`
}

// linesOf sets each text on a line.
func linesOf(texts ...string) []line {
	out := make([]line, len(texts))
	for i, text := range texts {
		out[i] = line{Text: text}
	}
	return out
}

func (e *explainCommand) run(c *cobra.Command, args []string) error {
	out, err := computed(c.Context(), c.ErrOrStderr(), "computing what is explained", func() (explanation, error) { return e.explain(args) })
	if err != nil {
		return err
	}
	if e.json {
		err = writeJSON(c.OutOrStdout(), out)
	} else {
		var text []byte
		if text, err = out.text(); err == nil {
			err = writeAll(c.OutOrStdout(), text)
		}
	}
	if err == nil && out.Verified != nil && !*out.Verified {
		err = failed{fmt.Errorf("%s: not verified: %s; do not rely on it", args[0], out.Disagreements[0])}
	}
	return err
}

// explain finds out what the argument is: a file or folder of this name before a term, since an
// explanation of the wrong thing would be worse than none.
func (e *explainCommand) explain(args []string) (explanation, error) {
	if len(args) == 0 {
		return explainNothing(), nil
	}
	subject := args[0]
	info, err := os.Stat(subject)
	switch {
	case err == nil && info.IsDir():
		return e.folder(subject)
	case err == nil:
		text, failure := readPlain(subject, info)
		if failure != nil {
			return explanation{}, failure
		}
		return e.file(subject, text)
	}
	if t, ok := termOf(subject); ok {
		return explainTerm(t), nil
	}
	if !strings.Contains(subject, "(") && !strings.ContainsAny(subject, `./\`) {
		return explanation{}, fmt.Errorf("%q is no folder, file, event or term, want one; dither explain lists the terms", subject)
	}
	s, err := readSubject(subject)
	if err != nil {
		return explanation{}, err
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
func (e *explainCommand) folder(path string) (explanation, error) {
	if err := e.ownFlags(); err != nil {
		return explanation{}, err
	}
	v, err := verifyFolder(path)
	if err != nil {
		return explanation{}, err
	}
	if !v.Verified {
		return unverified(path, v.Disagreements), nil
	}
	return explainCertificate(*v.Certificate, path)
}

// file explains a certificate, or a plan, or both in what dither train --dry-run prints.
func (e *explainCommand) file(path string, text []byte) (explanation, error) {
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return explanation{}, fmt.Errorf("%s is no JSON object, want a plan or a certificate", path)
	}
	if inner := parts["certificate"]; inner != nil {
		text = inner
	} else if parts["format"] == nil {
		s, err := decodeSubject(path, text)
		if err != nil {
			return explanation{}, err
		}
		return e.event(s)
	}
	if err := e.ownFlags(); err != nil {
		return explanation{}, err
	}
	c, err := certificate.Decode(text)
	if err != nil {
		return explanation{}, fmt.Errorf("%s: %w", path, err)
	}
	want, err := c.Encode()
	if err == nil && !sameJSON(text, want) { // white space is that of the file that holds it
		err = fmt.Errorf("the certificate is not spelled as dither writes it, want each field once and in order")
	}
	if err = errors.Join(err, checkPlans(c), c.VerifyPlan(everyMethod())); err != nil {
		var v verification
		v.add(err)
		return unverified(path, v.Disagreements), nil
	}
	return explainCertificate(c, "")
}

// everyMethod is methods, and that of answers.
func everyMethod() map[string]certificate.Method {
	all := allMethods()
	all[queryMethod] = deriveQuery
	return all
}

// unverified says no more about a certificate than that nothing in it can be relied on.
func unverified(path string, disagreements []string) explanation {
	verified := false
	e := explanation{Kind: "certificate", Title: "NOT VERIFIED: do not rely on " + filepath.Base(path), Verified: &verified, Disagreements: disagreements}
	e.Sections = []section{{Title: "what it states does not follow from its plan and files; this disagrees", Lines: linesOf(disagreements...)}}
	return e
}

// text is the explanation for a terminal.
func (e explanation) text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(wrapped(printable(e.Title)))
	for _, s := range e.Sections {
		b.WriteByte('\n')
		if s.Title != "" {
			b.WriteString(printable(s.Title) + "\n")
		}
		for _, l := range s.Lines {
			b.WriteString(display.Indent(display.Bullet(l.Text), 4*l.Depth))
		}
		if len(s.Table) > 0 {
			if err := writeColumns(&b, s.Table); err != nil {
				return nil, failed{err}
			}
		}
	}
	return b.Bytes(), nil
}
