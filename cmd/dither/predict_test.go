package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/tabular"
	"github.com/ditherml/dither/model"
)

// readCSV parses comma-separated text.
func readCSV(t *testing.T, text string) [][]string {
	t.Helper()
	records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return records
}

var modelCases = []struct {
	name, schema string
	income       []string
	header       []string
}{
	{"two levels", binaryText, []string{"low", "=HIGH()"}, []string{"row", "prediction", "probability of low", "probability of =HIGH()"}},
	{"three levels", classesText, []string{"low", "middle", "-1"}, []string{"row", "prediction", "probability of low", "probability of middle", "probability of -1"}},
	{"regression", regressText, []string{"-3", "0", "12.5", "95"}, []string{"row", "prediction"}},
}

// TestPredictIsServing compares every number of the CSV file with what model.Load gives in
// Go for the same cells, bit for bit, on one and on several processors.
func TestPredictIsServing(t *testing.T) {
	for _, c := range modelCases {
		t.Run(c.name, func(t *testing.T) {
			made := newModelFolder(t, c.schema, 1)
			served, err := model.Load(made.folder)
			if err != nil {
				t.Fatal(err)
			}
			text := tableText(3*512+17, c.income...)
			table := writeText(t, filepath.Join(t.TempDir(), "table.csv"), text)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			alone, _ := mustInvoke(t, "predict", made.folder, table)
			runtime.GOMAXPROCS(3)
			stdout, stderr := mustInvoke(t, "predict", made.folder, table)
			if stdout != alone {
				t.Error("got different predictions on 1 and on 3 processors, want the same bytes")
			}
			if !strings.Contains(stderr, "covered by its guarantee") || !strings.Contains(stderr, "rows without a prediction, since the schema drops them: ") {
				t.Errorf("got %q on standard error, want lines on what is covered and on dropped rows", stderr)
			}
			lines := readCSV(t, stdout)
			if !slices.Equal(lines[0], c.header) {
				t.Errorf("got header %q, want %q", lines[0], c.header)
			}
			rows := readCSV(t, text)
			if len(lines) != len(rows) {
				t.Fatalf("got %d lines, want %d", len(lines), len(rows))
			}
			checkRows(t, served, rows, lines)
		})
	}
}

// checkRows compares lines of predictions with the model's answers to rows of cells.
func checkRows(t *testing.T, m *model.Model, rows, lines [][]string) {
	t.Helper()
	row, dropped := m.NewRow(), 0
	for i := 1; i < len(rows); i++ {
		row.Reset()
		for j, name := range rows[0][:3] {
			if err := row.SetText(name, rows[i][j]); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{strconv.Itoa(i)}
		p, ok := row.Predict()
		switch {
		case !ok:
			dropped++
			want = append(want, make([]string, len(lines[0])-1)...)
		case m.Schema().Target.Regression():
			want = append(want, lines[i][1])
			checkBits(t, i, lines[i][1], p[0])
		default:
			want = append(want, wantLevel(m, p))
			if len(p) == 1 {
				p = []float64{1 - p[0], p[0]}
			}
			for k, v := range p {
				want = append(want, lines[i][2+k])
				checkBits(t, i, lines[i][2+k], v)
			}
		}
		if !slices.Equal(lines[i], want) {
			t.Fatalf("row %d: got %q, want %q", i, lines[i], want)
		}
	}
	if dropped == 0 || dropped == len(rows)-1 {
		t.Errorf("got %d of %d rows dropped, want some", dropped, len(rows)-1)
	}
}

// wantLevel names the likeliest level, as its cell is to look.
func wantLevel(m *model.Model, p []float64) string {
	if len(p) == 1 {
		p = []float64{1 - p[0], p[0]}
	}
	best := 0
	for k := range p {
		if p[k] > p[best] {
			best = k
		}
	}
	level := m.Schema().Target.Levels[best]
	if level == "=HIGH()" {
		level = "'" + level
	}
	return level
}

func checkBits(t *testing.T, row int, text string, want float64) {
	t.Helper()
	got, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Float64bits(got) != math.Float64bits(want) {
		t.Errorf("row %d: got %q, want the bits of %v", row, text, want)
	}
}

func TestPredictOut(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	folder := t.TempDir()
	table := writeText(t, filepath.Join(folder, "table.csv"), tableText(40, "low"))
	out := filepath.Join(folder, "out.csv")
	want, _ := mustInvoke(t, "predict", made.folder, table)
	if stdout, _ := mustInvoke(t, "predict", made.folder, table, "--out", out); stdout != "" {
		t.Errorf("got %q on standard output, want nothing beside --out", stdout)
	}
	check := func(want string) {
		t.Helper()
		if got, err := os.ReadFile(out); err != nil || string(got) != want {
			t.Errorf("got %q (%v), want %q", got, err, want)
		}
	}
	check(want)
	writeText(t, out, "old")
	status, _, stderr := invoke("predict", made.folder, table, "--out", out)
	if status != exitUsage || !strings.Contains(stderr, "--replace") {
		t.Errorf("got exit status %d and %q, want %d and the word --replace", status, stderr, exitUsage)
	}
	check("old")
	mustInvoke(t, "predict", made.folder, table, "--out", out, "--replace")
	check(want)
	if files := treeOf(t, folder); len(files) != 3 {
		t.Errorf("got %q, want the folder and two files", files)
	}
}

// TestPredictWithoutTarget reads a table that lacks the target and the ignored column.
func TestPredictWithoutTarget(t *testing.T) {
	made := newModelFolder(t, binaryText, math.Inf(1))
	table := writeText(t, filepath.Join(t.TempDir(), "table.csv"), "height;sex;age\n180;m;33\n;f;20\n")
	stdout, stderr := mustInvoke(t, "predict", made.folder, table, "--delimiter", ";")
	if lines := readCSV(t, stdout); len(lines) != 3 || lines[1][1] == "" || lines[2][1] == "" {
		t.Errorf("got %q, want two predictions", stdout)
	}
	if !strings.HasPrefix(stderr, "NOT PRIVATE") {
		t.Errorf("got %q, want the word NOT PRIVATE about a baseline", stderr)
	}
}

// TestPredictNoRows wants the header alone for a table without rows, in each format of the output, and a refusal of
// its evaluation and of a header without a column.
func TestPredictNoRows(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	t.Chdir(t.TempDir())
	writeText(t, "one.csv", "height;sex;age\n180;m;33\n")
	writeText(t, "empty.csv", "height;sex;age\n")
	writeText(t, "lacks.csv", "height;age\n")
	writeText(t, "target.csv", tableHeader)
	writeText(t, "none.csv", "")
	writeText(t, "named.yaml", strings.Replace(binaryText, "target:", "header: none\ntarget:", 1))
	one, _ := mustInvoke(t, "predict", made.folder, "one.csv", "--delimiter", ";")
	want := readCSV(t, one)[:1]
	none, _ := mustInvoke(t, "predict", made.folder, "empty.csv", "--delimiter", ";")
	mustInvoke(t, "predict", made.folder, "empty.csv", "--delimiter", ";", "--out", "p.parquet")
	mustInvoke(t, "predict", made.folder, "empty.csv", "--delimiter", ";", "--out", "s.db", "--out-table", "scores")
	nameless, _ := mustInvoke(t, "predict", made.folder, "none.csv", "--columns", "height,sex,age")
	for name, got := range map[string][][]string{"CSV": readCSV(t, none), "no byte": readCSV(t, nameless), "Parquet": parquetCells(t, "p.parquet"), "SQLite": sqliteCells(t, "s.db", "scores")} {
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%s: got %q, want the header %q", name, got, want)
		}
	}
	for words, args := range map[string][]string{
		"no column \"sex\"":                   {"predict", made.folder, "lacks.csv", "--delimiter", ";"},
		"no records":                          {"evaluate", made.folder, "target.csv"},
		"the file is empty":                   {"predict", made.folder, "none.csv"},
		"holds no records, want at least one": {"train", "--data", "none.csv", "--schema", "named.yaml", "--epsilon", "1", "--delta", "1e-6", "--out", "other"},
	} {
		if status, out, told := invoke(args...); status != exitUsage || out != "" || !strings.Contains(told, words) {
			t.Errorf("%q: got exit status %d, %q and %q, want %d and %q", args, status, out, told, exitUsage, words)
		}
	}
}

// TestPredictStops interrupts: what was begun is not left.
func TestPredictStops(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	folder := t.TempDir()
	table := writeText(t, filepath.Join(folder, "table.csv"), tableText(40, "low"))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, messages bytes.Buffer
	if got := run(ctx, []string{"predict", made.folder, table, "--out", filepath.Join(folder, "out.csv")}, &out, &messages); got != exitFailed {
		t.Errorf("got exit status %d and %q, want %d", got, messages.String(), exitFailed)
	}
	if files := treeOf(t, folder); len(files) != 2 {
		t.Errorf("got %q, want the folder and the table", files)
	}
	d := newDataset(t, made.model.Schema(), [][]float32{{20}, {170}, {0}}, nil)
	predictions, err := tabular.NewPredictions(made.model, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err = interruption(ctx, predictions.WriteCSV(ctx, &out, true)); status(err) != exitFailed {
		t.Errorf("got %v between reading and predicting, want a failure while running", err)
	}
}

// full takes a number of bytes and then no more.
type full int

func (f *full) Write(p []byte) (int, error) {
	if *f -= full(len(p)); *f < 0 {
		return 0, errors.New("full")
	}
	return len(p), nil
}

// TestOutputFull runs the commands onto a standard output that takes too little.
func TestOutputFull(t *testing.T) {
	folder := wrongFolder(t)
	t.Chdir(folder)
	writeText(t, "schema.yaml", binaryText)
	t.Setenv(dataVariable, folder)
	for _, args := range [][]string{
		{"predict", "model", "good.csv"}, {"evaluate", "model", "good.csv"}, {"evaluate", "model", "good.csv", "--json"}, {"verify", "model"}, {"verify", "model", "--json"},
		{"schema", "check", "schema.yaml", "good.csv"}, {"schema", "init", "good.csv", "--target", "income"}, {"data"}, {"data", "show", defaultSet},
	} {
		for _, room := range []full{0, 120} {
			var messages bytes.Buffer
			if got := run(context.Background(), args, &room, &messages); got != exitFailed || !strings.Contains(messages.String(), "cannot be written: full") {
				t.Errorf("%q: got exit status %d and %q, want %d", args, got, messages.String(), exitFailed)
			}
		}
	}
}

// brokenTables are files that are no table under the schema, by file name.
var brokenTables = map[string]string{
	"lacks.csv":  "age,sex,town," + secret + "\n1,f,a,2\n",
	"ragged.csv": tableHeader + "1,2,f,a,low\n1," + secret + "\n",
	"comma.csv":  strings.ReplaceAll(tableHeader, ",", "\t") + strings.ReplaceAll("1,2,f,"+secret+",low\n", ",", "\t"),
	"empty.csv":  "",
	"binary.csv": "\x89PNG\x00\x01" + secret,
	"other.csv":  "a,b\n" + secret + ",2\n",
}

// wrongFolder holds a model and everything that wrong command lines name.
func wrongFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	made := newModelFolder(t, binaryText, 1)
	if err := os.Rename(made.folder, filepath.Join(folder, "model")); err != nil {
		t.Fatal(err)
	}
	for name, text := range brokenTables {
		writeText(t, filepath.Join(folder, name), text)
	}
	writeText(t, filepath.Join(folder, "good.csv"), tableText(20, "low", "=HIGH()"))
	writeText(t, filepath.Join(folder, "bad.csv"), tableHeader+"1,,,,"+secret+"\n")
	if err := os.Mkdir(filepath.Join(folder, "garbled"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(folder, "garbled", "model.json"), "{")
	return folder
}

func TestPredictWrong(t *testing.T) {
	folder := wrongFolder(t)
	checkWrong(t, folder, []wrong{
		{"no arguments", []string{"predict"}, exitUsage, "MODEL-FOLDER TABLE"},
		{"no table", []string{"predict", "model"}, exitUsage, "MODEL-FOLDER TABLE"},
		{"unknown flag", []string{"predict", "model", "good.csv", "--nope"}, exitUsage, "--nope"},
		{"no such model", []string{"predict", "absent", "good.csv"}, exitUsage, "absent"},
		{"garbled model", []string{"predict", "garbled", "good.csv"}, exitUsage, "model.json"},
		{"no such table", []string{"predict", "model", "absent.csv"}, exitUsage, "absent.csv"},
		{"a folder for a table", []string{"predict", "model", "model"}, exitUsage, "certificate.json line 1"},
		{"a column is missing", []string{"predict", "model", "lacks.csv"}, exitUsage, "lacks.csv"},
		{"a ragged line", []string{"predict", "model", "ragged.csv", "--out", "out.csv"}, exitUsage, "ragged.csv line 3"},
		{"another delimiter", []string{"predict", "model", "comma.csv", "--delimiter", ","}, exitUsage, "comma.csv"},
		{"a long delimiter", []string{"predict", "model", "good.csv", "--delimiter", "ab"}, exitUsage, "--delimiter"},
		{"an empty file", []string{"predict", "model", "empty.csv", "--out", "out.csv"}, exitUsage, "empty"},
		{"a binary file", []string{"predict", "model", "binary.csv", "--out", "out.csv"}, exitUsage, "binary.csv"},
		{"another table", []string{"predict", "model", "other.csv", "--out", "out.csv"}, exitUsage, "other.csv"},
		{"a file that exists", []string{"predict", "model", "good.csv", "--out", "bad.csv"}, exitUsage, "--replace"},
		{"a folder to write to", []string{"predict", "model", "good.csv", "--out", "model"}, exitUsage, "folder"},
		{"no folder to write in", []string{"predict", "model", "good.csv", "--out", "absent/out.csv"}, exitUsage, "absent"},
		{"replace without out", []string{"predict", "model", "good.csv", "--replace"}, exitUsage, "--out"},
		{"no such built-in set", []string{"predict", "model", "builtin:nope"}, exitUsage, "nope"},
		{"a built-in set of another schema", []string{"predict", "model", "builtin:randhie"}, exitUsage, "randhie"},
	})
}
