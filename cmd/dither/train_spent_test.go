package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
)

// TestTrainTellsWhatIsSpent stops a run after its first step: the folder keeps what it spent, and a run of that name is
// refused.
func TestTrainTellsWhatIsSpent(t *testing.T) {
	schema, table := workplace(t, 300)
	args := []string{"train", "--data", table, "--schema", schema, "--out", "m", "--steps", "4000"}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &stopper{at: "step 400 of 4000", stop: cancel}
	status := run(ctx, args, out, out)
	message := out.text.String()
	if last := message[strings.LastIndex(strings.TrimSpace(message), "\n")+1:]; status != exitFailed || !strings.Contains(last, "budget spent: at most epsilon 1 at delta 1e-06 (add-or-remove-one), which must be counted") {
		t.Fatalf("got status %d and %q, want a failure that says what is spent", status, last)
	}
	var trace struct {
		Folder, Event  string
		Epsilon, Delta float64
	}
	text, err := os.ReadFile(filepath.Join("m", durable.TraceName))
	if err != nil || json.Unmarshal(text, &trace) != nil || !(trace.Epsilon > 0.99 && trace.Epsilon <= 1) || trace.Delta != 1e-6 || !strings.Contains(trace.Event, "repeat(4000, ") || trace.Folder != "m" {
		t.Errorf("got %s (%v), want what the plan costs", text, err)
	}
	if status, _, stderr := invoke(append(args, "--replace")...); status != exitUsage || !strings.Contains(stderr, durable.TraceName) {
		t.Errorf("got status %d and %q, want a refusal that names %s", status, stderr, durable.TraceName)
	}
	if err = os.RemoveAll("m"); err != nil {
		t.Fatal(err)
	}
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--out", "m", "--steps", "5", "--quiet")
	if display.Exists(filepath.Join("m", durable.TraceName)) {
		t.Error("a finished folder holds the trace of its run")
	}
	mustInvoke(t, "verify", "m")
}

// noReader is an output that nobody reads.
type noReader struct{}

func (noReader) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestAnswersAreNotLost prints paid-for results to nobody: they are kept, and the error says where.
func TestAnswersAreNotLost(t *testing.T) {
	schema, table := workplace(t, 300)
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--out", "m", "--steps", "5", "--quiet")
	t.Setenv("TMPDIR", t.TempDir())
	for file, args := range map[string][]string{
		answerName:        {"query", "count", "--data", table, "--schema", schema},
		"evaluation.json": {"evaluate", "m", table, "--private", "--epsilon", "1"},
	} {
		var stderr bytes.Buffer
		status := run(t.Context(), args, noReader{}, &stderr)
		_, rest, _ := strings.Cut(stderr.String(), "the results stand in ")
		place, rest, _ := strings.Cut(rest, ";")
		if status != exitFailed || !strings.Contains(rest, "budget spent") || !display.Exists(filepath.Join(place, file)) {
			t.Errorf("%v: got status %d and %q, want a failure that says where %s is", args, status, stderr.String(), file)
		}
		mustInvoke(t, "verify", place)
	}
}
