package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/bookkeeping"
	"github.com/ditherml/dither/internal/measures"
)

// privateFolder evaluates a model privately into a folder and returns it with the table.
func privateFolder(t *testing.T, schema string, income []string, flags ...string) (folder, stdout string) {
	t.Helper()
	made := newModelFolder(t, schema, 1)
	table := writeText(t, filepath.Join(t.TempDir(), "table.csv"), tableText(700, append(income, "NA")...))
	folder = filepath.Join(t.TempDir(), "evaluation")
	stdout, stderr := mustInvoke(t, append([]string{"evaluate", made.folder, table, "--private", "--epsilon", "1", "--out", folder}, flags...)...)
	if stderr != bookkeeping.UncountedEvaluation+"\n" {
		t.Errorf("got %q on standard error, want that no ledger counts it", stderr)
	}
	return folder, stdout
}

// TestEvaluatePrivate measures models of each kind privately, under both units, and verifies what was
// written; nothing exact and no text of the table is in it.
func TestEvaluatePrivate(t *testing.T) {
	for _, c := range modelCases {
		for name, flags := range map[string][]string{
			"rows": nil, "persons": {"--unit", "person:town", "--max-records-per-person", "4"},
			"groups": {"--group", "sex"}, "gaussian": {"--noise", "gaussian", "--json"},
		} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				folder, stdout := privateFolder(t, c.schema, c.income, flags...)
				status, verified, _ := invoke("verify", folder)
				if status != exitDone || !strings.Contains(strings.Join(strings.Fields(verified), " "), "from the evaluation") || !strings.HasSuffix(verified, "verified\n") {
					t.Fatalf("got exit status %d and %q, want a verified evaluation", status, verified)
				}
				everything := stdout
				for _, file := range treeOf(t, folder) {
					path, _, _ := strings.Cut(file, " ") // the size follows
					if text, err := os.ReadFile(path); err == nil {
						everything += string(text)
					}
				}
				for _, bad := range []string{secret, measures.ExactNotice, "left out"} {
					if strings.Contains(everything, bad) {
						t.Errorf("the output holds %q", bad)
					}
				}
				if persons := strings.Contains(everything, "the rows of a given person were used in at most"); persons != (name == "persons") {
					t.Errorf("the page is about persons: %v", persons)
				}
			})
		}
	}
}

// TestEvaluatePrivateIsNearTheTruth compares a private evaluation at a large epsilon with the exact one:
// at epsilon 50 the noise on a rate of more than 500 rows is below 0.002, so that a difference of 0.02 is
// more than 10 deviations of it.
func TestEvaluatePrivateIsNearTheTruth(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	table := writeText(t, filepath.Join(t.TempDir(), "table.csv"), tableText(900, "low", "=HIGH()", "low"))
	stdout, _ := mustInvoke(t, "evaluate", made.folder, table, "--json", "--threshold", "0.35")
	var exact measures.Exact
	if err := json.Unmarshal([]byte(stdout), &exact); err != nil {
		t.Fatal(err)
	}
	stdout, _ = mustInvoke(t, "evaluate", made.folder, table, "--json", "--private", "--epsilon", "50", "--threshold", "0.35", "--bins", "400")
	var private measures.Noisy
	if err := json.Unmarshal([]byte(stdout), &private); err != nil {
		t.Fatal(err)
	}
	got, want := private.Classification, exact.Classification
	for name, pair := range map[string][2]evaluate.Measure{
		"accuracy": {got.Accuracy.Value, want.Accuracy}, "area": {got.AUC.Value, want.AUC},
		"recall": {got.Recall[0].Value, want.Recall[0]}, "precision": {got.Precision[0].Value, want.Precision[0]},
	} {
		if d := float64(pair[0] - pair[1]); !(d < 0.02 && d > -0.02) {
			t.Errorf("%s: got %v, want about %v", name, pair[0], pair[1])
		}
	}
}

// TestVerifyEvaluationRefusesEdits changes one thing in a verified folder at a time.
func TestVerifyEvaluationRefusesEdits(t *testing.T) {
	folder, _ := privateFolder(t, binaryText, []string{"low", "=HIGH()"})
	evaluationText, err := os.ReadFile(filepath.Join(folder, artefact.EvaluationName))
	if err != nil {
		t.Fatal(err)
	}
	certificateText, err := os.ReadFile(filepath.Join(folder, certificate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	var f artefact.Evaluation
	var c certificate.Certificate
	if json.Unmarshal(evaluationText, &f) != nil || json.Unmarshal(certificateText, &c) != nil {
		t.Fatal("the files cannot be read")
	}
	for name, edit := range map[string]func(f *artefact.Evaluation, c *certificate.Certificate){
		"a released number": func(f *artefact.Evaluation, _ *certificate.Certificate) { f.Numbers[3]++ },
		"a measure": func(f *artefact.Evaluation, _ *certificate.Certificate) {
			f.Measures.Classification.Accuracy.Value = 0.99
		},
		"the noise in the file": func(f *artefact.Evaluation, _ *certificate.Certificate) { f.Plan.NoiseMultiplier *= 2 },
		"the model's hash":      func(f *artefact.Evaluation, _ *certificate.Certificate) { f.ModelSHA256 = "00" },
		"the run":               func(f *artefact.Evaluation, _ *certificate.Certificate) { f.Run = "00" },
		"epsilon":               func(_ *artefact.Evaluation, c *certificate.Certificate) { c.Epsilon /= 2 },
		"the event":             func(_ *artefact.Evaluation, c *certificate.Certificate) { c.Event = "k-norm(20)" },
		"the unit":              func(_ *artefact.Evaluation, c *certificate.Certificate) { c.Unit = "one household" },
		"the noise in the plan": func(_ *artefact.Evaluation, c *certificate.Certificate) {
			c.Plan = json.RawMessage(strings.Replace(string(c.Plan), `"noise-multiplier": 1`, `"noise-multiplier": 2`, 1))
		},
	} {
		for _, rehash := range []bool{false, true} {
			changed, certified := f, c
			changed.Numbers = append([]float64(nil), f.Numbers...)
			class := *f.Measures.Classification
			changed.Measures.Classification = &class
			edit(&changed, &certified)
			text, encodeErr := changed.Encode()
			if encodeErr != nil {
				t.Fatal(encodeErr)
			}
			if rehash {
				certified.EvaluationSHA256 = certificate.Hash(text)
			}
			text2, encodeErr := certified.Encode()
			if encodeErr != nil {
				t.Fatal(encodeErr)
			}
			writeText(t, filepath.Join(folder, artefact.EvaluationName), string(text))
			writeText(t, filepath.Join(folder, certificate.FileName), string(text2))
			if status, _, stderr := invoke("verify", folder); status != exitFailed || !strings.Contains(stderr, "not verified") {
				t.Errorf("%s, hash mended %v: got exit status %d and %q, want %d", name, rehash, status, stderr, exitFailed)
			}
		}
	}
	writeText(t, filepath.Join(folder, artefact.EvaluationName), string(evaluationText))
	writeText(t, filepath.Join(folder, certificate.FileName), string(certificateText))
	mustInvoke(t, "verify", folder)
}

func TestEvaluatePrivateWrong(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	number := newModelFolder(t, regressText, 1)
	folder := t.TempDir()
	writeText(t, filepath.Join(folder, "t.csv"), tableText(60, "low", "=HIGH()"))
	with := func(flags ...string) []string {
		return append([]string{"evaluate", made.folder, "t.csv", "--private", "--epsilon", "1"}, flags...)
	}
	checkWrong(t, folder, []wrong{
		{"no epsilon", []string{"evaluate", made.folder, "t.csv", "--private"}, exitUsage, "--epsilon is missing"},
		{"no private", []string{"evaluate", made.folder, "t.csv", "--epsilon", "1"}, exitUsage, "without --private"},
		{"epsilon 0", []string{"evaluate", made.folder, "t.csv", "--private", "--epsilon", "0"}, exitUsage, "positive finite"},
		{"epsilon infinite", []string{"evaluate", made.folder, "t.csv", "--private", "--epsilon", "Inf"}, exitUsage, "positive finite"},
		{"delta", with("--noise", "gaussian", "--delta", "0"), exitUsage, "delta is 0"},
		{"noise", with("--noise", "uniform"), exitUsage, "want laplace or gaussian"},
		{"relation", with("--neighboring", "any"), exitUsage, "neighboring"},
		{"unit", with("--unit", "person:town"), exitUsage, "max-records-per-person"},
		{"column of persons", with("--unit", "person:street", "--max-records-per-person", "2"), exitUsage, "street"},
		{"undeclared groups", with("--group", "town"), exitUsage, "not declared"},
		{"threshold", with("--threshold", "1"), exitUsage, "threshold is 1"},
		{"bins", with("--bins", "-1"), exitUsage, "score bins is -1"},
		{"score range", with("--score-range", "0.5"), exitUsage, "want LOW:HIGH"},
		{"residuals of classes", with("--residual-bound", "3"), exitUsage, "residuals"},
		{"too many rows", with("--max-records", "50"), exitUsage, "max-records, 50"},
		{"bins of a number", []string{"evaluate", number.folder, "t.csv", "--private", "--epsilon", "1", "--bins", "4"}, exitUsage, "want none"},
		{"cut beyond the range", []string{"evaluate", number.folder, "t.csv", "--private", "--epsilon", "1", "--residual-bound", "101"}, exitUsage, "cut at 101"},
		{"a folder that is there", with("--out", "."), exitUsage, "exists"},
	})
}
