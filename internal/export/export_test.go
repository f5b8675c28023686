package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/safetensors"
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
		p := newProber(newSpared(m.Features()))
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
