package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// TestPricesStopWithTheirContext runs each command that prices under a context that has ended: only a command
// that does not look at its context answers.
func TestPricesStopWithTheirContext(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	const event = "gaussian(2)"
	made := newModelFolder(t, binaryText, 1)
	table, schema := sweepTable(t, 100)
	sweep := []string{"sweep", "--data", table, "--schema", schema, "--test", table, "--test-public", "--epsilon", "1,2", "--steps", "3", "--whiten", "no", "--quiet", "--dry-run"}
	for _, args := range [][]string{
		{"account", event}, {"calibrate", "--epsilon", "1", "--event", "gaussian(X)"}, {"explain", event},
		{"query", "mean", "age", "--data", table, "--schema", schema}, {"evaluate", made.folder, table, "--private", "--epsilon", "1"},
		sweep, append(sweep[:len(sweep):len(sweep)], "--epsilon", "1", "--select", "geometric:5"),
	} {
		var out, messages bytes.Buffer
		if got := run(ctx, args, &out, &messages); got != exitFailed || out.Len() > 0 || !strings.Contains(messages.String(), "before the price was known") {
			t.Errorf("%v: status %d, %q and %q, want it stopped", args, got, out.String(), messages.String())
		}
	}
}

// TestExplainChoosesARelation: an event that is not priced under the default relation is explained under one
// that it is priced under, and that is said; a relation that is asked for stands.
func TestExplainChoosesARelation(t *testing.T) {
	const event = "without-replacement(1000, 20, gaussian(4))"
	stdout, _ := mustInvoke(t, "explain", event)
	for _, want := range []string{"replace-one: the records", "Under add-or-remove-one, which is usual, this event has no price"} {
		if !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("got %q, want %q in it", stdout, want)
		}
	}
	if status, _, stderr := invoke("explain", event, "--neighboring", "add-or-remove-one"); status != exitUsage {
		t.Errorf("asked for a relation without a proof: status %d, %q, want it refused", status, stderr)
	}
	if stdout, _ = mustInvoke(t, "explain", "gaussian(2)"); strings.Contains(stdout, "no price") {
		t.Errorf("an event with a price under the default relation: %q", stdout)
	}
}

// TestHostileNumbers gives every number of account and calibrate values at the ends of what a flag reads. Each
// is answered or refused in words: no panic, no other status.
func TestHostileNumbers(t *testing.T) {
	values := []string{"0", "-1", "NaN", "Inf", "-Inf", "1e308", "5e-324", "1e-310", "1", "0.5"}
	for _, v := range values {
		for _, args := range [][]string{
			{"account", "gaussian(2)", "--accountant", "gdp", "--epsilon", v}, {"account", "gaussian(2)", "--accountant", "gdp", "--delta", v},
			{"account", "--accountant", "gdp", "--noise-multiplier", v}, {"account", "--accountant", "rdp", "--noise-multiplier", "2", "--sampling-probability", v},
			{"account", "gaussian(" + v + ")", "--accountant", "gdp"}, {"calibrate", "--epsilon", v}, {"calibrate", "--epsilon", "1", "--delta", v},
			{"calibrate", "--epsilon", "1", "--find", "steps", "--noise-multiplier", v},
		} {
			if args[2] == "rdp" && strings.Contains(v, "e-3") && !thorough {
				continue // takes a good part of a second
			}
			got, stdout, stderr := invoke(args...)
			if got != exitDone && got != exitUsage || (got == exitDone) != (stderr == "") || strings.Contains(stdout, "NaN") {
				t.Errorf("%v: status %d, %q, %q, want an answer or a refusal", args, got, stdout, stderr)
			}
		}
	}
}
