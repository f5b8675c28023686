package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/feature"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/train"
)

func TestVerify(t *testing.T) {
	for _, c := range modelCases {
		t.Run(c.name, func(t *testing.T) {
			made := newModelFolder(t, c.schema, 1)
			stdout, stderr := mustInvoke(t, "verify", made.folder)
			for _, want := range []string{"\nverified\n", "add-or-remove-one", "one person", "1e-06", "all 3 rows that one person has", "declared without looking at the records."} {
				if !strings.Contains(strings.ReplaceAll(stdout, "\n", " "), strings.ReplaceAll(want, "\n", " ")) {
					t.Errorf("got %q, want a text with %q", stdout, want)
				}
			}
			if stderr != "" {
				t.Errorf("got %q on standard error, want nothing", stderr)
			}
			checkHarmless(t, stdout)
		})
	}
}

func TestVerifyBaseline(t *testing.T) {
	made := newModelFolder(t, binaryText, math.Inf(1))
	stdout, _ := mustInvoke(t, "verify", made.folder)
	if !strings.Contains(stdout, "NOT PRIVATE") || !strings.Contains(stdout, "\nverified\n") {
		t.Errorf("got %q, want NOT PRIVATE, verified", stdout)
	}
}

func TestVerifyJSON(t *testing.T) {
	made := newModelFolder(t, binaryText, 1)
	decode := func(stdout string) (v artefact.Verification) {
		t.Helper()
		if err := json.Unmarshal([]byte(stdout), &v); err != nil {
			t.Fatalf("got %q: %v", stdout, err)
		}
		return v
	}
	stdout, _ := mustInvoke(t, "verify", made.folder, "--json")
	if v := decode(stdout); !v.Verified || v.Guarantee == "" || v.Certificate == nil || v.Certificate.Epsilon != made.certificate.Epsilon || len(v.Disagreements) > 0 {
		t.Errorf("got %+v, want a verified certificate with epsilon %v", v, made.certificate.Epsilon)
	}
	made.certificate.Epsilon /= 2
	made.write(t)
	status, stdout, stderr := invoke("verify", made.folder, "--json")
	if v := decode(stdout); status != exitFailed || v.Verified || v.Guarantee != "" || v.Certificate != nil || len(v.Disagreements) != 1 {
		t.Errorf("got exit status %d and %+v, want %d, one disagreement and no guarantee", status, v, exitFailed)
	}
	checkErrorLine(t, stderr, "not verified")
}

// edit replaces a text that must be there.
func edit(t *testing.T, path, old, with string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q", filepath.Base(path), old)
	}
	writeText(t, path, strings.Replace(string(text), old, with, 1))
}

// TestVerifyRefuses plants edits, each in a folder that verifies without it.
func TestVerifyRefuses(t *testing.T) {
	const private = `"private": true`
	inCertificate := func(old, with string) func(*testing.T, *modelFolder) {
		return func(t *testing.T, m *modelFolder) { edit(t, filepath.Join(m.folder, certificate.FileName), old, with) }
	}
	inModel := func(old, with string) func(*testing.T, *modelFolder) {
		return func(t *testing.T, m *modelFolder) { edit(t, filepath.Join(m.folder, model.FileName), old, with) }
	}
	// change edits the certificate before it is written, so that it keeps its spelling and
	// has the hash of the model.
	change := func(f func(*modelFolder)) func(*testing.T, *modelFolder) {
		return func(t *testing.T, m *modelFolder) {
			f(m)
			m.write(t)
		}
	}
	cases := []struct {
		name   string
		plant  func(*testing.T, *modelFolder)
		status int
		want   string
	}{
		{"epsilon lowered", change(func(m *modelFolder) { m.certificate.Epsilon *= 0.99 }), exitFailed, "the epsilon is"},
		{"group epsilon lowered", change(func(m *modelFolder) { m.certificate.GroupEpsilon *= 0.99 }), exitFailed, "epsilon for the rows"},
		{"group rows removed", change(func(m *modelFolder) { m.certificate.GroupRows, m.certificate.GroupEpsilon = 0, 0 }), exitFailed, "rows of one person"},
		{"delta lowered", change(func(m *modelFolder) { m.certificate.Delta /= 10 }), exitFailed, "the delta is"},
		{"event changed", inCertificate(`"event": "sequence(`, `"event": "sequence(gaussian(99), `), exitFailed, "the event is"},
		{"plan steps changed", inCertificate(`"steps": 120`, `"steps": 10`), exitFailed, "the event is"},
		{"plan noise changed", inCertificate(`"noise-multiplier": `, `"noise-multiplier": 1`), exitFailed, "the event is"},
		{"plan field twice", inCertificate(`"steps": 120`, `"steps": 10, "steps": 120`), exitUsage, "twice"},
		{"plan field unknown", inCertificate(`"steps": 120`, `"steps": 120, "more": 1`), exitFailed, "plan"},
		{"plan relation changed", inCertificate(`"plan": {
  "neighboring": "add-or-remove-one"`, `"plan": {
  "neighboring": "zero-out"`), exitFailed, "plan"},
		{"neighboring changed", inCertificate(`"neighboring": "add-or-remove-one",
 "unit"`, `"neighboring": "zero-out",
 "unit"`), exitFailed, "neighboring"},
		{"neighboring invented", inCertificate(`"add-or-remove-one"`, `"none"`), exitUsage, "neighboring"},
		{"unit changed", change(func(m *modelFolder) { m.certificate.Unit = "one household" }), exitFailed, "the unit is"},
		{"accountant changed", change(func(m *modelFolder) { m.certificate.Accountant = "pld" }), exitFailed, "accountant"},
		{"method unknown", change(func(m *modelFolder) { m.certificate.Method = "magic" }), exitFailed, "method"},
		{"noise draws", change(func(m *modelFolder) { m.certificate.NoiseDraws-- }), exitFailed, "noise draws"},
		{"private flag of the certificate", inCertificate(private, `"private": false`), exitFailed, "private"},
		{"private flag of the model", change(func(m *modelFolder) { m.model.Provenance.Private = false }), exitFailed, "private mark"},
		{"run of the model", change(func(m *modelFolder) { m.model.Provenance.Run = "4567" }), exitFailed, "the run is"},
		{"run of the certificate", change(func(m *modelFolder) { m.certificate.Run = "4567\x1b[2J" }), exitFailed, "the run is"},
		{"time of the model", change(func(m *modelFolder) { m.model.Provenance.Created = "" }), exitFailed, "time"},
		{"program of the model", change(func(m *modelFolder) { m.model.Provenance.Program = "x" }), exitFailed, "program"},
		{"model byte flipped", inModel("dither test", "dither tesu"), exitFailed, "SHA-256"},
		{"model schema changed", inModel("max-records: 5000", "max-records: 5001"), exitFailed, "bound on the records"},
		{"model white space", inModel("\n", "\n "), exitFailed, "SHA-256"},
		{"model white space under its hash", func(t *testing.T, m *modelFolder) {
			inModel("\n", "\n ")(t, m)
			text, err := os.ReadFile(filepath.Join(m.folder, model.FileName))
			if err != nil {
				t.Fatal(err)
			}
			m.certificate.ModelSHA256 = certificate.Hash(text)
			if text, err = m.certificate.Encode(); err != nil {
				t.Fatal(err)
			}
			writeText(t, filepath.Join(m.folder, certificate.FileName), string(text))
		}, exitFailed, "not spelled"},
		{"model of another schema", func(t *testing.T, m *modelFolder) {
			other := newModelFolder(t, classesText, 1)
			m.model = other.model
			m.write(t)
		}, exitFailed, "number of weight vectors"},
		{"count that was not paid for", unpaid(option.CountStatistic), exitFailed, "a count of 1 numbers"},
		{"mean that was not paid for", unpaid(option.MeanStatistic), exitFailed, "a mean of"},
		{"covariance that was not paid for", unpaid(option.CovarianceStatistic), exitFailed, "a covariance of"},
		{"variances that were not paid for", unpaid(option.VarianceStatistic), exitFailed, "a variances of"},
		{"channels that were not paid for", unpaid(option.ChannelStatistic), exitFailed, "a channel-covariance of"},
		{"places that were not paid for", unpaid(option.PlaceStatistic), exitFailed, "a place-covariance of"},
		{"radius that was not paid for", unpaid(option.RadiusStatistic), exitFailed, "the bound of the statistic mean"},
		{"unknown field", inCertificate(`"format-version"`, `"more": 1, "format-version"`), exitUsage, "more"},
		{"field twice", inCertificate(`"delta"`, `"delta": 1e-9, "delta"`), exitUsage, "twice"},
		{"field in other letters", inCertificate(`"delta"`, `"Delta": 1e-9, "delta"`), exitUsage, "spelling"},
		{"text behind the end", inCertificate("\n}\n", "\n}\n{}\n"), exitUsage, "text after it"},
		{"another version", inCertificate(`"format-version": 1`, `"format-version": 2`), exitUsage, "version"},
		{"garbled certificate", inCertificate("{", "["), exitUsage, "certificate.json"},
		{"garbled model", inModel("{", "["), exitUsage, "model.json"},
		{"no certificate", remove(certificate.FileName), exitUsage, "certificate.json"},
		{"no model", remove(model.FileName), exitUsage, "model.json"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			made := newModelFolder(t, binaryText, 1)
			mustInvoke(t, "verify", made.folder)
			c.plant(t, &made)
			status, stdout, stderr := invoke("verify", made.folder)
			if status != c.status {
				t.Errorf("got exit status %d, want %d; %s%s", status, c.status, stdout, stderr)
			}
			checkErrorLine(t, stderr, "")
			checkHarmless(t, stdout)
			if !strings.Contains(stdout+stderr, c.want) || strings.Contains(stdout, "\nverified\n") || strings.Contains(stdout, "guarantee\n") {
				t.Errorf("got %q and %q, want a text with %q, no guarantee and not the word verified", stdout, stderr, c.want)
			}
		})
	}
}

// unpaid gives the model a mean and a covariance, and a plan that leaves one statistic out,
// with the certificate that belongs to that plan.
func unpaid(kind string) func(*testing.T, *modelFolder) {
	return func(t *testing.T, m *modelFolder) {
		var p train.Plan
		if err := json.Unmarshal(m.certificate.Plan, &p); err != nil {
			t.Fatal(err)
		}
		d := m.model.Features().Pipeline.Dim()
		f := m.model.Features()
		f.Center, f.Whitening = make([]float64, d), &feature.Whitening{Matrix: make([]float64, d*d)}
		switch kind {
		case option.VarianceStatistic:
			f.Whitening = &feature.Whitening{Scales: make([]float64, d)}
		case option.ChannelStatistic, option.PlaceStatistic:
			f.Whitening = &feature.Whitening{Channels: make([]float64, 1), Places: make([]float64, d*d)}
		case option.RadiusStatistic:
			f.Norm, f.Radius = feature.NormClip, 0.7
		}
		p.Preparation = nil
		for _, k := range option.Statistics() {
			if k != kind && !(kind == option.VarianceStatistic && k == option.FrequencyStatistic) { // both pay for scales
				p.Preparation = append(p.Preparation, train.PreparationStep{Kind: k, NoiseMultiplier: 100, Bound: 1, Numbers: d * d})
			}
		}
		c, err := p.Certificate()
		if err != nil {
			t.Fatal(err)
		}
		c.Program, c.Run, c.Created, c.Assumptions = m.certificate.Program, m.certificate.Run, m.certificate.Created, m.certificate.Assumptions
		m.certificate = c
		m.write(t)
	}
}

func remove(name string) func(*testing.T, *modelFolder) {
	return func(t *testing.T, m *modelFolder) {
		if err := os.Remove(filepath.Join(m.folder, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestVerifyWrong(t *testing.T) {
	folder := wrongFolder(t)
	checkWrong(t, folder, []wrong{
		{"no arguments", []string{"verify"}, exitUsage, "MODEL-FOLDER"},
		{"two folders", []string{"verify", "model", "model"}, exitUsage, "MODEL-FOLDER"},
		{"no such folder", []string{"verify", "absent"}, exitUsage, "certificate.json"},
		{"a file", []string{"verify", "good.csv"}, exitUsage, "certificate.json"},
		{"a folder without certificate", []string{"verify", "garbled"}, exitUsage, "certificate.json"},
	})
}

// TestVerifyRebuildsThePage edits pages with the hash mended. Nothing but the page is wrong then. Words in the sections
// that do not follow from the files are free.
func TestVerifyRebuildsThePage(t *testing.T) {
	t.Chdir(t.TempDir())
	for folder, args := range map[string][]string{
		"descent":  {"--steps", "2", "--purpose", "tests"},
		"network":  {"--model", "mlp", "--hidden", "2", "--sampling", "full", "--steps", "2"},
		"minimum":  {"--method", "output-perturbation"},
		"baseline": {"--non-private", "--steps", "2"},
		"held":     {"--steps", "2", "--holdout", "private:0.2"},
		"persons":  {"--steps", "2", "--unit", "person:person", "--max-records-per-person", "5"},
	} {
		mustInvoke(t, append([]string{"train", "--quiet", "--out", folder}, args...)...)
		if out, _ := mustInvoke(t, "verify", folder); !strings.Contains(out, "verdict, guarantee, bounds on attackers") {
			t.Errorf("%s: got %s, want that the page was compared", folder, out)
		}
		page, sealed := readText(t, filepath.Join(folder, "report.html")), readText(t, filepath.Join(folder, certificate.FileName))
		if persons := strings.Contains(page, "whether the rows of a given person were used in at most"); persons != (folder == "persons") {
			t.Errorf("%s: the page is about persons: %v", folder, persons)
		}
		try := func(old, changed string) (passes bool) {
			t.Helper()
			edited := strings.Replace(page, old, changed, 1)
			if edited == page {
				t.Fatalf("%s: the page lacks %q", folder, old)
			}
			writeText(t, filepath.Join(folder, "report.html"), edited)
			writeText(t, filepath.Join(folder, certificate.FileName), strings.Replace(sealed, certificate.Hash([]byte(page)), certificate.Hash([]byte(edited)), 1))
			status, out, _ := invoke("verify", folder)
			if status != exitDone && !strings.Contains(out, "of the page") {
				t.Errorf("%s: got %s, want a section of the page", folder, out)
			}
			return status == exitDone
		}
		edits := map[string]string{"A private model": "A very private model", `<span class="value">1</span>`: `<span class="value">0.9</span>`, "50.0 %": "40.0 %", "does not promise that": "promises that", "are not known here": "do not exist",
			"</style>": "</style><style>section,.verdict{display:none}</style>", "<h2>The model</h2>": "<h2>The guarantee</h2>", "<h3>Assumptions</h3>\n<ul>": "<h3>Assumptions</h3>\n<ul>\n<li>None.</li>",
			"SHA-256 ": "SHA-256 0", "<h2>Coefficients</h2>": "<h2>Coefficients</h2><p hidden>x</p>"}
		switch folder {
		case "network":
			delete(edits, "<h2>Coefficients</h2>")
		case "held":
			edits["each with probability 0.2"] = "each with probability 0.9"
		case "baseline":
			edits = map[string]string{"NOT PRIVATE": "PRIVATE", "hides nothing": "hides everything"}
		}
		for old, changed := range edits {
			if try(old, changed) {
				t.Errorf("%s: a page with %q for %q passes", folder, changed, old)
			}
		}
		if !try("<dt>method</dt>", "<dt>method, with a remark</dt>") || !try("dither verify "+folder, "dither verify renamed") {
			t.Errorf("%s: a remark or another name is refused", folder)
		}
		if folder == "descent" {
			written, other := `"program": "`+artefact.Program, `"program": "dither 0.0.9`
			m := readText(t, filepath.Join(folder, "model.json"))
			changed := strings.Replace(m, written, other, 1)
			writeText(t, filepath.Join(folder, "model.json"), changed)
			writeText(t, filepath.Join(folder, "report.html"), page)
			writeText(t, filepath.Join(folder, certificate.FileName), strings.NewReplacer(written, other, certificate.Hash([]byte(m)), certificate.Hash([]byte(changed))).Replace(sealed))
			if _, out, _ := invoke("verify", folder); !strings.Contains(out, "NOT COMPARED: the page was written by dither 0.0.9") || strings.Contains(out, "bounds on attackers") {
				t.Errorf("got %s, want that the page of another version was not compared", out)
			}
		}
	}
}
