package durable

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestRemoveLeftovers holds that only what no process holds and nobody pays for again is removed.
func TestRemoveLeftovers(t *testing.T) {
	t.Chdir(t.TempDir())
	then := time.Now().Add(-2 * leftoverAge)
	name := func(text string) string { return Prefix + text }
	for _, file := range []string{name("young"), name("old"), name("live"), "old"} {
		writeText(t, file, "half")
	}
	for folder, files := range map[string][]string{name("empty"): nil, name("traced"): {TraceName}, name("paid"): {"model.json"}, name("busy"): nil} {
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
		if err = Lock(file); err != nil {
			t.Skip(err)
		}
	}
	var told []string
	RemoveLeftovers(".", func(path string) { told = append(told, path) })
	want := []string{name("busy"), name("link"), name("live"), name("paid"), name("young"), "old"}
	entries, err := os.ReadDir(".")
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !slices.Equal(told, []string{name("paid")}) {
		t.Errorf("got %q, want the folder with a model", told)
	}
}
