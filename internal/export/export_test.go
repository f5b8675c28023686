package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/safetensors"
	"github.com/ditherml/dither/model"
)

// TestRefuses wants errors that name the part of a model that cannot be exported, and a remedy.
func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		of   testCase
		want []string
	}{
		{"texts", testCase{target: twoLevels, columns: "  note: {text: {buckets: 256}}\n"}, []string{`column "note" is text`, "export --to safetensors"}},
		{"transform", testCase{target: twoLevels, columns: mixedColumns, transforms: []feature.Spec{{Name: "standardize", Parameters: []byte(`{"mean":0.5}`)}}}, []string{"transform standardize", "export --to safetensors"}},
		{"hashed pairs", testCase{target: twoLevels, columns: pairedColumns3, transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"all","bins":8,"buckets":16}`)}}}, []string{"hashed into buckets", "--interactions"}},
	} {
		c.of.norm = feature.NormUnit
		m := c.of.make(t)
		for format, write := range writers {
			file, err := write(m, testStatement, Request{})
			if format == "safetensors" {
				if err != nil {
					t.Errorf("%s to safetensors: %v", c.name, err)
				}
				continue
			}
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) || file != nil {
					t.Errorf("%s to %s: got %v, want no file and an error with %q", c.name, format, err, want)
				}
			}
		}
	}
}

// TestStatementsFit refuses statements that are too long for BigQuery, and no others.
func TestStatementsFit(t *testing.T) {
	long := testCase{target: twoLevels, columns: mixedColumns, norm: feature.NormUnit, whitening: "matrix",
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"none","bins":128}`)}}}.make(t)
	if _, err := writeSQL(long, testStatement, Request{Dialect: "bigquery"}); err == nil || !strings.Contains(err.Error(), "1048576; train with --whiten no") {
		t.Errorf("got %v for a long statement, want a refusal with a remedy", err)
	}
	for _, dialect := range []string{"postgres", "duckdb"} {
		if _, err := writeSQL(long, testStatement, Request{Dialect: dialect}); err != nil {
			t.Errorf("%s: %v", dialect, err)
		}
	}
}

// TestRemediesAreNotInForce wants no remedy that the model of a refused statement has already.
func TestRemediesAreNotInForce(t *testing.T) {
	levels := make([]string, 9000)
	for i := range levels {
		levels[i] = fmt.Sprintf("level-%0100d", i)
	}
	many := "  many: {levels: [" + strings.Join(levels, ", ") + "], missing: zero, unknown: zero}\n"
	bins := []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"none","bins":8}`)}}
	hashed := []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"all","bins":8,"buckets":16}`)}}
	for name, c := range map[string]struct {
		of   testCase
		want string
	}{
		"not whitened":          {testCase{columns: many}, "; train with fewer bins or levels, or export"},
		"not whitened, in bins": {testCase{columns: many + "  a: {numeric: [0, 1], missing: zero, out-of-range: clamp}\n", transforms: bins}, "; train with --interactions none, fewer bins or levels, or export"},
		"pairs in few features": {testCase{columns: pairedColumns3, transforms: hashed}, "; train with --interactions bins or fewer pairs, or use"},
	} {
		c.of.target, c.of.norm = twoLevels, feature.NormUnit
		if _, err := writeSQL(c.of.make(t), testStatement, Request{Dialect: "bigquery"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want a refusal with %q", name, err, c.want)
		}
	}
}

// TestWhiteningsFit refuses the statements of whitenings with too many numbers, with remedies that make fewer states or none.
func TestWhiteningsFit(t *testing.T) {
	var many strings.Builder
	for i := range 2100 {
		fmt.Fprintf(&many, "l%d, ", i)
	}
	points := []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"none","bins":8,"coordinates":"age*gain","coordinate-bins":64}`)}}
	for want, c := range map[string]testCase{
		"train with --whiten no, --interactions none, fewer bins or levels": {columns: pairedColumns3, transforms: points},
		"train with --whiten no, fewer bins or levels":                      {columns: "  many: {levels: [" + many.String() + "end], missing: zero, unknown: zero}\n"},
	} {
		c.target, c.norm, c.whitening = twoLevels, feature.NormUnit, "scales"
		if _, err := writeSQL(c.make(t), testStatement, Request{Dialect: "postgres"}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v for a long whitening, want a refusal that ends in %q", err, want)
		}
	}
}

// TestCheckFindsFaults breaks the tables of an outline in several ways, each of which must be found.
func TestCheckFindsFaults(t *testing.T) {
	for name, fault := range map[string]func(o *outline){
		"value":   func(o *outline) { o.groups[1].entries[0][0].value = 2 },
		"cut":     func(o *outline) { o.columns[1].cuts[0]++ },
		"least":   func(o *outline) { o.columns[0].least++ },
		"unknown": func(o *outline) { o.columns[4].unknown = 0 },
		"missing": func(o *outline) { o.columns[3].missing = 0 },
		"outside": func(o *outline) { o.columns[1].outside = clamped },
		"scale":   func(o *outline) { o.columns[2].scale *= 1 + 1e-15 },
		"mark":    func(o *outline) { o.columns[4].marks = o.columns[4].marks[:2] },
		"level":   func(o *outline) { o.columns[6].levels = []string{"n", "e", "s", "w"} },
	} {
		m := testCases[0].make(t)
		o, err := newOutline(m)
		if err != nil {
			t.Fatal(err)
		}
		p := &prober{pipeline: m.Features().Pipeline, scratch: m.Features().Pipeline.NewScratch()}
		if err = o.check(p); err != nil {
			t.Fatalf("got %v for tables without a fault", err)
		}
		if fault(o); o.check(p) == nil {
			t.Errorf("a fault of kind %s is not found", name)
		}
	}
}

// TestNamesOfColumns wants names of Go and outputs of ONNX that differ from each other.
func TestNamesOfColumns(t *testing.T) {
	names := fieldNames([]column{{name: "hours-per-week"}, {name: "hours per week"}, {name: "7 days"}, {name: "größe"}, {name: "世界"}, {name: "--"}})
	if got, want := strings.Join(names, " "), "HoursPerWeek HoursPerWeek_1 C7Days Größe C世界 C"; got != want {
		t.Errorf("got the fields %q, want %q", got, want)
	}
	m := testCase{target: twoLevels, columns: "  label: {numeric: [0, 1], missing: zero, out-of-range: clamp}\n", norm: feature.NormNone}.make(t)
	file, err := writeONNX(m, testStatement, Request{})
	if err != nil || !bytes.Contains(file, []byte("label_out")) {
		t.Errorf("got %v and no output label_out beside a column label", err)
	}
}

// TestSafetensorsHasWeights reads the arrays and the metadata of a file.
func TestSafetensorsHasWeights(t *testing.T) {
	m := testCases[0].make(t)
	file, err := writeSafetensors(m, testStatement, Request{})
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := safetensors.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := arrays["weights"].Floats("weights")
	if err != nil || fmt.Sprint(weights) != fmt.Sprint(m.Weights()) || fmt.Sprint(arrays["weights"].Shape) != fmt.Sprint([]int{1, m.Linear().Dim}) {
		t.Errorf("got weights %v of shape %v and %v, want the weights of the model", weights, arrays["weights"].Shape, err)
	}
	if len(arrays) != 3 || len(arrays["feature_map.whitening"].Raw) != 8*m.Features().Pipeline.Dim()*m.Features().Pipeline.Dim() {
		t.Errorf("got %d arrays, want weights, center and whitening", len(arrays))
	}
	var header struct {
		Metadata map[string]string `json:"__metadata__"`
	}
	if err = json.NewDecoder(bytes.NewReader(file[8:])).Decode(&header); err != nil || header.Metadata["dither.epsilon"] != "0.98" || !strings.Contains(header.Metadata["dither.model"], "dither-schema: 1") {
		t.Errorf("got metadata %v and %v, want the certificate's numbers and the schema", header.Metadata, err)
	}
}

// TestPythonPredicts runs the Python files of every third model as programs. It is skipped where scikit-learn is absent.
func TestPythonPredicts(t *testing.T) {
	if err := exec.Command("python3", "-c", "import numpy, sklearn").Run(); err != nil {
		t.Skip("there is no python3 with numpy and sklearn here")
	}
	for i, c := range testCases {
		if i%3 > 0 && c.name != "dates" && !c.hostile && !c.sparse { // every program takes seconds to begin
			continue
		}
		m := c.make(t)
		rows := c.cells(t, m, 300+700*b2i(c.hostile))
		file, err := writePython(m, testStatement, Request{})
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		program, table := filepath.Join(folder, "model.py"), filepath.Join(folder, "table.csv")
		var b bytes.Buffer
		out := csv.NewWriter(&b)
		var header []string
		for _, own := range m.Schema().Features() {
			header = append(header, sourceName(own))
		}
		if err = out.WriteAll(append([][]string{header}, rows...)); err == nil {
			err = os.WriteFile(table, b.Bytes(), 0o600)
		}
		if err == nil {
			err = os.WriteFile(program, file, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		printed, err := exec.Command("python3", program, table).Output()
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
	if err := exec.Command("python3", "-c", "import numpy, sklearn").Run(); err != nil {
		t.Skip("there is no python3 with numpy and sklearn here")
	}
	m := testCases[0].make(t)
	file, err := writePython(m, testStatement, Request{})
	folder := t.TempDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "model.py"), file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
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
	if _, _, err = run(other, nil); err == nil || !strings.Contains(err.Error(), "lacks column") {
		t.Errorf("got %v for a header without a column, want its name", err)
	}
}

// TestPythonLooksUp measures what the features of one row take, for a pair with thousands of states and features. A table with
// the features of each state would take 128 MiB.
func TestPythonLooksUp(t *testing.T) {
	if err := exec.Command("python3", "-c", "import numpy, sklearn").Run(); err != nil {
		t.Skip("there is no python3 with numpy and sklearn here")
	}
	m := testCase{target: twoLevels, columns: pairedColumns3, norm: feature.NormUnit, whitening: "scales",
		transforms: []feature.Spec{{Name: "interactions", Parameters: []byte(`{"pairs":"none","bins":8,"coordinates":"age*gain","coordinate-bins":64}`)}}}.make(t)
	file, err := writePython(m, testStatement, Request{})
	folder := t.TempDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "model.py"), file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
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
	if err := exec.Command("python3", "-c", "import numpy, sklearn").Run(); err != nil {
		t.Skip("there is no python3 with numpy and sklearn here")
	}
	columns := "  a: {numeric: [0, 9], out-of-range: clamp, missing: indicator}\n  b: {levels: [x, 'y\"'], unknown: other, missing: indicator}\n"
	for table, declared := range map[string]string{
		"\ufeff a ;b;y\n7;x;\n1,5;\"y\"\"\";\n": "",
		"a|b|y\n7|x|\n1,5|y\"|\n":               "quote: none\n",
		"7^x^\n1,5^\"y\"\"\"^\n":                "delimiter: ^\nheader: [a, b, y]\n",
	} {
		s, err := data.ParseSchema("test", []byte("dither-schema: 1\nmax-records: 9\n"+declared+"target: {column: y, levels: [a, b]}\ncolumns:\n"+columns))
		if err != nil {
			t.Fatal(err)
		}
		chain, err := feature.NewPipeline(nil, s)
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.New(s, &feature.Map{Pipeline: chain, Norm: feature.NormNone}, model.Logistic, []float64{1, 2, 3, 4, 5, 6, 7, 8}[:chain.Dim()])
		if err != nil {
			t.Fatal(err)
		}
		file, err := writePython(m, testStatement, Request{})
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		program, path := filepath.Join(folder, "model.py"), filepath.Join(folder, "table.csv")
		if err = errors.Join(os.WriteFile(program, file, 0o600), os.WriteFile(path, []byte(table), 0o600)); err != nil {
			t.Fatal(err)
		}
		printed, err := exec.Command("python3", program, path).CombinedOutput()
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
	if err := exec.Command("python3", "-c", "import numpy, sklearn").Run(); err != nil {
		t.Skip("there is no python3 with numpy and sklearn here")
	}
	file, err := writePython(testCases[0].make(t), testStatement, Request{})
	folder := t.TempDir()
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "model.py"), file, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
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
