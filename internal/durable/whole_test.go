package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ditherml/dither/internal/failure"
)

func TestWriteWhole(t *testing.T) {
	broken := errors.New("broken")
	text := strings.Repeat("new", 1<<16)
	cases := []struct {
		name    string
		old     string // "" for no file
		replace bool
		fail    bool
		want    string
		isError bool
	}{
		{"a new file", "", false, false, text, false},
		{"a new file that may be replaced", "", true, false, text, false},
		{"a name that is taken", "old", false, false, "old", true},
		{"a file that is replaced", "old", true, false, text, false},
		{"a writer that fails", "", false, true, "", true},
		{"a writer that fails over an old file", "old", true, true, "old", true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "out")
			if c.old != "" {
				writeText(t, path, c.old)
			}
			err := WriteWhole(path, c.replace, 0o600, func(w io.Writer) error {
				if _, err := io.WriteString(w, text); err != nil {
					return err
				}
				if c.fail {
					return broken
				}
				return nil
			})
			if (err != nil) != c.isError {
				t.Errorf("got error %v, want one: %v", err, c.isError)
			}
			got, _ := os.ReadFile(path)
			if string(got) != c.want {
				t.Errorf("got %d bytes, want %d", len(got), len(c.want))
			}
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			if want := min(1, len(c.want)); len(entries) != want {
				t.Errorf("got %d files in the folder, want %d: %v", len(entries), want, entries)
			}
		})
	}
}

// TestWriteWholeLateRival lets a file take the name while the new one is being written.
func TestWriteWholeLateRival(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	err := WriteWhole(path, false, 0o600, func(w io.Writer) error {
		writeText(t, path, "rival")
		_, err := io.WriteString(w, "new")
		return err
	})
	if !failure.IsRunning(err) {
		t.Errorf("got %v, want a failure while running", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "rival" {
		t.Errorf("got %q (%v), want the file that was there first", got, err)
	}
	if files := treeOf(t, folder); len(files) != 2 {
		t.Errorf("got %q, want the folder and one file", files)
	}
}

func TestWriteWholeRefusesWhatIsNoFile(t *testing.T) {
	folder := t.TempDir()
	file, link := writeText(t, filepath.Join(folder, "file"), "old"), filepath.Join(folder, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Skip("this system has no links: ", err)
	}
	before := treeOf(t, folder)
	for _, path := range []string{link, folder, filepath.Join(folder, "absent", "out"), filepath.Join(file, "out")} {
		called := false
		err := WriteWhole(path, true, 0o600, func(io.Writer) error {
			called = true
			return nil
		})
		if err == nil || failure.IsRunning(err) || called {
			t.Errorf("%s: got %v, called %v; want a usage error before anything is written", filepath.Base(path), err, called)
		}
	}
	if after := treeOf(t, folder); !slices.Equal(after, before) {
		t.Errorf("got %q, want %q", after, before)
	}
}

func writeText(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
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
