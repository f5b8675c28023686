package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/diagnosis"
)

// TestDiagnoseNetwork looks at a table of a test as text and as JSON, and wants one thing from both.
func TestDiagnoseNetwork(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	schema, table := writeText(t, "s.yaml", binaryText), writeText(t, "t.csv", tableText(200, "low", "=HIGH()"))
	line := []string{"diagnose", "network", "--data", table, "--schema", schema, "--public", "--hidden", "3", "--records", "6", "--steps", "50"}
	out, _ := mustInvoke(t, line...)
	for _, want := range []string{diagnosis.PublicNotice, "logistic loss of 6 records", "tangent kernel", "layerwise", "quantiles of the gradient norms of ", "norms of 2.linear", "###", "in brackets the course's entry"} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant %q in it", out, want)
		}
	}
	text, _ := mustInvoke(t, append(line, "--json", "--steps", "-1")...)
	var got struct {
		Notice    string
		Records   int
		Small     float64 `json:"small-clipping-norm"`
		Clippings []struct {
			Name   string
			Kernel struct{ Asymmetry, Trace float64 }
			Flow   *struct{}
		}
		Norms []struct {
			Part   string
			Counts []int
		}
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Notice != diagnosis.PublicNotice || got.Records != 6 || !(got.Small > 0) || len(got.Clippings) != 6 || got.Clippings[0].Flow != nil ||
		got.Clippings[0].Kernel.Asymmetry != 0 || !(got.Clippings[1].Kernel.Asymmetry > 0) || !(got.Clippings[0].Kernel.Trace > got.Clippings[1].Kernel.Trace) || len(got.Norms) != 3 {
		t.Errorf("got %+v, want 6 clippings of 6 records without descents, the second without symmetry, and norms of 3 parts", got)
	}
	if again, _ := mustInvoke(t, append(line, "--json", "--steps", "-1")...); again != text {
		t.Error("two diagnoses differ")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("got files %v and error %v, want no more than the table and its schema", entries, err)
	}
	checkWrong(t, dir, []wrong{
		{"not declared public", []string{"diagnose", "network", "--data", table, "--schema", schema}, exitUsage, "--public is missing"},
		{"no schema", []string{"diagnose", "network", "--data", table, "--public"}, exitUsage, "--schema is missing"},
		{"no such layers", []string{"diagnose", "network", "--model", "nowhere.yaml"}, exitUsage, "nowhere.yaml"},
		{"no image", []string{"diagnose", "network", "--model", "cnn"}, exitUsage, "--input-shape"},
		{"too many rows", []string{"diagnose", "network", "--records", "5000", "--steps", "-1"}, exitUsage, "at most 640"},
		{"a linear model", []string{"diagnose", "network", "--model", "linear"}, exitUsage, "linear"},
	})
}
