package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/model"
)

// heldOut trains a model of the built-in data set with a part held out.
func heldOut(t *testing.T, flags ...string) (folder, stdout string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "model")
	stdout, _ = mustInvoke(t, append([]string{"train", "--quiet", "--holdout", "private:0.25", "--steps", "10", "--whiten", "no", "--out", folder}, flags...)...)
	return folder, stdout
}

// TestTrainHoldout trains with a part held out and verifies what was written; each edit of one file is
// refused.
func TestTrainHoldout(t *testing.T) {
	folder, stdout := heldOut(t, "--threshold", "balanced")
	for _, part := range []string{"measured privately on records held out", "95 % interval", "Thresholds that would be best"} {
		if !strings.Contains(stdout, part) {
			t.Errorf("got %q, want a text with %q", stdout, part)
		}
	}
	mustInvoke(t, "verify", folder)
	read := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var f artefact.Evaluation
	if err := json.Unmarshal(read(artefact.EvaluationName), &f); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(folder)
	if err != nil || m.Threshold() != f.Measures.Classification.BestBalanced.Threshold {
		t.Errorf("the model decides at %v, want %v (%v)", m.Threshold(), f.Measures.Classification.BestBalanced.Threshold, err)
	}
	if !strings.Contains(string(read(report.FileName)), "held-out records") {
		t.Error("the report does not speak of held-out records")
	}
	for name, edit := range map[string]func(f *artefact.Evaluation, c *certificate.Certificate){
		"a number":      func(f *artefact.Evaluation, _ *certificate.Certificate) { f.Numbers[0] += 5 },
		"the noise":     func(f *artefact.Evaluation, _ *certificate.Certificate) { f.Plan.NoiseMultiplier *= 2 },
		"the model":     func(f *artefact.Evaluation, _ *certificate.Certificate) { f.ModelSHA256 = "00" },
		"no hash":       func(_ *artefact.Evaluation, c *certificate.Certificate) { c.EvaluationSHA256 = "" },
		"no evaluation": nil,
	} {
		changed, certified := f, certificate.Certificate{}
		if err := json.Unmarshal(read(certificate.FileName), &certified); err != nil {
			t.Fatal(err)
		}
		changed.Numbers = append([]float64(nil), f.Numbers...)
		path, other := filepath.Join(folder, artefact.EvaluationName), filepath.Join(folder, certificate.FileName)
		before, certifiedBefore := string(read(artefact.EvaluationName)), string(read(certificate.FileName))
		if edit == nil {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		} else {
			edit(&changed, &certified)
			text, encodeErr := changed.Encode()
			text2, encodeErr2 := certified.Encode()
			if encodeErr != nil || encodeErr2 != nil {
				t.Fatal(encodeErr, encodeErr2)
			}
			writeText(t, path, string(text))
			writeText(t, other, string(text2))
		}
		if status, _, stderr := invoke("verify", folder); status != exitFailed {
			t.Errorf("%s: got exit status %d and %q, want %d", name, status, stderr, exitFailed)
		}
		writeText(t, path, before)
		writeText(t, other, certifiedBefore)
	}
	mustInvoke(t, "verify", folder)
}

// TestHoldoutCostsNothingMore compares dry runs with and without a held-out part.
func TestHoldoutCostsNothingMore(t *testing.T) {
	var with, without dryRun
	for out, flags := range map[*dryRun][]string{&with: {"--holdout", "private:0.25"}, &without: nil} {
		stdout, _ := mustInvoke(t, append([]string{"train", "--dry-run", "--json"}, flags...)...)
		if err := json.Unmarshal([]byte(stdout), out); err != nil {
			t.Fatal(err)
		}
	}
	a, b := float64(with.Certificate.Epsilon), float64(without.Certificate.Epsilon)
	if a > b*(1+3e-4) || with.Plan.NoiseMultiplier > without.Plan.NoiseMultiplier*(1+1e-3) {
		t.Errorf("with a part held out epsilon is %v at noise %v, without %v at %v", a, with.Plan.NoiseMultiplier, b, without.Plan.NoiseMultiplier)
	}
	if !strings.HasPrefix(with.Certificate.Event, "parallel(sequence(") {
		t.Errorf("got event %q, want one in parallel", with.Certificate.Event)
	}
}

func TestHoldoutWrong(t *testing.T) {
	folder := t.TempDir()
	with := func(flags ...string) []string { return append([]string{"train", "--quiet"}, flags...) }
	checkWrong(t, folder, []wrong{
		{"no kind", with("--holdout", "0.2"), exitUsage, "want private:SHARE"},
		{"share", with("--holdout", "private:1"), exitUsage, "want private:SHARE"},
		{"bins alone", with("--holdout-bins", "4"), exitUsage, "without --holdout"},
		{"noise", with("--holdout", "private:0.2", "--holdout-noise", "cauchy"), exitUsage, "want laplace or gaussian"},
		{"threshold", with("--threshold", "2"), exitUsage, "--threshold is"},
		{"threshold to choose", with("--threshold", "best"), exitUsage, "without --holdout"},
		{"not private", with("--non-private", "--holdout", "private:0.2"), exitUsage, "--holdout is given with --non-private, want one of them; a baseline is measured on a --test table"},
		{"batches", with("--holdout", "private:0.2", "--batch-size", "100", "--neighboring", "replace-one", "--records", "16000"), exitUsage, "fixed size"},
		{"residuals", with("--holdout", "private:0.2", "--holdout-residual-bound", "3"), exitUsage, "residuals"},
		{"weights", with("--class-weights", "1,0"), exitUsage, "--class-weights is"},
		{"weights of rows", with("--sample-weights", "person:2:1"), exitUsage, "want COLUMN:LOW:HIGH"},
		{"no column of weights", with("--sample-weights", "nothing:0:1"), exitUsage, "the column of weights"},
		{"weights of a stream", with("--sample-weights", "person:0:1", "--stream"), exitUsage, "--stream"},
		{"too many weights", with("--class-weights", "1,2,3"), exitUsage, "3 weights of levels, want 2"},
		{"groups", with("--holdout", "private:0.2", "--group", "nothing"), exitUsage, "not declared"},
	})
}

// TestClassWeights trains with weights of the levels, declared and learned, and verifies what was written.
func TestClassWeights(t *testing.T) {
	for _, weights := range []string{"1,2.5", "balanced"} {
		folder, _ := heldOut(t, "--class-weights", weights, "--sample-weights", "person:1:5000", "--unit", "person:person", "--max-records-per-person", "2")
		mustInvoke(t, "verify", folder)
		c, err := certificate.Read(filepath.Join(folder, certificate.FileName))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(c.Plan), `"labels"`); got != (weights == "balanced") {
			t.Errorf("%s: the plan pays for the histogram: %v", weights, got)
		}
	}
}

// TestThresholdIsKept trains at a threshold and predicts by it, and by another one.
func TestThresholdIsKept(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "model")
	mustInvoke(t, "train", "--quiet", "--threshold", "0.999", "--steps", "5", "--whiten", "no", "--out", folder)
	count := func(flags ...string) int {
		stdout, _ := mustInvoke(t, append([]string{"predict", folder, "builtin:randhie"}, flags...)...)
		return strings.Count(stdout, ",yes,")
	}
	if high, low := count(), count("--threshold", "0.001"); high > 100 || low < 4000 {
		t.Errorf("%d of 4181 rows are predicted yes above 0.999 and %d above 0.001, want few and nearly all", high, low)
	}
	if status, _, stderr := invoke("predict", folder, "builtin:randhie", "--threshold", "0"); status != exitUsage || !strings.Contains(stderr, "threshold is 0") {
		t.Errorf("threshold 0: got exit status %d and %q", status, stderr)
	}
	mustInvoke(t, "verify", folder)
}

// TestVerifyChecksTheThreshold rewrites a verified folder, with all hashes, for models that decide at another
// threshold: only those of the plan and of the released numbers are taken.
func TestVerifyChecksTheThreshold(t *testing.T) {
	folder, _ := heldOut(t, "--threshold", "0.45")
	m, err := model.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	c, err := certificate.Read(filepath.Join(folder, certificate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, artefact.EvaluationName))
	if err != nil {
		t.Fatal(err)
	}
	f, err := artefact.DecodeEvaluation(text)
	if err != nil {
		t.Fatal(err)
	}
	v := f.Measures.Classification
	for _, threshold := range []float64{0.45, v.BestAccuracy.Threshold, v.BestBalanced.Threshold, 0.4321} {
		changed, failed := m.WithThreshold(threshold)
		if failed != nil {
			t.Fatal(failed)
		}
		modelText, failed := changed.Encode()
		if failed != nil {
			t.Fatal(failed)
		}
		page := strings.ReplaceAll(readText(t, filepath.Join(folder, report.FileName)), c.ModelSHA256, certificate.Hash(modelText))
		c.ModelSHA256 = certificate.Hash(modelText)
		f.ModelSHA256 = c.ModelSHA256
		evaluation, failed := f.Encode()
		if failed != nil {
			t.Fatal(failed)
		}
		page = strings.ReplaceAll(page, c.EvaluationSHA256, certificate.Hash(evaluation))
		c.EvaluationSHA256, c.ReportSHA256 = certificate.Hash(evaluation), certificate.Hash([]byte(page))
		certified, failed := c.Encode()
		if failed != nil {
			t.Fatal(failed)
		}
		writeText(t, filepath.Join(folder, model.FileName), string(modelText))
		writeText(t, filepath.Join(folder, artefact.EvaluationName), string(evaluation))
		writeText(t, filepath.Join(folder, report.FileName), page)
		writeText(t, filepath.Join(folder, certificate.FileName), string(certified))
		want := exitDone
		if threshold == 0.4321 {
			want = exitFailed
		}
		if status, out, _ := invoke("verify", folder); status != want || want == exitFailed && !strings.Contains(out, "threshold of the model is 0.4321, want 0.45 of the plan") {
			t.Errorf("threshold %v: got status %d and %s, want %d", threshold, status, out, want)
		}
	}
}
