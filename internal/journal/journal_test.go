package journal

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ditherml/dither/evaluate"
	"github.com/ditherml/dither/internal/option"
	"github.com/ditherml/dither/sweep"
)

func definition() Definition {
	return Definition{Fixed: []sweep.Setting{{Name: "delta", Value: "1e-6"}, {Name: "steps", Value: "4"}}, Varied: []sweep.Parameter{{Name: "epsilon", Values: []string{"1", "2"}}}, Repeats: 3, Data: []sweep.Setting{{Name: "data", Value: "abc"}}, Program: "dither test", Plans: "one"}
}

// anew is the advice of an error.
const anew = "begin elsewhere"

// candidates are those of the definition.
func candidates() []sweep.Candidate {
	return []sweep.Candidate{{Settings: []sweep.Setting{{Name: "epsilon", Value: "1"}}}, {Settings: []sweep.Setting{{Name: "epsilon", Value: "2"}}}}
}

// measurement is one of epsilon 1.
func measurement(repeat int) sweep.Measurement {
	return sweep.Measurement{Run: sweep.Run{Settings: []sweep.Setting{{Name: "epsilon", Value: "1"}}, Repeat: repeat}, LearningRate: 0.5, Metrics: []sweep.Metric{{Name: option.MetricAccuracy, Value: 0.75}, {Name: option.MetricAUC, Value: evaluate.Measure(math.NaN())}}}
}

// open opens a journal that must open.
func open(t *testing.T, path string) *Journal {
	t.Helper()
	j, err := Open(path, definition(), candidates(), anew)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestJournalGoesOn writes, closes, tears the last line at every byte, and opens again: what was whole is there.
func TestJournalGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	j := open(t, path)
	first, second := measurement(1), measurement(2)
	if err := errors.Join(j.Begin([]sweep.Run{first.Run, second.Run}), j.End([]sweep.Measurement{first}), j.End([]sweep.Measurement{second}), j.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, statErr := os.Stat(path); statErr != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, want it for its owner alone", info.Mode())
	}
	last := strings.LastIndex(strings.TrimSuffix(string(text), "\n"), "\n") + 1
	for length := last; length <= len(text); length++ {
		if err = os.WriteFile(path, text[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		j = open(t, path)
		got, has := j.Result(first.Run)
		if !has || got.Value(option.MetricAccuracy) != 0.75 || got.Value(option.MetricAUC) == got.Value(option.MetricAUC) || got.LearningRate != 0.5 {
			t.Fatalf("%d bytes: the first result is %v, %v, want the one that was written", length, got, has)
		}
		if _, has = j.Result(second.Run); has != (length >= len(text)-1) {
			t.Errorf("%d of %d bytes: the second result is there: %v", length, len(text), has)
		}
		if n := j.Begun(&sweep.Candidate{Settings: first.Settings}); n != 2 {
			t.Errorf("%d bytes: %d runs began, want 2", length, n)
		}
		third := measurement(3)
		if err = errors.Join(j.Begin([]sweep.Run{third.Run}), j.End([]sweep.Measurement{third}), j.Close()); err != nil {
			t.Fatal(err)
		}
		j = open(t, path)
		if _, has = j.Result(measurement(3).Run); !has {
			t.Errorf("%d bytes: what was added behind a torn line is lost", length)
		}
		j.Close()
	}
}

// TestJournalKeepsALineWithoutEnd removes the end of the last line, as editors do. A run that began counts, its line
// gets an end, and a line that is whole and none of this sweep is refused.
func TestJournalKeepsALineWithoutEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	j, run := open(t, path), measurement(1).Run
	if err := errors.Join(j.Begin([]sweep.Run{run}), j.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(path, text[:len(text)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	j = open(t, path)
	if n := j.Begun(&sweep.Candidate{Settings: run.Settings}); n != 1 {
		t.Errorf("%d runs began, want the one whose line has no end", n)
	}
	if err = errors.Join(j.End([]sweep.Measurement{measurement(1)}), j.Close()); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil || !strings.HasPrefix(string(after), string(text)) {
		t.Errorf("got %q and %v, want the line with its end and another", after, err)
	}
	j = open(t, path)
	if _, has := j.Result(run); !has {
		t.Error("the result after the line is lost")
	}
	j.Close()
	for _, line := range []string{"{}", "7", `{"begin":[{"settings":[{"name":"epsilon","value":"9"}],"repeat":1}]}`} {
		before := string(after) + line
		if err = os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, failed := Open(path, definition(), candidates(), anew); failed == nil || !strings.Contains(failed.Error(), "line 4") {
			t.Errorf("%s: got %v, want the number of the line", line, failed)
		}
		if now, readErr := os.ReadFile(path); readErr != nil || string(now) != before {
			t.Errorf("%s: the refusal left %q (%v)", line, now, readErr)
		}
	}
}

// TestJournalRefusesAnother changes each part of the definition.
func TestJournalRefusesAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	open(t, path).Close()
	for want, change := range map[string]func(*Definition){
		"delta was 1e-6 and is 1e-5":         func(d *Definition) { d.Fixed = []sweep.Setting{{Name: "delta", Value: "1e-5"}} },
		"epsilon was 1, 2 and is 1, 3":       func(d *Definition) { d.Varied = []sweep.Parameter{{Name: "epsilon", Values: []string{"1", "3"}}} },
		"repeats was 3 and is 4":             func(d *Definition) { d.Repeats = 4 },
		"loss was not given and is hinge":    func(d *Definition) { d.Fixed = append(d.Fixed, sweep.Setting{Name: "loss", Value: "hinge"}) },
		"delta was 1e-6 and is not given":    func(d *Definition) { d.Fixed = nil },
		"the bytes of data have changed":     func(d *Definition) { d.Data = []sweep.Setting{{Name: "data", Value: "abd"}} },
		"baseline was not given and is tru":  func(d *Definition) { d.Baseline = true },
		"finish it with the version that b":  func(d *Definition) { d.Plans = "two" },
		"planned by other rules, or by a ve": func(d *Definition) { d.Plans = "" },
		"the settings are in another order":  func(d *Definition) { d.Fixed = []sweep.Setting{d.Fixed[1], d.Fixed[0]} },
		"begun by dither test and this is ":  func(d *Definition) { d.Program = "dither other" },
	} {
		d := definition()
		change(&d)
		if _, err := Open(path, d, candidates(), anew); !errors.Is(err, errOtherSweep) || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), ", or "+anew) {
			t.Errorf("got %v, want a refusal with %q", err, want)
		}
	}
	open(t, path).Close()
}

func TestJournalRefusesOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	for _, text := range []string{"a,b\n1,2\n", "{}\n", `{"format":"dither-sweep","format-version":2}` + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, definition(), candidates(), anew); err == nil {
			t.Errorf("the file %q was taken, want a refusal", text)
		}
	}
	os.Remove(path)
	j := open(t, path)
	if _, err := j.file.WriteString("{\"result\":3}\n"); err != nil {
		t.Fatal(err)
	}
	j.Close()
	if _, err := Open(path, definition(), candidates(), anew); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("got %v about a line that is no result, want its number", err)
	}
}

// TestJournalCountsEveryResult writes lines that are no account of the runs of the sweep. A result counts
// only after a line by which its run began, and nothing counts of a run that the sweep does not have.
func TestJournalCountsEveryResult(t *testing.T) {
	const (
		begin   = `{"begin":[{"settings":[{"name":"epsilon","value":"1"}],"repeat":1}]}`
		result  = `{"result":{"settings":[{"name":"epsilon","value":"1"}],"repeat":1,"learning-rate":0.5,"metrics":null}}`
		another = `{"begin":[{"settings":[{"name":"epsilon","value":"3"}],"repeat":1}]}`
		beyond  = `{"begin":[{"settings":[{"name":"epsilon","value":"1"}],"repeat":4}]}`
		none    = `{"begin":[{"settings":[{"name":"epsilon","value":"1"}],"repeat":0}]}`
		base    = `{"begin":[{"settings":[],"baseline":true,"repeat":1}]}`
	)
	path := filepath.Join(t.TempDir(), "results.jsonl")
	open(t, path).Close()
	head, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{begin, begin, result}, ""},
		{[]string{result}, "line 2: no line before this result has the run that begins"},
		{[]string{result, begin}, "line 2: no line before this result"},
		{[]string{strings.Replace(begin, `"repeat":1`, `"repeat":2`, 1), result}, "line 3: no line before this result"},
		{[]string{strings.Replace(begin, `"1"`, `"2"`, 1), result}, "line 3: no line before this result"},
		{[]string{begin, result, result}, "line 4: it is the second result of a run"},
		{[]string{begin, result, begin}, "line 4: a run begins that has its result"},
		{[]string{begin, another}, "line 3: a run that begins is none of this sweep"},
		{[]string{begin, beyond}, "line 3: a run that begins is none of this sweep"},
		{[]string{begin, none}, "line 3: a run that begins is none of this sweep"},
		{[]string{begin, base}, "line 3: a run that begins is none of this sweep"},
		{[]string{begin, strings.Replace(result, `"1"`, `"3"`, 1)}, "line 3: the result is of no run of this sweep"},
	} {
		text := string(head) + strings.Join(c.lines, "\n") + "\n"
		if err = os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		j, failed := Open(path, definition(), candidates(), anew)
		if failed == nil {
			if n := j.Begun(&candidates()[0]); c.want == "" && n != 2 {
				t.Errorf("%q: %d runs began, want 2", c.lines, n)
			}
			j.Close()
		}
		switch {
		case c.want == "" && failed != nil:
			t.Errorf("%q: %v, want it accepted", c.lines, failed)
		case c.want != "" && (failed == nil || !strings.Contains(failed.Error(), path+", "+c.want) || !strings.HasSuffix(failed.Error(), "; put back an intact copy, or "+anew)):
			t.Errorf("%q: got %v, want %q and a remedy", c.lines, failed, c.want)
		}
	}
}

// TestRefusalLeavesTheFile opens files that are refused, and wants their bytes as before. Only the beginning
// of this sweep's own header goes on, as a crash may leave it.
func TestRefusalLeavesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	open(t, path).Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := string(text)
	for _, before := range []string{"my own results", "a,b\n1,2", "{", head[:len(head)-2] + "]", head + "{\"result\":3}\n{\"begin\":[", strings.Replace(head, `"repeats":3`, `"repeats":4`, 1)[:len(head)-1],
		strings.Replace(head, `"definition-sha256":"`, `"definition-sha256":"0`, 1) + "{\"begin\":["} {
		if err = os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		j, failed := Open(path, definition(), candidates(), anew)
		if own := strings.HasPrefix(head, before); (failed == nil) != own {
			t.Errorf("%.60q: got %v, want it refused unless it begins the header", before, failed)
		}
		if failed == nil {
			j.Close()
			continue
		}
		if after, readErr := os.ReadFile(path); readErr != nil || string(after) != before {
			t.Errorf("the refusal left %.60q of %.60q", after, before)
		}
	}
	for length := 0; length < len(head); length += 13 {
		if err = os.WriteFile(path, []byte(head[:length]), 0o600); err != nil {
			t.Fatal(err)
		}
		open(t, path).Close()
		if after, readErr := os.ReadFile(path); readErr != nil || string(after) != head {
			t.Fatalf("%d bytes of the header became %q, want all of it", length, after)
		}
	}
}

// TestJournalIsForOneProcess opens a file twice.
func TestJournalIsForOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results")
	j := open(t, path)
	defer j.Close()
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("the system may have no locks")
	}
	if second, err := Open(path, definition(), candidates(), anew); err == nil {
		second.Close()
		t.Error("two have the file open, want one")
	}
}
