package dither_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither"
)

// names lists what is in a folder.
func names(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Name()
	}
	return strings.Join(all, " ")
}

// TestTrainInto trains into a folder, which is what Save writes, and refuses a name that is taken for nothing.
func TestTrainInto(t *testing.T) {
	place, s := t.TempDir(), patientSchema(t)
	first, second := filepath.Join(place, "first"), filepath.Join(place, "second")
	run, err := dither.Train(t.Context(), newBudget(t), s, patients(100), dither.Into(first))
	if err != nil {
		t.Fatal(err)
	}
	if err = run.Save(second); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{first, second} {
		if got := names(t, folder); got != "certificate.json model.json report.html" {
			t.Errorf("%s holds %s, want model, certificate and page", folder, got)
		}
		if v, verifyErr := dither.Verify(folder); verifyErr != nil || !v.Verified {
			t.Errorf("%s: got %+v and error %v, want a verified folder", folder, v, verifyErr)
		}
	}
	b := newBudget(t)
	if _, err = dither.Train(t.Context(), b, s, patients(100), dither.Into(first)); err == nil || !strings.Contains(err.Error(), "exists") || b.Left() != 1 {
		t.Errorf("a name that is taken got error %v with %v left, want a refusal that spends nothing", err, b.Left())
	}
	if _, err = dither.Train(t.Context(), b, s, "none.csv", dither.Into(filepath.Join(place, "none"))); err == nil || names(t, place) != "first second" {
		t.Errorf("a table that is not there got error %v and leaves %s, want no folder", err, names(t, place))
	}
	if _, err = dither.Query(t.Context(), b, s, patients(10), "count", dither.Into("m")); err == nil || b.Left() != 1 {
		t.Errorf("a question with a folder got error %v with %v left, want a refusal", err, b.Left())
	}
}

// TestTrainTellsWhatIsSpent stops trainings after some of their steps: the error says what is spent, and the folder
// keeps it.
func TestTrainTellsWhatIsSpent(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "m")
	for _, options := range [][]dither.Option{nil, {dither.Into(folder)}} {
		ctx, cancel := context.WithCancel(t.Context())
		stop := dither.WithProgress(func(step, _ int, _ float64) {
			if step == 2 {
				cancel()
			}
		})
		b := newBudget(t)
		_, err := dither.Train(ctx, b, patientSchema(t), patients(100), append(options, stop)...)
		if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "budget spent: at most epsilon 1 at delta 1e-06") || b.Left() != 0 {
			t.Errorf("got error %v with %v left, want one that says what is spent", err, b.Left())
		}
		cancel()
	}
	_, opened := dither.Open(folder)
	_, verified := dither.Verify(folder)
	for _, err := range []error{opened, verified} {
		if err == nil || !strings.Contains(err.Error(), "did not finish") || !strings.Contains(err.Error(), "spent.json") {
			t.Errorf("an unfinished folder got error %v, want one that names spent.json", err)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "spent.json"))
	if err != nil || !strings.Contains(string(text), `"folder": "`+folder+`"`) {
		t.Errorf("got %s and error %v, want the trace of what is spent", text, err)
	}
}
