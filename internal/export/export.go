package export

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/failure"
	"github.com/ditherml/dither/model"
)

// Request says what to write.
type Request struct {
	// Format is one of Formats.
	Format string
	// Dialect is one of Dialects, for the format sql. Table is the table that the statement reads.
	Dialect, Table string
}

// DefaultTable is the table that a statement reads if none is named.
const DefaultTable = "records"

// writer writes a model in one format.
type writer func(m *model.Model, s statement, r Request) ([]byte, error)

var writers = map[string]writer{
	"go":          writeGo,
	"onnx":        writeONNX,
	"safetensors": writeSafetensors,
	"sklearn":     writePython,
	"sql":         writeSQL,
}

// Formats returns the formats with a summary of each, separated by a tab.
func Formats() []string {
	return []string{"onnx\tONNX graph that takes raw columns", "sql\tSELECT statement", "sklearn\tPython file with a pipeline of scikit-learn",
		"go\tGo file that imports the standard library alone", "safetensors\tweights alone"}
}

// Binary reports whether the files of a format are no texts.
func Binary(format string) bool { return format == "onnx" || format == "safetensors" }

// Folder returns the model in a model folder in the format of a request. The folder is verified first.
func Folder(folder string, r Request) ([]byte, error) {
	write, known := writers[r.Format]
	switch {
	case !known:
		return nil, fmt.Errorf("--to is %q, want %s", r.Format, formatNames())
	case r.Format != "sql" && (r.Dialect != "" || r.Table != ""):
		return nil, fmt.Errorf("--dialect and --table go with --to sql; leave them out for %s", r.Format)
	case r.Dialect != "" && !slices.Contains(Dialects(), r.Dialect):
		return nil, fmt.Errorf("--dialect is %q, want %s", r.Dialect, strings.Join(Dialects(), ", "))
	}
	v, err := artefact.Verify(folder)
	switch {
	case err != nil:
		return nil, err
	case !v.Verified:
		return nil, failure.Running(fmt.Errorf("%s: not verified: %s; nothing was exported, dither verify %s says more", folder, v.Disagreements[0], folder))
	}
	m, err := model.Load(folder)
	if err != nil {
		return nil, err
	}
	certificateText, c, err := artefact.ReadCertificate(folder)
	if err != nil {
		return nil, err
	}
	out, err := write(m, newStatement(c, certificate.Hash(certificateText)), r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(folder, model.FileName), err)
	}
	return out, nil
}

// formatNames lists the formats in words.
func formatNames() string {
	var names []string
	for _, f := range Formats() {
		name, _, _ := strings.Cut(f, "\t")
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// statement is what every file says about the guarantee.
type statement struct {
	private                  bool
	epsilon, rounded, delta  string
	neighboring, unit        string
	rows                     int // of one person, 0 if not declared
	rowsEpsilon              string
	hash, modelHash          string
	program, run, accountant string
}

func newStatement(c certificate.Certificate, hash string) statement {
	return statement{private: c.Private, epsilon: epsilonText(c.Epsilon), rounded: c.Epsilon.Rounded(), delta: text(c.Delta), neighboring: c.Neighboring.String(), unit: c.Unit, rows: c.GroupRows,
		rowsEpsilon: epsilonText(c.GroupEpsilon), hash: hash, modelHash: c.ModelSHA256, program: artefact.Program, run: c.Run, accountant: c.Accountant}
}

// epsilonText returns all digits, as the certificate has them.
func epsilonText(e certificate.Epsilon) string {
	if math.IsInf(float64(e), 0) {
		return "infinity"
	}
	return text(float64(e))
}

// pair is a name and its value.
type pair struct{ key, value string }

// pairs returns the numbers of the certificate by name.
func (s statement) pairs() []pair {
	out := []pair{{"dither.private", fmt.Sprint(s.private)}, {"dither.epsilon", s.epsilon}, {"dither.delta", s.delta}, {"dither.neighboring", s.neighboring}, {"dither.unit", s.unit}}
	if s.rows > 1 {
		out = append(out, pair{"dither.rows-per-person", fmt.Sprint(s.rows)}, pair{"dither.rows-epsilon", s.rowsEpsilon})
	}
	return append(out, pair{"dither.accountant", s.accountant}, pair{"dither.certificate-sha256", s.hash}, pair{"dither.model-sha256", s.modelHash}, pair{"dither.run", s.run},
		pair{"dither.program", s.program}, pair{"dither.statement", strings.Join(s.lines(), " ")})
}

// lines says in words what the guarantee covers.
func (s statement) lines() []string {
	if !s.private {
		return []string{"NOT PRIVATE. Epsilon is infinite: this model is a baseline without a guarantee, and may reveal any record that trained it.",
			"Export reads the model alone. It changes nothing about this."}
	}
	return []string{
		fmt.Sprintf("Differential privacy with epsilon %s and delta %s, %s, for one record (%s).", s.rounded, s.delta, s.neighboring, s.unit),
		"Export is post-processing: it reads the released model and no record, and costs no privacy.",
		"The guarantee of the model covers this file.",
		"Predictions for a row reveal information about this row.",
	}
}

// comment returns lines and numbers of the statement, each line after a prefix.
func (s statement) comment(prefix string) string {
	var b strings.Builder
	for _, line := range s.lines() {
		b.WriteString(prefix + oneLine(line) + "\n")
	}
	b.WriteString(strings.TrimRight(prefix, " ") + "\n")
	for _, p := range s.pairs() {
		if p.key != "dither.statement" {
			b.WriteString(prefix + p.key + ": " + oneLine(p.value) + "\n")
		}
	}
	return b.String()
}

// oneLine returns a text without characters that end a comment.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 }), " ")
}
