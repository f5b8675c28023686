package artefact

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/database"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/draft"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/internal/strict"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/network"
	"github.com/ditherml/dither/train"
)

// checkEntries refuses a file that does not belong to a folder, and every entry that is no plain
// file: nothing says what a further file cost.
func checkEntries(folder string, names ...string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("%s: %w, want a folder that can be listed", folder, display.Pathless(err))
	}
	var wrong []error
	names = append(names, SignatureName) // which checkSignatures reads
	for _, e := range entries {
		switch {
		case !slices.Contains(names, e.Name()):
			wrong = append(wrong, fmt.Errorf("there is %s, which the certificate does not know, want none; nothing says what it cost", display.Printable(e.Name())))
		case !e.Type().IsRegular():
			wrong = append(wrong, fmt.Errorf("%s is no plain file, want one", display.Printable(e.Name())))
		}
	}
	return errors.Join(wrong...)
}

// hashed is a file whose hash the certificate has, if the file exists.
type hashed struct{ name, what, hash string }

// check compares the hash of the file in a folder with the certificate. The file and the hash must
// exist together.
func (h hashed) check(folder string) error {
	there := display.Exists(filepath.Join(folder, h.name))
	switch {
	case !there && h.hash == "":
		return nil
	case !there:
		return fmt.Errorf("there is no %s, but the certificate has its hash, want the file of the run", h.name)
	case h.hash == "":
		return fmt.Errorf("there is %s, but the certificate has no hash of it, want none", h.name)
	}
	text, err := ReadPart(folder, h.name)
	if err != nil {
		return err
	}
	return agreeWith(h.name, "SHA-256 of "+h.what, h.hash, certificate.Hash(text))
}

func reportOf(c certificate.Certificate) hashed {
	return hashed{ReportName, "the page", c.ReportSHA256}
}

// checkOrigin refuses incomplete provenance. The command writes all three parts. A folder that was
// made in Go, which has no page, may have none of them.
func checkOrigin(c certificate.Certificate) error {
	if err := checkRecorded(c.Recorded); err != nil {
		return err
	}
	if c.Program == "" && c.Run == "" && c.Created == "" && c.ReportSHA256 == "" {
		return nil
	}
	_, err := time.Parse(time.RFC3339, c.Created)
	switch {
	case err != nil:
		return fmt.Errorf("the time is %q, want one as 2006-01-02T15:04:05Z", Shortly(c.Created))
	case !plainWord(c.Program) || !plainWord(c.Run):
		return fmt.Errorf("the program is %q and the run %q, want both named in at most 200 printable characters", Shortly(c.Program), Shortly(c.Run))
	}
	return nil
}

// checkRecorded refuses records that no ledger has.
func checkRecorded(r *certificate.LedgerRecord) error {
	if r == nil {
		return nil
	}
	before := uint64(0)
	for i, one := range append(slices.Clone(r.Earlier), *r) {
		if !strict.IsHash(one.Ledger) || !strict.IsHash(one.Head) || one.Sequence == 0 {
			return fmt.Errorf("the certificate names record %d of ledger %q with head %q, want a number from 1 and two hashes", one.Sequence, Shortly(one.Ledger), Shortly(one.Head))
		}
		if one.Ledger != r.Ledger || one.Sequence <= before || i < len(r.Earlier) && one.Earlier != nil {
			return fmt.Errorf("the certificate names record %d of ledger %q after record %d, want records of one ledger in their order", one.Sequence, Shortly(one.Ledger), before)
		}
		if len(one.Signature) > 0 && (i < len(r.Earlier) || !isSignature(one.Signature)) {
			return fmt.Errorf("the certificate has the signature %q for record %d of its ledger, want 128 hexadecimal digits for the last record alone", Shortly(one.Signature), one.Sequence)
		}
		standing := one.Others != 0 || one.Spent != 0 || one.Limit != 0 || one.LimitDelta != 0
		if standing && (i < len(r.Earlier) || one.Others < 0 || uint64(one.Others) >= one.Sequence ||
			!(one.Spent > 0 && one.Spent <= one.Limit*(1+1e-9)) || !(one.LimitDelta >= 0 && one.LimitDelta < 1)) {
			return fmt.Errorf("the certificate says that record %d of its ledger followed %d releases, with epsilon %s spent of %s, want fewer releases than records, and more than nothing spent but no more than the limit", one.Sequence, one.Others, one.Spent.Rounded(), one.Limit.Rounded())
		}
		before = one.Sequence
	}
	return nil
}

// isSignature reports whether a text has the form of a signature by ed25519.
func isSignature(text string) bool {
	half := len(text) / 2
	return strict.IsHash(text[:half]) && strict.IsHash(text[half:])
}

// plainWord reports whether a text is not empty and printable.
func plainWord(text string) bool {
	return text != "" && len(text) <= 200 && display.Printable(text) == text && strings.TrimSpace(text) == text
}

// Shortly returns the first 60 bytes of a longer text, followed by an ellipsis. A shorter text is
// unchanged.
func Shortly(text string) string {
	const most = 60
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// checkIterates compares the file of all iterates in a model folder with certificate, plan and
// model. It refuses a file where the plan has none.
func checkIterates(folder string, c certificate.Certificate, m *model.Model) error {
	if err := (hashed{IteratesName, "the iterates", c.IteratesSHA256}).check(folder); err != nil || c.IteratesSHA256 == "" {
		return err
	}
	if !IsDescent(c.Method) {
		return fmt.Errorf("there is %s, and the plan of method %s does not pay for the weights after every step, want none", IteratesName, c.Method)
	}
	p, err := strict.ReadPlan[train.Plan]("train", c.Plan)
	if err != nil {
		return nil // Certificate.Verify says so
	}
	text, err := ReadPart(folder, IteratesName)
	if err != nil {
		return err
	}
	iterates, err := readMatrix(text, p.Steps, p.Dim*p.Columns)
	if err != nil {
		return err
	}
	return coveredIterates(p, m, iterates)
}

// coveredIterates returns an error unless iterates belong to a plan whose price covers them and end
// in the weights of the model. There must be one row for each step, with finite numbers only.
func coveredIterates(p train.Plan, m *model.Model, iterates [][]float64) error {
	if p.LastIterate != nil {
		return fmt.Errorf("there are the weights after every step, and the plan pays for the last iterate alone")
	}
	if len(iterates) != p.Steps || p.Steps == 0 || !slices.Equal(iterates[len(iterates)-1], m.Weights()) {
		return fmt.Errorf("there are the weights after %d steps, want %d steps that end in the weights of the model", len(iterates), p.Steps)
	}
	for t, row := range iterates {
		if len(row) != p.Dim*p.Columns || slices.ContainsFunc(row, func(v float64) bool { return v-v != 0 }) {
			return fmt.Errorf("the weights after step %d are %d numbers or not finite, want %d finite ones", t+1, len(row), p.Dim*p.Columns)
		}
	}
	return nil
}

// readMatrix reads what MatrixNPY writes, of this shape.
func readMatrix(text []byte, rows, columns int) ([][]float64, error) {
	if rows < 1 || columns < 1 || len(text)/8/columns < rows {
		return nil, fmt.Errorf("%s has %d bytes, want the weights after %d steps of %d numbers", IteratesName, len(text), rows, columns)
	}
	numbers := text[len(text)-8*rows*columns:]
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, columns)
		for j := range out[i] {
			out[i][j] = math.Float64frombits(binary.LittleEndian.Uint64(numbers[8*(i*columns+j):]))
		}
	}
	if !bytes.Equal(MatrixNPY(out), text) {
		return nil, fmt.Errorf("%s is not spelled as dither writes it, want a matrix of %d rows and %d columns", IteratesName, rows, columns)
	}
	return out, nil
}

// frozenLayers returns the number of frozen layers, which stand first as one.
func frozenLayers(m *model.Model) int {
	first, _ := m.Network().Layers()[0].(network.Frozen)
	return len(first.Layers)
}

// checkDeclared refuses declarations that say nothing, or that do not fit the model.
func checkDeclared(c certificate.Certificate, m *model.Model) error {
	frozen := m.Network() != nil && len(m.Network().Frozen()) > 0
	d := c.Declared
	if d == nil {
		d = &certificate.Declared{}
	} else if *d == (certificate.Declared{}) {
		return fmt.Errorf("the certificate declares nothing in so many words, want no declaration")
	}
	selected := c.Method == option.MethodSelection
	switch {
	case frozen != (d.Frozen != nil):
		return fmt.Errorf("the model has frozen layers: %v, and the certificate says where they come from: %v, want both or neither", frozen, d.Frozen != nil)
	case frozen && d.Frozen.Layers != frozenLayers(m):
		return fmt.Errorf("the certificate speaks of %d frozen layers, want %d as the model has", d.Frozen.Layers, frozenLayers(m))
	case selected != (d.ScoredOn != ""):
		return fmt.Errorf("the certificate names records that models were scored on: %v, want that of a private choice alone", d.ScoredOn != "")
	case !isSource(d.Records):
		return errSource
	case d.ScoredOn != display.OneLine(d.ScoredOn):
		return fmt.Errorf("the name of the records that models were scored on is not on one line, want it so")
	}
	if err := CheckAbout(d); err != nil {
		return err
	}
	return draft.CheckFrozen(d.Frozen)
}

// isSource reports whether a text is the name of a table or query on one line, or empty.
func isSource(name string) bool {
	return name == "" || database.IsName(name) && name == display.OneLine(name)
}

var errSource = errors.New("the name of the records is not a table or query on one line, want it so")

// CheckAbout returns an error if the owner or the purpose in a declaration is not one printable line. Nil is valid.
func CheckAbout(d *certificate.Declared) error {
	if d == nil {
		return nil
	}
	for _, part := range []struct{ what, text string }{{"owner", d.Owner}, {"purpose", d.Purpose}} {
		if part.text != "" && !plainWord(part.text) {
			return fmt.Errorf("the %s is %q, want at most 200 printable characters on one line, without spaces around them", part.what, Shortly(part.text))
		}
	}
	return nil
}

// checkBare refuses, in a certificate that is not of a model, parts that only certificates of
// models have.
func checkBare(c certificate.Certificate, evaluation bool) error {
	switch d := c.Declared; {
	case len(c.Learned) > 0 || c.IteratesSHA256 != "":
		return fmt.Errorf("the certificate has learned bounds or weights after every step, want none without a model")
	case d != nil && (d.Records == "" || *d != (certificate.Declared{Records: d.Records})):
		return fmt.Errorf("the certificate declares more or less than where the records come from, want that alone, or no declaration, without a model")
	case d != nil && !isSource(d.Records):
		return errSource
	case !evaluation && (c.EvaluationSHA256 != "" || c.ReportSHA256 != ""):
		return fmt.Errorf("the certificate has the hash of an evaluation or a page, want none with an answer")
	case !strict.IsHash(c.ModelSHA256):
		return fmt.Errorf("the SHA-256 of the model is %q, want a hash", Shortly(c.ModelSHA256))
	}
	return nil
}
