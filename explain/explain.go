package explain

import (
	"bytes"
	"path/filepath"

	"github.com/ditherml/dither/internal/display"
)

// Explanation describes a subject in plain words and numbers. Fields that do not apply to the
// subject have their zero values.
type Explanation struct {
	// Kind is the kind of subject: "model", "evaluation", "answer", "event", "term" or "terms". If
	// verification fails, Kind is "certificate".
	Kind string `json:"kind"`
	// Title is a heading in one line.
	Title string `json:"title"`
	// Verified reports whether all recomputed numbers agree with the files. It is nil if there is
	// nothing to verify.
	Verified *bool `json:"verified,omitempty"`
	// Disagreements describes in words each disagreement between the files and the recomputed
	// numbers. It is empty if verification succeeds or if there is nothing to verify.
	Disagreements []string `json:"disagreements,omitempty"`
	// Event is the explained event as text.
	Event string `json:"event,omitempty"`
	// Claim is the guarantee that may be claimed, and the name of the accountant that proves it.
	Claim *claim `json:"claim,omitempty"`
	// Releases are the parts of the event. Each part is listed with its own cost.
	Releases []releaseCost `json:"releases,omitempty"`
	// Attacker contains bounds on the success of attackers.
	Attacker *attacker `json:"attacker,omitempty"`
	// Sections are the paragraphs of the explanation, in order.
	Sections []section `json:"sections"`
}

// section is a part of an explanation. Table holds rows of cells, which a terminal shows aligned.
type section struct {
	Title string     `json:"title,omitempty"`
	Lines []line     `json:"lines,omitempty"`
	Table [][]string `json:"-"`
}

// line is one or a few sentences. Depth is its indentation, 0 for none.
type line struct {
	Text  string `json:"text"`
	Depth int    `json:"depth,omitempty"`
}

// linesOf returns each text on a line.
func linesOf(texts ...string) []line {
	out := make([]line, len(texts))
	for i, text := range texts {
		out[i] = line{Text: text}
	}
	return out
}

// unverified returns the explanation of a certificate that nobody should rely on. It says nothing
// else.
func unverified(path string, disagreements []string) Explanation {
	verified := false
	e := Explanation{Kind: "certificate", Title: "NOT VERIFIED: do not rely on " + filepath.Base(path), Verified: &verified, Disagreements: disagreements}
	e.Sections = []section{{Title: "what it states does not follow from its plan and files; this disagrees", Lines: linesOf(disagreements...)}}
	return e
}

// Text returns the explanation as text for a terminal.
func (e Explanation) Text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(display.Wrapped(display.Printable(e.Title)))
	for _, s := range e.Sections {
		b.WriteByte('\n')
		if s.Title != "" {
			b.WriteString(display.Printable(s.Title) + "\n")
		}
		for _, l := range s.Lines {
			b.WriteString(display.Indent(display.Bullet(l.Text), 4*l.Depth))
		}
		if len(s.Table) > 0 {
			if err := display.WriteColumns(&b, s.Table); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), nil
}
