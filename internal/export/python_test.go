package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/model"
)

// pythonFolder returns a folder that has the Python file of a model, as model.py.
func pythonFolder(t *testing.T, m *model.Model) string {
	t.Helper()
	file, err := writePython(m, testStatement, Request{})
	folder := t.TempDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "model.py"), file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// needPython skips a test where python3 lacks modules.
func needPython(t *testing.T, modules string) {
	t.Helper()
	if err := exec.Command("python3", "-c", "import "+modules).Run(); err != nil {
		t.Skip("there is no python3 with " + modules + " here")
	}
}

// withoutScikit begins a Python program that imports a model in place of scikit-learn.
const withoutScikit = `
import sys, types
def stub(name, **has):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(has)
class Estimator: pass
class Transformer: pass
class Pipeline:
    def __init__(self, steps): self.named_steps = dict(steps)
stub("sklearn")
stub("sklearn.base", BaseEstimator=Estimator, TransformerMixin=Transformer)
stub("sklearn.pipeline", Pipeline=Pipeline)
`

// joinsCells runs the main program of a model whose predictions are the cells of a row. It needs no module, and takes
// one row at a time. The predictions go to the standard output, and then to a file.
const joinsCells = withoutScikit + `
class Row(str):
    def any(self): return False
stub("numpy", isnan=lambda row: row, empty=lambda shape: [[]] * shape[0])
import model
class Joins:
    def transform(self, x): return [Row("/".join(cells)) for cells in zip(*x.values())]
    def predict(self, rows): return rows
model.pipeline = lambda: Pipeline([("features", Joins()), ("linear", Joins())])
model.BLOCK_ROWS = 1
for args in (["table.csv"], ["table.csv", "predictions.csv"]):
    sys.argv[1:] = args
    try: model.main()
    except SystemExit as e: print(e, file=sys.stderr)
`

// TestPythonRefusesRows runs Python files on tables of many forms. A refusal names the line and no cell, and leaves the file of
// predictions as it was.
func TestPythonRefusesRows(t *testing.T) {
	needPython(t, "json")
	const plain, named, first, secret = "", "header: [a, b, y]\n", "header: [y, a, b]\n", "planted"
	folders := map[string]string{}
	for _, declared := range []string{plain, named, first} {
		s, err := data.ParseSchema("test", []byte("dither-schema: 1\nmax-records: 9\n"+declared+"target: {column: y, bounds: [0, 1]}\ncolumns:\n  a: {numeric: [0, 9], out-of-range: clamp, missing: zero}\n  b: {levels: [x], unknown: other, missing: zero}\n"))
		if err != nil {
			t.Fatal(err)
		}
		chain, err := feature.NewPipeline(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(s, &feature.Map{Pipeline: chain, Norm: feature.NormNone}, model.Squared, []float64{1, 2, 3}[:chain.Dim()])
		if err != nil {
			t.Fatal(err)
		}
		folders[declared] = pythonFolder(t, m)
	}
	for _, c := range []struct{ name, declared, table, words, rows string }{
		{"a short row", plain, "a,b,y\n7,x,1\nplanted,x\n", "line 3: the row has 2 cells, want 3", ""},
		{"a long row", plain, "a,b\n7,x,planted\n", "line 2: the row has 3 cells, want 2", ""},
		{"a cell of several lines", plain, "a,b\r\n\r\n7,\"x\r\ny\"\r\n\r\nplanted\r\n", "line 6: the row has 1 cell, want 2", ""},
		{"a quote that is not closed", plain, "a,b\n7,x\n8,\"planted\n9,x\n", "line 3: the row cannot be read", ""},
		{"text after a quote", plain, "a,b\n7,\"x\"planted\n", "line 2: the row cannot be read", ""},
		{"a short row of columns with names", named, "7,x,1\n8,planted\n", "line 2: the row has 2 cells, want 3", ""},
		{"a long row without a target", named, "7,x\n8,x,planted\n", "line 2: the row has 3 cells, want 2", ""},
		{"a shorter row without a target", named, "7,x\nplanted\n", "line 2: the row has 1 cell, want 2", ""},
		{"a header without a column", plain, "a,planted\n7,x\n", "lacks column 'b'", ""},
		{"no byte", plain, "", "lacks column 'a'", ""},
		{"rows with a target", plain, "b,y,a\nx,1,7\n\nz,,8\n", "", "1,7/x 2,8/z"},
		{"no target", named, "7,x\n8,z\n", "", "1,7/x 2,8/z"},
		{"no target, which is the first", first, "7,x\n8,z\n", "", "1,7/x 2,8/z"},
		{"a target, which is the first", first, "1,7,x\n1,8,z\n", "", "1,7/x 2,8/z"},
		{"quotes after spaces", plain, "a, b\n7, \"x\"\n 8,\"z,\n\"\"\"\n", "", "1,7/x 2,8/z,\n\""},
		{"a header alone", plain, "a,b\n", "", ""},
		{"no byte of columns with names", named, "", "", ""},
	} {
		folder, told := folders[c.declared], new(bytes.Buffer)
		target := filepath.Join(folder, "predictions.csv")
		err := errors.Join(os.WriteFile(filepath.Join(folder, "table.csv"), []byte(c.table), 0o600), os.WriteFile(target, []byte("before"), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		command := exec.Command("python3", "-B", "-c", joinsCells)
		command.Dir, command.Stderr = folder, told
		printed, err := command.Output()
		if err != nil {
			t.Fatalf("%s: got %v and %s", c.name, err, told)
		}
		left, err := os.ReadFile(target)
		files, listed := os.ReadDir(folder)
		if err = errors.Join(err, listed); err != nil || len(files) != 3 {
			t.Errorf("%s: got the files %v and %v, want a model, a table and predictions", c.name, files, err)
		}
		if c.words != "" {
			if text := told.String(); strings.Count(text, c.words) != 2 || strings.Contains(text, secret) || string(left) != "before" {
				t.Errorf("%s: got the error %q and the file %q, want %q without a cell and the file as it was", c.name, text, left, c.words)
			}
			continue
		}
		lines, err := csv.NewReader(bytes.NewReader(printed)).ReadAll()
		if len(lines) == 0 {
			t.Fatalf("%s: got %v and %s, want a header at least", c.name, err, told)
		}
		var rows []string
		for _, line := range lines[1:] {
			rows = append(rows, strings.Join(line, ","))
		}
		if got := strings.Join(rows, " "); err != nil || got != c.rows || told.Len() > 0 || !bytes.Equal(left, printed) || fmt.Sprint(lines[0]) != "[row prediction]" {
			t.Errorf("%s: got %q and %v and in a file %q, want %q in both", c.name, printed, err, left, c.rows)
		}
	}
}

// wideCuts is a model whose cuts are above 2⁶⁴ and below 10²¹. JSON has them as integers, and NumPy has no such integers.
var wideCuts = testCase{target: measured, columns: "  mass: {numeric: [0, 5e20], missing: indicator, out-of-range: clamp}\n", norm: feature.NormUnit, intercept: true,
	transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"none","bins":8}`)}}}

// TestPythonNamesTypes wants a type for each array that a Python file makes, and cuts that are written as integers. An array of
// integers above 2⁶⁴ without a type has objects.
func TestPythonNamesTypes(t *testing.T) {
	for line := range strings.Lines(pythonProgram) {
		if strings.Count(line, "np.array(") != strings.Count(line, "dtype=") && strings.Contains(line, "np.array(") {
			t.Errorf("got %q, want a type for each array", line)
		}
	}
	file, err := writePython(wideCuts.make(t), testStatement, Request{})
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(file), `MODEL = json.loads(r"""`)
	text, _, _ = strings.Cut(text, `""")`)
	var made pythonModel
	if err = json.Unmarshal([]byte(text), &made); err != nil || len(made.Columns) != 1 || len(made.Columns[0].Cuts) != 7 {
		t.Fatalf("got %d columns and %v, want one with 7 cuts", len(made.Columns), err)
	}
	for _, cut := range made.Columns[0].Cuts {
		if !(cut > 1<<64) || !strings.Contains(text, strconv.FormatFloat(cut, 'f', -1, 64)) {
			t.Errorf("the cut %g is not in the file as an integer above 2⁶⁴", cut)
		}
	}
}

// TestPythonComparesWideCuts compares predictions for numbers at and beside cuts above 2⁶⁴ with those of the model.
func TestPythonComparesWideCuts(t *testing.T) {
	needPython(t, "numpy")
	m, table, rows := wideCuts.make(t), "mass,price\n", [][]string{}
	o, err := newOutline(m)
	if err != nil {
		t.Fatal(err)
	}
	cells := []string{"0", "1e19", "18446744073709551616", "62499999999999999999", "6.3e19", "250000000000000000000", "5e20", "1e21", "-1", "NA"}
	for _, cut := range o.columns[0].cuts {
		cells = append(cells, fmt.Sprintf("%.0f", cut), fmt.Sprintf("%.0f", math.Nextafter32(float32(cut), 0)))
	}
	for _, cell := range cells {
		table, rows = table+cell+",\n", append(rows, []string{cell})
	}
	folder := pythonFolder(t, m)
	if err = os.WriteFile(filepath.Join(folder, "table.csv"), []byte(table), 0o600); err != nil {
		t.Fatal(err)
	}
	command, told := exec.Command("python3", "-B", "-c", withoutScikit+`
import model
sys.argv[1:] = ["table.csv"]
model.main()
`), new(bytes.Buffer)
	command.Dir, command.Stderr = folder, told
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("got %v and %s", err, told)
	}
	lines, err := csv.NewReader(bytes.NewReader(printed)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if largest, failed := compare(m, printedNumbers(t, m, lines[1:]), want(t, m, rows)); failed != nil || largest > goTolerance {
		t.Errorf("got a difference of %g and %v, want at most %g", largest, failed, goTolerance)
	}
}
