package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/measures"
)

// expected measures a model row by row through its serving API.
func expected(t *testing.T, m modelFolder, rows [][]string, group int) (any, int) {
	t.Helper()
	schema := m.model.Schema()
	var labels []int
	var targets, predictions []float64
	grouping := &evaluate.Grouping{Levels: []string{secret + "0", secret + "1", secret + "2"}}
	if group == 2 {
		grouping.Levels = []string{"f", "m"}
	}
	row, dropped := m.model.NewRow(), 0
	for _, cells := range rows[1:] {
		row.Reset()
		for j, name := range rows[0][:3] {
			if err := row.SetText(name, cells[j]); err != nil {
				t.Fatal(err)
			}
		}
		p, ok := row.Predict()
		target, usable := schema.Target.Cell(cells[4], schema.Marks())
		if !ok || !usable {
			dropped++
			continue
		}
		labels, targets = append(labels, int(target)), append(targets, float64(target))
		predictions = append(predictions, p...)
		code := int32(len(grouping.Levels))
		if cells[group] == "" {
			code = -1
		}
		for k, level := range grouping.Levels {
			if cells[group] == level {
				code = int32(k)
			}
		}
		grouping.Codes = append(grouping.Codes, code)
	}
	grouping.Column = rows[0][group]
	if schema.Target.Regression() {
		r, err := evaluate.Regress(targets, predictions, grouping)
		if err != nil {
			t.Fatal(err)
		}
		return r, dropped
	}
	c, err := evaluate.Classify(schema.Target.Levels, labels, predictions, 0.5, grouping)
	if err != nil {
		t.Fatal(err)
	}
	return c, dropped
}

func TestEvaluate(t *testing.T) {
	for _, c := range modelCases {
		for group, name := range map[int]string{2: "sex", 3: "town"} {
			t.Run(c.name+" by "+name, func(t *testing.T) {
				made := newModelFolder(t, c.schema, 1)
				text := tableText(700, append(c.income, "NA")...)
				table := writeText(t, filepath.Join(t.TempDir(), "table.csv"), text)
				want, dropped := expected(t, made, readCSV(t, text), group)
				stdout, stderr := mustInvoke(t, "evaluate", made.folder, table, "--group", name, "--json")
				if stderr != "" {
					t.Errorf("got %q on standard error, want nothing", stderr)
				}
				checkEvaluation(t, stdout, want, dropped)
				stdout, _ = mustInvoke(t, "evaluate", made.folder, table, "--group", name)
				if line, _, _ := strings.Cut(stdout, "\n"); line != measures.ExactNotice {
					t.Errorf("got first line %q, want %q", line, measures.ExactNotice)
				}
				for _, part := range []string{"records", "By " + name, "left out: "} {
					if !strings.Contains(stdout, part) {
						t.Errorf("got %q, want a text with %q", stdout, part)
					}
				}
			})
		}
	}
}

// checkEvaluation compares printed JSON with a Classification or a Regression.
func checkEvaluation(t *testing.T, stdout string, want any, dropped int) {
	t.Helper()
	var got struct {
		Notice         string
		Dropped        int `json:"dropped-rows"`
		Classification json.RawMessage
		Regression     json.RawMessage
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("got %q: %v", stdout, err)
	}
	if got.Notice != measures.ExactNotice || got.Dropped != dropped || dropped == 0 {
		t.Errorf("got notice %q and %d dropped rows, want the banner and %d, more than 0", got.Notice, got.Dropped, dropped)
	}
	raw, other := got.Classification, got.Regression
	if _, ok := want.(evaluate.Regression); ok {
		raw, other = other, raw
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal(text, &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("got %s, want %s", raw, text)
	}
	if other != nil {
		t.Errorf("got %s besides, want one kind of measure", other)
	}
}

// TestEvaluateHostileGroups groups by a column of the table that holds orders to a terminal.
func TestEvaluateHostileGroups(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	text := tableHeader + "20,170,f,\x1b[31mred\u202e\u009b\x7f,low\n30,180,m,\U000e0041tag,=HIGH()\n"
	table := writeText(t, filepath.Join(t.TempDir(), "table.csv"), text)
	for _, args := range [][]string{{}, {"--json"}} {
		stdout, _ := mustInvoke(t, append([]string{"evaluate", made.folder, table, "--group", "town"}, args...)...)
		checkHarmless(t, stdout)
		if !strings.Contains(stdout, "[31mred") || !strings.Contains(stdout, "tag") {
			t.Errorf("got %q, want both groups", stdout)
		}
		if len(args) > 0 {
			var got measures.Exact
			if err := json.Unmarshal([]byte(stdout), &got); err != nil || got.Classification.Groups[0].Level != "\x1b[31mred\u202e\u009b\x7f" || got.Classification.Groups[1].Level != "\U000e0041tag" {
				t.Errorf("got %q (%v), want the texts of the column back from JSON", stdout, err)
			}
		}
	}
}

// TestEvaluateDataset calls what train calls.
func TestEvaluateDataset(t *testing.T) {
	made := newModelFolder(t, binaryText, math.Inf(1))
	schema := made.model.Schema()
	d := newDataset(t, schema, [][]float32{{20, 30, 40}, {170, 180, 190}, {0, 1, 2}}, []float32{0, 1, 1})
	c, r, err := measures.Under(made.model, d, "sex")
	if err != nil || r != nil || c == nil || c.Records != 3 || len(c.Groups) != 3 {
		t.Errorf("got %+v, %v, %v; want a classification of 3 records in 3 groups", c, r, err)
	}
	for name, group := range map[string]string{"a numeric column": "age", "no column": "nope", "an ignored column that was not read": "town"} {
		if _, _, err := measures.Under(made.model, d, group); err == nil {
			t.Errorf("got no error for %s, want one", name)
		}
	}
	d = newDataset(t, schema, [][]float32{{20}, {170}, {0}}, nil)
	if _, _, err := measures.Under(made.model, d, ""); err == nil || !strings.Contains(err.Error(), "income") {
		t.Errorf("got %v without a target, want an error that names it", err)
	}
}

// TestEvaluateManyGroups groups by a column that names persons.
func TestEvaluateManyGroups(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	var b strings.Builder
	b.WriteString(tableHeader)
	for i := range measures.MostGroups + 1 {
		fmt.Fprintf(&b, "20,170,f,%s%d,low\n", secret, i)
	}
	table := writeText(t, filepath.Join(t.TempDir(), "table.csv"), b.String())
	status, stdout, stderr := invoke("evaluate", made.folder, table, "--group", "town")
	if status != exitUsage || stdout != "" {
		t.Errorf("got exit status %d and %q, want %d and nothing", status, stdout, exitUsage)
	}
	checkErrorLine(t, stderr, "more than 1000")
	lines := strings.SplitAfter(b.String(), "\n")
	writeText(t, table, strings.Join(lines[:measures.MostGroups+1], ""))
	if stdout, _ = mustInvoke(t, "evaluate", made.folder, table, "--group", "town"); strings.Count(stdout, secret) != measures.MostGroups {
		t.Errorf("got %d groups, want %d", strings.Count(stdout, secret), measures.MostGroups)
	}
}

func TestEvaluateWrong(t *testing.T) {
	folder := wrongFolder(t)
	checkWrong(t, folder, []wrong{
		{"no table", []string{"evaluate", "model"}, exitUsage, "MODEL-FOLDER TABLE"},
		{"no such model", []string{"evaluate", "absent", "good.csv"}, exitUsage, "absent"},
		{"no such table", []string{"evaluate", "model", "absent.csv"}, exitUsage, "absent.csv"},
		{"no target column", []string{"evaluate", "model", "lacks.csv"}, exitUsage, "lacks.csv"},
		{"a ragged line", []string{"evaluate", "model", "ragged.csv"}, exitUsage, "line 3"},
		{"an empty file", []string{"evaluate", "model", "empty.csv"}, exitUsage, "empty"},
		{"no usable row", []string{"evaluate", "model", "bad.csv"}, exitUsage, "no row"},
		{"unknown group", []string{"evaluate", "model", "good.csv", "--group", "nope"}, exitUsage, "--group"},
		{"group by the target", []string{"evaluate", "model", "good.csv", "--group", "income"}, exitUsage, "--group"},
		{"group by a number", []string{"evaluate", "model", "good.csv", "--group", "age"}, exitUsage, "numeric"},
	})
}
