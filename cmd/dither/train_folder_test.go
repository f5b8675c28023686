package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/model"
	"github.com/ditherml/dither/privacy"
)

// draftOf is the draft of a certificate for tests of folders.
func draftOf() certificate.Certificate {
	return certificate.Certificate{Private: true, Epsilon: 0.75, Delta: 1e-6, Neighboring: privacy.AddOrRemoveOne, Unit: "one person", Accountant: "gdp", Event: "gaussian(7)", Method: "test"}
}

// results are the files of a folder of results.
func results(text string) map[string][]byte {
	return map[string][]byte{model.FileName: []byte(text), certificate.FileName: []byte("{}")}
}

// take takes a name, or ends the test.
func take(t *testing.T, path string, replace bool) *folder {
	t.Helper()
	f, err := newFolder(t.Output(), path, replace)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// spent is take with something spent.
func spent(t *testing.T, path string, replace bool) *folder {
	t.Helper()
	f := take(t, path, replace)
	if err := f.spend(draftOf()); err != nil {
		t.Fatal(err)
	}
	return f
}

// modelIn is the text of the model in a folder, "" for none.
func modelIn(path string) string {
	text, _ := os.ReadFile(filepath.Join(path, model.FileName))
	return string(text)
}

// TestFoldersAtOnce starts runs in one folder at once: each has a name of its own, and keeps its model.
func TestFoldersAtOnce(t *testing.T) {
	const runs = 8
	t.Chdir(t.TempDir())
	var paths [runs]string
	var group sync.WaitGroup
	for i := range runs {
		group.Go(func() {
			f, err := newFolder(t.Output(), "", false)
			if err == nil {
				err = f.spend(draftOf())
			}
			if err == nil {
				paths[i] = f.path
				err = f.write(results(fmt.Sprint(i)))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for i, path := range paths {
		if got := modelIn(path); got != fmt.Sprint(i) {
			t.Errorf("%s holds model %q, want %d", path, got, i)
		}
	}
	slices.Sort(paths[:])
	want := []string{"dither-model"}
	for n := 2; n <= runs; n++ {
		want = append(want, fmt.Sprintf("dither-model-%d", n))
	}
	if !slices.Equal(paths[:], want) || len(treeOf(t, ".")) != 1+3*runs {
		t.Errorf("got %v and %v, want %v with two files each", paths, treeOf(t, "."), want)
	}
}

// TestFolderRefusals holds that a name is refused before anything is spent, and that nothing is left of it.
func TestFolderRefusals(t *testing.T) {
	t.Chdir(t.TempDir())
	held := spent(t, "held", false)
	defer held.close()
	if err := os.MkdirAll("other", 0o755); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join("other", "notes.txt"), "mine")
	before := treeOf(t, ".")
	for _, c := range []struct {
		path    string
		replace bool
		want    string
	}{
		{strings.Repeat("x", 300), false, "too long"},
		{strings.Repeat("x", 300), true, "too long"},
		{filepath.Join("absent", "m"), false, "no such file"},
		{filepath.Join("other", "notes.txt", "m"), false, "not a directory"},
		{"held", false, "goes on or did not finish"},
		{"held", true, "goes on or did not finish"},
		{"other", false, "exists"},
		{"other", true, "no model folder"},
	} {
		f, err := newFolder(t.Output(), c.path, c.replace)
		if err == nil || status(err) != exitUsage || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20s, replace %v: got %v and error %v, want a usage error with %q", c.path, c.replace, f, err, c.want)
		}
	}
	if after := treeOf(t, "."); !slices.Equal(before, after) {
		t.Errorf("got %v, want %v", after, before)
	}
	f := take(t, "free", false)
	f.close()
	if exists("free") {
		t.Error("a name that was given back is still there")
	}
}

// TestFolderLateFailures spoils the place of results after the budget is spent: they stand elsewhere, whole, and the
// error says where, and what is spent.
func TestFolderLateFailures(t *testing.T) {
	for _, c := range []struct {
		name    string
		replace bool
		spoil   func(t *testing.T)
		still   func() bool // what must hold afterwards
	}{
		{"the parent is gone", false, func(t *testing.T) { removeAll(t, "par") }, func() bool { return !exists("par") }},
		{"the parent of an old model is gone", true, func(t *testing.T) { removeAll(t, "par") }, func() bool { return !exists("par") }},
		{"another folder has the name", false, func(t *testing.T) { removeAll(t, "par/m"); makeModel(t, "par/m", "rival") }, func() bool { return modelIn("par/m") == "rival" }},
		{"a file has the name", false, func(t *testing.T) { removeAll(t, "par/m"); writeText(t, "par/m", "rival") }, func() bool { return exists("par/m") }},
		{"the name is gone", false, func(t *testing.T) { removeAll(t, "par/m") }, func() bool { return !exists("par/m") }},
		{"another run replaced the old model", true, func(t *testing.T) { removeAll(t, "par/m"); makeModel(t, "par/m", "rival") }, func() bool { return modelIn("par/m") == "rival" }},
		{"the parent is a file", false, func(t *testing.T) { removeAll(t, "par"); writeText(t, "par", "rival") }, func() bool { return exists("par") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("TMPDIR", t.TempDir())
			if err := os.Mkdir("par", 0o755); err != nil {
				t.Fatal(err)
			}
			if c.replace {
				makeModel(t, "par/m", "old")
			}
			f := spent(t, "par/m", c.replace)
			c.spoil(t)
			err := f.write(results("new"))
			if status(err) != exitFailed || !strings.Contains(err.Error(), "budget spent: at most epsilon 0.75 at delta 1e-06") {
				t.Fatalf("got %v, want a failure that says what is spent", err)
			}
			_, rest, _ := strings.Cut(err.Error(), "the finished results stand in ")
			place, _, _ := strings.Cut(rest, ";")
			if entries, readErr := os.ReadDir(place); readErr != nil || len(entries) != 2 || modelIn(place) != "new" {
				t.Errorf("%q holds %v (%v), want both files; %v", place, entries, readErr, err)
			}
			if !c.still() {
				t.Errorf("what took the place was changed: %v", treeOf(t, "."))
			}
		})
	}
}

func removeAll(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func makeModel(t *testing.T, path, text string) {
	t.Helper()
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join(path, model.FileName), text)
}

// TestFolderNowhere finds no room for results anywhere, and must say that they are lost.
func TestFolderNowhere(t *testing.T) {
	t.Chdir(t.TempDir())
	f := spent(t, "m", false)
	defer f.close()
	for _, name := range []string{"TMPDIR", "XDG_CACHE_HOME", "HOME"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "absent"))
	}
	gone := t.TempDir()
	t.Chdir(gone)
	removeAll(t, gone)
	f.path = filepath.Join(gone, "m")
	if err := f.write(results("new")); status(err) != exitFailed || !strings.Contains(err.Error(), "the results are lost") || !strings.Contains(err.Error(), "budget spent") {
		t.Errorf("got %v, want a failure that says that the results are lost", err)
	}
}

// TestFolderStops stops at every step of putting results in their place, as a kill would: the old model or the
// new one stands, and what was spent is known or the results stand.
func TestFolderStops(t *testing.T) {
	for _, replace := range []bool{false, true} {
		t.Run(fmt.Sprint("replace ", replace), func(t *testing.T) {
			t.Chdir(t.TempDir())
			old := ""
			if replace {
				makeModel(t, "m", "old")
				old = "old"
			}
			f := spent(t, "m", replace)
			check := func(when, want string) {
				t.Helper()
				traced := exists(filepath.Join(f.home, spentName))
				if got := modelIn("m"); got != want || got != "new" && !traced {
					t.Errorf("%s: m holds model %q and a trace is there: %v, want %q", when, got, traced, want)
				}
			}
			check("after the first draw", old)
			held, work, err := finish(".", temporaryPrefix, results("new"))
			if err != nil {
				t.Fatal(err)
			}
			check("with finished files", old)
			if err = durable.Exchange(work, "m"); errors.Is(err, durable.ErrNoExchange) {
				t.Skip(err)
			}
			check("after the exchange", "new")
			held.Close() // the process is dead
			f.held.Close()
			old2 := time.Now().Add(-2 * leftoverAge)
			if err = os.Chtimes(work, old2, old2); err != nil {
				t.Fatal(err)
			}
			var told bytes.Buffer
			sweepLeftovers(".", &told)
			if replace != exists(work) || replace != strings.Contains(told.String(), work) {
				t.Errorf("%s is there: %v, and was told %q; want an old model kept and told of, and a trace removed", work, exists(work), told.String())
			}
			check("after a later run", "new")
		})
	}
}

// TestFolderKeepsOldModelAside puts a file of the user into a model folder while it is being replaced.
func TestFolderKeepsOldModelAside(t *testing.T) {
	t.Chdir(t.TempDir())
	makeModel(t, "m", "old")
	f := spent(t, "m", true)
	writeText(t, filepath.Join("m", "notes.txt"), "mine")
	if err := f.write(results("new")); err != nil {
		t.Fatal(err)
	}
	if modelIn("m") != "new" || modelIn("m-2") != "old" || !exists(filepath.Join("m-2", "notes.txt")) || exists("m-unfinished") {
		t.Errorf("got %v, want the new model in m and the old one with the notes in m-2", treeOf(t, "."))
	}
}

// TestFolderWithoutExchange places results in the way of systems that have no exchange.
func TestFolderWithoutExchange(t *testing.T) {
	for _, replace := range []bool{false, true} {
		t.Chdir(t.TempDir())
		if replace {
			makeModel(t, "m", "old")
		}
		f := spent(t, "m", replace)
		held, work, err := finish(".", temporaryPrefix, results("new"))
		if err != nil {
			t.Fatal(err)
		}
		if err = f.placeInSteps(work); err != nil {
			t.Fatal(err)
		}
		held.Close()
		f.close()
		if files := treeOf(t, "."); modelIn("m") != "new" || len(files) != 4 {
			t.Errorf("replace %v: got %v, want the new model alone", replace, files)
		}
	}
}

// TestSweepLeftovers holds that only what no process holds and nobody pays for again is removed.
func TestSweepLeftovers(t *testing.T) {
	t.Chdir(t.TempDir())
	then := time.Now().Add(-2 * leftoverAge)
	name := func(text string) string { return temporaryPrefix + text }
	for _, file := range []string{name("young"), name("old"), name("live"), "old"} {
		writeText(t, file, "half")
	}
	for folder, files := range map[string][]string{name("empty"): nil, name("traced"): {spentName}, name("paid"): {model.FileName}, name("busy"): nil} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			writeText(t, filepath.Join(folder, file), "{}")
		}
	}
	if err := os.Symlink("old", name("link")); err != nil {
		t.Skip("this system has no links: ", err)
	}
	for _, path := range []string{name("old"), name("live"), "old", name("empty"), name("traced"), name("paid"), name("busy")} {
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{name("live"), name("busy")} {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err = durable.Lock(file); err != nil {
			t.Skip(err)
		}
	}
	var told bytes.Buffer
	sweepLeftovers(".", &told)
	want := []string{name("busy"), name("link"), name("live"), name("paid"), name("young"), "old"}
	entries, err := os.ReadDir(".")
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if strings.Count(told.String(), "\n") != 1 || !strings.Contains(told.String(), name("paid")) {
		t.Errorf("got %q, want a line about the folder with a model", told.String())
	}
}

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
	var trace spending
	text, err := os.ReadFile(filepath.Join("m", spentName))
	if err != nil || json.Unmarshal(text, &trace) != nil || !(trace.Epsilon > 0.99 && trace.Epsilon <= 1) || trace.Delta != 1e-6 || !strings.Contains(trace.Event, "repeat(4000, ") || trace.Folder != "m" {
		t.Errorf("got %s (%v), want what the plan costs", text, err)
	}
	if status, _, stderr := invoke(append(args, "--replace")...); status != exitUsage || !strings.Contains(stderr, spentName) {
		t.Errorf("got status %d and %q, want a refusal that names %s", status, stderr, spentName)
	}
	removeAll(t, "m")
	mustInvoke(t, "train", "--data", table, "--schema", schema, "--out", "m", "--steps", "5", "--quiet")
	if exists(filepath.Join("m", spentName)) {
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
		if status != exitFailed || !strings.Contains(rest, "budget spent") || !exists(filepath.Join(place, file)) {
			t.Errorf("%v: got status %d and %q, want a failure that says where %s is", args, status, stderr.String(), file)
		}
		mustInvoke(t, "verify", place)
	}
}
