package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/data/builtin"
	"github.com/ditherml/dither/internal/tabular"
)

func TestDataListUnset(t *testing.T) {
	t.Setenv(dataVariable, "")
	for _, args := range [][]string{{"data"}, {"data", "list"}} {
		stdout, stderr := mustInvoke(t, args...)
		for _, want := range []string{"builtin:randhie", "RAND Health Insurance", "DITHER_DATA is not set", "export DITHER_DATA="} {
			if !strings.Contains(stdout, want) {
				t.Errorf("%q: got %q, want a text with %q", args, stdout, want)
			}
		}
		if stderr != "" {
			t.Errorf("%q: got %q on standard error, want nothing", args, stderr)
		}
	}
}

// TestDataList lists a folder with tables, other files, a hostile name and a broken link.
func TestDataList(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(dataVariable, folder)
	for _, name := range []string{"inner", "empty", "inner/deep"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	writeText(t, filepath.Join(folder, "a.csv"), "12345")
	writeText(t, filepath.Join(folder, "notes.txt"), "x")
	writeText(t, filepath.Join(folder, "inner", "X.NPY.GZ"), strings.Repeat("x", 12345))
	writeText(t, filepath.Join(folder, "inner", "b\x1b[2J\u202e.tsv"), "")
	writeText(t, filepath.Join(folder, "inner", "deep", "c.csv"), "")
	if err := os.Symlink("absent.csv", filepath.Join(folder, "link.csv")); err != nil {
		t.Fatal(err)
	}
	stdout, _ := mustInvoke(t, "data")
	checkHarmless(t, stdout)
	for _, want := range []string{"a.csv", "5 bytes", "X.NPY.GZ", "12.3 kB", ".tsv", "0 bytes"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("got %q, want a text with %q", stdout, want)
		}
	}
	for _, not := range []string{"notes", "deep", "link", "empty"} {
		if strings.Contains(stdout, not) {
			t.Errorf("got %q, want nothing about %q", stdout, not)
		}
	}
	stdout, _ = mustInvoke(t, "data", "--json")
	checkHarmless(t, stdout)
	var listing dataListing
	if err := json.Unmarshal([]byte(stdout), &listing); err != nil {
		t.Fatal(err)
	}
	want := []tabular.File{{Path: "a.csv", Bytes: 5}, {Path: filepath.Join("inner", "X.NPY.GZ"), Bytes: 12345}, {Path: filepath.Join("inner", "b\x1b[2J\u202e.tsv")}}
	if !slices.Equal(listing.Tables, want) || listing.Folder != folder || len(listing.Builtin) != len(builtin.List()) {
		t.Errorf("got %+v, want the tables %+v", listing, want)
	}
}

func TestDataListWithoutTables(t *testing.T) {
	t.Setenv(dataVariable, t.TempDir())
	if stdout, _ := mustInvoke(t, "data"); !strings.Contains(stdout, "no tables") {
		t.Errorf("got %q, want the words no tables", stdout)
	}
	if stdout, _ := mustInvoke(t, "data", "--json"); !strings.Contains(stdout, `"tables": []`) {
		t.Errorf("got %q, want an empty list", stdout)
	}
}

func TestDataShow(t *testing.T) {
	set, err := builtin.Open(defaultSet)
	if err != nil {
		t.Fatal(err)
	}
	if stdout, _ := mustInvoke(t, "data", "show", defaultSet); stdout != set.Origin || stdout == "" {
		t.Errorf("got %q, want the page of the set", stdout)
	}
}

// TestDataExport writes the files, and predicts and evaluates with what was written as with
// the built-in table.
func TestDataExport(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "set")
	stdout, _ := mustInvoke(t, "data", "export", defaultSet, folder)
	if !strings.Contains(stdout, folder) {
		t.Errorf("got %q, want the folder named", stdout)
	}
	set, err := builtin.Open(defaultSet)
	if err != nil {
		t.Fatal(err)
	}
	var schema string
	for _, file := range set.Files {
		text, err := os.ReadFile(filepath.Join(folder, file.Name))
		if err != nil || string(text) != string(file.Text) {
			t.Errorf("%s: got %d bytes (%v), want the %d of the built-in file", file.Name, len(text), err, len(file.Text))
		}
		if strings.HasSuffix(file.Name, ".yaml") {
			schema = string(text)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != len(set.Files) {
		t.Errorf("got %d files (%v), want %d", len(entries), err, len(set.Files))
	}
	made := newModelFolder(t, schema, 1)
	for _, command := range []string{"predict", "evaluate"} {
		fromFile, _ := mustInvoke(t, command, made.folder, filepath.Join(folder, defaultSet+"-test.csv.gz"))
		fromSet, _ := mustInvoke(t, command, made.folder, builtinPrefix+defaultSet)
		if fromFile != fromSet || strings.Count(fromSet, "\n") < 10 {
			t.Errorf("%s: got %d bytes for the file and %d for the built-in set, want the same", command, len(fromFile), len(fromSet))
		}
	}
}

// TestDataExportLeavesNothing exports where one file stands already.
func TestDataExportLeavesNothing(t *testing.T) {
	set, err := builtin.Open(defaultSet)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range set.Files {
		folder := t.TempDir()
		writeText(t, filepath.Join(folder, file.Name), "old")
		before := treeOf(t, folder)
		status, _, stderr := invoke("data", "export", defaultSet, folder)
		if status != exitUsage || !strings.Contains(stderr, file.Name) {
			t.Errorf("got exit status %d and %q, want %d and the name %s", status, stderr, exitUsage, file.Name)
		}
		if after := treeOf(t, folder); !slices.Equal(after, before) {
			t.Errorf("got %q, want %q", after, before)
		}
	}
}

func TestDataWrong(t *testing.T) {
	folder := wrongFolder(t)
	t.Setenv(dataVariable, filepath.Join(folder, "absent"))
	checkWrong(t, folder, []wrong{
		{"a folder that is not there", []string{"data"}, exitUsage, dataVariable},
		{"an unknown command", []string{"data", "nope"}, exitUsage, "nope"},
		{"list with an argument", []string{"data", "list", "x"}, exitUsage, "x"},
		{"show nothing", []string{"data", "show"}, exitUsage, "NAME"},
		{"show an unknown set", []string{"data", "show", "nope"}, exitUsage, "nope"},
		{"export an unknown set", []string{"data", "export", "nope", "new"}, exitUsage, "nope"},
		{"export without a folder", []string{"data", "export", defaultSet}, exitUsage, "FOLDER"},
		{"export into a file", []string{"data", "export", defaultSet, "good.csv"}, exitUsage, "good.csv"},
		{"export far away", []string{"data", "export", defaultSet, "absent/deep"}, exitUsage, "absent"},
	})
}
