package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/internal/artefact"
	"github.com/ditherml/dither/internal/report"
	"github.com/ditherml/dither/privacy"
)

// TestFrontDoorIsTheCommand trains on one table by the command without flags and by package dither, and wants one plan,
// the same assumptions and two folders that the command verifies.
func TestFrontDoorIsTheCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	const schema = "dither-schema: 1\nrow: one person\nrows-per-person: 1\nmax-records: 1000\ntarget: {column: ill, levels: [a, b]}\n" +
		"defaults: {missing: indicator, out-of-range: clamp, unknown: other}\ncolumns:\n  age: {numeric: [18, 100]}\n"
	var table strings.Builder
	table.WriteString("age,ill\n")
	for i := range 300 {
		fmt.Fprintf(&table, "%d,%c\n", 18+i%80, 'a'+rune(i%80/40))
	}
	writeText(t, "t.csv", table.String())
	writeText(t, "t.yaml", schema)
	mustInvoke(t, "train", "--data", "t.csv", "--schema", "t.yaml", "--out", "command", "--quiet")
	s, err := data.ReadSchema("t.yaml")
	if err != nil {
		t.Fatal(err)
	}
	budget, err := dither.NewBudget(1, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		t.Fatal(err)
	}
	run, err := dither.Train(t.Context(), budget, s, "t.csv")
	if err != nil {
		t.Fatal(err)
	}
	if err = run.Save("library"); err != nil {
		t.Fatal(err)
	}
	mustInvoke(t, "verify", "library")
	command, library := headings(t, "command"), headings(t, "library")
	if len(command) < 5 || !slices.Equal(library, command) {
		t.Errorf("the page of the front door has the headings %q, want those of the command, %q", library, command)
	}
	v, err := artefact.Verify("command")
	if err != nil || !v.Verified {
		t.Fatalf("got %+v and error %v, want a verified folder", v, err)
	}
	c := run.Certificate
	if string(c.Plan) != string(v.Certificate.Plan) && !artefact.SameJSON(c.Plan, v.Certificate.Plan) || c.Epsilon != v.Certificate.Epsilon || fmt.Sprint(c.Assumptions) != fmt.Sprint(v.Certificate.Assumptions) {
		t.Errorf("the front door has the certificate %+v, want that of the command, %+v", c, *v.Certificate)
	}
}

// headings lists the headings and the pictures of the page in a folder.
func headings(t *testing.T, folder string) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(folder, report.FileName))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`<h[1-3][^>]*>[^<]*|<svg`).FindAllString(string(page), -1)
}
