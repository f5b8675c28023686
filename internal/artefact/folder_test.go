package artefact

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ditherml/dither/certificate"
	"github.com/ditherml/dither/internal/display"
	"github.com/ditherml/dither/internal/durable"
	"github.com/ditherml/dither/internal/failure"
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
func take(t *testing.T, path string, replace bool) *Folder {
	t.Helper()
	f, err := Claim(path, replace, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// spent is take with something spent.
func spent(t *testing.T, path string, replace bool) *Folder {
	t.Helper()
	f := take(t, path, replace)
	if err := f.Spend(draftOf()); err != nil {
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
			f, err := Claim("", false, t.Output())
			if err == nil {
				err = f.Spend(draftOf())
			}
			if err == nil {
				paths[i] = f.path
				err = f.Write(results(fmt.Sprint(i)))
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
	defer held.Close()
	if err := os.MkdirAll("other", 0o755); err != nil {
		t.Fatal(err)
	}
	writeText(t, filepath.Join("other", "notes.txt"), "mine")
	claimed := take(t, "claimed", false) // by a run that has not drawn yet
	defer claimed.Close()
	before := treeOf(t, ".")
	for _, c := range []struct {
		path    string
		replace bool
		want    string
	}{
		{"claimed", false, "exists"},
		{"claimed", true, "no model folder"},
		{strings.Repeat("x", 300), false, "too long"},
		{strings.Repeat("x", 300), true, "too long"},
		{filepath.Join("absent", "m"), false, "no such file"},
		{filepath.Join("other", "notes.txt", "m"), false, "not a directory"},
		{"held", false, "goes on or did not finish"},
		{"held", true, "goes on or did not finish"},
		{"other", false, "exists"},
		{"other", true, "no model folder"},
	} {
		f, err := Claim(c.path, c.replace, t.Output())
		if err == nil || failure.IsRunning(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.20s, replace %v: got %v and error %v, want a usage error with %q", c.path, c.replace, f, err, c.want)
		}
	}
	if after := treeOf(t, "."); !slices.Equal(before, after) {
		t.Errorf("got %v, want %v", after, before)
	}
	f := take(t, "free", false)
	f.Close()
	if display.Exists("free") {
		t.Error("a name that was given back is still there")
	}
}

// TestCheckClaimIsClaim wants a dry run to refuse what a run refuses, in the same words, and a refusal to
// name only what helps.
func TestCheckClaimIsClaim(t *testing.T) {
	makes := map[string]func(t *testing.T, path string){
		"nothing": func(*testing.T, string) {},
		"a model": func(t *testing.T, path string) { makeModel(t, path, "old") },
		"a file":  func(t *testing.T, path string) { writeText(t, path, "mine") },
		"other files": func(t *testing.T, path string) {
			makeModel(t, path, "old")
			writeText(t, filepath.Join(path, "notes"), "mine")
		},
		"an empty one": func(t *testing.T, path string) {
			makeModel(t, path, "")
			removeAll(t, filepath.Join(path, model.FileName))
		},
		"an unfinished": func(t *testing.T, path string) {
			makeModel(t, path, "")
			writeText(t, filepath.Join(path, durable.TraceName), "{}")
		},
	}
	for name, put := range makes {
		for _, path := range []string{"", defaultFolder, "m", filepath.Join("absent", "m")} {
			for _, replace := range []bool{false, true} {
				t.Chdir(t.TempDir())
				if at := cmp.Or(path, defaultFolder); filepath.Dir(at) == "." {
					put(t, at)
				}
				before := treeOf(t, ".")
				dry := CheckClaim(path, replace)
				if after := treeOf(t, "."); !slices.Equal(before, after) {
					t.Errorf("%s at %q, replace %t: a dry run leaves %v, want %v", name, path, replace, after, before)
				}
				f, err := Claim(path, replace, t.Output())
				if (dry == nil) != (err == nil) || err != nil && filepath.Dir(path) == "." && dry.Error() != err.Error() {
					t.Errorf("%s at %q, replace %t: a dry run says %v, a run %v", name, path, replace, dry, err)
				}
				if f.Close(); err == nil || filepath.Dir(path) != "." {
					continue
				}
				if strings.Contains(err.Error(), "--replace") {
					g, failed := Claim(path, true, t.Output())
					if g.Close(); failed != nil {
						t.Errorf("%s at %q, replace %t: %v; --replace is refused: %v", name, path, replace, err, failed)
					}
				}
				if strings.Contains(err.Error(), "or remove it") {
					removeAll(t, cmp.Or(path, defaultFolder))
					g, failed := Claim(path, replace, t.Output())
					if g.Close(); failed != nil {
						t.Errorf("%s at %q, replace %t: %v; after removal: %v", name, path, replace, err, failed)
					}
				}
			}
		}
	}
}

// TestSpendRefusesOtherFolders renames, replaces or removes a folder before anything is spent. Then no trace is written,
// and what took the place stays.
func TestSpendRefusesOtherFolders(t *testing.T) {
	rename := func(t *testing.T, from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name    string
		replace bool
		spoil   func(t *testing.T)
		want    string // the folder that is named
		files   int
	}{
		{"renamed", false, func(t *testing.T) { rename(t, "m", "n") }, "m", 2},
		{"renamed for another", false, func(t *testing.T) { rename(t, "m", "n"); makeModel(t, "m", "rival") }, "m", 4},
		{"replaced", false, func(t *testing.T) { makeModel(t, "n", "rival"); removeAll(t, "m"); rename(t, "n", "m") }, "m", 3},
		{"removed", false, func(t *testing.T) { removeAll(t, "m") }, "m", 1},
		{"a file", false, func(t *testing.T) { removeAll(t, "m"); writeText(t, "m", "rival") }, "m", 2},
		{"next to an old model, replaced", true, func(t *testing.T) {
			removeAll(t, "m-unfinished")
			makeModel(t, "m-unfinished", "rival")
		}, "m-unfinished", 5},
		{"an old model, replaced", true, func(t *testing.T) { removeAll(t, "m"); makeModel(t, "m", "rival") }, "m", 3},
		{"an old model, removed", true, func(t *testing.T) { removeAll(t, "m") }, "m", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if c.replace {
				makeModel(t, "m", "old")
			}
			f := take(t, "m", c.replace)
			c.spoil(t)
			err := f.Spend(draftOf())
			want := c.want + " is not what it was when this run began; nothing was spent; start the run again, or give another --out"
			if !failure.IsRunning(err) || err.Error() != want || f.Spent() {
				t.Errorf("got %v, spent %v, want a failure %q and nothing spent", err, f.Spent(), want)
			}
			f.Close()
			if files := treeOf(t, "."); len(files) != c.files || slices.ContainsFunc(files, func(name string) bool { return strings.Contains(name, durable.TraceName) }) {
				t.Errorf("got %v, want %d names and no trace", files, c.files)
			}
		})
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
		{"the parent is gone", false, func(t *testing.T) { removeAll(t, "par") }, func() bool { return !display.Exists("par") }},
		{"the parent of an old model is gone", true, func(t *testing.T) { removeAll(t, "par") }, func() bool { return !display.Exists("par") }},
		{"another folder has the name", false, func(t *testing.T) { removeAll(t, "par/m"); makeModel(t, "par/m", "rival") }, func() bool { return modelIn("par/m") == "rival" }},
		{"a file has the name", false, func(t *testing.T) { removeAll(t, "par/m"); writeText(t, "par/m", "rival") }, func() bool { return display.Exists("par/m") }},
		{"the name is gone", false, func(t *testing.T) { removeAll(t, "par/m") }, func() bool { return !display.Exists("par/m") }},
		{"another run replaced the old model", true, func(t *testing.T) { removeAll(t, "par/m"); makeModel(t, "par/m", "rival") }, func() bool { return modelIn("par/m") == "rival" }},
		{"the parent is a file", false, func(t *testing.T) { removeAll(t, "par"); writeText(t, "par", "rival") }, func() bool { return display.Exists("par") }},
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
			err := f.Write(results("new"))
			if !failure.IsRunning(err) || !strings.Contains(err.Error(), "budget spent: at most epsilon 0.75 at delta 1e-06") {
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
	defer f.Close()
	for _, name := range []string{"TMPDIR", "XDG_CACHE_HOME", "HOME"} {
		t.Setenv(name, filepath.Join(t.TempDir(), "absent"))
	}
	gone := t.TempDir()
	t.Chdir(gone)
	removeAll(t, gone)
	f.path = filepath.Join(gone, "m")
	if err := f.Write(results("new")); !failure.IsRunning(err) || !strings.Contains(err.Error(), "the results are lost") || !strings.Contains(err.Error(), "budget spent") {
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
				traced := display.Exists(filepath.Join(f.home, durable.TraceName))
				if got := modelIn("m"); got != want || got != "new" && !traced {
					t.Errorf("%s: m holds model %q and a trace is there: %v, want %q", when, got, traced, want)
				}
			}
			check("after the first draw", old)
			held, work, err := finish(".", durable.Prefix, results("new"))
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
			old2 := time.Now().Add(-2 * time.Hour)
			if err = os.Chtimes(work, old2, old2); err != nil {
				t.Fatal(err)
			}
			var told bytes.Buffer
			later, err := Claim("later", false, &told)
			if err != nil {
				t.Fatal(err)
			}
			later.Close()
			if replace != display.Exists(work) || replace != strings.Contains(told.String(), work) {
				t.Errorf("%s is there: %v, and was told %q; want an old model kept and told of, and a trace removed", work, display.Exists(work), told.String())
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
	if err := f.Write(results("new")); err != nil {
		t.Fatal(err)
	}
	if modelIn("m") != "new" || modelIn("m-2") != "old" || !display.Exists(filepath.Join("m-2", "notes.txt")) || display.Exists("m-unfinished") {
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
		held, work, err := finish(".", durable.Prefix, results("new"))
		if err != nil {
			t.Fatal(err)
		}
		if err = f.placeInSteps(work); err != nil {
			t.Fatal(err)
		}
		held.Close()
		f.Close()
		if files := treeOf(t, "."); modelIn("m") != "new" || len(files) != 4 {
			t.Errorf("replace %v: got %v, want the new model alone", replace, files)
		}
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// treeOf lists all files below a folder with their sizes.
func treeOf(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && !entry.IsDir() {
			names = append(names, fmt.Sprintf("%s %d", path, info.Size()))
		} else {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
