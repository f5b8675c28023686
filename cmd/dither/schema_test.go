package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/tabular"
)

// initFlags declare everything about the tables of these tests but the height.
var initFlags = []string{"--target", "income", "--levels", `income=low,"a, b",=HIGH()`, "--numeric", "age=-5:100", "--levels", "sex=f,m", "--ignore", "town",
	"--row", "one person", "--max-records", "5000", "--records", "4000", "--rows-per-person", "3"}

func TestSchemaInit(t *testing.T) {
	folder := t.TempDir()
	table := writeText(t, filepath.Join(folder, "table.csv"), tableText(30, "low"))
	stdout, stderr := mustInvoke(t, append([]string{"schema", "init", table}, initFlags...)...)
	draft, err := data.ParseSchema("draft", []byte(stdout))
	if err != nil {
		t.Fatalf("got %q: %v", stdout, err)
	}
	checkDraft(t, draft)
	for _, want := range []string{"height", "A person must declare", "first line of the table"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("got %q on standard error, want a text with %q", stderr, want)
		}
	}
	if !strings.Contains(stdout, "DECLARE") || strings.Contains(stdout+stderr, secret) || strings.Contains(stderr, "WARNING") {
		t.Errorf("got %q and %q, want DECLARE, no record and no warning", stdout, stderr)
	}
	checkHarmless(t, stdout+stderr)
	out := filepath.Join(folder, "draft.yaml")
	quiet, _ := mustInvoke(t, append([]string{"schema", "init", table, "--out", out}, initFlags...)...)
	if text, err := os.ReadFile(out); err != nil || string(text) != stdout || quiet != "" {
		t.Errorf("got %q (%v) in the file and %q on standard output, want %q in the file only", text, err, quiet, stdout)
	}
	// A draft with something left open must not be usable.
	if status, _, stderr := invoke("schema", "check", out, table); status != exitUsage || !strings.Contains(stderr, "height") {
		t.Errorf("got exit status %d and %q, want %d and the column height", status, stderr, exitUsage)
	}
}

// checkDraft compares a draft with initFlags.
func checkDraft(t *testing.T, s *data.Schema) {
	t.Helper()
	if s.Row != "one person" || s.MaxRecords != 5000 || s.Records != 4000 || s.RowsPerPerson != 3 || s.Target.Column != "income" || s.Tainted() {
		t.Errorf("got %+v, want the declared facts", s)
	}
	if want := []string{"low", "a, b", "=HIGH()"}; !slices.Equal(s.Target.Levels, want) {
		t.Errorf("got target levels %q, want %q", s.Target.Levels, want)
	}
	kinds := map[string]data.Kind{}
	for _, c := range s.Columns {
		kinds[c.Name] = c.Kind
		if c.Name == "age" && (c.Lower != -5 || c.Upper != 100) || c.Name == "sex" && !slices.Equal(c.Levels, []string{"f", "m"}) {
			t.Errorf("got %+v, want what was declared", c)
		}
	}
	if want := map[string]data.Kind{"age": data.Numeric, "height": 0, "sex": data.Categorical, "town": data.Ignored}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("got kinds %v, want %v", kinds, want)
	}
}

func TestSchemaInitFromData(t *testing.T) {
	table := writeText(t, filepath.Join(t.TempDir(), "table.csv"), strings.ReplaceAll(tableText(30, "low", "high"), "about "+secret, "9"))
	stdout, stderr := mustInvoke(t, "schema", "init", table, "--target", "income", "--ignore", "town", "--numeric", "age=0:100", "--from-data")
	draft, err := data.ParseSchema("draft", []byte(stdout))
	if err != nil {
		t.Fatal(err)
	}
	if !draft.Tainted() || !slices.Contains(draft.FromData, "height") || slices.Contains(draft.FromData, "age") {
		t.Errorf("got from-data %q, want height and not age", draft.FromData)
	}
	if !strings.Contains(stderr, "taken to be one person") {
		t.Errorf("got %q, want what a row was taken to be", stderr)
	}
	for _, want := range []string{"WARNING: COPIED OUT OF THE RECORDS", "height", "--assume-public"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("got %q, want a text with %q", stderr, want)
		}
	}
}

// TestSchemaInitHostile drafts from a header with orders to a terminal: they reach neither
// standard output nor standard error.
func TestSchemaInitHostile(t *testing.T) {
	for name, column := range map[string]string{"escape": "a\x1b[2J", "direction": "a\u202eb", "invisible": "a\u200bb"} {
		t.Run(name, func(t *testing.T) {
			table := writeText(t, filepath.Join(t.TempDir(), "table.csv"), column+",b\n1,2\n")
			_, stdout, stderr := invoke("schema", "init", table, "--target", "b")
			checkHarmless(t, stdout)
			checkHarmless(t, stderr)
		})
	}
}

// TestSchemaInitOfArrays drafts a schema of images with labels beside them, and trains a model under it as it is.
func TestSchemaInitOfArrays(t *testing.T) {
	t.Chdir(t.TempDir())
	numbers, levels := make([]byte, 400*4), make([]byte, 400)
	for i := range numbers {
		numbers[i] = byte(i * 31 % 256)
		levels[i/4] = numbers[i] % 2
	}
	writeText(t, "train-images-idx3-ubyte", idxText(numbers, 400, 2, 2))
	writeText(t, "train-labels-idx1-ubyte", idxText(levels, 400))
	table := []string{"--labels", "train-labels-idx1-ubyte"}
	train := append([]string{"train", "--data", "train-images-idx3-ubyte", "--steps", "3", "--quiet"}, table...)
	if _, _, message := invoke(train...); !strings.Contains(message, "dither schema init train-images-idx3-ubyte --labels train-labels-idx1-ubyte") {
		t.Errorf("got %q, want the command for a draft", message)
	}
	stdout, stderr := mustInvoke(t, append([]string{"schema", "init", "train-images-idx3-ubyte", "--levels", "label=0..1", "--max-records", "500", "--row", "one image", "--out", "images.yaml"}, table...)...)
	if stdout != "" || strings.Contains(stderr, "first line") || !strings.Contains(stderr, "and no record") || !strings.Contains(stderr, "Nothing is left open") {
		t.Errorf("got %q and %q, want what was read of an array, and nothing left open", stdout, stderr)
	}
	mustInvoke(t, append(train, "--schema", "images.yaml")...)
	mustInvoke(t, "verify", "dither-model")
	if status, _, message := invoke("schema", "init", "train-images-idx3-ubyte"); status != exitUsage || !strings.Contains(message, "--target is missing") {
		t.Errorf("without labels: got %d, %q, want a refusal", status, message)
	}
}

func TestSchemaInitWrong(t *testing.T) {
	folder := wrongFolder(t)
	init := func(more ...string) []string { return append([]string{"schema", "init"}, more...) }
	checkWrong(t, folder, []wrong{
		{"no table", init("--target", "income"), exitUsage, "TABLE"},
		{"no target", init("good.csv"), exitUsage, "--target"},
		{"no such table", init("absent.csv", "--target", "income", "--out", "new.yaml"), exitUsage, "absent.csv"},
		{"no such target", init("good.csv", "--target", "nope", "--out", "new.yaml"), exitUsage, "nope"},
		{"no such column", init("good.csv", "--target", "income", "--numeric", "nope=1:2", "--out", "new.yaml"), exitUsage, "nope"},
		{"bounds that are none", init("good.csv", "--target", "income", "--numeric", "age=17"), exitUsage, "--numeric"},
		{"bounds twice", init("good.csv", "--target", "income", "--numeric", "age=1:2", "--numeric", "age=1:3"), exitUsage, "twice"},
		{"levels that are none", init("good.csv", "--target", "income", "--levels", "sex"), exitUsage, "--levels"},
		{"levels and bounds", init("good.csv", "--target", "income", "--numeric", "sex=1:2", "--levels", "sex=f,m"), exitUsage, "sex"},
		{"a negative bound", init("good.csv", "--target", "income", "--max-records", "-1"), exitUsage, "--max-records"},
		{"an empty file", init("empty.csv", "--target", "income", "--out", "new.yaml"), exitUsage, "empty"},
		{"a binary file", init("binary.csv", "--target", "income", "--out", "new.yaml"), exitUsage, "binary.csv"},
		{"a file that exists", init("good.csv", "--target", "income", "--out", "good.csv"), exitUsage, "--replace"},
		{"no folder to write in", init("good.csv", "--target", "income", "--out", "absent/new.yaml"), exitUsage, "absent"},
		{"an unknown command", []string{"schema", "nope"}, exitUsage, "nope"},
	})
}

func TestSchemaCheck(t *testing.T) {
	folder := t.TempDir()
	schema := writeText(t, filepath.Join(folder, "schema.yaml"), binaryText)
	clean := writeText(t, filepath.Join(folder, "clean.csv"), tableHeader+"20,180,f,x,low\n30,170,m,y,=HIGH()\n")
	stdout, stderr := mustInvoke(t, "schema", "check", schema, clean)
	if line, _, _ := strings.Cut(stdout, "\n"); line != tabular.CheckNotice || !strings.Contains(stdout, "\nclean: every cell is as declared") || stderr != "" {
		t.Errorf("got %q and %q, want the banner and that every cell is as declared", stdout, stderr)
	}
	dirty := writeText(t, filepath.Join(folder, "dirty.csv"), tableHeader+"20,180,f,x,low\n130,\x1b[31m"+secret+",q\u202e,y,none\n40,170,m,y,low\n")
	gaps := writeText(t, filepath.Join(folder, "gaps.csv"), tableHeader+"20,,f,x,low\n")
	if stdout, _ = mustInvoke(t, "schema", "check", schema, gaps); !strings.Contains(stdout, "height") || !strings.Contains(stdout, "\nclean: ") {
		t.Errorf("got %q, want a missing height, clean", stdout)
	}
	status, stdout, stderr := invoke("schema", "check", schema, dirty)
	if status != exitFailed || strings.Contains(stdout, "clean: ") {
		t.Errorf("got exit status %d, want %d", status, exitFailed)
	}
	checkErrorLine(t, stderr, "dirty.csv")
	checkHarmless(t, stdout)
	for _, want := range []string{tabular.CheckNotice, "3 rows", "drops 1", "\"130\"", "age", "130", "height", secret, "sex", "income", "none"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got %q, want a text with %q", stdout, want)
		}
	}
	if strings.Contains(stdout, "town") {
		t.Errorf("got %q, want nothing about a column in which nothing was found", stdout)
	}
	status, stdout, _ = invoke("schema", "check", schema, dirty, "--json")
	var report tabular.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || status != exitFailed || report.Clean || report.Rows != 3 || report.DroppedRows != 1 || report.Notice != tabular.CheckNotice {
		t.Errorf("got exit status %d and %+v (%v), want %d, 3 rows, 1 dropped", status, report, err, exitFailed)
	}
	checkHarmless(t, stdout)
	for _, c := range report.Columns {
		if c.Column == "age" && !slices.Equal(c.FirstLines, []int{3}) {
			t.Errorf("got first lines %v, want 3", c.FirstLines)
		}
		if c.Column == "age" && (c.OutOfRange != 1 || c.Unparsable != 0 || c.Missing != 0) || c.Column == "height" && c.Unparsable != 1 || c.Column == "sex" && c.Unknown != 1 {
			t.Errorf("got %+v, want one bad cell", c)
		}
	}
}

func TestSchemaCheckWrong(t *testing.T) {
	folder := wrongFolder(t)
	writeText(t, filepath.Join(folder, "schema.yaml"), binaryText)
	writeText(t, filepath.Join(folder, "garbled.yaml"), "dither-schema: [\n")
	check := func(more ...string) []string { return append([]string{"schema", "check"}, more...) }
	checkWrong(t, folder, []wrong{
		{"no table", check("schema.yaml"), exitUsage, "SCHEMA TABLE"},
		{"no such schema", check("absent.yaml", "good.csv"), exitUsage, "absent.yaml"},
		{"garbled schema", check("garbled.yaml", "good.csv"), exitUsage, "garbled.yaml"},
		{"no such table", check("schema.yaml", "absent.csv"), exitUsage, "absent.csv"},
		{"a ragged line", check("schema.yaml", "ragged.csv"), exitUsage, "line 3"},
		{"another table", check("schema.yaml", "other.csv"), exitUsage, "other.csv"},
		{"an empty file", check("schema.yaml", "empty.csv"), exitUsage, "empty"},
		{"a binary file", check("schema.yaml", "binary.csv"), exitUsage, "binary.csv"},
	})
}

// TestSchemaInitPrivate drafts columns that are to be learned; the draft can be used at once.
func TestSchemaInitPrivate(t *testing.T) {
	folder := t.TempDir()
	table, out := writeText(t, filepath.Join(folder, "table.csv"), tableText(30, "low", "high")), filepath.Join(folder, "s.yaml")
	flags := []string{"schema", "init", table, "--target", "income", "--levels", "income=low,high", "--numeric", "age=private:0:200", "--numeric", "height=private", "--levels", "sex=f,m", "--levels", "town=private:7", "--max-records", "500"}
	mustInvoke(t, append(flags, "--out", out)...)
	s, err := data.ReadSchema(out)
	if err != nil {
		t.Fatal(err)
	}
	f := s.Features()
	if len(s.Private()) != 3 || f[0].Lower != 0 || f[0].Upper != 200 || f[1].Upper != data.DefaultRange || f[3].MaxLevels != 7 || f[3].Learning != data.Private || f[2].Learning != data.Declared {
		t.Errorf("got %+v, want age, height and town to be learned", f)
	}
	report, _ := mustInvokeAny(t, "schema", "check", out, table)
	if strings.Contains(report, "town") {
		t.Errorf("got %q, want no complaint about texts that are to be learned", report)
	}
	for _, wrong := range [][]string{{"--numeric", "age=private:5:1"}, {"--numeric", "age=private:a:b"}, {"--levels", "town=private:"}, {"--levels", "town=private:0"}, {"--numeric", "town=private"}, {"--numeric", "height=0:9"}} {
		if status, _, stderr := invoke(append(slices.Clone(flags), wrong...)...); status != exitUsage || stderr == "" {
			t.Errorf("%q: got exit status %d, want %d", wrong, status, exitUsage)
		}
	}
	if status, _, stderr := invoke("schema", "init", table, "--target", "income", "--levels", "income=private:2"); status != exitUsage || !strings.Contains(stderr, "is private") {
		t.Errorf("a private target: got exit status %d and %q, want %d", status, stderr, exitUsage)
	}
}

// mustInvokeAny runs one command line whatever its exit status.
func mustInvokeAny(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	_, stdout, stderr = invoke(args...)
	return stdout, stderr
}

// TestPatterns wants every command to take the names of columns from the table, and the model to hold the names.
func TestPatterns(t *testing.T) {
	t.Chdir(t.TempDir())
	var table strings.Builder
	table.WriteString("lab_a,id,lab_b,y\n")
	for i := range 200 {
		fmt.Fprintf(&table, "%d,%d,%d,%s\n", i%7, i, i%5, []string{"no", "yes"}[i%2])
	}
	writeText(t, "t.csv", table.String())
	schema := func(columns string) string {
		return "dither-schema: 1\nname: labs\nrow: one person\nmax-records: 300\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ndefaults: {missing: zero, out-of-range: clamp}\ncolumns:\n  id: ignore\n" + columns
	}
	writeText(t, "s.yaml", schema("  \"lab_*\": {numeric: [0, 10]}\n"))
	writeText(t, "names.yaml", schema("  lab_a: {numeric: [0, 10]}\n  lab_b: {numeric: [0, 10]}\n"))
	mustInvoke(t, "schema", "check", "s.yaml", "t.csv")
	var plans [2]string
	for i, s := range []string{"s.yaml", "names.yaml"} {
		plan, _ := mustInvoke(t, "train", "--data", "t.csv", "--schema", s, "--epsilon", "1", "--dry-run", "--json")
		plans[i], _, _ = strings.Cut(plan, `"noise-draws"`)
	}
	if plans[0] != plans[1] {
		t.Errorf("got the plan\n%s\nwant\n%s", plans[0], plans[1])
	}
	mustInvoke(t, "train", "--data", "t.csv", "--schema", "s.yaml", "--epsilon", "1", "--out", "m")
	if model := readFile(t, "m/model.json"); strings.Contains(model, "lab_*") || !strings.Contains(model, "lab_b: {numeric: [0, 10]") {
		t.Errorf("got a model with\n%s\nwant the names of columns", model)
	}
	mustInvoke(t, "verify", "m")
	mustInvoke(t, "predict", "m", "t.csv")
	mustInvoke(t, "query", "mean", "lab_b", "--data", "t.csv", "--schema", "s.yaml", "--epsilon", "1")
	writeText(t, "two.yaml", schema("  \"lab_*\": {numeric: [0, 10]}\n  \"*_a\": ignore\n"))
	if status, _, stderr := invoke("train", "--data", "t.csv", "--schema", "two.yaml", "--epsilon", "1"); status != exitUsage || !strings.Contains(stderr, `two.yaml line 10, column 3: column 1 of the header matches the patterns`) {
		t.Errorf("got status %d, %s", status, stderr)
	}
}

// TestPatternsQuoteNoHeader plants private words in first lines. No command may print them, unless the
// schema or the command line has them.
func TestPatternsQuoteNoHeader(t *testing.T) {
	t.Chdir(t.TempDir())
	schema := func(columns string) string {
		return "dither-schema: 1\nname: q\nrow: one person\nmax-records: 300\ntarget: {column: y, levels: [\"no\", \"yes\"]}\ndefaults: {missing: zero, out-of-range: clamp}\ncolumns:\n" + columns
	}
	const all = "  \"*\": {numeric: [0, 1]}\n"
	writeText(t, "good.csv", "y,lab_a\n"+strings.Repeat("no,1\nyes,0\n", 50))
	writeText(t, "good.yaml", schema(all))
	mustInvoke(t, "train", "--data", "good.csv", "--schema", "good.yaml", "--epsilon", "1", "--out", "m")
	if err := os.MkdirAll("parts", 0o700); err != nil {
		t.Fatal(err)
	}
	const first = "y,zqSmith,zqHIV\n"
	writeText(t, "parts/a.csv", first+"no,1,1\n")
	writeText(t, "parts/b.csv", "y,zqSmith,zqHepatitis\nno,1,1\n")
	for name, c := range map[string]struct{ columns, header, want string }{
		"names twice":       {all, "y,zqHIV,zqSmith,zqHIV\n", "s.yaml line 8, column 3: column 4 of the header has the name of column 2"},
		"two patterns":      {all + "  \"z*\": ignore\n", first, "s.yaml line 9, column 3: column 2 of the header matches the patterns"},
		"control character": {all, "y,zqSmith,zqHIV\x01\n", "s.yaml line 8, column 3: the name of column 3 of the header holds a control character"},
		"no UTF-8":          {all, "y,zqSmith,zqHIV\xff\n", ""},
		"form of a range":   {all, "y,zqSmith[0:3]\n", "the name of column 2 of the header has the form of a range"},
		"form of a pattern": {all, "y,zqSmith*\n", "the name of column 2 of the header has the form of a pattern"},
		"empty name":        {all, "y,zqSmith,\n", "the name of column 3 of the header is empty"},
		"part of a date":    {"  \"*\": {date: {parts: [month]}}\n", "y,zqHIV,zqHIV.month\n", "column 3 of the header has the name of another column, or a part of its date has"},
		"no match":          {"  \"lab_*\": ignore\n", first, `no column matches the pattern "lab_*"`},
		"not declared":      {"  \"*a\": {numeric: [0, 1]}\n", "y,lab_a,zqSmith\n", "line 1, column 3: the schema does not name this column"},
		"no target":         {all, "zqSmith,zqHIV\n", `no target column "y"`},
		"parts":             {all, "", "no column with the name of column 3 of the first header"},
	} {
		path := "parts"
		if c.header != "" {
			path = writeText(t, "t.csv", c.header+"no,1,0,0\n")
		}
		writeText(t, "s.yaml", schema(c.columns))
		for _, args := range [][]string{
			{"schema", "check", "s.yaml", path},
			{"train", "--data", path, "--schema", "s.yaml", "--epsilon", "1"},
			{"query", "mean", "zz", "--data", path, "--schema", "s.yaml"},
			{"query", "count", "--by", "zz", "--data", path, "--schema", "s.yaml"},
			{"query", "count", "--where", "zz > 1", "--data", path, "--schema", "s.yaml"},
			{"predict", "m", path},
			{"evaluate", "m", path, "--print-not-private"},
		} {
			status, stdout, stderr := invoke(args...)
			if status == exitDone || strings.Contains(stdout+stderr, "zq") {
				t.Errorf("%s: %q: got status %d, %s%s, want a refusal without names of the header", name, args, status, stdout, stderr)
			}
			if args[0] == "schema" && !strings.Contains(stderr, c.want) {
				t.Errorf("%s: got %s, want %q", name, stderr, c.want)
			}
		}
	}
	path := writeText(t, "t.csv", first+"no,1,1\n")
	writeText(t, "s.yaml", schema(all))
	const refused = `"zz" is no column of the schema, want a name that the schema or the header of the table has`
	for _, args := range [][]string{{"mean", "zz"}, {"count", "--by", "zz"}, {"count", "--where", "zz > 1"}} {
		if _, _, stderr := invoke(append([]string{"query", "--data", path, "--schema", "s.yaml"}, args...)...); !strings.Contains(stderr, refused) || strings.Contains(stderr, "zq") {
			t.Errorf("%q: got %s, want %s", args, stderr, refused)
		}
	}
	named := strings.Replace(schema(all), "target:", "header: [y, a, b]\ntarget:", 1)
	writeText(t, "s.yaml", named)
	if _, _, stderr := invoke("query", "mean", "zz", "--data", path, "--schema", "s.yaml"); !strings.Contains(stderr, "want one of a, b, y") {
		t.Errorf("got %s, want the names in the schema", stderr)
	}
}
