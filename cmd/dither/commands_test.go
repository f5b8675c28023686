package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// The schemas of the models in these tests. The second level of income looks like a formula
// of a spreadsheet.
const (
	columnsText = `
columns:
  age: {numeric: [0, 100], out-of-range: drop, missing: drop}
  height: {numeric: [50, 220], out-of-range: clamp, missing: indicator}
  sex: {levels: [f, m], unknown: other, missing: zero}
  town: ignore
`
	headText    = "dither-schema: 1\nname: people\nrow: one person\nrows-per-person: 3\nmax-records: 5000\n"
	binaryText  = headText + `target: {column: income, levels: [low, "=HIGH()"]}` + columnsText
	classesText = headText + `target: {column: income, levels: [low, middle, "-1"]}` + columnsText
	regressText = headText + `target: {column: income, bounds: [-10, 90]}` + columnsText
	secret      = "Zq7Secret"
	tableHeader = "age,height,sex,town,income\n"
)

// invoke runs one command line.
func invoke(args ...string) (status int, stdout, stderr string) {
	var out, messages bytes.Buffer
	status = run(context.Background(), args, &out, &messages)
	return status, out.String(), messages.String()
}

// mustInvoke runs one command line that must succeed.
func mustInvoke(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	status, stdout, stderr := invoke(args...)
	if status != exitDone {
		t.Fatalf("%q: got exit status %d and %q, want %d", args, status, stderr, exitDone)
	}
	return stdout, stderr
}

// writeText writes a file of a test.
func writeText(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// modelFolder is a model folder of a test, with its parts.
type modelFolder struct {
	folder      string
	model       *model.Model
	certificate certificate.Certificate
}

// newModelFolder writes a model folder under a schema as train would, but with weights that
// nothing was learned for.
func newModelFolder(t *testing.T, schemaText string, epsilon float64) modelFolder {
	t.Helper()
	schema, err := data.ParseSchema("schema", []byte(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	setup, err := train.NewPlan(train.Request{Epsilon: epsilon, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne}, schema)
	if err != nil {
		t.Fatal(err)
	}
	weights := make([]float64, setup.Model.Weights())
	for j := range weights {
		weights[j] = float64(j*j%11)/3 - 1.5
	}
	m, err := model.New(schema, prepared(setup), setup.Model.Loss, weights)
	if err != nil {
		t.Fatal(err)
	}
	c, err := setup.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	c.Program, c.Run, c.Created = "dither test", "0123", "2001-02-03T04:05:06Z"
	m.Provenance = model.Provenance{Program: c.Program, Run: c.Run, Created: c.Created, Private: c.Private}
	out := modelFolder{filepath.Join(t.TempDir(), "model"), m, c}
	out.write(t)
	return out
}

// prepared is the feature map with what the plan pays for learning, as if nothing had been learned: no mean, and
// directions that are whitened already.
func prepared(s train.Setup) *feature.Map {
	f := *s.Features
	d := f.Pipeline.Dim()
	for _, statistic := range s.Plan.Preparation {
		switch statistic.Kind {
		case option.MeanStatistic:
			f.Center = make([]float64, d)
		case option.CovarianceStatistic:
			f.Whitening = &feature.Whitening{Matrix: make([]float64, d*d)}
			for j := range d {
				f.Whitening.Matrix[j*d+j] = 1
			}
		}
	}
	return &f
}

// write writes the two files of the folder; the certificate gets the hash of the model.
func (m *modelFolder) write(t *testing.T) {
	t.Helper()
	text, err := m.model.Encode()
	if err != nil {
		t.Fatal(err)
	}
	m.certificate.ModelSHA256 = certificate.Hash(text)
	certificateText, err := m.certificate.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(m.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(m.folder, model.FileName), string(text))
	writeText(t, filepath.Join(m.folder, certificate.FileName), string(certificateText))
}

// newDataset makes a data set of encoded columns.
func newDataset(t *testing.T, s *data.Schema, columns [][]float32, target []float32) *data.Dataset {
	t.Helper()
	d, err := data.New(s, columns, target)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// tableText is a table of n rows with good and bad cells of every kind; income takes turns
// among the levels.
func tableText(n int, income ...string) string {
	var b strings.Builder
	b.WriteString(tableHeader)
	for i := range n {
		age, height, sex := fmt.Sprint(i*37%90), fmt.Sprintf("%.3f", 50+float64(i*7919%1700)/10), []string{"f", "m", "x", ""}[i%4]
		switch i % 13 {
		case 3:
			age = "107" // out of range: the row is dropped
		case 5:
			height = ""
		case 7:
			height = "about " + secret
		case 11:
			age = ""
		}
		fmt.Fprintf(&b, "%s,%s,%s,%s%d,%s\n", age, height, sex, secret, i%3, income[i%len(income)])
	}
	return b.String()
}

// wrong is a command line that must be refused.
type wrong struct {
	name   string
	args   []string
	status int
	want   string // stands in the error
}

// checkWrong runs command lines in a folder and holds each to its exit status, one line that
// quotes no record, nothing on standard output and no file left.
func checkWrong(t *testing.T, folder string, cases []wrong) {
	t.Helper()
	t.Chdir(folder)
	before := treeOf(t, folder)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			status, stdout, stderr := invoke(c.args...)
			if status != c.status {
				t.Errorf("%q: got exit status %d, want %d; %s", c.args, status, c.status, stderr)
			}
			checkErrorLine(t, stderr, c.want)
			if stdout != "" {
				t.Errorf("got output %q, want none", stdout)
			}
			if after := treeOf(t, folder); !slices.Equal(after, before) {
				t.Errorf("got files %q, want %q", after, before)
			}
		})
	}
}

// checkErrorLine holds the output of a refused command to one line without a record in it.
func checkErrorLine(t *testing.T, stderr, want string) {
	t.Helper()
	line, rest, _ := strings.Cut(stderr, "\n")
	if !strings.HasPrefix(line, "dither: ") || rest != "" {
		t.Errorf("got %q, want one line that starts with dither:", stderr)
	}
	if !strings.Contains(line, want) {
		t.Errorf("got %q, want a text with %q", line, want)
	}
	if strings.Contains(stderr, secret) {
		t.Errorf("got %q, want no text of a record", stderr)
	}
	checkHarmless(t, stderr)
}

// checkHarmless fails when a text could give an order to a terminal.
func checkHarmless(t *testing.T, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("got %q in %q, want printable characters", r, text)
			return
		}
	}
}

// treeOf lists all files below a folder with their sizes.
func treeOf(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && !entry.IsDir() {
			names = append(names, fmt.Sprintf("%s %d", path, info.Size()))
		} else {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
