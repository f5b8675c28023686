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
	"slices"
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

// declaredModel returns a model whose weights are 1, 2, 3 and so on. The text is the rest of its schema.
func declaredModel(t *testing.T, text string, loss model.Loss) *model.Model {
	t.Helper()
	s, err := data.ParseSchema("test", []byte("dither-schema: 1\nmax-records: 9\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	chain, err := feature.NewPipeline(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.New(s, &feature.Map{Pipeline: chain, Norm: feature.NormNone}, loss, []float64{1, 2, 3, 4, 5, 6, 7, 8}[:chain.Dim()])
	if err != nil {
		t.Fatal(err)
	}
	return m
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
// one row at a time. Predictions for each of several tables go to the standard output, and then to a file. tableEnds
// ends what is printed about a table.
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
for k in range(int(sys.argv[1])):
    for args in ([f"{k}.csv"], [f"{k}.csv", f"{k}.predictions.csv"]):
        sys.argv[1:] = args
        try: model.main()
        except SystemExit as e: print(e, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr): print("` + tableEnds + `", end="", file=stream, flush=True)
`

const tableEnds = "<end of a table>"

// joinedCells is what joinsCells does with the tables of a folder.
type joinedCells struct {
	folder string
	tables int
	// printed and told are what the program wrote about each table on its standard output and its standard error.
	printed, told []string
}

// add writes a table, and a file where its predictions go. It returns the number of the table.
func (j *joinedCells) add(t *testing.T, table string) int {
	t.Helper()
	if err := errors.Join(os.WriteFile(j.path(j.tables, ""), []byte(table), 0o600), os.WriteFile(j.path(j.tables, ".predictions"), []byte("before"), 0o600)); err != nil {
		t.Fatal(err)
	}
	j.tables++
	return j.tables - 1
}

// path returns the path of a table or of its predictions.
func (j *joinedCells) path(table int, of string) string {
	return filepath.Join(j.folder, fmt.Sprintf("%d%s.csv", table, of))
}

// run runs the program. It leaves no other file in the folder.
func (j *joinedCells) run(t *testing.T) {
	t.Helper()
	told := new(bytes.Buffer)
	command := exec.Command("python3", "-B", "-c", joinsCells, fmt.Sprint(j.tables))
	command.Dir, command.Stderr = j.folder, told
	printed, err := command.Output()
	if err != nil {
		t.Fatalf("got %v and %s", err, told)
	}
	if files, listed := os.ReadDir(j.folder); listed != nil || len(files) != 1+2*j.tables {
		t.Errorf("got the files %v and %v, want a model, %d tables and their predictions", files, listed, j.tables)
	}
	j.printed, j.told = strings.Split(string(printed), tableEnds), strings.Split(told.String(), tableEnds)
	if len(j.printed) != j.tables+1 || len(j.told) != j.tables+1 {
		t.Fatalf("got outputs for %d tables and errors for %d, want %d", len(j.printed)-1, len(j.told)-1, j.tables)
	}
}

// TestPythonRefusesRows runs Python files on tables of many forms. A refusal names the line and no cell, and leaves the file of
// predictions as it was.
func TestPythonRefusesRows(t *testing.T) {
	needPython(t, "json")
	const plain, named, first, secret = "", "header: [a, b, y]\n", "header: [y, a, b]\n", "planted"
	folders := map[string]*joinedCells{}
	for _, declared := range []string{plain, named, first} {
		m := declaredModel(t, declared+"target: {column: y, bounds: [0, 1]}\ncolumns:\n  a: {numeric: [0, 9], out-of-range: clamp, missing: zero}\n  b: {levels: [x], unknown: other, missing: zero}\n", model.Squared)
		folders[declared] = &joinedCells{folder: pythonFolder(t, m)}
	}
	cases := []struct{ name, declared, table, words, rows string }{
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
		{"a quote inside a cell", plain, "a,b\n7,\"x\"\n8,planted\"x\n", "line 3: a quote stands inside a cell that is not quoted, want cells in plain quotes", ""},
		{"quotes inside a cell", plain, "a,b\n7,planted \"x\"\n", "line 2: a quote stands inside a cell", ""},
		{"a quote inside the first cell", plain, "a,b\n7planted\",x\n", "line 2: a quote stands inside a cell", ""},
		{"a quote inside a cell after a quoted one", plain, "a,b\n\"7\",planted\"x\"\n", "line 2: a quote stands inside a cell", ""},
		{"a quote inside a cell of a row of several lines", plain, "a,b\n\"\n7\",plan\"ted\n", "line 2: a quote stands inside a cell", ""},
		{"a quote inside a cell of the header", plain, "a,b\"planted\n", "line 1: a quote stands inside a cell", ""},
		{"a quote after a space between cells of tabs", plain, "a\tb\ty\n7\t \"planted\"\t1\n", "line 2: a quote stands inside a cell", ""},
		{"a header of columns with names", named, " a ,b,y\n7,x,1\n", "line 1: the first row holds the names of the columns, want a table without a header", ""},
		{"a header without a target", first, "\na,b\n7,x\n", "line 2: the first row holds the names of the columns", ""},
		{"a name twice", plain, "\na,planted,b, a\n7,x,8,9\n", "line 2, column 4: the header names this column as it names column 1, want distinct names; rename or remove one of them", ""},
		{"a name twice that no column has", plain, "planted,a,b,planted\n7,x,8,9\n", "line 1, column 4: the header names this column as it names column 1", ""},
		{"rows with a target", plain, "b,y,a\nx,1,7\n\nz,,8\n", "", "1,7/x 2,8/z"},
		{"no target", named, "7,x\n8,z\n", "", "1,7/x 2,8/z"},
		{"no target, which is the first", first, "7,x\n8,z\n", "", "1,7/x 2,8/z"},
		{"a target, which is the first", first, "1,7,x\n1,8,z\n", "", "1,7/x 2,8/z"},
		{"quotes after spaces", plain, "a, b\n7, \"x\"\n 8,\"z,\n\"\"\"\n", "", "1,7/x 2,8/z,\n\""},
		{"a header alone", plain, "a,b\n", "", ""},
		{"no byte of columns with names", named, "", "", ""},
	}
	at := make([]int, len(cases))
	for i, c := range cases {
		at[i] = folders[c.declared].add(t, c.table)
	}
	for _, folder := range folders {
		folder.run(t)
	}
	for i, c := range cases {
		folder := folders[c.declared]
		printed, text := folder.printed[at[i]], folder.told[at[i]]
		left, err := os.ReadFile(folder.path(at[i], ".predictions"))
		if err != nil {
			t.Fatal(err)
		}
		if c.words != "" {
			if strings.Count(text, c.words) != 2 || strings.Contains(text, secret) || string(left) != "before" {
				t.Errorf("%s: got the error %q and the file %q, want %q without a cell and the file as it was", c.name, text, left, c.words)
			}
			continue
		}
		lines, err := csv.NewReader(strings.NewReader(printed)).ReadAll()
		if len(lines) == 0 {
			t.Fatalf("%s: got %v and %s, want a header at least", c.name, err, text)
		}
		var rows []string
		for _, line := range lines[1:] {
			rows = append(rows, strings.Join(line, ","))
		}
		if got := strings.Join(rows, " "); err != nil || got != c.rows || text != "" || string(left) != printed || fmt.Sprint(lines[0]) != "[row prediction]" {
			t.Errorf("%s: got %q and %v and in a file %q, want %q in both", c.name, printed, err, left, c.rows)
		}
	}
}

// TestPythonEndsAtSignals stops a Python file at each signal while it writes, and wants no file but those that were there.
func TestPythonEndsAtSignals(t *testing.T) {
	needPython(t, "json")
	m := declaredModel(t, "target: {column: y, bounds: [0, 1]}\ncolumns:\n  a: {numeric: [0, 9], out-of-range: clamp, missing: zero}\n", model.Squared)
	folder := pythonFolder(t, m)
	err := errors.Join(os.WriteFile(filepath.Join(folder, "table.csv"), []byte("a\n7\n8\n"), 0o600), os.WriteFile(filepath.Join(folder, "predictions.csv"), []byte("before"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("python3", "-B", "-c", withoutScikit+`
import os, signal
stub("numpy")
import model
class Stops:
    def transform(self, x):
        print(len(os.listdir()), end=" ")
        os.kill(os.getpid(), self.number)
        for _ in range(10**6): pass
model.pipeline = lambda: Pipeline([("features", Stops()), ("linear", Stops())])
sys.argv[1:] = ["table.csv", "predictions.csv"]
for number, usual in ((signal.SIGTERM, signal.SIG_DFL), (signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    signal.signal(number, usual)
    Stops.number = number
    try: model.main()
    except SystemExit as e: print(e.code == 128 + number, end=" ")
    print(sorted(os.listdir()), open("predictions.csv").read())
`)
	command.Dir = folder
	got, err := command.CombinedOutput()
	if want := strings.Repeat("4 True ['model.py', 'predictions.csv', 'table.csv'] before\n", 3); err != nil || string(got) != want {
		t.Errorf("got %s and %v, want %s", got, err, want)
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

// TestPythonPredicts runs the Python files of every third model as programs. It is skipped where scikit-learn is absent.
func TestPythonPredicts(t *testing.T) {
	needPython(t, "numpy, sklearn")
	for i, c := range testCases {
		if i%3 > 0 && c.name != "dates" && !c.hostile && !c.sparse { // every program takes seconds to begin
			continue
		}
		m := c.make(t)
		rows := c.cells(t, m, 300+700*b2i(c.hostile))
		folder := pythonFolder(t, m)
		table := filepath.Join(folder, "table.csv")
		var b bytes.Buffer
		out := csv.NewWriter(&b)
		written, features := make([][]string, 1+len(rows)), m.Schema().Features()
		for j, own := range features {
			if j+1 < len(features) && sourceName(features[j+1]) == sourceName(own) { // one column of several features
				continue
			}
			written[0] = append(written[0], sourceName(own))
			for k, row := range rows {
				written[1+k] = append(written[1+k], row[j])
			}
		}
		err := out.WriteAll(written)
		if err == nil {
			err = os.WriteFile(table, b.Bytes(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		printed, err := exec.Command("python3", filepath.Join(folder, "model.py"), table).Output()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		lines, err := csv.NewReader(bytes.NewReader(printed)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		largest, err := compare(m, printedNumbers(t, m, lines[1:]), want(t, m, rows))
		if err != nil || largest > goTolerance {
			t.Errorf("%s: got a difference of %g and %v, want at most %g", c.name, largest, err, goTolerance)
		}
	}
}

// TestPythonReadsBlocks runs a Python file on tables of two and of six blocks of rows, of one row and of none. It compares
// the predictions with those of the model. The memory that is taken at most is not that of all rows. A header without
// a column of the model is refused.
func TestPythonReadsBlocks(t *testing.T) {
	needPython(t, "numpy, sklearn")
	m := testCases[0].make(t)
	folder := pythonFolder(t, m)
	var header []string
	for _, own := range m.Schema().Features() {
		header = append(header, sourceName(own))
	}
	run := func(header []string, rows [][]string) (lines [][]string, peak float64, err error) {
		var b bytes.Buffer
		if err = csv.NewWriter(&b).WriteAll(append([][]string{header}, rows...)); err == nil {
			err = os.WriteFile(filepath.Join(folder, "table.csv"), b.Bytes(), 0o600)
		}
		if err != nil {
			return nil, 0, err
		}
		command, told := exec.Command("python3", "-c", `
import model, sys, tracemalloc
sys.argv = ["model.py", "table.csv"]
tracemalloc.start()
model.main()
print(tracemalloc.get_traced_memory()[1], file=sys.stderr)
`), new(bytes.Buffer)
		command.Dir, command.Stderr = folder, told
		printed, err := command.Output()
		if err != nil {
			return nil, 0, fmt.Errorf("%w: %s", err, told)
		}
		if peak, err = strconv.ParseFloat(strings.TrimSpace(told.String()), 64); err == nil {
			lines, err = csv.NewReader(bytes.NewReader(printed)).ReadAll()
		}
		return lines, peak, err
	}
	rows, peaks := testCases[0].cells(t, m, 24000), map[int]float64{}
	for _, n := range []int{24000, 8000, 1, 0} {
		lines, peak, failed := run(header, rows[:n])
		if failed != nil || len(lines) != n+1 || lines[n][0] != []string{"row", strconv.Itoa(n)}[min(n, 1)] {
			t.Fatalf("%d rows: got %d lines and %v, want one for each row and the header", n, len(lines), failed)
		}
		largest, failed := compare(m, printedNumbers(t, m, lines[1:]), want(t, m, rows[:n]))
		if failed != nil || largest > goTolerance {
			t.Errorf("%d rows: got a difference of %g and %v, want at most %g", n, largest, failed, goTolerance)
		}
		peaks[n] = peak
	}
	if peaks[24000] > 1.25*peaks[8000] {
		t.Errorf("24000 rows take %.0f bytes at most and 8000 rows %.0f, want about as many", peaks[24000], peaks[8000])
	}
	other := slices.Clone(header)
	other[0] = "another"
	if _, _, err := run(other, nil); err == nil || !strings.Contains(err.Error(), "lacks column") {
		t.Errorf("got %v for a header without a column, want its name", err)
	}
}

// TestPythonLooksUp measures what the features of one row take, for a pair with thousands of states and features. A table with
// the features of each state would take 128 MiB.
func TestPythonLooksUp(t *testing.T) {
	needPython(t, "numpy, sklearn")
	m := testCase{target: twoLevels, columns: pairedColumns3, norm: feature.NormUnit, whitening: "scales",
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"none","bins":8,"coordinates":"age*gain","coordinate-bins":64}`)}}}.make(t)
	folder := pythonFolder(t, m)
	command := exec.Command("python3", "-c", `
import model, tracemalloc
row = {"age": [30.5], "gain": [7], "hours": [40], "job": ["boss"], "sex": ["f"], "size": ["small"]}
tracemalloc.start()
x = model.pipeline().named_steps["features"].transform(row)
print(x.shape[1] > 4096, tracemalloc.get_traced_memory()[1] < 2**20 + 10 * x.nbytes)
`)
	command.Dir = folder
	if got, failed := command.CombinedOutput(); failed != nil || string(got) != "True True\n" {
		t.Errorf("got %s and %v, want thousands of features in little memory", got, failed)
	}
}

// TestPythonReadsTables reads CSV files of other forms: with a mark of the order of bytes and semicolons, and with what a
// schema declares.
func TestPythonReadsTables(t *testing.T) {
	needPython(t, "numpy, sklearn")
	columns := "  a: {numeric: [0, 9], out-of-range: clamp, missing: indicator}\n  b: {levels: [x, 'y\"'], unknown: other, missing: indicator}\n"
	for table, declared := range map[string]string{
		"\ufeff a ;b;y\n7;x;\n1,5;\"y\"\"\";\n": "",
		"a|b|y\n7|x|\n1,5|y\"|\n":               "quote: none\n",
		"7^x^\n1,5^\"y\"\"\"^\n":                "delimiter: ^\nheader: [a, b, y]\n",
	} {
		m := declaredModel(t, declared+"target: {column: y, levels: [a, b]}\ncolumns:\n"+columns, model.Logistic)
		folder := pythonFolder(t, m)
		path := filepath.Join(folder, "table.csv")
		if err := os.WriteFile(path, []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
		printed, err := exec.Command("python3", filepath.Join(folder, "model.py"), path).CombinedOutput()
		if err != nil {
			t.Fatalf("%q: %v %s", table, err, printed)
		}
		lines, err := csv.NewReader(bytes.NewReader(printed)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		rows := [][]string{{"7", "x"}, {"1,5", "y\""}}
		if largest, failed := compare(m, printedNumbers(t, m, lines[1:]), want(t, m, rows)); failed != nil || largest > goTolerance {
			t.Errorf("%q: got a difference of %g and %v, want at most %g", table, largest, failed, goTolerance)
		}
	}
}

// TestPythonReadsCells reads cells that the text of a table has not: booleans, integers of any length, missing ones that are
// neither true nor false, as pandas.NA is, and moments of NumPy in coarse units.
func TestPythonReadsCells(t *testing.T) {
	needPython(t, "numpy, sklearn")
	folder := pythonFolder(t, testCases[0].make(t))
	command := exec.Command("python3", "-c", `
import model, numpy
class Unknown:
    def __eq__(self, other): return self
    def __ne__(self, other): return self
    def __bool__(self): raise TypeError("neither true nor false")
column = {"marks": ["", "NA", "1900-01-01"], "mark-numbers": [], "mark-moments": [-2208988800000000]}
print(model.text_of(True), model.text_of(numpy.bool_(False), ("False", "True")), model.number_of(True, column), model.number_of(10**400, column), model.number_of(numpy.datetime64("2024-02-29"), column), model.text_of(float("inf")) + model.text_of(7.0) + model.text_of(2.0**53) + model.text_of(-1e300))
print([f(cell, column) for cell in (Unknown(), None, float("nan"), numpy.datetime64("NaT")) for f in (model.number_of, model.micros_of)], model.text_of(Unknown()) == "")
print([model.micros_of(numpy.datetime64(v, unit), column) for v, unit in (("1970-01-01T00:02", "m"), ("1970-01-01T01", "h"), ("1970-01-02", "D"), ("1970-01-08", "W"), ("1970-02", "M"), ("1971", "Y"), ("1970-01-01T00:00:00.5", "ns"), ("1900-01-01", "D"))])
`)
	command.Dir = folder
	got, err := command.CombinedOutput()
	const wanted = "true False 1.0 None None 7\n[None, None, None, None, None, None, None, None] True\n[120000000, 3600000000, 86400000000, 604800000000, 2678400000000, 31536000000000, 500000, None]\n"
	if err != nil || string(got) != wanted {
		t.Errorf("got %s and %v, want %s", got, err, wanted)
	}
}

// printedNumbers returns the predictions in lines of a table, nil for empty ones.
func printedNumbers(t *testing.T, m *model.Model, lines [][]string) [][]float64 {
	t.Helper()
	got := make([][]float64, len(lines))
	for i, line := range lines {
		words := line[1:]
		if !m.Schema().Target.Regression() {
			words = line[2:]
		}
		for _, word := range words {
			if word == "" {
				continue
			}
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = append(got[i], v)
		}
	}
	return got
}
