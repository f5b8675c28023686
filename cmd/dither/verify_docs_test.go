package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/data"
	"github.com/ditherml/dither/ledger"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
	"github.com/ditherml/dither/train"
)

// TestFreePartsAreDocumented holds the table of the page to freeParts.
func TestFreePartsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/verification.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for _, p := range freeParts {
		rows.WriteString("| `" + p.where + "` | " + p.why + " |\n")
	}
	if !strings.Contains(string(page), "|---|---|\n"+rows.String()+"\n") {
		t.Errorf("docs/verification.md has another table of what is free, want\n%s", rows.String())
	}
}

// TestVerifyTakesFoldersMadeInGo trains through the packages and writes the two files by hand.
func TestVerifyTakesFoldersMadeInGo(t *testing.T) {
	schema, err := data.ParseSchema("schema", []byte(forgeSchema))
	if err != nil {
		t.Fatal(err)
	}
	setup, err := train.NewPlan(train.Request{Epsilon: 1, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Steps: 2}, schema)
	if err != nil {
		t.Fatal(err)
	}
	limit, err := privacy.NewGuarantee(1, 1e-6, privacy.AddOrRemoveOne, privacy.Unit{Row: schema.Row})
	if err != nil {
		t.Fatal(err)
	}
	budget, err := ledger.New(limit)
	if err != nil {
		t.Fatal(err)
	}
	records := newDataset(t, schema, [][]float32{{20, 30}, {150, 180}, {0, 1}}, []float32{0, 1})
	result, err := train.Fit(context.Background(), budget, setup, records, train.Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := result.Model.Encode()
	if err != nil {
		t.Fatal(err)
	}
	withoutSchema, err := setup.Plan.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := setup.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]certificate.Certificate{"of the setup": whole, "of the plan": withoutSchema} {
		c.ModelSHA256 = certificate.Hash(text)
		encoded, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		writeText(t, filepath.Join(folder, model.FileName), string(text))
		path := writeText(t, filepath.Join(folder, certificate.FileName), string(encoded))
		mustInvoke(t, "verify", folder)
		edit(t, path, `"run": ""`, `"run": "x"`)
		if status, _, _ := invoke("verify", folder); status != exitFailed {
			t.Errorf("%s: a run without time passes", name)
		}
	}
}
