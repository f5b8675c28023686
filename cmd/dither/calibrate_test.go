package main

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/ditherml/dither/account"
	"github.com/ditherml/dither/internal/calibration"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/mechanism"
	"github.com/ditherml/dither/privacy"
)

// calibrateJSON runs dither calibrate with --json.
func calibrateJSON(t *testing.T, args ...string) calibration.Calibrated {
	t.Helper()
	stdout, _ := mustInvoke(t, append([]string{"calibrate", "--json"}, args...)...)
	var out calibration.Calibrated
	if err := json.Unmarshal([]byte(stdout), &out); err != nil {
		t.Fatalf("%q: %v in %s", args, err, stdout)
	}
	return out
}

// steps is the event of gradient descent, written independently of calibration.Steps.
func steps(count int, q, z float64) mechanism.Event {
	if q == 1 {
		return mechanism.Repeat{Event: mechanism.Gaussian{NoiseMultiplier: z}, Count: count}
	}
	return mechanism.Repeat{Event: mechanism.PoissonSampled{Probability: q, Event: mechanism.Gaussian{NoiseMultiplier: z}}, Count: count}
}

// TestCalibrate holds each value to the target from both sides: it meets it with proof, and a
// value a little further does not.
func TestCalibrate(t *testing.T) {
	cases := []struct {
		args   []string
		delta  float64
		target float64
		n      privacy.Neighboring
		event  func(value float64) mechanism.Event
		beyond float64 // factor that leads over the target
	}{
		{[]string{"--epsilon", "1", "--steps", "500", "--sampling-probability", "0.01"}, 1e-6, 1, privacy.AddOrRemoveOne,
			func(v float64) mechanism.Event { return steps(500, 0.01, v) }, 0.999},
		{[]string{"--epsilon", "0.5", "--delta", "1e-5", "--steps", "60", "--neighboring", "replace-one"}, 1e-5, 0.5, privacy.ReplaceOne,
			func(v float64) mechanism.Event { return steps(60, 1, v) }, 0.999},
		{[]string{"--epsilon", "1", "--find", "sampling-probability", "--noise-multiplier", "1.1", "--steps", "500"}, 1e-6, 1, privacy.AddOrRemoveOne,
			func(v float64) mechanism.Event { return steps(500, v, 1.1) }, 1.001},
		{[]string{"--epsilon", "2", "--event", "sequence(gaussian(5), repeat(100, gaussian(X)))"}, 1e-6, 2, privacy.AddOrRemoveOne,
			func(v float64) mechanism.Event {
				return mechanism.Sequence{mechanism.Gaussian{NoiseMultiplier: 5}, steps(100, 1, v)}
			}, 0.999},
		{[]string{"--epsilon", "1", "--delta", "0", "--event", "laplace(X)"}, 0, 1, privacy.AddOrRemoveOne,
			func(v float64) mechanism.Event { return mechanism.Laplace{NoiseMultiplier: v} }, 0.999},
		{[]string{"--epsilon", "1", "--event", "poisson(X, gaussian(0.7))", "--falling=false", "--high", "1"}, 1e-6, 1, privacy.AddOrRemoveOne,
			func(v float64) mechanism.Event { return steps(1, v, 0.7) }, 1.001},
	}
	for _, c := range cases {
		out := calibrateJSON(t, c.args...)
		v := float64(out.Value)
		if display.Plain(v) != display.Nearest(v, 6) {
			t.Errorf("%q: got %v, want at most 6 digits", c.args, v)
		}
		at, err := account.For(c.event(0.5)).Epsilon(c.event(v), c.delta, c.n)
		if err != nil {
			t.Fatal(err)
		}
		if at.Upper > c.target || float64(out.Upper) != at.Upper || float64(out.Lower) != at.Lower {
			t.Errorf("%q: got %v with epsilon %v to %v, want %v of at most %v", c.args, v, out.Lower, out.Upper, at, c.target)
		}
		over, err := account.For(c.event(0.5)).Epsilon(c.event(v*c.beyond), c.delta, c.n)
		if err != nil {
			t.Fatal(err)
		}
		if over.Lower <= c.target*(1-1e-4) {
			t.Errorf("%q: at %v times the value epsilon is %v, want more than %v", c.args, c.beyond, over, c.target)
		}
	}
}

// TestCalibrateClosedForms compares with numbers that need no accountant: a Laplace release of
// scale b costs 1/b at delta 0, and k of them k/b (Dwork & Roth 2014, theorem 3.6 and 3.16).
func TestCalibrateClosedForms(t *testing.T) {
	if v := float64(calibrateJSON(t, "--epsilon", "0.25", "--delta", "0", "--event", "laplace(X)").Value); math.Abs(v-4) > 1e-4 || v < 4 {
		t.Errorf("got scale %v, want 4 from above", v)
	}
	out := calibrateJSON(t, "--epsilon", "1", "--delta", "0", "--event", "repeat(X, laplace(50.01))", "--falling=false")
	if out.Value != 50 || out.Event != "repeat(50, laplace(50.01))" {
		t.Errorf("got %v releases, %s, want 50", out.Value, out.Event)
	}
}

func TestCalibrateSteps(t *testing.T) {
	out := calibrateJSON(t, "--epsilon", "1", "--find", "steps", "--noise-multiplier", "4", "--sampling-probability", "0.1")
	for _, c := range []struct {
		count int
		meets bool
	}{{int(out.Value), true}, {int(out.Value) + 1, false}} {
		v, err := account.PLD.Epsilon(steps(c.count, 0.1, 4), 1e-6, privacy.AddOrRemoveOne)
		if err != nil {
			t.Fatal(err)
		}
		if (v.Upper <= 1) != c.meets {
			t.Errorf("%d steps cost %v, want at most 1: %v", c.count, v, c.meets)
		}
	}
	same := calibrateJSON(t, "--epsilon", "1", "--event", "repeat(X, poisson(0.1, gaussian(4)))", "--falling=false")
	if same.Value != out.Value || same.Event != out.Event {
		t.Errorf("got %v for X, want %v as for steps", same.Value, out.Value)
	}
}

// TestCalibrateLimits: where even the end of the range meets the target, it is said.
func TestCalibrateLimits(t *testing.T) {
	out := calibrateJSON(t, "--epsilon", "5", "--find", "sampling-probability", "--noise-multiplier", "10")
	if out.Value != 1 || !out.AtLimit || out.Event != "repeat(1, gaussian(10))" {
		t.Errorf("got %+v, want probability 1, full batch, at the limit", out)
	}
	out = calibrateJSON(t, "--epsilon", "5", "--event", "repeat(X, gaussian(10))", "--falling=false", "--high", "7")
	if out.Value != 7 || !out.AtLimit {
		t.Errorf("got %+v, want 7, the limit", out)
	}
}

// TestCalibrateText: what is printed is the value, an event that parses and a bound that holds.
func TestCalibrateText(t *testing.T) {
	args := []string{"--epsilon", "1", "--steps", "1000", "--sampling-probability", "0.01"}
	stdout, _ := mustInvoke(t, append([]string{"calibrate"}, args...)...)
	out := calibrateJSON(t, args...)
	fields := map[string]string{}
	for line := range strings.Lines(stdout) {
		if cells := strings.Fields(line); len(cells) > 1 {
			fields[cells[0]] = cells[1]
		}
	}
	if v, err := strconv.ParseFloat(fields["noise-multiplier"], 64); err != nil || v != float64(out.Value) {
		t.Errorf("got noise multiplier %q, want %v", fields["noise-multiplier"], out.Value)
	}
	if v, err := strconv.ParseFloat(fields["to"], 64); err != nil || v < float64(out.Upper) || v > 1 {
		t.Errorf("got upper bound %q, want %v or a little more", fields["to"], out.Upper)
	}
	if e, err := mechanism.ParseEvent(out.Event); err != nil || e.String() != steps(1000, 0.01, float64(out.Value)).String() {
		t.Errorf("got event %q, %v", out.Event, err)
	}
	checkHarmless(t, stdout)
}

func TestCalibrateWrong(t *testing.T) {
	with := func(args ...string) []string { return append([]string{"calibrate"}, args...) }
	checkWrong(t, t.TempDir(), []wrong{
		{"no target", with("--steps", "10"), exitUsage, "--epsilon is missing"},
		{"negative target", with("--epsilon", "-1"), exitUsage, "--epsilon is -1"},
		{"target zero", with("--epsilon", "0"), exitUsage, "--epsilon is 0"},
		{"target no number", with("--epsilon", "NaN"), exitUsage, "--epsilon is NaN"},
		{"infinite target", with("--epsilon", "Inf"), exitUsage, "--epsilon is +Inf"},
		{"text for a number", with("--epsilon", "one"), exitUsage, "epsilon"},
		{"delta 1", with("--epsilon", "1", "--delta", "1"), exitUsage, "--delta is 1"},
		{"delta no number", with("--epsilon", "1", "--delta", "NaN"), exitUsage, "--delta is NaN"},
		{"delta 0 and normal noise", with("--epsilon", "1", "--delta", "0"), exitUsage, "no noise-multiplier up to 1e+09"},
		{"relation", with("--epsilon", "1", "--neighboring", "near"), exitUsage, `neighboring is "near"`},
		{"argument", with("gaussian(X)", "--epsilon", "1"), exitUsage, "--event"},
		{"unknown number", with("--epsilon", "1", "--find", "batch"), exitUsage, `--find is "batch"`},
		{"found and given", with("--epsilon", "1", "--noise-multiplier", "2"), exitUsage, "--noise-multiplier is given"},
		{"noise missing", with("--epsilon", "1", "--find", "steps"), exitUsage, "--noise-multiplier is missing"},
		{"negative noise", with("--epsilon", "1", "--find", "steps", "--noise-multiplier", "-1"), exitUsage, "--noise-multiplier is -1"},
		{"infinite noise", with("--epsilon", "1", "--find", "steps", "--noise-multiplier", "Inf"), exitUsage, "--noise-multiplier is +Inf"},
		{"probability", with("--epsilon", "1", "--sampling-probability", "1.5"), exitUsage, "--sampling-probability is 1.5"},
		{"no steps", with("--epsilon", "1", "--steps", "0"), exitUsage, "--steps is 0"},
		{"too many steps", with("--epsilon", "1", "--steps", "9999999999"), exitUsage, "--steps is 9999999999"},
		{"accountant", with("--epsilon", "1", "--accountant", "abacus"), exitUsage, `accountant is "abacus"`},
		{"accountant without proof", with("--epsilon", "1", "--accountant", "gdp", "--sampling-probability", "0.1"), exitUsage, "no proof"},
		{"out of reach", with("--epsilon", "0.1", "--find", "steps", "--noise-multiplier", "1"), exitUsage, "not even 1 for steps"},
		{"out of reach by sampling", with("--epsilon", "1e-8", "--delta", "0", "--find", "sampling-probability", "--noise-multiplier", "1"), exitUsage, "no sampling-probability down to 1e-09"},
		{"event without X", with("--epsilon", "1", "--event", "gaussian(1)"), exitUsage, "with X"},
		{"X inside a word", with("--epsilon", "1", "--event", "gaussian(1X)"), exitUsage, "with X"},
		{"unknown event", with("--epsilon", "1", "--event", "normal(X)"), exitUsage, "position 1"},
		{"event and steps", with("--epsilon", "1", "--event", "gaussian(X)", "--steps", "3"), exitUsage, "one or the other"},
		{"count that falls", with("--epsilon", "1", "--event", "repeat(X, gaussian(3))"), exitUsage, "--falling=false"},
		{"range without event", with("--epsilon", "1", "--low", "3"), exitUsage, "go with --event"},
		{"range that falls", with("--epsilon", "1", "--event", "gaussian(X)", "--low", "3"), exitUsage, "--falling=false"},
		{"empty range", with("--epsilon", "1", "--event", "repeat(X, gaussian(3))", "--falling=false", "--low", "3", "--high", "2"), exitUsage, "in order"},
		{"range out of reach", with("--epsilon", "1", "--event", "repeat(X, gaussian(10))", "--falling=false", "--low", "500"), exitUsage, "not even 500 for X"},
		{"infinite range", with("--epsilon", "1", "--event", "repeat(X, gaussian(3))", "--falling=false", "--high", "Inf"), exitUsage, "finite"},
		{"no proof", with("--epsilon", "1", "--event", "without-replacement(10, 2, gaussian(X))"), exitUsage, "no proof under add-or-remove-one"},
		{"does not depend on X", with("--epsilon", "1", "--event", "sequence(gaussian(0.1), gaussian(X))"), exitUsage, "no X up to 1e+09"},
	})
}

func TestCalibrateHelp(t *testing.T) {
	stdout, _ := mustInvoke(t, "calibrate", "--help")
	for _, want := range []string{"--find", "--falling", "--sampling-probability", "X in place", "Exit status 2"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got a help text without %q", want)
		}
	}
}
