package dither_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/ditherml/dither"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/privacy"
)

// readme holds the Go lines of README.md, so that they are compiled.
func readme(ctx context.Context, patients []patient) (*dither.Answer, error) {
	schema, err := data.ReadSchema("patients.yaml")
	if err != nil {
		return nil, err
	}
	budget, err := dither.NewBudget(1, 1e-6, privacy.AddOrRemoveOne)
	if err != nil {
		return nil, err
	}
	run, err := dither.Train(ctx, budget, schema, patients, dither.WithEpsilon(0.8))
	if err != nil {
		return nil, err
	}
	answer, err := dither.Query(ctx, budget, schema, patients, "mean age")
	if err != nil {
		return nil, err
	}
	err = run.Save("model")
	return answer, err
}

// TestReadmeLinesCompile wants every Go line of README.md in the function readme.
func TestReadmeLinesCompile(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n```go\n")
	block, rest, found := strings.Cut(rest, "\n```\n")
	if !found || strings.Contains(rest, "\n```go\n") || strings.Count(string(page), "\n") > 150 {
		t.Fatal("README.md has no block of Go, or several, or more than 150 lines")
	}
	for line := range strings.SplitSeq(block, "\n") {
		code, _, _ := strings.Cut(line, " //")
		if code = strings.TrimSpace(code); !strings.Contains(string(source), "\n\t"+code+"\n") {
			t.Errorf("README.md has the line %q, want it in the function readme", code)
		}
	}
	_ = readme
}
