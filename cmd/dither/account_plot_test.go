package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/explain"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/report"
)

// TestAttackerIsTheLibrary holds the JSON to the risks of the claim, and the text to their words.
func TestAttackerIsTheLibrary(t *testing.T) {
	out := accountJSON(t, "gaussian(2)")
	stdout, _ := mustInvoke(t, "account", "gaussian(2)")
	alone := account.RiskOf(account.TradeOff{}, float64(out.Claim.Epsilon), out.Claim.Delta)
	if out.Attacker == nil || float64(out.Attacker.BayesFactor) != alone.BayesFactor || out.Attacker.PosteriorFromHalf != alone.PosteriorFromHalf {
		t.Fatalf("got %+v, want the factor %v and posterior %v", out.Attacker, alone.BayesFactor, alone.PosteriorFromHalf)
	}
	if out.Attacker.TruePositiveAt1 >= alone.TruePositiveAt1 || out.Attacker.TruePositiveAt1 <= 0.01 {
		t.Errorf("got %v true positives, want less than %v, which the claim alone proves", out.Attacker.TruePositiveAt1, alone.TruePositiveAt1)
	}
	for _, words := range out.Attacker.Words {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), strings.Join(strings.Fields(words), " ")) {
			t.Errorf("got %s, want %q in it", stdout, words)
		}
	}
	if out = accountJSON(t, "gaussian(2)", "--delta", "0"); out.Attacker != nil {
		t.Errorf("got %+v beside an infinite epsilon, want nothing", out.Attacker)
	}
	if stdout, _ = mustInvoke(t, "account", "gaussian(2)", "--delta", "0"); !strings.Contains(stdout, "claim     none") {
		t.Errorf("got %s, want no claim", stdout)
	}
}

func TestAccountPlot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plot.svg")
	args := []string{"account", "repeat(50, gaussian(20))", "--plot", path}
	stdout, _ := mustInvoke(t, args...)
	if !strings.Contains(stdout, "plot      "+display.Printable(path)) {
		t.Errorf("got %s, want the name of the picture", stdout)
	}
	first := readFile(t, path)
	for _, want := range []string{"repeat(50, gaussian(20))", "steps", "ε in nats, at δ = 1e-6", "false positives", "a coin toss"} {
		if !strings.Contains(first, want) {
			t.Errorf("got a picture without %q", want)
		}
	}
	for d := xml.NewDecoder(strings.NewReader(first)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("got no XML: %v", err)
		}
	}
	if status, _, stderr := invoke(args...); status != exitUsage || !strings.Contains(stderr, "exists") {
		t.Errorf("got status %d, %s; want the old picture to stand", status, stderr)
	}
	mustInvoke(t, append(args, "--replace")...)
	if readFile(t, path) != first {
		t.Error("the same plot differs the second time")
	}
	mustInvoke(t, "account", "non-private()", "--plot", path, "--replace")
	if text := readFile(t, path); !strings.Contains(text, "There is no finite ε") {
		t.Error("a picture of no guarantee does not say so")
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPageAndExplanationAgree wants the report's table and the words of explain to bound an attacker by the same numbers,
// which are below those of epsilon and delta alone.
func TestPageAndExplanationAgree(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "model")
	args := []string{"train", "--steps", "5", "--epsilon", "1", "--out", folder}
	if thorough { // the curve of samples takes a second
		args = append(args, "--sampling-probability", "0.02")
	}
	mustInvoke(t, args...)
	var told explain.Explanation
	text, _ := mustInvoke(t, "explain", folder, "--json")
	if err := json.Unmarshal([]byte(text), &told); err != nil || told.Attacker == nil {
		t.Fatalf("got %s, %v, want an attacker", text, err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	upward := func(p float64) string { return report.PercentUp(p) + " %" }
	right, named := (1+told.Attacker.Advantage)/2, told.Attacker.TruePositiveAt1
	want := fmt.Sprintf("at most %s are recognized where 1 %% are accused falsely, and at most %s of the answers", upward(named), upward(right))
	if !strings.Contains(strings.ReplaceAll(string(page), "\u00a0", " "), want) {
		t.Errorf("the page lacks %q, which explain says", want)
	}
	alone := account.RiskOf(account.TradeOff{}, float64(told.Claim.Epsilon), told.Claim.Delta)
	if !(right < (1+alone.Advantage)/2-0.05) || !(named < alone.TruePositiveAt1) {
		t.Errorf("right answers %v and recognized %v, want less than by epsilon and delta alone, %v and %v", right, named, (1+alone.Advantage)/2, alone.TruePositiveAt1)
	}
}
